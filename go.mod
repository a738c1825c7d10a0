module github.com/seed-a2b66b4f/agentgraph

go 1.26.0

require (
	github.com/dominikbraun/graph v0.23.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/exp v0.0.0-20261113113407-e3970619a1a4
	pgregory.net/rapid v1.3.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
