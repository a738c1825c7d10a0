package agentgraph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// execution is one execution of one program of the conformance cases, whose
// README explains the language, or that of what a sub-agent does.
type execution struct {
	*stage
	artifacts artifactAccess
	step      *agentgraph.Step // nil in a sub-agent that is no orchestrator
	agent     *scriptedAgent   // nil but there
	vars      map[string]any
}

// programError is what a program raises.
type programError struct{ text string }

func (e *programError) Error() string { return e.text }

func (x execution) run(statements []any) error {
	for _, statement := range statements {
		if err := x.execute(statement.(map[string]any)); err != nil {
			return err
		}
	}
	return nil
}

func (x execution) execute(statement map[string]any) error {
	switch verb := verbOf(statement); verb {
	case "step", "go":
		return x.openStep(verb, statement)
	case "wait":
		return x.asRaised(x.step.Wait())
	case "agent":
		return x.useAgent(statement)
	case "set":
		return x.set(statement["set"].([]any))
	case "delete":
		x.artifacts.remove(statement["delete"].(string))
		return nil
	case "put":
		return x.change(statement["put"].([]any), replace)
	case "push":
		return x.change(statement["push"].([]any), push)
	case "fail":
		return x.fail(statement["fail"])
	case "if":
		return x.choose(statement)
	case "each":
		return x.loop(statement)
	case "try":
		return x.try(statement)
	case "set_state":
		return x.changeState(statement["set_state"].([]any), replace)
	case "push_state":
		return x.changeState(statement["push_state"].([]any), push)
	default:
		return fmt.Errorf("no such statement: %s", brief(statement))
	}
}

func verbOf(statement map[string]any) string {
	for _, verb := range []string{"step", "go", "wait", "agent", "set", "delete", "put", "push", "fail", "if", "each", "try", "set_state", "push_state"} {
		if _, ok := statement[verb]; ok {
			return verb
		}
	}
	return ""
}

func (x execution) openStep(verb string, statement map[string]any) error {
	name, err := x.text(statement[verb])
	if err != nil {
		return err
	}
	extras, done, err := x.extras(statement)
	if err != nil {
		return err
	}
	defer done()
	if verb == "go" {
		x.vars = maps.Clone(x.vars)
	}
	body := func(s *agentgraph.Step) error {
		x.note(name)
		return x.within(s).run(statement["do"].([]any))
	}
	if verb == "go" {
		x.step.Go(name, body, extras...)
		return nil
	}
	return x.asRaised(x.step.Step(name, body, extras...))
}

// within is the same execution in another step, with the same variables.
func (x execution) within(s *agentgraph.Step) execution {
	x.step, x.artifacts = s, stepArtifacts{s}
	return x
}

func (x execution) useAgent(statement map[string]any) error {
	extras, done, err := x.extras(statement)
	if err != nil {
		return err
	}
	defer done()
	return x.asRaised(x.step.StepAgent(x.agents[statement["agent"].(string)], extras...))
}

// extras evaluates the extras of a step. What is handed over is overwritten when
// the call is done, which nobody may see.
func (x execution) extras(statement map[string]any) (extras []agentgraph.Extra, done func(), err error) {
	given, _ := statement["extra"].(map[string]any)
	var raws []json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(given)) {
		v, err := x.evaluate(given[name])
		if err != nil {
			return nil, nil, err
		}
		raw := encodeJSON(v)
		raws = append(raws, raw)
		extras = append(extras, agentgraph.Input(name, raw))
	}
	return extras, func() { overwrite(raws...) }, nil
}

// asRaised checks that an error that a program raised has come up as it was.
func (x execution) asRaised(err error) error {
	var raised *programError
	if errors.As(err, &raised) && err.Error() != raised.text {
		x.complain("a body was told %q and not %q", err, raised)
	}
	return err
}

func (x execution) set(operands []any) error {
	name, err := x.text(operands[0])
	if err != nil {
		return err
	}
	v, err := x.evaluate(operands[1])
	if err != nil {
		return err
	}
	x.artifacts.set(name, v)
	return nil
}

func (x execution) change(operands []any, how func(old, v any) any) error {
	path := operands[0].([]any)
	v, err := x.evaluate(operands[1])
	if err != nil {
		return err
	}
	name := path[0].(string)
	root, _, err := x.artifacts.get(name)
	if err != nil {
		return err
	}
	x.artifacts.set(name, changeAt(root, path[1:], v, how))
	return nil
}

func (x execution) changeState(operands []any, how func(old, v any) any) error {
	v, err := x.evaluate(operands[1])
	if err != nil {
		return err
	}
	x.agent.change(operands[0].([]any), v, how)
	return nil
}

func (x execution) fail(what any) error {
	text, err := x.text(what)
	if err != nil {
		return err
	}
	return &programError{text}
}

func (x execution) choose(statement map[string]any) error {
	v, err := x.evaluate(statement["if"])
	if err != nil {
		return err
	}
	branch := statement["then"]
	if !truth(v) {
		branch = statement["else"]
	}
	statements, _ := branch.([]any)
	return x.run(statements)
}

func (x execution) loop(statement map[string]any) error {
	each := statement["each"].([]any)
	list, err := x.evaluate(each[1])
	if err != nil {
		return err
	}
	for _, element := range list.([]any) {
		x.vars[each[0].(string)] = element
		if err := x.run(statement["do"].([]any)); err != nil {
			return err
		}
	}
	return nil
}

func (x execution) try(statement map[string]any) error {
	err := x.run(statement["try"].([]any))
	if err == nil {
		return nil
	}
	x.vars["error"] = err.Error()
	return x.run(statement["catch"].([]any))
}

// evaluate gives a fresh copy of the value of an expression.
func (x execution) evaluate(expression any) (any, error) {
	object, ok := expression.(map[string]any)
	if !ok {
		return expression, nil
	}
	for op, operand := range object { // one key
		switch op {
		case "lit":
			return cloneJSON(operand), nil
		case "ref":
			return x.ref(operand)
		case "has":
			_, ok, err := x.artifacts.get(operand.(string))
			return ok, err
		case "var":
			return cloneJSON(x.vars[operand.(string)]), nil
		case "env":
			return cloneJSON(x.env[operand.(string)]), nil
		case "state":
			return x.agent.at(operand.([]any)), nil
		}
		operands, err := x.evaluateAll(operand)
		if err != nil {
			return nil, err
		}
		return apply(op, operands)
	}
	return nil, errors.New("an expression without a key")
}

// evaluateAll evaluates the operands, which are a list if they are not one alone.
func (x execution) evaluateAll(operand any) ([]any, error) {
	expressions, ok := operand.([]any)
	if !ok {
		expressions = []any{operand}
	}
	values := make([]any, len(expressions))
	for i, expression := range expressions {
		v, err := x.evaluate(expression)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

func (x execution) text(expression any) (string, error) {
	v, err := x.evaluate(expression)
	if err != nil {
		return "", err
	}
	text, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("not a string: %s", brief(v))
	}
	return text, nil
}

func (x execution) ref(operand any) (any, error) {
	path, ok := operand.([]any)
	if !ok {
		path = []any{operand}
	}
	name := path[0].(string)
	v, ok, err := x.artifacts.get(name)
	if err == nil && !ok {
		err = fmt.Errorf("the program reads artifact %q, which is not there", name)
	}
	if err != nil {
		return nil, err
	}
	return valueAt(v, path[1:]), nil
}

// apply is an operator whose operands are values.
func apply(op string, v []any) (any, error) {
	switch op {
	case "add":
		return calculate(v, (*big.Int).Add, func(a, b float64) float64 { return a + b })
	case "mul":
		return calculate(v, (*big.Int).Mul, func(a, b float64) float64 { return a * b })
	case "cat":
		var b strings.Builder
		for _, part := range v {
			fmt.Fprint(&b, part)
		}
		return b.String(), nil
	case "append":
		return append(slices.Clip(v[0].([]any)), v[1]), nil
	case "len":
		return number(len(v[0].([]any))), nil
	case "range":
		list := []any{}
		for i := position(v[0]); i < position(v[1]); i++ {
			list = append(list, number(i))
		}
		return list, nil
	case "eq":
		return equalJSON(v[0], v[1]), nil
	case "lt":
		return parseDecimal(v[0].(json.Number)).compare(parseDecimal(v[1].(json.Number))) < 0, nil
	case "not":
		return !truth(v[0]), nil
	}
	return nil, fmt.Errorf("no such expression: %s", op)
}

// calculate is exact when both numbers are written as integers.
func calculate(v []any, exact func(z, a, b *big.Int) *big.Int, rounded func(a, b float64) float64) (json.Number, error) {
	a, b := v[0].(json.Number), v[1].(json.Number)
	m, ok := new(big.Int).SetString(string(a), 10)
	n, ok2 := new(big.Int).SetString(string(b), 10)
	if ok && ok2 {
		return json.Number(exact(new(big.Int), m, n).String()), nil
	}
	f, err := a.Float64()
	if err != nil {
		return "", err
	}
	g, err := b.Float64()
	if err != nil {
		return "", err
	}
	text := strconv.FormatFloat(rounded(f, g), 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return json.Number(text), nil
}

func truth(v any) bool { return v != nil && v != false }

func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// position is the integer in the list of a path, or in a range.
func position(v any) int {
	n, err := strconv.Atoi(string(v.(json.Number)))
	if err != nil {
		panic(err)
	}
	return n
}

func valueAt(root any, path []any) any {
	for _, at := range path {
		switch at := at.(type) {
		case string:
			root = root.(map[string]any)[at]
		default:
			root = root.([]any)[position(at)]
		}
	}
	return root
}

// changeAt gives root with the value at path changed, in place but for root itself.
func changeAt(root any, path []any, v any, how func(old, v any) any) any {
	if len(path) == 0 {
		return how(root, v)
	}
	switch at := path[0].(type) {
	case string:
		object := root.(map[string]any)
		object[at] = changeAt(object[at], path[1:], v, how)
	default:
		list, i := root.([]any), position(at)
		list[i] = changeAt(list[i], path[1:], v, how)
	}
	return root
}

func replace(_, v any) any { return v }

func push(old, v any) any { return append(old.([]any), v) }

// artifactAccess is what a program's statements and expressions reach.
type artifactAccess interface {
	get(name string) (v any, ok bool, err error)
	set(name string, v any)
	remove(name string)
}

type stepArtifacts struct{ *agentgraph.Step }

func (a stepArtifacts) get(name string) (any, bool, error) {
	raw, err := agentgraph.Get[json.RawMessage](a.Step, name)
	if errors.Is(err, agentgraph.ErrNoArtifact) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	v, err := decodeJSON(raw)
	overwrite(raw)
	return v, true, err
}

func (a stepArtifacts) set(name string, v any) {
	raw := encodeJSON(v)
	a.Set(name, raw)
	overwrite(raw)
}

func (a stepArtifacts) remove(name string) { a.Delete(name) }

// ownArtifacts are those that a sub-agent was given.
type ownArtifacts map[string]any

func (a ownArtifacts) get(name string) (any, bool, error) {
	v, ok := a[name]
	return cloneJSON(v), ok, nil
}

func (a ownArtifacts) set(name string, v any) { a[name] = v }

func (a ownArtifacts) remove(name string) { delete(a, name) }

// TestProgramExpressions checks the interpreter by itself.
func TestProgramExpressions(t *testing.T) {
	x := execution{
		stage:     &stage{env: map[string]any{"there": "yes"}},
		artifacts: ownArtifacts{"list": []any{number(4), number(5)}, "null": nil},
		agent:     &scriptedAgent{state: map[string]any{"n": number(7)}},
		vars:      map[string]any{"v": "w"},
	}
	for expression, want := range map[string]string{
		`1.50`:                                         `1.50`,
		`{"lit": {"a": [1]}}`:                          `{"a":[1]}`,
		`{"ref": "list"}`:                              `[4,5]`,
		`{"ref": ["list", 1]}`:                         `5`,
		`{"has": "null"}`:                              `true`,
		`{"has": "none"}`:                              `false`,
		`{"var": "v"}`:                                 `"w"`,
		`{"env": "there"}`:                             `"yes"`,
		`{"env": "none"}`:                              `null`,
		`{"state": ["n"]}`:                             `7`,
		`{"add": [9223372036854775807, 1]}`:            `9223372036854775808`,
		`{"add": [20.0, 1]}`:                           `21.0`,
		`{"add": [0.1, 0.2]}`:                          `0.30000000000000004`,
		`{"mul": [1e2, 1]}`:                            `100.0`,
		`{"mul": [0.5, 0.0000002]}`:                    `1e-07`,
		`{"mul": [-3, 4]}`:                             `-12`,
		`{"cat": ["s", 1, {"var": "v"}]}`:              `"s1w"`,
		`{"append": [{"ref": "list"}, null]}`:          `[4,5,null]`,
		`{"len": {"ref": "list"}}`:                     `2`,
		`{"range": [1, 4]}`:                            `[1,2,3]`,
		`{"range": [1, 1]}`:                            `[]`,
		`{"eq": [1, 1.0]}`:                             `true`,
		`{"eq": [null, false]}`:                        `false`,
		`{"lt": [9007199254740992, 9007199254740993]}`: `true`,
		`{"lt": [1, 1.0]}`:                             `false`,
		`{"not": 0}`:                                   `false`,
		`{"not": null}`:                                `true`,
	} {
		e, err := decodeJSON([]byte(expression))
		require.NoError(t, err)
		v, err := x.evaluate(e)
		require.NoError(t, err, expression)
		require.Equal(t, want, string(encodeJSON(v)), expression)
	}
	_, err := x.evaluate(map[string]any{"ref": "none"})
	require.ErrorContains(t, err, `"none"`)
}
