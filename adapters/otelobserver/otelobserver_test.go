package otelobserver_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/otelobserver"
	"github.com/seed-a2b66b4f/agentgraph/storetest"
)

type post = agentgraph.Post[string]

// backend keeps what was observed.
type backend struct {
	spans    *tracetest.InMemoryExporter
	metrics  *sdkmetric.ManualReader
	observer *otelobserver.Observer
}

func newBackend(t *testing.T) *backend {
	b := &backend{spans: tracetest.NewInMemoryExporter(), metrics: sdkmetric.NewManualReader()}
	var err error
	b.observer, err = otelobserver.New(&otelobserver.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSyncer(b.spans)),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(b.metrics)),
	})
	require.NoError(t, err)
	return b
}

// take gives the spans as a tree, each line with what the span is, and its events.
func (b *backend) take() []string {
	spans := b.spans.GetSpans()
	b.spans.Reset()
	var lines []string
	var walk func(parent trace.SpanID, indent string)
	walk = func(parent trace.SpanID, indent string) {
		for _, s := range startOrder(spans) {
			if s.Parent.SpanID() != parent {
				continue
			}
			lines = append(lines, fmt.Sprintf("%s%s [%s]", indent, s.Name, value(s.Attributes, "agentgraph.status")))
			for _, e := range s.Events {
				lines = append(lines, fmt.Sprintf("%s  - %s %s%s", indent, e.Name, value(e.Attributes, "agentgraph.step"), value(e.Attributes, "gen_ai.agent.name")))
			}
			for _, l := range s.Links {
				lines = append(lines, indent+"  ~ "+nameOf(spans, l.SpanContext.SpanID()))
			}
			walk(s.SpanContext.SpanID(), indent+"  ")
		}
	}
	walk(trace.SpanID{}, "")
	return lines
}

func startOrder(spans tracetest.SpanStubs) tracetest.SpanStubs {
	sorted := slices.Clone(spans)
	slices.SortStableFunc(sorted, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	return sorted
}

func nameOf(spans tracetest.SpanStubs, id trace.SpanID) string {
	for _, s := range spans {
		if s.SpanContext.SpanID() == id {
			return s.Name + " on " + value(s.Attributes, "agentgraph.post")
		}
	}
	return "nothing"
}

func value(attributes []attribute.KeyValue, name attribute.Key) string {
	for _, a := range attributes {
		if a.Key == name {
			return a.Value.String()
		}
	}
	return ""
}

// counts gives the sums of counters, and how often histograms were given a value.
func (b *backend) counts(t *testing.T) map[string]int64 {
	var all metricdata.ResourceMetrics
	require.NoError(t, b.metrics.Collect(context.Background(), &all))
	counts := map[string]int64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			for name, n := range points(m) {
				counts[name] += n
			}
		}
	}
	return counts
}

func points(m metricdata.Metrics) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				yield(m.Name+series(p.Attributes), p.Value)
			}
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				yield(m.Name+series(p.Attributes), int64(p.Count))
			}
		}
	}
}

func series(set attribute.Set) string {
	text := ""
	for _, a := range set.ToSlice() {
		text += " " + a.Value.String()
	}
	return text
}

func TestRuns(t *testing.T) {
	b := newBackend(t)
	fault := errors.New("boom")
	r := agentgraph.NewResumable("work", func(s *agentgraph.Step) error {
		err := s.Step("plan", func(s *agentgraph.Step) error {
			return s.Step("draft", func(*agentgraph.Step) error { return nil })
		})
		if err != nil {
			return err
		}
		return s.Step("ship", func(*agentgraph.Step) error { return fault })
	}, &agentgraph.ResumableOptions{Store: b.observer.Store(agentgraph.NewMemStore()), Observer: b.observer.Runs()})

	_, err := r.Run(context.Background(), "r", nil)
	require.ErrorIs(t, err, fault)
	spans := b.spans.GetSpans()
	require.Equal(t, []string{
		"invoke_workflow work [error]",
		"  attempt [error]",
		"    step plan [executed]",
		"      step draft [executed]",
		"    step ship [error]",
	}, b.take())
	ship, run := spans[2], spans[4]
	require.Equal(t, sdktrace.Status{Code: codes.Error, Description: "boom"}, ship.Status)
	require.Equal(t, []attribute.KeyValue{
		attribute.String("gen_ai.conversation.id", "r"),
		attribute.Int("agentgraph.attempt", 1),
		attribute.String("agentgraph.step", "ship"),
		attribute.IntSlice("agentgraph.index", []int{1}),
		attribute.String("agentgraph.status", "error"),
		attribute.String("error.type", "*errors.errorString"),
	}, ship.Attributes)
	require.ElementsMatch(t, []attribute.KeyValue{
		attribute.String("gen_ai.conversation.id", "r"),
		attribute.String("gen_ai.operation.name", "invoke_workflow"),
		attribute.String("gen_ai.workflow.name", "work"),
		attribute.Int("agentgraph.attempt", 1),
		attribute.String("agentgraph.status", "error"),
		attribute.String("error.type", "*errors.errorString"),
	}, run.Attributes)

	fault = nil
	_, err = r.Run(context.Background(), "r", nil)
	require.NoError(t, err)
	require.Equal(t, []string{
		"invoke_workflow work [executed]",
		"  attempt [executed]",
		"    - step skipped plan",
		"    step ship [executed]",
	}, b.take())
	counts := b.counts(t)
	appends, records := counts["agentgraph.append.duration done"], counts["agentgraph.append.records"]
	require.Positive(t, appends)
	require.GreaterOrEqual(t, records, appends)
	delete(counts, "agentgraph.append.duration done")
	delete(counts, "agentgraph.append.records")
	require.Equal(t, map[string]int64{
		"agentgraph.run.duration error work":     1,
		"agentgraph.run.duration executed work":  1,
		"agentgraph.step.duration error work":    1,
		"agentgraph.step.duration executed work": 3,
		"agentgraph.steps error work":            1,
		"agentgraph.steps executed work":         3,
		"agentgraph.steps cached work":           1,
	}, counts)
}

// chain is a meeting in which a asks b, a person is heard, and c ends it.
func chain(t *testing.T, b *backend) *agentgraph.Roster[string] {
	say := agentgraph.Atomic(agentgraph.Each(func(in post) []post { return []post{{Body: in.Body + "!"}} }))
	r, err := agentgraph.ToRoster(agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("x"), agentgraph.Vertex("a"), agentgraph.Vertex("b")),
		agentgraph.Connect(agentgraph.Channels("y"), agentgraph.Vertex("b"), agentgraph.Vertex("human")),
		agentgraph.Connect(agentgraph.Channels("z"), agentgraph.Vertex("human"), agentgraph.Vertex("c")),
	), agentgraph.Registry[string]{"a": say, "b": say, "c": say, "human": agentgraph.External[string]()})
	require.NoError(t, err)
	return r.Use(otelobserver.Middleware[string](b.observer))
}

func TestDurableMeeting(t *testing.T) {
	b := newBackend(t)
	store := agentgraph.NewMemStore()
	roster := chain(t, b)
	r := agentgraph.NewResumable("talk", func(s *agentgraph.Step) error {
		_, err := agentgraph.RunMeeting(s, "meet", roster, []post{agentgraph.NewPost("u", []string{"x"}, "hi")})
		return err
	}, &agentgraph.ResumableOptions{Store: store, Observer: b.observer.Runs()})
	_, err := r.Run(context.Background(), "r", nil)
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	spans := b.spans.GetSpans()
	require.Equal(t, []string{
		"invoke_workflow talk [waiting]",
		"  attempt [waiting]",
		"    step meet [waiting]",
		"      invoke_agent b [executed]",
	}, b.take())
	require.Equal(t, codes.Unset, spans[1].Status.Code)
	require.ElementsMatch(t, []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "invoke_agent"),
		attribute.String("gen_ai.agent.name", "b"),
		attribute.String("gen_ai.conversation.id", "r"),
		attribute.String("agentgraph.post", "u#0"),
		attribute.Int("agentgraph.turn", 0),
		attribute.Int("agentgraph.outputs", 1),
		attribute.String("agentgraph.status", "executed"),
	}, spans[0].Attributes)

	require.NoError(t, agentgraph.AnswerSeat(context.Background(), store, "r", "meet", "human", post{Body: "yes"}))
	_, err = r.Run(context.Background(), "r", nil)
	require.NoError(t, err)
	require.Equal(t, []string{
		"invoke_workflow talk [executed]",
		"  attempt [executed]",
		"    step meet [executed]",
		"      - turn skipped b",
		"      invoke_agent c [executed]",
	}, b.take())
	counts := b.counts(t)
	require.EqualValues(t, 1, counts["agentgraph.turns cached b"])
	require.EqualValues(t, 1, counts["agentgraph.turns executed b"])
	require.EqualValues(t, 1, counts["agentgraph.turn.duration executed c"])
}

func TestThreads(t *testing.T) {
	b := newBackend(t)
	echo := agentgraph.Atomic(agentgraph.Each(func(in post) []post { return []post{{Body: in.Body + "!"}} }))
	late := agentgraph.Atomic(agentgraph.Tape(func(history []post) []post { // cites all that it has heard
		return []post{agentgraph.Reply("all", history...)}
	}))
	roster, err := agentgraph.ToRoster(agentgraph.Pipeline([]string{"a", "b", "c"}, "x"), agentgraph.Registry[string]{"a": echo, "b": late, "c": echo})
	require.NoError(t, err)
	roster = roster.Use(otelobserver.Middleware[string](b.observer))
	inputs := []post{agentgraph.NewPost("u", []string{agentgraph.Everyone}, "hi")}

	ctx, done := b.observer.Meeting(context.Background(), "plain")
	_, err = roster.Run(ctx, inputs)
	done(err)
	require.NoError(t, err)
	turns := []string{
		"invoke_agent a [executed]",
		"invoke_agent b [executed]",
		"invoke_agent c [executed]",
		"invoke_agent b [executed]",
		"  ~ invoke_agent a on u#0",
		"invoke_agent c [executed]",
		"  ~ invoke_agent b on u#0",
		"invoke_agent c [executed]",
		"  ~ invoke_agent b on a#0",
	}
	require.Equal(t, append([]string{"meeting plain [executed]"}, indented("  ", turns)...), b.take())

	r := agentgraph.NewResumable("talk", func(s *agentgraph.Step) error {
		_, err := agentgraph.RunMeeting(s, "meet", roster, inputs)
		return err
	}, &agentgraph.ResumableOptions{Observer: b.observer.Runs()})
	_, err = r.Run(context.Background(), "", nil)
	require.NoError(t, err)
	require.Equal(t, indented("      ", turns), b.take()[3:])

	// Without a place to remember them, turns stand alone.
	_, err = roster.Run(context.Background(), inputs)
	require.NoError(t, err)
	for _, line := range b.take() {
		require.Regexp(t, `^invoke_agent [abc] \[executed\]$`, line)
	}
}

func indented(by string, lines []string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = by + line
	}
	return all
}

// absent is an error that is there though its pointer is nil.
type absent struct{ text string }

func (e *absent) Error() string { return e.text }

func TestFailedTurns(t *testing.T) {
	for name, agent := range map[string]func(context.Context, post) ([]post, error){
		"error": func(context.Context, post) ([]post, error) { return nil, errors.New("no model") },
		"panic": func(context.Context, post) ([]post, error) { panic("no model") },
		"nil":   func(context.Context, post) ([]post, error) { return nil, (*absent)(nil) },
		"exit":  func(context.Context, post) ([]post, error) { runtime.Goexit(); return nil, nil },
	} {
		b := newBackend(t)
		roster, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": agentgraph.Atomic(agentgraph.EachContext(agent))})
		require.NoError(t, err)
		roster = roster.Use(otelobserver.Middleware[string](b.observer))
		ended := make(chan struct{})
		go func() { // Goexit ends it
			defer close(ended)
			ctx, done := b.observer.Meeting(context.Background(), "")
			defer func() { done(err) }()
			_, err = roster.Run(ctx, []post{agentgraph.NewPost("u", []string{agentgraph.Everyone}, "")})
		}()
		<-ended
		lines := b.take()
		require.Len(t, lines, 2, name)
		require.Equal(t, "  invoke_agent a [error]", lines[1], name)
		require.EqualValues(t, 1, b.counts(t)["agentgraph.turns error a"], name)
	}
}

func TestAgentSteps(t *testing.T) {
	b := newBackend(t)
	inner := agentgraph.NewResumable("writer", func(s *agentgraph.Step) error {
		return s.Step("think", func(*agentgraph.Step) error { return nil })
	}, nil)
	r := agentgraph.NewResumable("work", func(s *agentgraph.Step) error { return s.StepAgent(inner) }, &agentgraph.ResumableOptions{Observer: b.observer.Runs()})
	_, err := r.Run(context.Background(), "", nil)
	require.NoError(t, err)
	require.Equal(t, []string{
		"invoke_workflow work [executed]",
		"  attempt [executed]",
		"    invoke_agent writer [executed]",
		"      step think [executed]",
	}, b.take())
}

// TestStore: the store is still one.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) agentgraph.Store {
		return newBackend(t).observer.Store(agentgraph.NewMemStore())
	})
}

func TestAppends(t *testing.T) {
	b := newBackend(t)
	store := b.observer.Store(agentgraph.NewMemStore())
	record := agentgraph.Record{Kind: "k", Data: []byte("1")}
	require.NoError(t, store.Append(context.Background(), "r", 0, record, record))
	require.ErrorIs(t, store.Append(context.Background(), "r", 0, record), agentgraph.ErrConflict)
	require.ErrorIs(t, store.Append(context.Background(), "", 0, record), agentgraph.ErrBadRunID)
	require.Equal(t, map[string]int64{
		"agentgraph.append.duration done": 1, "agentgraph.append.duration conflict": 1, "agentgraph.append.duration error": 1,
		"agentgraph.append.records": 2,
	}, b.counts(t))
}

func TestGlobalProviders(t *testing.T) {
	o, err := otelobserver.New(nil)
	require.NoError(t, err)
	_, done := o.Meeting(context.Background(), "x")
	done(nil)
}
