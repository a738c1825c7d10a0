package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/minutes"
)

// post is one whose body is left as it is.
type post = agentgraph.Post[json.RawMessage]

func (a *app) log() *cobra.Command {
	var attempt int
	var sequence, asJSON bool
	c := &cobra.Command{
		Use:   "log RUN [STEP]",
		Short: "Print what was said in a meeting",
		Long: `Print the log of the meeting that was held in a step, in the last attempt that had
it or in another one. STEP is the step's path; a run that has one meeting needs none.
With --json each line is a post.`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: a.completeRun(lastMeetings),
		RunE: a.with(func(c *cobra.Command, store agentgraph.Store, args []string) error {
			if sequence && asJSON {
				return misuse(c, "--sequence and --json do not go together")
			}
			h, err := history(c.Context(), store, args[0])
			if err != nil {
				return err
			}
			n, path, err := meetingOf(c, h, args, attempt)
			if err != nil {
				return err
			}
			m, err := minutes.Read(h, n, path)
			if err != nil {
				return fmt.Errorf("run %q: %w", args[0], err)
			}
			return a.logged(postsOf(m), sequence, asJSON)
		}),
	}
	c.Flags().IntVar(&attempt, "attempt", 0, "the log of this `attempt`, from 1; 0 is the last one that had the meeting")
	c.Flags().BoolVar(&sequence, "sequence", false, "print a Mermaid sequence diagram")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, one post a line")
	return c
}

// lastMeetings returns the paths of the meetings of the last attempt that had any.
func lastMeetings(h *journal.History) []string {
	_, paths := meetingsBefore(h, len(h.Attempts), "")
	return paths
}

// meetingsBefore finds the last attempt, before one, that had a meeting at a path,
// or, without one, any meeting.
func meetingsBefore(h *journal.History, before int, path string) (int, []string) {
	for n := before - 1; n >= 0; n-- {
		paths := minutes.Paths(h, n)
		for _, p := range paths {
			if path == "" || p == path {
				return n, paths
			}
		}
	}
	return -1, nil
}

// meetingOf says which meeting is meant.
func meetingOf(c *cobra.Command, h *journal.History, args []string, attempt int) (int, string, error) {
	wanted := ""
	if len(args) > 1 {
		wanted = args[1]
	}
	n, paths := meetingsBefore(h, len(h.Attempts), wanted)
	if attempt != 0 {
		var err error
		if n, err = number(c, h, attempt); err != nil {
			return 0, "", err
		}
		paths = minutes.Paths(h, n)
	}
	switch {
	case wanted != "" && n >= 0:
		return n, wanted, nil
	case wanted != "":
		return 0, "", fmt.Errorf("run %q: %w: %q%s", args[0], minutes.ErrNone, wanted, others(lastMeetings(h)))
	case len(paths) == 0:
		return 0, "", fmt.Errorf("run %q: %w", args[0], minutes.ErrNone)
	case len(paths) > 1:
		return 0, "", misuse(c, "which meeting is meant?%s", others(paths))
	}
	return n, paths[0], nil
}

func others(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return fmt.Sprintf(" (there is %q)", paths)
}

func postsOf(m *minutes.Minutes) []post {
	posts := make([]post, len(m.Posts))
	for i, p := range m.Posts {
		posts[i] = post{ID: agentgraph.PostID(p.ID), From: p.From, To: p.To, Body: p.Body}
		for _, id := range p.Thread {
			posts[i].Thread = append(posts[i].Thread, agentgraph.PostID(id))
		}
	}
	return posts
}

func (a *app) logged(posts []post, sequence, asJSON bool) error {
	if sequence {
		return agentgraph.Sequence(a.out, posts)
	}
	for _, p := range posts {
		if !asJSON {
			a.said(p)
		} else if err := a.json(p); err != nil {
			return err
		}
	}
	return nil
}

// said writes a post for people.
func (a *app) said(p post) {
	a.print("%s", visible(p.ID.String()))
	if len(p.To) > 0 {
		a.print(" to %s", visible(strings.Join(p.To, ", ")))
	}
	if len(p.Thread) > 0 {
		cited := make([]string, len(p.Thread))
		for i, id := range p.Thread {
			cited[i] = id.String()
		}
		a.print(", on %s", visible(strings.Join(cited, ", ")))
	}
	a.print(":\n    %s\n", body(p.Body, "    "))
}
