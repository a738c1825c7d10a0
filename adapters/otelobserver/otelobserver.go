// Package otelobserver makes OpenTelemetry traces and metrics of what agentgraph
// does.
//
//	o, err := otelobserver.New(nil)
//	r := agentgraph.NewResumable("review", body, &agentgraph.ResumableOptions{
//		Store:    o.Store(store),
//		Observer: o.Runs(),
//	})
//	roster = roster.Use(otelobserver.Middleware[string](o))
//
// A run is a span, in it the attempt is one, and in that each step and each turn of
// a meeting that runs. A turn has a link to the turn that made its input, so that a
// thread can be followed. What was skipped is an event of the span that it is in.
// A wait for an answer is not an error.
//
// Names follow the semantic conventions for generative AI where those have one: a
// run is an invoke_workflow, a turn and an agent step an invoke_agent, the run's ID
// is the conversation. They are not stable there yet. Everything else begins with
// agentgraph. Bodies and artifacts are not recorded.
//
// The metrics, with their attributes:
//
//	agentgraph.run.duration      s  workflow, status
//	agentgraph.step.duration     s  workflow, status
//	agentgraph.turn.duration     s  agent, status
//	agentgraph.append.duration   s  status
//	agentgraph.steps                workflow, status: cached among them
//	agentgraph.turns                agent, status: cached among them
//	agentgraph.append.records       records that were made durable
package otelobserver

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-a2b66b4f/agentgraph"
)

// scope is the name of the instrumentation.
const scope = "github.com/seed-a2b66b4f/agentgraph/adapters/otelobserver"

// Options are where spans and metrics go. Nil is OpenTelemetry's global provider.
type Options struct {
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
}

// Observer makes spans and metrics. It is safe for concurrent use, and one is enough
// for a process.
type Observer struct {
	tracer trace.Tracer

	runTime, stepTime, turnTime, appendTime metric.Float64Histogram
	steps, turns, records                   metric.Int64Counter
}

// New returns an Observer. Nil options are the zero ones. The error is that of an
// instrument that the meter provider refuses.
func New(o *Options) (*Observer, error) {
	var tracers trace.TracerProvider
	var meters metric.MeterProvider
	if o != nil {
		tracers, meters = o.TracerProvider, o.MeterProvider
	}
	if tracers == nil {
		tracers = otel.GetTracerProvider()
	}
	if meters == nil {
		meters = otel.GetMeterProvider()
	}
	b := &Observer{tracer: tracers.Tracer(scope)}
	if err := b.instruments(meters.Meter(scope)); err != nil {
		return nil, fmt.Errorf("agentgraph: instruments of the observer: %w", err)
	}
	return b, nil
}

func (o *Observer) instruments(m metric.Meter) error {
	var errs []error
	time := func(name, what string) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what))
		errs = append(errs, err)
		return h
	}
	count := func(name, unit, what string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(what))
		errs = append(errs, err)
		return c
	}
	o.runTime = time("agentgraph.run.duration", "How long runs took")
	o.stepTime = time("agentgraph.step.duration", "How long steps took that were not skipped")
	o.turnTime = time("agentgraph.turn.duration", "How long turns took that were not skipped")
	o.appendTime = time("agentgraph.append.duration", "How long it took to make records durable")
	o.steps = count("agentgraph.steps", "{step}", "Steps that ended or were skipped")
	o.turns = count("agentgraph.turns", "{turn}", "Turns that ended or were skipped")
	o.records = count("agentgraph.append.records", "{record}", "Records that were made durable")
	return errors.Join(errs...)
}

// The names of attributes.
const (
	operationKey = attribute.Key("gen_ai.operation.name")
	agentKey     = attribute.Key("gen_ai.agent.name")
	workflowKey  = attribute.Key("gen_ai.workflow.name")
	runKey       = attribute.Key("gen_ai.conversation.id")
	errorKey     = attribute.Key("error.type")

	statusKey  = attribute.Key("agentgraph.status")
	attemptKey = attribute.Key("agentgraph.attempt")
	stepKey    = attribute.Key("agentgraph.step")
	indexKey   = attribute.Key("agentgraph.index")
	turnKey    = attribute.Key("agentgraph.turn")
	postKey    = attribute.Key("agentgraph.post")
	outputsKey = attribute.Key("agentgraph.outputs")
)

const (
	invokeAgent    = "invoke_agent"
	invokeWorkflow = "invoke_workflow"
)

// statusOf is how something ended that was not skipped.
func statusOf(err error) agentgraph.StepStatus {
	switch {
	case err == nil:
		return agentgraph.StatusExecuted
	case errors.Is(err, agentgraph.ErrWaiting):
		return agentgraph.StatusWaiting
	}
	return agentgraph.StatusError
}

// end ends a span.
func end(span trace.Span, status agentgraph.StepStatus, err error) {
	span.SetAttributes(statusKey.String(string(status)))
	if status == agentgraph.StatusError && err != nil {
		span.SetAttributes(errorKey.String(kind(err)))
		span.SetStatus(codes.Error, fmt.Sprint(err)) // the text of a nil pointer may panic
	}
	span.End()
}

// kind is the type of the error at the bottom.
func kind(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return fmt.Sprintf("%T", err)
}
