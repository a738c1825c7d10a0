package viewer

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// restless is a viewer whose every list is a fresh one.
func restless(store agentgraph.Store) *viewer {
	v := newViewer(store, &Options{})
	start, looks := time.Now(), atomic.Int64{}
	v.now = func() time.Time { return start.Add(time.Duration(looks.Add(1)) * fresh) }
	return v
}

// told is what the list and the run's own page say of a run.
func told(t require.TestingT, v *viewer, id string) (list, page agentgraph.RunInfo) {
	now := time.Now()
	all, err := v.catalog.all(context.Background())
	require.NoError(t, err)
	for _, s := range all.runs {
		if s.RunID == id {
			list = s.RunInfo
			list.Status = s.StatusAt(now)
		}
	}
	rec, err := v.read(httptest.NewRequest("GET", "/run?"+url.Values{"id": {id}}.Encode(), nil))
	if err != nil {
		require.ErrorContains(t, err, "There is no run")
		return list, agentgraph.RunInfo{}
	}
	page = agentgraph.RunInfo{RunID: id, Status: rec.status(now), Error: rec.damage, Attempts: len(rec.history.Attempts), Done: rec.history.Executed()}
	if n := page.Attempts; n > 0 {
		last := rec.history.Attempts[n-1]
		page.Name, page.Began, page.Last = last.Entry.Name, rec.history.Attempts[0].Began, last.Last
		if last.End != nil && rec.damage == "" {
			page.Error = last.End.Error
		}
	}
	return list, page
}

func requireAgreed(t require.TestingT, v *viewer, id string) agentgraph.RunInfo {
	list, page := told(t, v, id)
	require.GreaterOrEqual(t, list.Done, page.Done)
	page.Done = list.Done // it may count a step twice that stands there twice
	require.Equal(t, page, list, id)
	return list
}

func recordsOf(t require.TestingT, store agentgraph.Store, id string) (records []agentgraph.Record) {
	for r, err := range store.Read(context.Background(), id, 0) {
		require.NoError(t, err)
		records = append(records, r)
	}
	return records
}

// TestDamageInside: entries that make no sense, wherever they stand, make a run
// damaged in the list as on its own page, read at once or as they come.
func TestDamageInside(t *testing.T) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	require.NoError(t, sample.Steps(ctx, store, "run", 6))
	records := recordsOf(t, store, "run")
	for i, change := range [][2]string{
		{`"on":3`, `"on":300`}, {`"id":4`, `"id":"4"`}, {`"set":{"put":{"n":2}}`, `"set":{"ref":{"n":[2,0,"x"]}}`},
		{`"index":[2]`, `"index":2`}, {`"set":{"put":{"n":2}}`, `"set":7`},
	} {
		bad := slices.Clone(records)
		bad[3].Data = bytes.Replace(bad[3].Data, []byte(change[0]), []byte(change[1]), 1)
		require.NotEqual(t, string(records[3].Data), string(bad[3].Data))
		id := fmt.Sprintf("bad-%d", i)
		v := restless(store)
		require.NoError(t, store.Append(ctx, id, 0, bad[:3]...))
		require.Equal(t, agentgraph.RunRunning, requireAgreed(t, v, id).Status)
		require.NoError(t, store.Append(ctx, id, 3, bad[3:]...))
		require.Equal(t, damaged, requireAgreed(t, v, id).Status)
		require.Equal(t, damaged, requireAgreed(t, restless(store), id).Status)
	}
}

// TestListAgrees: whatever is done to a journal, also between looks, the list says of
// the run what its own page says.
func TestListAgrees(t *testing.T) {
	ctx, whole := context.Background(), filled(t)
	ids := []string{"order", "panel", "desk", "approval", "ill", "stopped", sample.Hostile}
	require.NoError(t, agentgraph.Answer(ctx, whole, "approval", "approve", "yes"))
	rapid.Check(t, func(t *rapid.T) {
		store := agentgraph.NewMemStore()
		v := restless(store)
		id := rapid.SampledFrom(ids).Draw(t, "run")
		for life := range rapid.IntRange(1, 3).Draw(t, "lives") {
			records := changed(t, recordsOf(t, whole, id))
			for i := range records { // none is written twice
				records[i].Time = records[i].Time.Add(time.Duration(life) * time.Second)
			}
			require.NoError(t, store.Delete(ctx, id))
			for at := 0; at < len(records); {
				n := rapid.IntRange(1, len(records)-at).Draw(t, "batch")
				require.NoError(t, store.Append(ctx, id, uint64(at), records[at:at+n]...))
				if at += n; rapid.Bool().Draw(t, "look") {
					requireAgreed(t, v, id)
				}
			}
			requireAgreed(t, v, id)
		}
	})
}

// changed loses, doubles or changes some records, or none.
func changed(t *rapid.T, records []agentgraph.Record) []agentgraph.Record {
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		at := rapid.IntRange(0, len(records)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			records = slices.Insert(slices.Clone(records), rapid.IntRange(0, len(records)).Draw(t, "to"), records[at])
		case 1:
			if len(records) > 1 {
				records = slices.Delete(slices.Clone(records), at, at+1)
			}
		case 2:
			pair := rapid.SampledFrom([][2]string{{`"id":`, `"id":1`}, {`"on":`, `"on":1`}, {`"to":`, `"to":1`}, {`"put"`, `"ref"`}, {`"by":"`, `"by":"X`}, {`[`, `{"a":1},[`}, {`"of":[`, `"of":[9`}, {`"status":"`, `"status":"x`}}).Draw(t, "replace")
			if data := bytes.Replace(records[at].Data, []byte(pair[0]), []byte(pair[1]), 1); validData(data) {
				records = slices.Clone(records)
				records[at].Data = data
			}
		case 3:
			records = records[:at+1]
		}
	}
	return records
}

func validData(data []byte) bool {
	_, err := agentgraph.Record{Kind: "x", Data: data}.Stored(1)
	return err == nil
}

// TestBegunAnew: a run that was deleted and begun anew is the new one, however long
// it is.
func TestBegunAnew(t *testing.T) {
	ctx := context.Background()
	for _, steps := range []int{1, 4, 5, 6, 9} {
		for _, cut := range []int{0, 1, 2} {
			store := agentgraph.NewMemStore()
			v := restless(store)
			require.NoError(t, sample.Steps(ctx, store, "run", 5))
			records := recordsOf(t, store, "run")
			if cut > 0 { // it goes on
				require.NoError(t, store.Delete(ctx, "run"))
				require.NoError(t, store.Append(ctx, "run", 0, records[:len(records)-cut]...))
			}
			requireAgreed(t, v, "run")
			require.NoError(t, store.Delete(ctx, "run"))
			require.NoError(t, sample.Steps(ctx, store, "run", steps))
			info := requireAgreed(t, v, "run")
			require.Equal(t, agentgraph.RunFinished, info.Status)
			require.Equal(t, steps, info.Done)
		}
	}
}

// TestBegunAnewWhenLong: the same of a journal that is too long to be read again.
func TestBegunAnewWhenLong(t *testing.T) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	v := restless(store)
	run := func(n int, fails bool) {
		_, _ = agentgraph.NewResumable("long", func(s *agentgraph.Step) error {
			for i := range n {
				_ = s.Step(fmt.Sprint(i), func(s *agentgraph.Step) error { s.Set("x", fmt.Sprintf("%0200000d", i)); return nil })
			}
			if fails {
				return context.DeadlineExceeded
			}
			return nil
		}, &agentgraph.ResumableOptions{Store: store}).Run(ctx, "run", nil)
	}
	run(5, false)
	requireAgreed(t, v, "run")
	require.NoError(t, store.Delete(ctx, "run"))
	run(2, true)
	require.Equal(t, agentgraph.RunFailed, requireAgreed(t, v, "run").Status)
	run(9, false)
	require.Equal(t, agentgraph.RunFinished, requireAgreed(t, v, "run").Status)
}

// longRun is a store in files with a run that is too long to be read again.
func longRun(t *testing.T, dir string) agentgraph.Store {
	ctx, whole, store := context.Background(), agentgraph.NewMemStore(), opened(t, dir)
	require.NoError(t, sample.Steps(ctx, whole, "run", 1000))
	records := recordsOf(t, whole, "run")
	require.NoError(t, store.Append(ctx, "run", 0, records[0]))
	require.NoError(t, store.Append(ctx, "run", 1, records[1:]...))
	return store
}

// TestPagesTellTheList: damage of what the list has read shows there once the run's
// page has met it.
func TestPagesTellTheList(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	store := longRun(t, dir)
	v := restless(store)
	list, err := v.catalog.all(ctx)
	require.NoError(t, err)
	require.Equal(t, agentgraph.RunFinished, list.runs[0].Status)
	damage(t, dir, "run")
	_, page := told(t, v, "run")
	require.Equal(t, damaged, page.Status)
	require.Equal(t, damaged, requireAgreed(t, v, "run").Status)
}

// TestTheListTellsPages: and the other way round.
func TestTheListTellsPages(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	store := longRun(t, dir)
	v := restless(store)
	_, err := v.read(httptest.NewRequest("GET", "/run?id=run", nil))
	require.NoError(t, err)
	damage(t, dir, "run")
	list, err := v.catalog.all(ctx)
	require.NoError(t, err)
	require.Equal(t, damaged, list.runs[0].Status)
	require.Equal(t, damaged, requireAgreed(t, v, "run").Status)
}
