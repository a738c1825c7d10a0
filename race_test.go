//go:build race

package agentgraph

const RaceEnabled = true
