package natsfleet

import (
	"context"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Death is an attempt at a run that never ended, since its worker died or was cut
// off.
type Death struct {
	Attempt int       `json:"attempt"` // from 1
	Began   time.Time `json:"began"`
	Last    time.Time `json:"last"`            // when something was heard of it
	Steps   []string  `json:"steps,omitempty"` // that were begun and not ended, by path; short ones do not show
	Done    string    `json:"done,omitempty"`  // the last step that it did
}

// deaths are the attempts that ended a run's worker one after the other, with no
// step done between: the story of a run that kills.
func (f *Fleet) deaths(ctx context.Context, t *ticket) ([]Death, error) {
	attempts, err := agentgraph.Attempts(ctx, f.store, t.Run)
	return story(attempts, t.Survived), err
}

// How much of a story a ticket holds: so many deaths, the last ones, with so many
// steps.
const (
	longStory = 10
	longDeath = 20
)

// story tells of the attempts after one that is known to have killed nobody.
func story(attempts []agentgraph.Attempt, survived int) []Death {
	first := len(attempts)
	for first > survived && attempts[first-1].Status == agentgraph.RunRunning {
		first--
		if d := deathOf(attempts, first); d.Done != "" {
			break
		}
	}
	var all []Death
	for i := first; i < len(attempts); i++ {
		all = append(all, deathOf(attempts, i))
	}
	return all
}

func deathOf(attempts []agentgraph.Attempt, i int) Death {
	d := Death{Attempt: i + 1, Began: attempts[i].Began, Last: attempts[i].Last}
	d.walk("", attempts[i].Steps)
	return d
}

func (d *Death) walk(path string, steps []*agentgraph.StepNode) {
	for _, s := range steps {
		at := path + s.StepName
		switch s.Status {
		case agentgraph.StatusStarted:
			if len(d.Steps) < longDeath {
				d.Steps = append(d.Steps, at)
			}
		case agentgraph.StatusExecuted:
			d.Done = at
		}
		d.walk(at+"/", s.Children)
	}
}
