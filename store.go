package agentgraph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

// Record is one entry of a run's journal.
type Record struct {
	Seq  uint64          `json:"seq"` // its place, from 1; given by Append
	Time time.Time       `json:"time"`
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// Store keeps a journal of records under each run ID. A journal with an expected
// position is the whole contract; package storetest checks it. A Store is safe for
// concurrent use, and any number of them, in any process, may share what is below.
//
// A run ID is what [CheckRunID] allows, a record what [Record.Stored] does; any
// other is [ErrBadRunID] or [ErrBadRecord], and nothing is changed. A record comes
// back as Stored makes it, and shares no memory with what was appended or with
// what anyone else was given. A call whose context has ended does nothing and returns
// the context's error; one whose context ends meanwhile may stop with it.
type Store interface {
	// Append adds records to the run's journal, all or none, durably, if its last
	// Seq is still after (0 for a journal that is not there); else it is
	// [ErrConflict] and nothing is added. Seq runs from 1 without gaps and is given
	// by Append: what stands in the records is not looked at. Of several appends at
	// one position exactly one succeeds. Without records, Append only compares.
	//
	// A store that has a limit refuses more than it takes at once: [ErrTooLarge].
	//
	// After any error but ErrConflict, ErrBadRunID, ErrBadRecord and ErrTooLarge the
	// records may be there, all or none: Read tells, and so does the next Append.
	Append(ctx context.Context, runID string, after uint64, records ...Record) error

	// Read gives the records with a Seq beyond after, in order; of an unknown run,
	// none. It gives all that were there when the loop began, perhaps some that came
	// later, never a part of a batch, and only what is durable. An error is the last
	// thing it gives.
	Read(ctx context.Context, runID string, after uint64) iter.Seq2[Record, error]

	// Runs gives the ID of every run that has a record, once, in no order. What is
	// appended or deleted meanwhile may show or not. After an error for one run
	// others may follow.
	Runs(ctx context.Context) iter.Seq2[string, error]

	// Delete removes the run's journal, durably; the ID is free again, and an
	// unknown run is no error. An append of an older owner, who expects records that
	// are gone, still conflicts: at once, because the journal is empty, and after it
	// has begun anew, because it is another journal. Through any other Store value
	// than the one that deleted it or began it anew that holds at the new length,
	// too, until the new journal was read from its beginning: a store tells two
	// journals of one ID apart, by a random text in each for instance. Within one
	// value a position is all that an append tells of its owner, so there a late one
	// whose position is precisely the new length succeeds. Where runs are deleted that
	// may still have an owner, put an owner's ID into the records, and check it.
	Delete(ctx context.Context, runID string) error
}

// MaxRunID is the length of the longest run ID, in bytes.
const MaxRunID = 512

// CheckRunID returns [ErrBadRunID] unless the ID is valid UTF-8 of 1 to [MaxRunID]
// bytes without control characters. It is for those who write a store.
func CheckRunID(runID string) error {
	fault := runIDFault(runID)
	if fault == "" {
		return nil
	}
	shown := runID
	if len(shown) > MaxRunID {
		shown = shown[:MaxRunID]
	}
	return fmt.Errorf("%s%w: %q %s", prefix, ErrBadRunID, shown, fault)
}

func runIDFault(runID string) string {
	switch {
	case runID == "":
		return "is empty"
	case len(runID) > MaxRunID:
		return "is longer than " + strconv.Itoa(MaxRunID) + " bytes"
	case !utf8.ValidString(runID):
		return "is not valid UTF-8"
	}
	for _, r := range runID {
		if unicode.IsControl(r) {
			return "has a control character"
		}
	}
	return ""
}

// Stored is the record as a store keeps it at seq: its time in UTC without a
// monotonic reading, its data a copy without white space between its tokens and
// otherwise the same bytes. It is [ErrBadRecord] if the data is no JSON, the kind
// or the data no valid UTF-8, or the year not one of 0 to 9999. It is for those
// who write a store, and costs the size of the data. To write the data into JSON of
// your own, mind that [json.Marshal] escapes <, > and & in it unless told otherwise.
func (r Record) Stored(seq uint64) (Record, error) {
	at := r.Time.Round(0).UTC()
	switch {
	case !utf8.ValidString(r.Kind):
		return Record{}, fmt.Errorf("%s%w: kind %q is not valid UTF-8", prefix, ErrBadRecord, r.Kind)
	case !utf8.Valid(r.Data):
		return Record{}, fmt.Errorf("%s%w: data of kind %q is not valid UTF-8", prefix, ErrBadRecord, r.Kind)
	case at.Year() < 0 || at.Year() > 9999:
		return Record{}, fmt.Errorf("%s%w: year %d of kind %q", prefix, ErrBadRecord, at.Year(), r.Kind)
	}
	data, err := canon.Compact(r.Data)
	if err != nil {
		return Record{}, fmt.Errorf("%s%w: data of kind %q: %w", prefix, ErrBadRecord, r.Kind, err)
	}
	return Record{Seq: seq, Time: at, Kind: r.Kind, Data: data}, nil
}

// MemStore is a [Store] in memory. It is ready to use, must not be copied, and is
// as durable as the process. It copies on the way in and out.
type MemStore struct {
	mu   sync.RWMutex
	runs map[string][]Record // only ever appended to, so that a reader may keep a slice
}

// NewMemStore returns an empty store.
func NewMemStore() *MemStore { return &MemStore{} }

var _ Store = (*MemStore)(nil)

// Append implements [Store]. It costs the size of the records.
func (s *MemStore) Append(ctx context.Context, runID string, after uint64, records ...Record) error {
	stored, err := checkAppend(ctx, runID, after, records)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := uint64(len(s.runs[runID])); last != after {
		return fmt.Errorf("%srun %q: %w: expected %d records, has %d", prefix, runID, ErrConflict, after, last)
	}
	if len(stored) == 0 {
		return nil
	}
	if s.runs == nil {
		s.runs = map[string][]Record{}
	}
	s.runs[runID] = append(s.runs[runID], stored...)
	return nil
}

func checkAppend(ctx context.Context, runID string, after uint64, records []Record) ([]Record, error) {
	if err := checkCall(ctx, runID); err != nil {
		return nil, err
	}
	stored := make([]Record, len(records))
	for i, r := range records {
		var err error
		if stored[i], err = r.Stored(after + 1 + uint64(i)); err != nil {
			return nil, err
		}
	}
	return stored, nil
}

func checkCall(ctx context.Context, runID string) error {
	if err := CheckRunID(runID); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%srun %q: %w", prefix, runID, err)
	}
	return nil
}

// Read implements [Store]. It gives what was there when the loop began.
func (s *MemStore) Read(ctx context.Context, runID string, after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := checkCall(ctx, runID); err != nil {
			yield(Record{}, err)
			return
		}
		s.mu.RLock()
		records := s.runs[runID]
		s.mu.RUnlock()
		for _, r := range records[min(after, uint64(len(records))):] {
			if err := ctx.Err(); err != nil {
				yield(Record{}, fmt.Errorf("%srun %q: %w", prefix, runID, err))
				return
			}
			r.Data = bytes.Clone(r.Data)
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Runs implements [Store]. The order is that of the IDs.
func (s *MemStore) Runs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, runID := range s.runIDs() {
			if err := ctx.Err(); err != nil {
				yield("", fmt.Errorf("%sruns: %w", prefix, err))
				return
			}
			if !yield(runID, nil) {
				return
			}
		}
	}
}

func (s *MemStore) runIDs() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ids := make([]string, 0, len(s.runs))
	for id := range s.runs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Delete implements [Store].
func (s *MemStore) Delete(ctx context.Context, runID string) error {
	if err := checkCall(ctx, runID); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, runID)
	return nil
}
