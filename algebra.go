package agentgraph

import "iter"

// ChannelSet is a set of channels.
type ChannelSet struct{ names []Channel }

func Channels(names ...Channel) ChannelSet         { return ChannelSet{sorted(names)} }
func (s ChannelSet) Union(t ChannelSet) ChannelSet { panic("todo") }
func (s ChannelSet) Contains(ch Channel) bool      { panic("todo") }
func (s ChannelSet) Len() int                      { return len(s.names) }
func (s ChannelSet) All() iter.Seq[Channel]        { panic("todo") }
func (s ChannelSet) Equal(t ChannelSet) bool       { panic("todo") }
func (s ChannelSet) String() string                { panic("todo") }

type Edge struct {
	From, To Name
	Channels ChannelSet
}

type Graph struct{ root *expr }
type expr struct{}

func Empty() Graph                                         { panic("todo") }
func Vertex(name Name) Graph                               { panic("todo") }
func Vertices(names ...Name) Graph                         { panic("todo") }
func Overlay(graphs ...Graph) Graph                        { panic("todo") }
func Connect(channels ChannelSet, left, right Graph) Graph { panic("todo") }
func Fold[T any](g Graph, empty T, vertex func(Name) T, connect func(ChannelSet, T, T) T) T {
	panic("todo")
}
func (g Graph) Equal(h Graph) bool                { panic("todo") }
func (g Graph) Names() []Name                     { panic("todo") }
func (g Graph) Edges() []Edge                     { panic("todo") }
func (g Graph) IsEmpty() bool                     { panic("todo") }
func (g Graph) HasVertex(name Name) bool          { panic("todo") }
func (g Graph) Label(from, to Name) ChannelSet    { panic("todo") }
func (g Graph) Size() int                         { panic("todo") }
func (g Graph) Transpose() Graph                  { panic("todo") }
func (g Graph) Induce(keep func(Name) bool) Graph { panic("todo") }
func (g Graph) Rename(f func(Name) Name) Graph    { panic("todo") }
func (g Graph) IsSubgraphOf(h Graph) bool         { panic("todo") }
func (g Graph) String() string                    { panic("todo") }
