// Package agentgraph lets named agents talk over a graph until the work is done.
package agentgraph
