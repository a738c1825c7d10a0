package otelobserver

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-a2b66b4f/agentgraph"
)

// errLeft is for a turn that ended without returning.
var errLeft = errors.New("the turn ended without returning")

// Middleware makes a span of each turn that runs. Within a step of a run, and within
// [Observer.Meeting], it has a link to the turn that made its input. Where an author
// has cited the same posts twice, that is the later one.
//
// It belongs outermost: what middlewares inside it do, such as trying again, is one
// turn.
func Middleware[B any](o *Observer) agentgraph.Middleware[B] {
	return func(next agentgraph.TurnFunc[B]) agentgraph.TurnFunc[B] {
		return func(ctx context.Context, agent agentgraph.Name, in agentgraph.Post[B]) (outs []agentgraph.Post[B], err error) {
			place := placeOf(ctx)
			ctx, span := o.turn(ctx, place, agent, in.ID, in.From, in.Thread)
			began := time.Now()
			err = errLeft
			defer func() { o.turned(ctx, span, agent, time.Since(began), err) }()
			outs, err = next(ctx, agent, in)
			if err == nil {
				span.SetAttributes(outputsKey.Int(len(outs)))
				place.made(span.SpanContext(), agent, in.ID, threads(outs))
			}
			return outs, err
		}
	}
}

// turn begins the span of a turn.
func (o *Observer) turn(ctx context.Context, p *place, agent agentgraph.Name, in agentgraph.PostID, from agentgraph.Name, thread []agentgraph.PostID) (context.Context, trace.Span) {
	options := []trace.SpanStartOption{trace.WithAttributes(operationKey.String(invokeAgent), agentKey.String(agent), postKey.String(in.String()))}
	if info, ok := agentgraph.TurnFrom(ctx); ok {
		options = append(options, trace.WithAttributes(turnKey.Int(info.N)))
		if info.RunID != "" {
			options = append(options, trace.WithAttributes(runKey.String(info.RunID)))
		}
	}
	if by, ok := p.maker(from, thread); ok {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: by}))
	}
	return o.tracer.Start(ctx, named(invokeAgent, agent), options...)
}

// turned ends it.
func (o *Observer) turned(ctx context.Context, span trace.Span, agent agentgraph.Name, took time.Duration, err error) {
	status := statusOf(err)
	end(span, status, err)
	with := metric.WithAttributes(agentKey.String(agent), statusKey.String(string(status)))
	o.turnTime.Record(ctx, took.Seconds(), with)
	o.turns.Add(ctx, 1, with)
}

// threads are those of outputs, as they will be in the log.
func threads[B any](outs []agentgraph.Post[B]) [][]agentgraph.PostID {
	all := make([][]agentgraph.PostID, len(outs))
	for i, p := range outs {
		all[i] = slices.Clone(p.Thread)
		slices.SortFunc(all[i], agentgraph.PostID.Compare)
		all[i] = slices.Compact(all[i])
	}
	return all
}
