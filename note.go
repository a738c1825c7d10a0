package agentgraph

import (
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// draft is an entry about the step, with its beginning if that is not in the journal.
func (s *Step) draft(kind string) journal.Draft {
	var d journal.Draft
	d.Kind, d.ID = kind, s.id
	if s.noted {
		return d
	}
	s.noted = true
	d.At, d.Step, d.Index, d.Agent = s.frame.at, s.frame.path, s.frame.index, s.frame.node.Agent
	d.On, d.Given = s.up.known, snapshot.Rewritten(s.up.base, s.input)
	d.Extra, d.Also = s.extra, s.also
	return d
}

// noteAbove notes the beginnings of the steps that this one is in.
func (s *Step) noteAbove() {
	if s.up != nil {
		s.up.noteSelf()
	}
}

// noteSelf notes the beginning of the step.
func (s *Step) noteSelf() {
	if !s.noted {
		s.noteAbove()
		d := s.draft(journal.KindBegin)
		s.run.writer.Note(&d)
	}
}
