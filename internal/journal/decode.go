package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

// errUnusual: the entry has to be decoded by encoding/json.
var errUnusual = errors.New("unusual entry")

// decode reads an entry. Most of a long log are steps and turns; encoding/json takes
// three times as long for one.
func decode(data []byte, e *Entry) error {
	err := canon.Members(data, func(key, value []byte) error { return e.take(string(key), value) })
	if err == nil {
		return nil
	}
	*e = Entry{Kind: e.Kind, Seq: e.Seq}
	return json.Unmarshal(data, e)
}

// take reads one field, if it has the form in which it is usually written.
func (e *Entry) take(key string, value []byte) (err error) {
	switch key {
	case "by":
		e.By, err = text(value)
	case "id":
		e.ID, err = number(value)
	case "at":
		e.At, err = strconv.ParseInt(string(value), 10, 64)
	case "step":
		e.Step, err = text(value)
	case "index":
		e.Index, err = numbers(value)
	case "on":
		e.On, err = number(value)
	case "given":
		e.Given, err = delta(value)
	case "set":
		e.Set, err = delta(value)
	case "states":
		e.States, err = delta(value)
	case "agent":
		e.Agent, err = text(value)
	case "also":
		e.Also, err = texts(value)
	case "to":
		e.To, err = number(value)
	case "n":
		e.N, err = number(value)
	case "post":
		e.Post, err = text(value)
	case "value":
		e.Value = kept(value)
	case "state":
		e.State = kept(value)
	case "heard":
		e.Heard = kept(value)
	case "inputs":
		e.Inputs = kept(value)
	default:
		return e.takeRare(key, value)
	}
	return err
}

// takeRare reads a field that few entries have.
func (e *Entry) takeRare(key string, value []byte) error {
	var field any
	switch key {
	case "status":
		field = &e.Status
	case "error":
		field = &e.Error
	case "name":
		field = &e.Name
	case "format":
		field = &e.Format
	case "seat":
		field = &e.Seat
	case "wants":
		field = &e.Wants
	case "extra":
		field = &e.Extra
	case "rooms":
		field = &e.Rooms
	case "of":
		field = &e.Of
	case "ats":
		field = &e.Ats
	case "answers":
		field = &e.Answers
	case "nodes":
		field = &e.Nodes
	default:
		return errUnusual
	}
	return json.Unmarshal(value, field)
}

// ample is from how many bytes on a value stays a part of the entry's text, most of
// which it then is. A short one does not keep the text alive.
const ample = 4 << 10

func kept(value []byte) json.RawMessage {
	if len(value) >= ample {
		return value[:len(value):len(value)]
	}
	return bytes.Clone(value)
}

// text is a string in which nothing is escaped.
func text(value []byte) (string, error) {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return "", errUnusual
	}
	return string(value[1 : len(value)-1]), nil
}

func number(value []byte) (int, error) { return strconv.Atoi(string(value)) }

func numbers(value []byte) ([]int, error) {
	if len(value) < 3 || value[0] != '[' {
		return nil, errUnusual
	}
	list := make([]int, 0, 1+bytes.Count(value, []byte(",")))
	for item := range bytes.SplitSeq(value[1:len(value)-1], []byte(",")) {
		n, err := number(item)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func texts(value []byte) (map[string]string, error) {
	m := map[string]string{}
	err := canon.Inner(value, func(key, value []byte) (err error) {
		if bytes.IndexByte(key, '\\') >= 0 {
			return errUnusual
		}
		m[string(key)], err = text(value)
		return err
	})
	return m, err
}

func delta(value []byte) (*Delta, error) {
	d := &Delta{}
	err := canon.Inner(value, func(key, value []byte) error {
		switch string(key) {
		case "put":
			return d.puts(value)
		case "ref":
			return json.Unmarshal(value, &d.Ref)
		case "del":
			return json.Unmarshal(value, &d.Del)
		}
		return errUnusual
	})
	return d, err
}

func (d *Delta) puts(value []byte) error {
	if d.Put != nil {
		return errUnusual
	}
	d.Put = map[string]json.RawMessage{}
	return canon.Inner(value, func(key, value []byte) error {
		if bytes.IndexByte(key, '\\') >= 0 {
			return errUnusual
		}
		d.Put[string(key)] = kept(value)
		return nil
	})
}
