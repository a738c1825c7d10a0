package otelobserver

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Runs is for [agentgraph.ResumableOptions].
func (o *Observer) Runs() *agentgraph.Observer {
	return &agentgraph.Observer{Begin: o.begin, End: o.end, Skipped: o.skipped}
}

func (o *Observer) begin(ctx context.Context, e agentgraph.Event) context.Context {
	name, attributes := described(e)
	ctx, _ = o.tracer.Start(ctx, name, trace.WithAttributes(attributes...))
	return withPlace(ctx)
}

// described is what a span says from its beginning.
func described(e agentgraph.Event) (name string, attributes []attribute.KeyValue) {
	if e.RunID != "" {
		attributes = append(attributes, runKey.String(e.RunID))
	}
	if e.Attempt > 0 {
		attributes = append(attributes, attemptKey.Int(e.Attempt))
	}
	switch {
	case e.Kind == agentgraph.EventRun:
		return named(invokeWorkflow, e.Resumable), append(attributes, operationKey.String(invokeWorkflow), workflowKey.String(e.Resumable))
	case e.Kind == agentgraph.EventAttempt:
		return "attempt", attributes
	}
	attributes = append(attributes, stepKey.String(e.Step), indexKey.IntSlice(e.Index))
	if e.Agent == "" {
		return named("step", e.Name), attributes
	}
	return named(invokeAgent, e.Agent), append(attributes, operationKey.String(invokeAgent), agentKey.String(e.Agent))
}

func named(operation, name string) string {
	if name == "" {
		return operation
	}
	return operation + " " + name
}

func (o *Observer) end(ctx context.Context, e agentgraph.Event) {
	span, took := trace.SpanFromContext(ctx), placeOf(ctx).since()
	if e.Kind == agentgraph.EventRun && e.Attempt > 0 {
		span.SetAttributes(attemptKey.Int(e.Attempt))
	}
	end(span, e.Status, e.Err)
	with := metric.WithAttributes(workflowKey.String(e.Resumable), statusKey.String(string(e.Status)))
	switch e.Kind {
	case agentgraph.EventRun:
		o.runTime.Record(ctx, took, with)
	case agentgraph.EventStep:
		o.stepTime.Record(ctx, took, with)
		o.steps.Add(ctx, 1, with)
	}
}

func (o *Observer) skipped(ctx context.Context, e agentgraph.Event) {
	span, status := trace.SpanFromContext(ctx), statusKey.String(string(e.Status))
	if e.Kind == agentgraph.EventTurn {
		span.AddEvent("turn skipped", trace.WithAttributes(agentKey.String(e.Agent), turnKey.Int(e.Turn)))
		o.turns.Add(ctx, 1, metric.WithAttributes(agentKey.String(e.Agent), status))
		return
	}
	attributes := []attribute.KeyValue{stepKey.String(e.Step), indexKey.IntSlice(e.Index)}
	if e.Agent != "" {
		attributes = append(attributes, agentKey.String(e.Agent))
	}
	span.AddEvent("step skipped", trace.WithAttributes(attributes...))
	o.steps.Add(ctx, 1, metric.WithAttributes(workflowKey.String(e.Resumable), status))
}

// Meeting begins the span of a meeting that is not a step of a run: run it with the
// context, and call the function when it has ended. In a run the step's span is that
// of its meeting.
func (o *Observer) Meeting(ctx context.Context, name string) (context.Context, func(err error)) {
	ctx, span := o.tracer.Start(ctx, named("meeting", name))
	return withPlace(ctx), func(err error) { end(span, statusOf(err), err) }
}
