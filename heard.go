package agentgraph

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// remember gives the state after a turn of a Tape its digest, and returns what has
// to be recorded of it: a list of what it has added to its history, or nil where, as
// usual, that is the post of the turn. A middleware may hand the agent another, or
// none at all, which leaves the history as it was.
func (p recorded[B]) remember(before, after *memory, key journal.Taking, in *Post[B]) (json.RawMessage, error) {
	was, _ := before.state.(*history[B])
	is, _ := after.state.(*history[B])
	if is != was {
		last := &is.posts[len(is.posts)-1]
		if len(p.turns.minutes.roster.layers) == 0 || reflect.DeepEqual(last, in) {
			after.print = linked(before.print, key.Post)
			return nil, nil
		}
		return p.rehear(before, after, key, in, last)
	}
	after.print = before.print
	return json.RawMessage("[]"), nil
}

// rehear is remember where a middleware has changed the post: what the agent heard
// is from now on what JSON keeps of it.
func (p recorded[B]) rehear(before, after *memory, key journal.Taking, in, last *Post[B]) (json.RawMessage, error) {
	print, err := printOf(last)
	if err != nil {
		return nil, fmt.Errorf("%spost that a middleware has changed: %w", prefix, err)
	}
	var raw json.RawMessage
	if print != key.Post {
		if raw, err = canon.Marshal([]*Post[B]{last}); err != nil {
			return nil, err
		}
	}
	return raw, p.hear(before, after, raw, in, key.Post)
}

// hear makes the state after a turn of a Tape from the one before and what is
// recorded of the turn.
func (p recorded[B]) hear(before, after *memory, heard json.RawMessage, in *Post[B], print string) error {
	h, _ := before.state.(*history[B])
	if heard == nil {
		after.state, after.print = h.add(*in), linked(before.print, print)
		return nil
	}
	var posts []Post[B]
	if err := json.Unmarshal(heard, &posts); err != nil {
		return fmt.Errorf("%srecorded post: %w", prefix, err)
	}
	after.state, after.print = h, before.print
	for i := range posts {
		print, err := printOf(&posts[i])
		if err != nil {
			return err
		}
		h = h.add(posts[i])
		after.state, after.print = h, linked(after.print, print)
	}
	return nil
}

// linked is the digest of a history that a post is added to.
func linked(before, post string) string {
	sum := sha256.Sum256([]byte(before + post))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}
