package agentgraph

import (
	"context"
	"iter"
)

type Options struct{ MaxTurns, Parallel int }
type Turn[B any] struct {
	N       int
	Agent   Name
	Input   Post[B]
	Outputs []Post[B]
}
type TurnFunc[B any] func(ctx context.Context, agent Name, in Post[B]) ([]Post[B], error)
type Middleware[B any] func(next TurnFunc[B]) TurnFunc[B]
type Waiting[B any] struct {
	At    Name
	Posts []Post[B]
}
type Meeting[B any] struct{}

func (r *Roster[B]) With(o Options) *Roster[B]                                    { panic("todo") }
func (r *Roster[B]) Use(mw ...Middleware[B]) *Roster[B]                           { panic("todo") }
func (r *Roster[B]) Run(ctx context.Context, inputs []Post[B]) ([]Post[B], error) { panic("todo") }
func (r *Roster[B]) Open() *Meeting[B]                                            { panic("todo") }
func (m *Meeting[B]) Post(posts ...Post[B]) error                                 { panic("todo") }
func (m *Meeting[B]) Run(ctx context.Context) error                               { panic("todo") }
func (m *Meeting[B]) Turns(ctx context.Context) iter.Seq2[Turn[B], error]         { panic("todo") }
func (m *Meeting[B]) Log() []Post[B]                                              { panic("todo") }
func (m *Meeting[B]) Pending() []Waiting[B]                                       { panic("todo") }
