package agentgraph

import (
	"context"
	"encoding/json"
)

// Stepper takes an agent by itself, a step at a time, for the tests of its state.
type Stepper[B any] struct{ agent Agent[B] }

// StepperOf returns the stepper of an agent.
func StepperOf[B any](a Agent[B]) Stepper[B] { return Stepper[B]{a} }

// Start returns the first state.
func (s Stepper[B]) Start() any { return s.agent.program.start() }

// Step returns the next state and the outputs.
func (s Stepper[B]) Step(state any, in Post[B]) (any, []Post[B], error) {
	return s.agent.program.step(context.Background(), state, &in)
}

// Save returns a state as JSON.
func (s Stepper[B]) Save(state any) (json.RawMessage, error) { return s.agent.program.save(state) }

// Load returns a saved state.
func (s Stepper[B]) Load(data json.RawMessage) (any, error) { return s.agent.program.load(data) }

// Surprises is how many turns were worked ahead that the schedule did not ask
// for. The log is right all the same, but the turns were not certain.
func Surprises[B any](m *Meeting[B]) int { return m.surprises }
