package agentgraph

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/expr"
)

// ChannelSet is a set of channels. It is immutable, and its zero value is the
// empty set. Under Union the sets are an idempotent commutative monoid.
type ChannelSet struct {
	names expr.Set
}

// Channels returns the set of the given channels, in O(n log n).
func Channels(names ...Channel) ChannelSet { return ChannelSet{expr.SetOf(names...)} }

// Union returns the channels of either set, in O(s + t).
func (s ChannelSet) Union(t ChannelSet) ChannelSet { return ChannelSet{s.names.Union(t.names)} }

// Contains says whether ch is in the set, in O(log n).
func (s ChannelSet) Contains(ch Channel) bool { return s.names.Contains(ch) }

// Len returns the number of channels.
func (s ChannelSet) Len() int { return len(s.names) }

// All yields the channels, sorted.
func (s ChannelSet) All() iter.Seq[Channel] { return slices.Values(s.names) }

// Equal says whether both sets have the same channels.
func (s ChannelSet) Equal(t ChannelSet) bool { return s.names.Equal(t.names) }

// String returns the channels, sorted and quoted: ["a" "b"]. It shows 1,000
// characters at most, and an ellipsis for the rest.
func (s ChannelSet) String() string { return s.names.String() }

// MarshalJSON gives the channels as a sorted list. A channel that is not valid UTF-8
// is an error.
func (s ChannelSet) MarshalJSON() ([]byte, error) {
	data, err := canon.Marshal(append([]Channel{}, s.names...))
	if err != nil {
		return nil, fmt.Errorf("%schannels as JSON: %w", prefix, err)
	}
	return data, nil
}

// UnmarshalJSON reads a list, in any order and with repeats; null is the empty set.
// After an error the set is what it was.
func (s *ChannelSet) UnmarshalJSON(data []byte) error {
	var names []Channel
	if err := json.Unmarshal(data, &names); err != nil {
		return fmt.Errorf("%schannels from JSON: %w", prefix, err)
	}
	*s = Channels(names...)
	return nil
}
