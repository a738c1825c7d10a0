package agentgraph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// twoStores gives two owners the same journals: in memory, and in files by two
// values as two processes would have them.
func twoStores(t *testing.T) map[string][2]agentgraph.Store {
	t.Helper()
	mem, dir := agentgraph.NewMemStore(), t.TempDir()
	open := func() agentgraph.Store {
		s, err := filestore.Open(dir, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	return map[string][2]agentgraph.Store{"memory": {mem, mem}, "files": {open(), open()}}
}

// TestSecondOwner: who began last has the run. The first one's next outcome does not
// count, its bodies' context ends, and what the run is in the end is the second's.
func TestSecondOwner(t *testing.T) {
	for name, stores := range twoStores(t) {
		for _, second := range []string{"begins", "ends"} {
			t.Run(name+"/"+second, func(t *testing.T) {
				runID := second
				before := runtime.NumGoroutine()
				begun, go1, go2 := make(chan struct{}), make(chan struct{}), make(chan struct{})
				job := func(i int) *agentgraph.Resumable {
					return agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
						if err := s.Step("shared", sets("shared", 1)); err != nil {
							return err
						}
						s.Go("beside", func(s *agentgraph.Step) error {
							if i == 0 {
								<-s.Context().Done()
								require.ErrorIs(t, context.Cause(s.Context()), agentgraph.ErrRunTaken)
							}
							return nil
						})
						err := s.Step("mine", func(s *agentgraph.Step) error {
							if i == 0 {
								close(begun)
								<-go1
							} else if second == "begins" {
								close(go1)
								<-go2
							}
							s.Set("owner", i)
							return nil
						})
						if i == 0 {
							require.ErrorIs(t, err, agentgraph.ErrRunTaken)
							require.ErrorIs(t, s.Step("late", sets("late", 1)), agentgraph.ErrRunTaken)
						}
						if waited := s.Wait(); err == nil {
							err = waited
						}
						return err
					}, &agentgraph.ResumableOptions{Store: stores[i]})
				}
				first := make(chan error)
				go func() {
					result, err := job(0).Run(context.Background(), runID, nil)
					require.Equal(t, agentgraph.Artifacts{"shared": json.RawMessage("1")}, result.Artifacts)
					if second == "begins" {
						close(go2)
					}
					first <- err
				}()
				<-begun
				result, err := job(1).Run(context.Background(), runID, nil)
				require.NoError(t, err)
				if second == "ends" {
					close(go1)
				}
				err = <-first
				require.ErrorIs(t, err, agentgraph.ErrRunTaken)
				requireStepError(t, err, "mine")
				want := agentgraph.Artifacts{"shared": json.RawMessage("1"), "owner": json.RawMessage("1")}
				require.Equal(t, want, result.Artifacts)
				requireTold(t, job(1), runID, result)

				result, err = job(1).Run(context.Background(), runID, nil)
				require.NoError(t, err)
				require.Equal(t, want, result.Artifacts)
				require.Equal(t, "shared cached, beside cached, mine cached", tellSteps(result.Steps))
				requireTidy(t, &yard{}, before)
			})
		}
	}
}

// TestManyOwners: of many that run one ID at once those end well whom nobody
// overtook, and the journal makes sense to the next.
func TestManyOwners(t *testing.T) {
	for name, stores := range twoStores(t) {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			rounds := 30
			if name == "files" {
				rounds = 6
			}
			for round := range rounds {
				runID := fmt.Sprint("run", round)
				job := func(i int) *agentgraph.Resumable {
					return agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
						for n := range 4 {
							s.Go("beside", sets(fmt.Sprint("beside", n), n))
							err := s.Step(fmt.Sprint("step", n), func(s *agentgraph.Step) error {
								s.Set(fmt.Sprint("by", n), i)
								return nil
							})
							if err != nil {
								return err
							}
						}
						return nil
					}, &agentgraph.ResumableOptions{Store: stores[i%2]})
				}
				const owners = 4
				results, errs := [owners]*agentgraph.Result{}, [owners]error{}
				var wg sync.WaitGroup
				for i := range owners {
					wg.Go(func() { results[i], errs[i] = job(i).Run(context.Background(), runID, nil) })
				}
				wg.Wait()
				var ended []agentgraph.Artifacts
				for i, err := range errs {
					if err != nil {
						require.ErrorIs(t, err, agentgraph.ErrRunTaken)
						continue
					}
					ended = append(ended, results[i].Artifacts)
				}
				require.NotEmpty(t, ended, "the last one to begin")
				last, err := job(9).Run(context.Background(), runID, nil)
				require.NoError(t, err)
				require.Contains(t, ended, last.Artifacts, "it skips all that one of them did")
				require.NotContains(t, tellSteps(last.Steps), "executed")
				runs, err := job(9).StepsRun(context.Background(), runID)
				require.NoError(t, err)
				require.Len(t, runs, owners+1)
			}
			requireTidy(t, &yard{}, before)
		})
	}
}

// TestDeletedRun: its owner finds out when it writes, also when the ID is somebody
// else's by then, who goes on as if nothing had been.
func TestDeletedRun(t *testing.T) {
	for name, stores := range twoStores(t) {
		for _, anew := range []int{0, 1, 4, 8} {
			t.Run(fmt.Sprint(name, "/", anew), func(t *testing.T) {
				runID := fmt.Sprint("run", anew)
				job := func(i int, meanwhile func()) *agentgraph.Resumable {
					return agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
						for n := range 3 * (i + 1) {
							err := s.Step("a", func(s *agentgraph.Step) error {
								if n == 1 {
									meanwhile()
								}
								s.Set(fmt.Sprint("x", n), i)
								return nil
							})
							if err != nil {
								return err
							}
						}
						return nil
					}, &agentgraph.ResumableOptions{Store: stores[i%2]})
				}
				none := func() {}
				_, err := job(0, func() {
					require.NoError(t, stores[1].Delete(context.Background(), runID))
					if anew > 0 {
						_, err := job(anew, none).Run(context.Background(), runID, nil)
						require.NoError(t, err)
					}
				}).Run(context.Background(), runID, nil)
				require.ErrorIs(t, err, agentgraph.ErrRunTaken)
				requireStepError(t, err, "a#1")

				runs, err := job(1, none).StepsRun(context.Background(), runID)
				require.NoError(t, err)
				require.Len(t, runs, min(anew, 1))
				if anew > 0 {
					result, err := job(anew, none).Run(context.Background(), runID, nil)
					require.NoError(t, err)
					require.NotContains(t, tellSteps(result.Steps), "executed")
				}
			})
		}
	}
}
