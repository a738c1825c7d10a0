package resumetest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/resumetest"
)

type flow = func(store agentgraph.Store, ran func(step string)) (any, error)

// broken is a flow with a fault: subtests that must notice it, or the test itself,
// subtests that have nothing to notice, and what they say.
type broken struct {
	fails  []string
	passes []string
	says   string
	flow   func(t *testing.T) flow
}

var abc = [][]string{{"a"}, {"b"}, {"c"}}

// one is a flow with no state of its own.
func one(f func(store agentgraph.Store) (any, error)) func(*testing.T) flow {
	return func(*testing.T) flow {
		return func(store agentgraph.Store, _ func(string)) (any, error) { return f(store) }
	}
}

// resumed is steps, but for what it does when its journal has begun.
func resumed(resume func(store agentgraph.Store, done []string) (any, error)) func(*testing.T) flow {
	return one(func(store agentgraph.Store) (any, error) {
		done, err := read(store, "run")
		if err != nil {
			return nil, err
		}
		if len(done) > 0 && len(done) < len(abc) {
			return resume(store, done)
		}
		return steps(store, "run", uncounted, abc...)
	})
}

// from appends steps after those done.
func from(store agentgraph.Store, done []string, rest ...string) (any, error) {
	for _, step := range rest {
		if err := store.Append(context.Background(), "run", uint64(len(done)), records(step)...); err != nil {
			return nil, err
		}
		done = append(done, step)
	}
	return done, nil
}

func flows() map[string]broken {
	return map[string]broken{
		"repeats a step": {
			fails:  []string{"append 1/after", "append 2/before", "append 2/half-way, half", "append 2/failed before"},
			passes: []string{"append 1/before", "append 1/half-way, half", "append 3/after"},
			says:   "got [\"a\",\"a\",\"b\",\"c\"]\n        want [\"a\",\"b\",\"c\"]",
			flow: resumed(func(store agentgraph.Store, done []string) (any, error) {
				n := len(done) - 1
				return from(store, done, []string{"a", "b", "c"}[n:]...)
			}),
		},
		"loses the last record": {
			fails:  []string{"append 3/after", "append 3/failed after", "append 3/before, then append 1 after"},
			passes: []string{"append 1/after", "append 3/before"},
			says:   `got ["a","b"]`,
			flow: func(t *testing.T) flow {
				return func(store agentgraph.Store, _ func(string)) (any, error) {
					done, err := read(store, "run")
					if err == nil && len(done) == len(abc) {
						return done[:len(done)-1], nil
					}
					return steps(store, "run", uncounted, abc...)
				}
			},
		},
		"takes a lost answer for not written": {
			fails:  []string{"append 2/failed after"},
			passes: []string{"append 2/after", "append 2/failed before", "append 2/before"},
			says:   `got ["a","b","b","c"]`,
			flow: one(func(store agentgraph.Store) (any, error) {
				done, err := steps(store, "run", uncounted, abc...)
				if err == nil || errors.Is(err, resumetest.ErrCrash) {
					return done, err
				}
				after, err := read(store, "run")
				if err != nil {
					return nil, err
				}
				return from(store, after, []string{"a", "b", "c"}[len(done):]...)
			}),
		},
		"mixes up the order": {
			fails:  []string{"append 1/after", "append 2/half-way, one byte"},
			passes: []string{"append 1/before", "append 3/before"},
			says:   `got ["a","c","b"]`,
			flow: resumed(func(store agentgraph.Store, done []string) (any, error) {
				rest := []string{"a", "b", "c"}[len(done):]
				slices.Reverse(rest)
				return from(store, done, rest...)
			}),
		},
		"never ends": {
			fails:  []string{"append 1/after", "append 2/before"},
			passes: []string{"append 1/before", "append 3/after"},
			says:   "the flow does not end: it has called the store 140 times in this life",
			flow: resumed(func(store agentgraph.Store, done []string) (any, error) {
				for {
					if _, err := from(store, done, "more"); err != nil {
						return nil, err
					}
					done = append(done, "more")
				}
			}),
		},
		"never gives up": {
			fails:  []string{"append 1/before", "append 3/half-way, half"},
			passes: []string{"append 1/failed before", "append 1/failed after"},
			says:   "life 1: crashed at append 1, before; run did not return\n        the flow does not end",
			flow: one(func(store agentgraph.Store) (any, error) {
				return stubborn(store, "run", errors.New("nothing"), abc)
			}),
		},
		"never gives up elsewhere": {
			fails: []string{"append 1/before"},
			says:  "the flow does not end",
			flow: one(func(store agentgraph.Store) (any, error) {
				var done []string
				var err error
				ended := make(chan struct{})
				go func() {
					done, err = stubborn(store, "run", errors.New("nothing"), abc)
					close(ended)
				}()
				<-ended
				return done, err
			}),
		},
		"swallows the crash": {
			fails:  []string{"append 1/before", "append 3/after", "append 3/half-way, one byte"},
			passes: []string{"append 2/failed after"},
			says:   "run returned no error though its store had crashed",
			flow: one(func(store agentgraph.Store) (any, error) {
				done, err := steps(store, "run", uncounted, abc...)
				if errors.Is(err, resumetest.ErrCrash) {
					return []string{"a", "b", "c"}, nil
				}
				return done, err
			}),
		},
		"keeps the crash in mind": {
			fails: []string{"append 1/before", "append 2/after"},
			says:  "life 2: undisturbed; run returned the error: step a: agentgraph: the store has crashed (resumetest)",
			flow: func(*testing.T) flow {
				var kept error
				return func(store agentgraph.Store, _ func(string)) (any, error) {
					done, err := steps(store, "run", uncounted, abc...)
					if kept == nil {
						kept = err
					}
					return done, kept
				}
			},
		},
		"cannot resume": {
			fails:  []string{"append 1/after", "append 2/before"},
			passes: []string{"append 1/before", "append 3/failed after"},
			says:   "life 2: undisturbed, as it came to no append 1; run returned the error: what is this?\n        the error is not that of a run without crashes\n         got \"what is this?\"\n        want \"\"",
			flow: resumed(func(agentgraph.Store, []string) (any, error) {
				return nil, errors.New("what is this?")
			}),
		},
		"forgets its error": {
			fails:  []string{"append 3/after", "append 3/failed after"},
			passes: []string{"append 1/after", "append 3/before"},
			says:   "got \"\"\n        want \"turn limit\"",
			flow: one(func(store agentgraph.Store) (any, error) {
				before, err := read(store, "run")
				if err != nil {
					return nil, err
				}
				done, err := steps(store, "run", uncounted, abc...)
				if err == nil && len(before) < len(abc) {
					err = errors.New("turn limit")
				}
				return done, err
			}),
		},
		"cannot resume twice": {
			fails:  []string{"append 2/before, then append 1 after", "append 2/after, then append 1 after"},
			passes: []string{"append 2/before", "append 2/after", "append 2/after, then append 1 before", "append 3/after, then append 1 before"},
			says:   "life 3: undisturbed; run returned the error: resumed before",
			flow: one(func(store agentgraph.Store) (any, error) {
				before, err := read(store, "run")
				if err != nil {
					return nil, err
				}
				if marks, err := read(store, "marks"); err != nil {
					return nil, err
				} else if len(marks) > 0 && len(before) < len(abc) {
					return nil, errors.New("resumed before")
				} else if len(marks) == 0 && len(before) > 0 && len(before) < len(abc) {
					if err := store.Append(context.Background(), "marks", 0, records("resumed")...); err != nil {
						return nil, err
					}
				}
				return steps(store, "run", uncounted, abc...)
			}),
		},
		"executes a step again": {
			fails:  []string{"append 1/after", "append 2/failed after", "append 2/before", "append 2/half-way, half"},
			passes: []string{"append 1/before", "append 1/failed before", "append 1/half-way, half"},
			says:   "step \"a\" ran again though its outcome was in the journal\n        got 2 times\n        want 1",
			flow: func(*testing.T) flow {
				return func(store agentgraph.Store, ran func(string)) (any, error) {
					if len(journalOf(store, "run")) > 0 {
						ran("a")
					}
					return steps(store, "run", ran, abc...)
				}
			},
		},
		"makes a result up": {
			fails:  []string{"append 1/failed before", "append 3/failed after"},
			passes: []string{"append 1/before", "append 3/after"},
			says:   "life 1: append 1 failed before; run returned\n        the result is not that of a run without crashes\n         got []",
			flow: one(func(store agentgraph.Store) (any, error) {
				done, err := steps(store, "run", uncounted, abc...)
				if err != nil && !errors.Is(err, resumetest.ErrCrash) {
					err = nil
				}
				return done, err
			}),
		},
		"rounds a number": {
			fails:  []string{"append 3/after"},
			passes: []string{"append 3/before"},
			says:   "got 9007199254740992\n        want 9007199254740993",
			flow: one(func(store agentgraph.Store) (any, error) {
				before, err := read(store, "run")
				if err != nil {
					return nil, err
				}
				_, err = steps(store, "run", uncounted, abc...)
				if len(before) == len(abc) {
					return 9007199254740992, err
				}
				return 9007199254740993, err
			}),
		},
		"appends nothing": {
			fails: []string{""},
			says:  "there is nowhere to crash",
			flow:  one(func(agentgraph.Store) (any, error) { return nil, nil }),
		},
		"is different each time": {
			fails: []string{""},
			says:  "two runs without crashes differ (leave out of the result what is not the same each time): the result is not that of a run without crashes\n         got 2\n        want 1",
			flow: func(*testing.T) flow {
				n := 0
				return func(store agentgraph.Store, _ func(string)) (any, error) {
					_, err := steps(store, "run", uncounted, abc...)
					n++
					return n, err
				}
			},
		},
		"has no JSON": {
			fails: []string{""},
			says:  "the result is not JSON",
			flow: one(func(store agentgraph.Store) (any, error) {
				_, err := steps(store, "run", uncounted, abc...)
				return func() {}, err
			}),
		},
		"ends its goroutine": {
			fails:  []string{"append 2/after"},
			passes: []string{"append 1/after"},
			says:   "run did not return: it called runtime.Goexit",
			flow: func(t *testing.T) flow {
				return func(store agentgraph.Store, _ func(string)) (any, error) {
					if len(journalOf(store, "run")) == 2 {
						t.FailNow()
					}
					return steps(store, "run", uncounted, abc...)
				}
			},
		},
	}
}

func journalOf(store agentgraph.Store, run string) []string {
	list, _ := read(store, run)
	return list
}

const childVariable = "RESUMETEST_BROKEN"

// TestBroken: the kit notices each fault, in the subtests named, and says what it
// is. The kit fails on purpose in a process of its own, which runs this test too.
func TestBroken(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		for name, b := range flows() {
			t.Run(name, func(t *testing.T) { resumetest.CrashEverywhereCounting(t, b.flow(t)) })
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestBroken$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), childVariable+"=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	failed := map[string]bool{}
	for _, m := range regexp.MustCompile(`--- FAIL: TestBroken/(.*) \(`).FindAllSubmatch(out, -1) {
		failed[string(m[1])] = true
	}
	for name, b := range flows() {
		for _, subtest := range b.fails {
			require.True(t, failed[leaf(name, subtest)], "%s is not noticed\n%s", leaf(name, subtest), out)
		}
		for _, subtest := range b.passes {
			require.False(t, failed[leaf(name, subtest)], "%s has no fault\n%s", leaf(name, subtest), out)
		}
		require.Contains(t, plain(string(out)), plain(b.says), name)
	}
}

func leaf(name, subtest string) string {
	return strings.ReplaceAll(strings.TrimSuffix(fmt.Sprintf("%s/%s", name, subtest), "/"), " ", "_")
}

// plain is a text without its indentation.
func plain(s string) string { return regexp.MustCompile(`\n +`).ReplaceAllString(s, "\n") }
