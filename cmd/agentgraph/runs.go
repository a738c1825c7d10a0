package main

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
)

// damaged is how a run stands whose journal cannot be read.
const damaged agentgraph.RunStatus = "damaged"

func (a *app) runs() *cobra.Command {
	var asJSON bool
	var status string
	c := &cobra.Command{
		Use:   "runs [STORE]",
		Short: "List the runs of a store",
		Long: `List the runs of a store in order of ID: how each stands, how many attempts it
took, how many steps and turns were executed, and when it was last heard of.

A run of which nothing was heard for two minutes is shown as interrupted, for one
that goes on writes each minute. With --json each line is an object.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withPlace(func(c *cobra.Command, store agentgraph.Store, _ []string) error {
			infos, err := a.inspect(c, store, status)
			if err != nil {
				return err
			}
			if asJSON {
				err = a.listJSON(infos)
			} else {
				a.list(infos)
			}
			if err == nil && infos.faulty {
				err = errTold
			}
			return err
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	c.Flags().StringVar(&status, "status", "", "list only the runs that stand so: running, waiting, finished, failed, interrupted, damaged")
	return c
}

// inspected are runs, and whether there are others that not even have an ID.
type inspected struct {
	runs   []agentgraph.RunInfo
	faulty bool
}

func (a *app) inspect(c *cobra.Command, store agentgraph.Store, status string) (inspected, error) {
	ids, faults := runIDs(c.Context(), store)
	defer a.progressed()
	var all inspected
	for i, id := range ids {
		a.progress("run", i+1, len(ids))
		info, err := agentgraph.Inspect(c.Context(), store, id)
		if c.Context().Err() != nil {
			return all, c.Context().Err()
		}
		if err != nil {
			info = agentgraph.RunInfo{RunID: id, Status: damaged, Error: err.Error()}
		}
		info.Status = info.StatusAt(time.Now())
		if info.Status != agentgraph.RunNone && (status == "" || string(info.Status) == status) {
			all.runs = append(all.runs, info)
		}
	}
	a.progressed()
	for _, err := range faults {
		a.complain(err)
	}
	all.faulty = len(faults) > 0
	return all, nil
}

func (a *app) listJSON(infos inspected) error {
	for _, info := range infos.runs {
		if err := a.json(info); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) list(infos inspected) {
	rows := [][]string{{"RUN", "STATUS", "ATTEMPTS", "DONE", "LAST", "NAME"}}
	for _, r := range infos.runs {
		last, name := "", visible(r.Name)
		if !r.Last.IsZero() {
			last = moment(r.Last)
		}
		if r.Error != "" {
			name += ": " + visible(r.Error)
		}
		rows = append(rows, []string{visible(r.RunID), string(r.Status), strconv.Itoa(r.Attempts), strconv.Itoa(r.Done), last, name})
	}
	a.table(rows, 1)
}
