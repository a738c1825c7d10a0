package main

import (
	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
)

func (a *app) explain() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:               "explain RUN",
		Short:             "Say why each step of a run's last attempt ran or was skipped",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeRun(nil),
		RunE: a.with(func(c *cobra.Command, store agentgraph.Store, args []string) error {
			reasons, err := agentgraph.ExplainSteps(c.Context(), store, args[0])
			if err != nil {
				return err
			}
			if reasons == nil {
				if _, err := history(c.Context(), store, args[0]); err != nil { // there may be an attempt without a step
					return err
				}
			}
			for _, e := range reasons {
				if !asJSON {
					a.print("%s\n", visible(e.String()))
				} else if err := a.json(e); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return c
}
