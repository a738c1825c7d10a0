package natsfleet

import (
	"fmt"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// flow is what is known of one kind of run.
type flow struct {
	work    *agentgraph.Resumable
	atOnce  int
	backoff backoff
}

// backoff says when a run is tried again after an error that passes.
type backoff struct {
	first, most time.Duration
	tries       int
}

// after is how long to wait after so many errors, from 1. Each time it is twice as
// long.
func (b backoff) after(errors int) time.Duration {
	d := b.first
	for range errors - 1 {
		if d >= b.most {
			break
		}
		d *= 2
	}
	return min(d, b.most)
}

// FlowOption says how the fleet treats the runs of a flow.
type FlowOption func(*flow)

// AtOnce limits how many runs of the flow are worked on at once in the whole fleet.
// It is the limit of messages under way of the flow's consumer (MaxAckPending), so
// it is the server that counts. A run that waits to be tried again, and one whose
// worker has died and is not yet missed, count; one that waits for an answer does
// not. The limit in force is that of the machine that began to work last.
func AtOnce(n int) FlowOption { return func(f *flow) { f.atOnce = n } }

// Backoff says how long a run waits after an error that passes ([Passing]), at
// first and at most, twice as long each time, and with how many errors it fails; 0
// tries is no limit. The default is a second, a minute, and 10 tries.
func Backoff(first, most time.Duration, tries int) FlowOption {
	return func(f *flow) { f.backoff = backoff{first, most, tries} }
}

// Register makes a flow known by its name, before [Fleet.Work]. Its runs are kept
// in the fleet's store, whichever it has. What the flow does must be the same on
// all machines. A name that is empty, too long, or registered before, is
// [agentgraph.ErrBadName]: it may have 255 bytes, of which each that is no letter, digit,
// dash or underscore counts three times.
func (f *Fleet) Register(work *agentgraph.Resumable, o ...FlowOption) error {
	name := work.Name()
	f.mu.Lock()
	defer f.mu.Unlock()
	if name == "" {
		return fmt.Errorf("%s%w: flow %q", prefix, agentgraph.ErrBadName, name)
	}
	if n := len(escaped(name)); n > maxName {
		return fmt.Errorf("%s%w: flow %q makes the name of a consumer of %d bytes, and %d is the most", prefix, agentgraph.ErrBadName, name, n, maxName)
	}
	if f.flows[name] != nil {
		return fmt.Errorf("%s%w: flow %q is registered already", prefix, agentgraph.ErrBadName, name)
	}
	fl := &flow{work: work.On(f.store), backoff: backoff{time.Second, time.Minute, 10}}
	for _, set := range o {
		set(fl)
	}
	f.flows[name] = fl
	f.order = append(f.order, fl)
	return nil
}

// maxName is the server's limit for the name of a consumer. It would tell only the
// workers, when runs have been submitted already.
const maxName = 255

func (f *Fleet) registered() []*flow {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*flow(nil), f.order...)
}

func (f *Fleet) flow(name string) *flow {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flows[name]
}
