package agentgraph

// Wiring is the channels that an agent subscribes to and posts to.
type Wiring struct{ In, Out ChannelSet }

// GraphAgent is one entry of a roster.
type GraphAgent struct {
	Name    Name // its path
	Wiring       // the full names of its channels; a member's include those of its node that it hears or speaks to
	Kind    Kind
	Entries []GraphAgent // of a nested node
}

func ChannelMap(g Graph) map[Name]Wiring                           { panic("todo") }
func ToRoster[B any](g Graph, reg Registry[B]) (*Roster[B], error) { panic("todo") }

type Roster[B any] struct{}

func (r *Roster[B]) Entries() []GraphAgent              { panic("todo") }
func (r *Roster[B]) Hearers(channels ...Channel) []Name { panic("todo") }
