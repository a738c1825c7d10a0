package agentgraph

func Flatten[B any](g Graph, reg Registry[B]) (Graph, Registry[B], error) { panic("todo") }
