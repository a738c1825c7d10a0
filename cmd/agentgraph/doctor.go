package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
)

func (a *app) doctor() *cobra.Command {
	var salvage, verbose bool
	c := &cobra.Command{
		Use:   "doctor [STORE]",
		Short: "Check every journal of a store",
		Long: `Read every journal of a store to its end and check that it makes sense. Of each that
is damaged it says where, and how many records before that are good. With --salvage
those are written as a new run, ID.salvaged, and the old one is left as it is. The
exit code is 1 as long as something is damaged.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withPlace(func(c *cobra.Command, store agentgraph.Store, _ []string) error {
			return a.check(c, store, salvage, verbose)
		}),
	}
	c.Flags().BoolVar(&salvage, "salvage", false, "write what is good of damaged runs as new runs")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "list the good runs, too")
	return c
}

func (a *app) check(c *cobra.Command, store agentgraph.Store, salvage, verbose bool) error {
	ids, faults := runIDs(c.Context(), store)
	defer a.progressed()
	bad := len(faults)
	for i, id := range ids {
		a.progress("journal", i+1, len(ids))
		_, records, err := readable(c.Context(), store, id)
		switch {
		case c.Context().Err() != nil:
			return c.Context().Err()
		case err == nil && verbose:
			a.print("%s: good, %d records\n", visible(id), len(records))
		case err != nil:
			bad++
			if err := a.damage(c, store, id, records, err, salvage); err != nil {
				return err
			}
		}
	}
	for _, err := range faults {
		a.print("%s\n  nothing can be saved\n", plain(err))
	}
	a.print("runs: %d, damaged: %d\n", len(ids)+len(faults), bad)
	if bad > 0 {
		return errTold
	}
	return nil
}

// damage says what is wrong with a run, and saves what is good.
func (a *app) damage(c *cobra.Command, store agentgraph.Store, runID string, good []agentgraph.Record, cause error, salvage bool) error {
	a.print("%s\n", plain(cause))
	switch {
	case !errors.Is(cause, agentgraph.ErrCorrupt):
		a.print("  it could not be read to its end\n")
		return nil
	case len(good) == 0:
		a.print("  nothing can be saved\n")
		return nil
	case !salvage:
		a.print("  %d records before that can be saved\n", len(good))
		return nil
	}
	saved, err := save(c, store, runID, good)
	if err == nil {
		a.print("  %d records before that saved as %s\n", len(good), visible(saved))
	}
	return err
}

// save writes records as a new run.
func save(c *cobra.Command, store agentgraph.Store, runID string, good []agentgraph.Record) (string, error) {
	for n := 1; ; n++ {
		id := runID + ".salvaged"
		if n > 1 {
			id += fmt.Sprint("-", n)
		}
		err := store.Append(c.Context(), id, 0, good...)
		if !errors.Is(err, agentgraph.ErrConflict) {
			return id, err
		}
	}
}
