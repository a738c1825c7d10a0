module github.com/seed-a2b66b4f/agentgraph

go 1.26.0
