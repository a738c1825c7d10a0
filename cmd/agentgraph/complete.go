package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// completion is what the shell is told.
type completion = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective)

// completeRun completes the ID of a run as the first argument, and by steps the
// second.
func (a *app) completeRun(steps func(*journal.History) []string) completion {
	return func(c *cobra.Command, args []string, begun string) (found []string, _ cobra.ShellCompDirective) {
		_ = a.within(c, args, false, func(c *cobra.Command, store agentgraph.Store, args []string) error { // no store, no help
			var all []string
			switch {
			case len(args) == 0:
				all, _ = runIDs(c.Context(), store)
			case len(args) == 1 && steps != nil:
				if h, err := history(c.Context(), store, args[0]); err == nil {
					all = steps(h)
				}
			}
			for _, s := range all {
				if strings.HasPrefix(s, begun) {
					found = append(found, s)
				}
			}
			return nil
		})
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}
