package agentgraph

import "context"

func Bus(names []Name, ch Channel) Graph                        { panic("todo") }
func Star(hub Name, leaves []Name, hubCh, leafCh Channel) Graph { panic("todo") }
func Chain(names []Name, ch Channel) Graph                      { panic("todo") }
func Pipeline(names []Name, prefix Channel) Graph               { panic("todo") }
func RunGraph[B any](ctx context.Context, g Graph, reg Registry[B], inputs []Post[B]) ([]Post[B], error) {
	panic("todo")
}
func ToAgent[B any](g Graph, reg Registry[B], ports ...Port) (Agent[B], error) { panic("todo") }
