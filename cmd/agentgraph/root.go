package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
)

// aboutStores is what the forms of the URLs do not say.
const aboutStores = `

postgres:// may be postgresql://, have USER:PASSWORD@ before the host, and further
parameters, which are those of pgx, such as sslmode. schema and prefix are of the
tables where the program names them in pgstore.Options. A shell takes an & for its
own unless the URL is in quotes:

  agentgraph runs 'postgres://app@db.example.com/app?schema=flows&prefix=review_'

The STREAM of nats:// is agentgraph if the URL has none. A fleet of the name NAME has
its journals in NAME-journal.`

// root is the command with all its parts.
func (a *app) root() *cobra.Command {
	c := &cobra.Command{
		Use:           "agentgraph",
		Short:         "See what runs have done, why, and what they would do next",
		Long:          "See what runs have done, why, and what they would do next.\n\nStores: " + strings.Join(forms(), ", ") + aboutStores,
		Version:       version(),
		Args:          a.known,
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,

		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.SetOut(a.out)
	c.SetErr(a.err)
	c.SetIn(a.in)
	c.PersistentFlags().StringVar(&a.url, "store", a.getenv("AGENTGRAPH_STORE"), "the `URL` of the store; default $AGENTGRAPH_STORE")
	c.PersistentFlags().Lookup("store").DefValue = ""
	c.AddCommand(a.runs(), a.show(), a.explain(), a.log(), a.plan(), a.answer(), a.export(), a.imports(), a.remove(), a.doctor(), a.serve())
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return &usageError{c.CommandPath(), err} })
	for _, sub := range c.Commands() {
		sub.Args = checked(sub.Args)
	}
	return c
}

// known refuses what is not a command.
func (a *app) known(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("there is no command %q", args[0])
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return misuse(c, "%s", text)
}

// checked makes what is wrong with arguments a usageError.
func checked(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &usageError{c.CommandPath(), err}
		}
		return nil
	}
}

func misuse(c *cobra.Command, format string, args ...any) error {
	return &usageError{c.CommandPath(), fmt.Errorf(format, args...)}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// action is what a command does with a store.
type action func(c *cobra.Command, store agentgraph.Store, args []string) error

// with opens the store for an action. It is to be there already.
func (a *app) with(do action) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error { return a.within(c, args, false, do) }
}

func (a *app) within(c *cobra.Command, args []string, create bool, do action) (err error) {
	store, done, err := a.open(c, create)
	if err != nil {
		return err
	}
	defer func() {
		if closed := done(); err == nil {
			err = closed
		}
	}()
	return do(c, store, args)
}

// withPlace is with for a command whose one argument, if there is one, is the store.
func (a *app) withPlace(do action) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			a.url = args[0]
		}
		return a.within(c, nil, false, do)
	}
}
