//go:build race

package agentgraph_test

const raceEnabled = true
