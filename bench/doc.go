// Package bench holds benchmarks alone: what a durable step of agentgraph costs,
// beside the least that it could cost. README.md says what each row is.
package bench
