package agentgraph

import (
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// keeper is who has a state that waits, if the step that left it ran in this attempt,
// and whose states it stands before: those that other agents of the name were left in
// are not given to anybody when the step is skipped.
type keeper struct {
	owner  use // zero when its state is not to be given to anybody any more
	hidden []use
}

// keeperOf returns who has a state, or nil if nobody knows.
func keeperOf(v *snapshot.Value) *keeper {
	if v == nil {
		return nil
	}
	k, _ := v.Owner.(*keeper)
	return k
}

// keepOwned does for the agents of a step that ran what keepStates does for those of
// one that is skipped, so that it shows already now whose states would be given to
// another, or to nobody.
func (s *Step) keepOwned() {
	users := map[string][]use{}
	for _, u := range s.uses {
		users[u.name] = append(users[u.name], u)
	}
	for name, state := range s.left.All() {
		if state.Owner == nil || s.held != nil && name == s.frame.node.Agent {
			continue
		}
		k := &keeper{}
		for _, u := range users[name] {
			if any(u.agent) == state.Owner {
				k.owner = u
			} else {
				k.hide(u)
			}
		}
		k.hideAll(keeperOf(s.waiting.Get(name)))
		s.waiting = s.waiting.With(name, &snapshot.Value{Sum: state.Sum, Owner: k})
	}
}

// before is a state that waits instead of another.
func before(other, v *snapshot.Value) *snapshot.Value {
	k := keeperOf(v)
	if k == nil || keeperOf(other) == nil {
		return v
	}
	both := &keeper{k.owner, slices.Clone(k.hidden)}
	both.hideAll(keeperOf(other))
	return &snapshot.Value{Sum: v.Sum, Owner: both}
}

// fits says whether an agent would have the same state if the step were skipped.
func (k *keeper) fits(agent Stateful, state, waiting *snapshot.Value) bool {
	if k.owner.agent != nil {
		return sameAgent(k.owner.agent, agent) || waiting.Equal(state)
	}
	for _, u := range k.hidden {
		if sameAgent(u.agent, agent) {
			return u.before.Equal(state)
		}
	}
	return true
}

// after returns what waits after an agent was given what did, or nil.
func (k *keeper) after(agent Stateful) *snapshot.Value {
	next := &keeper{}
	for _, u := range append([]use{k.owner}, k.hidden...) {
		if u.agent != nil && !sameAgent(u.agent, agent) {
			next.hidden = append(next.hidden, u)
		}
	}
	if next.hidden == nil {
		return nil
	}
	return &snapshot.Value{Owner: next}
}

// hideAll hides what another keeper keeps.
func (k *keeper) hideAll(other *keeper) {
	if other == nil {
		return
	}
	k.hide(other.owner)
	for _, u := range other.hidden {
		k.hide(u)
	}
}

// hide hides the state of an agent, unless that is known already.
func (k *keeper) hide(u use) {
	if u.agent == nil || k.owner.agent != nil && sameAgent(u.agent, k.owner.agent) {
		return
	}
	for _, v := range k.hidden {
		if sameAgent(u.agent, v.agent) {
			return
		}
	}
	k.hidden = append(k.hidden, u)
}
