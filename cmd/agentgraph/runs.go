package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
)

// damaged is how a run stands whose journal cannot be read.
const damaged agentgraph.RunStatus = "damaged"

// statuses are all that a run can have here.
func statuses() []string {
	all := []agentgraph.RunStatus{
		agentgraph.RunRunning, agentgraph.RunWaiting, agentgraph.RunAnswered, agentgraph.RunFinished,
		agentgraph.RunFailed, agentgraph.RunInterrupted, damaged,
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = string(s)
	}
	return names
}

func (a *app) runs() *cobra.Command {
	var asJSON bool
	var status string
	c := &cobra.Command{
		Use:   "runs [STORE]",
		Short: "List the runs of a store",
		Long: `List the runs of a store in order of ID: how each stands, how many attempts it
took, how many steps and turns were executed, and when it was last heard of.

A run of which nothing was heard for two minutes is shown as interrupted, for one
that goes on writes each minute. With --json each line is an object.

A damaged run is listed as such, with what is wrong, and that is no error: doctor
checks a store. The exit code is 1 where a journal has not even an ID to be listed by.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withPlace(func(c *cobra.Command, store agentgraph.Store, _ []string) error {
			if status != "" && !slices.Contains(statuses(), status) {
				return misuse(c, "no run can stand as %q: there are %s", status, strings.Join(statuses(), ", "))
			}
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
	c.Flags().StringVar(&status, "status", "", "list only the runs that stand so: "+strings.Join(statuses(), ", "))
	_ = c.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(statuses(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	return c
}

// inspected are runs, and whether there are others that have not even an ID.
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
		last := ""
		if !r.Last.IsZero() {
			last = moment(r.Last)
		}
		rows = append(rows, []string{visible(r.RunID), string(r.Status), strconv.Itoa(r.Attempts), strconv.Itoa(r.Done), last, named(r)})
	}
	a.table(rows, 1)
}

// named is the name of a run, which a damaged one has not, and its error.
func named(r agentgraph.RunInfo) string {
	cause := visible(strings.TrimPrefix(r.Error, "agentgraph: "))
	if r.Name == "" || cause == "" {
		return visible(r.Name) + cause
	}
	return visible(r.Name) + ": " + cause
}
