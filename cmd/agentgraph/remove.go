package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
)

func (a *app) remove() *cobra.Command {
	var sure bool
	c := &cobra.Command{
		Use:   "rm RUN...",
		Short: "Delete runs, after asking",
		Long: `Delete the journals of runs, also of damaged ones. Each is asked about, unless --yes
is given. Whoever works on a run that is deleted is stopped.`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completeRun(nil),
		RunE: a.with(func(c *cobra.Command, store agentgraph.Store, args []string) error {
			for _, runID := range args {
				if err := a.removeOne(c, store, runID, sure); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	c.Flags().BoolVarP(&sure, "yes", "y", false, "do not ask")
	return c
}

func (a *app) removeOne(c *cobra.Command, store agentgraph.Store, runID string, sure bool) error {
	info, err := agentgraph.Inspect(c.Context(), store, runID)
	switch {
	case errors.Is(err, agentgraph.ErrCorrupt):
		info.Status = damaged
	case err != nil:
		return err
	case info.Status == agentgraph.RunNone:
		return noRun(runID)
	}
	if !sure {
		ok, err := a.yes("Delete run %s (%s)?", visible(runID), info.Status)
		if err != nil {
			return err
		}
		if !ok {
			return errors.New("nothing more was deleted")
		}
	}
	return store.Delete(c.Context(), runID)
}

// yes asks whether to go on. The end of the input is a no.
func (a *app) yes(format string, args ...any) (bool, error) {
	if _, err := fmt.Fprintf(a.err, format+" [y/N] ", args...); err != nil {
		return false, err
	}
	line, err := a.line()
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, err
}

// line reads a line of standard input, and nothing of the next one.
func (a *app) line() (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := a.in.Read(b)
		if n > 0 && b[0] == '\n' || errors.Is(err, io.EOF) {
			return string(line), nil
		}
		if err != nil {
			return "", fmt.Errorf("read standard input: %w", err)
		}
		line = append(line, b[:n]...)
	}
}
