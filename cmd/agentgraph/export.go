package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
)

func (a *app) export() *cobra.Command {
	var path string
	c := &cobra.Command{
		Use:   "export RUN",
		Short: "Write a run to one file, with a checksum",
		Long: `Write a run to standard output, or to a file that is not there yet, as JSON lines of
which the last one has a checksum of the others: for agentgraph import. A damaged
run is not exported; see agentgraph doctor --salvage.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeRun(nil),
		RunE: a.with(func(c *cobra.Command, store agentgraph.Store, args []string) error {
			_, records, err := readable(c.Context(), store, args[0])
			if err != nil {
				return err
			}
			if len(records) == 0 {
				return noRun(args[0])
			}
			write := func(w io.Writer) error { return writeArchive(w, args[0], records) }
			if path == "" {
				return write(a.out)
			}
			return newFile(path, write)
		}),
	}
	c.Flags().StringVarP(&path, "output", "o", "", "write to this `file`; default standard output")
	return c
}

// newFile makes a file, which is there only if all of it could be written.
func newFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	return errors.Join(w.Flush(), f.Sync())
}

func (a *app) imports() *cobra.Command {
	var as string
	c := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Read a run that export wrote",
		Long: `Read a run from a file, or standard input, into the store, which is made if it is
not there. A file that is damaged is refused, and a run that is there already is left
as it is.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			runID, records, err := a.archive(args)
			if err != nil {
				return err
			}
			if as != "" {
				runID = as
			}
			return a.within(c, args, true, func(c *cobra.Command, store agentgraph.Store, _ []string) error {
				err := store.Append(c.Context(), runID, 0, records...)
				if errors.Is(err, agentgraph.ErrConflict) {
					return fmt.Errorf("run %q is there already; use --as, or delete it first", runID)
				}
				return err
			})
		},
	}
	c.Flags().StringVar(&as, "as", "", "give the run this `ID`")
	return c
}

// archive reads the file that is to be imported.
func (a *app) archive(args []string) (string, []agentgraph.Record, error) {
	if len(args) == 0 || args[0] == "-" {
		return readArchive(a.in)
	}
	f, err := os.Open(args[0])
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	runID, records, err := readArchive(f)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", args[0], err)
	}
	return runID, records, nil
}
