package journal

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

var (
	errShort = errors.New("another length")
	errDisk  = errors.New("disk full")
)

// kinds tells of a log.
func (t *tape) kinds() []string {
	kinds := []string{}
	for _, l := range t.lines {
		kinds = append(kinds, l.Kind)
	}
	return kinds
}

// TestGroupCommit: what comes while an append is under way shares the next one, in
// the order in which it came.
func TestGroupCommit(t *testing.T) {
	const many = 20
	entered, proceed := make(chan struct{}), make(chan struct{})
	log := &tape{tell: func(n int, _ []Line) (bool, error) {
		if n == 1 {
			close(entered)
			<-proceed
		}
		return true, nil
	}}
	w, h, lost := log.open("a")
	root := h.Attempts[0].Entry.ID
	done := make(chan error, many+1)
	go func() { done <- w.Write(context.Background(), short(w, root, "first")) }()
	<-entered
	w.Note(short(w, root, "noted"))
	for i := range many {
		go func() { done <- w.Write(context.Background(), short(w, root, fmt.Sprint("step", i))) }()
	}
	for waiting := 0; waiting < many+1; { // until all have put down what they write
		w.mu.Lock()
		waiting = len(w.next.lines)
		w.mu.Unlock()
		time.Sleep(10 * time.Microsecond)
	}
	close(proceed)
	for range many + 1 {
		require.NoError(t, <-done)
	}
	require.Equal(t, []int{1, 1, many + 1}, log.batches)
	require.NoError(t, *lost)
	require.NoError(t, w.Write(context.Background()), "nothing is left to write")
	require.Equal(t, []int{1, 1, many + 1}, log.batches)
}

// TestErrorOfAGroup: all who shared an append learn of its error, and everybody
// later; it is told once.
func TestErrorOfAGroup(t *testing.T) {
	entered, proceed := make(chan struct{}), make(chan struct{})
	log := &tape{tell: func(n int, _ []Line) (bool, error) {
		if n == 1 {
			close(entered)
			<-proceed
			return false, errDisk
		}
		return true, nil
	}}
	w, h, lost := log.open("a")
	root := h.Attempts[0].Entry.ID
	done := make(chan error, 3)
	for i := range 3 {
		go func() { done <- w.Write(context.Background(), short(w, root, fmt.Sprint("step", i))) }()
	}
	<-entered
	close(proceed)
	for range 3 {
		require.ErrorIs(t, <-done, errDisk)
	}
	require.ErrorIs(t, w.Write(context.Background(), short(w, root, "later")), errDisk)
	require.ErrorIs(t, *lost, errDisk)
	require.Equal(t, []string{KindAttempt}, log.kinds())
}

// TestPanicOfALog: it goes to who called, and the others have an error.
func TestPanicOfALog(t *testing.T) {
	entered, proceed := make(chan struct{}), make(chan struct{})
	log := &tape{tell: func(n int, _ []Line) (bool, error) {
		if n == 1 {
			close(entered)
			<-proceed
			panic("log")
		}
		return true, nil
	}}
	w, h, lost := log.open("a")
	root := h.Attempts[0].Entry.ID
	panicked := make(chan any)
	go func() {
		defer func() { panicked <- recover() }()
		_ = w.Write(context.Background(), short(w, root, "first"))
	}()
	<-entered
	done := make(chan error)
	go func() { done <- w.Write(context.Background(), short(w, root, "second")) }()
	close(proceed)
	require.Equal(t, "log", <-panicked)
	require.ErrorIs(t, <-done, errPanic)
	require.ErrorIs(t, *lost, errPanic)
}

// TestLostAnswerOfAnAppend: the lines are there, and are not written again.
func TestLostAnswerOfAnAppend(t *testing.T) {
	for _, twice := range []bool{false, true} {
		log := &tape{}
		w, h, lost := log.open("a")
		root := h.Attempts[0].Entry.ID
		log.tell = func(n int, lines []Line) (bool, error) {
			if n == 1 {
				log.mu.Lock()
				defer log.mu.Unlock()
				log.add(lines...)
				return twice, errDisk // twice: it tries again by itself, and that conflicts
			}
			return true, nil
		}
		w.Note(short(w, root, "noted"))
		require.NoError(t, w.Write(context.Background(), short(w, root, "one")))
		require.NoError(t, w.Write(context.Background(), short(w, root, "two")))
		require.NoError(t, *lost)
		require.Equal(t, []string{KindAttempt, KindStep, KindStep, KindStep}, log.kinds())
	}
}

// TestLostAnswerOfAnAttempt: the one that is there stays the only one.
func TestLostAnswerOfAnAttempt(t *testing.T) {
	log := &tape{}
	log.tell = func(n int, lines []Line) (bool, error) {
		if n == 0 {
			log.add(lines...)
		}
		return true, nil
	}
	w, h, _ := log.open("a")
	require.Len(t, h.Attempts, 1)
	require.Equal(t, []string{KindAttempt}, log.kinds())
	require.NoError(t, w.Write(context.Background(), short(w, h.Attempts[0].Entry.ID, "one")))
}

// TestConflictWithAnAnswer: an answer is taken in, and what was to be written comes
// after it.
func TestConflictWithAnAnswer(t *testing.T) {
	log := &tape{}
	w, h, lost := log.open("a")
	root := h.Attempts[0].Entry.ID
	ask := &Draft{}
	ask.Kind, ask.ID, ask.To, ask.Step, ask.Value = KindAsk, w.Number(), root, "q", []byte(`"?"`)
	require.NoError(t, w.Write(context.Background(), ask))
	sum, err := canon.Sum([]byte(`"?"`))
	require.NoError(t, err)
	require.Nil(t, w.Answered("q", sum))

	log.add(answering("q", ask.ID), answering("elsewhere", 0))
	require.Nil(t, w.Answered("q", sum), "it has not looked")
	require.NoError(t, w.Write(context.Background(), short(w, root, "one")))
	require.NotNil(t, w.Answered("q", sum))
	require.NoError(t, w.Write(context.Background(), short(w, root, "two")))
	require.NoError(t, *lost)
	require.Equal(t, []string{KindAttempt, KindAsk, KindAnswer, KindAnswer, KindStep, KindStep}, log.kinds())
}

// TestTakenByAnotherAttempt: nothing is written any more, whatever came before it.
func TestTakenByAnotherAttempt(t *testing.T) {
	for _, before := range []string{"nothing", "answer", "own lines"} {
		t.Run(before, func(t *testing.T) {
			log := &tape{}
			w, h, lost := log.open("a")
			root := h.Attempts[0].Entry.ID
			log.tell = func(n int, lines []Line) (bool, error) {
				if n == 1 {
					switch before {
					case "answer":
						log.add(answering("q", 0))
					case "own lines":
						log.add(lines...)
					}
					_, _, _ = log.open("b")
				}
				return true, nil
			}
			require.ErrorIs(t, w.Write(context.Background(), short(w, root, "one")), ErrTaken)
			require.ErrorIs(t, *lost, ErrTaken)
			n := len(log.lines)
			require.ErrorIs(t, w.Write(context.Background(), short(w, root, "two")), ErrTaken)
			require.Len(t, log.lines, n)
		})
	}
}

// TestDeletedLog: also when somebody has begun it anew, and it is longer by now.
func TestDeletedLog(t *testing.T) {
	for _, others := range []int{-1, 0, 1, 2, 5} {
		t.Run(fmt.Sprint(others), func(t *testing.T) {
			log := &tape{}
			w, h, lost := log.open("a")
			root := h.Attempts[0].Entry.ID
			require.NoError(t, w.Write(context.Background(), short(w, root, "one")))

			log.lines = nil
			goOn := func() {}
			if others >= 0 {
				other, h, otherLost := log.open("b")
				goOn = func() {
					require.NoError(t, other.Write(context.Background(), short(other, h.Attempts[0].Entry.ID, "mine")))
					require.NoError(t, *otherLost)
				}
			}
			for range others {
				goOn()
			}
			if others == 1 { // as long as it was: nobody can tell
				require.NoError(t, w.Write(context.Background(), short(w, root, "late")))
				goOn() // past that
			}
			require.ErrorIs(t, w.Write(context.Background(), short(w, root, "two")), ErrTaken)
			require.ErrorIs(t, *lost, ErrTaken)
			goOn()
		})
	}
}

// TestErrorOfALog: it is what Write returns, and when nothing was written the log
// can be used by the next owner.
func TestErrorOfALog(t *testing.T) {
	log := &tape{}
	w, h, lost := log.open("a")
	log.tell = func(int, []Line) (bool, error) { return false, errDisk }
	require.ErrorIs(t, w.Write(context.Background(), short(w, h.Attempts[0].Entry.ID, "one")), errDisk)
	require.ErrorIs(t, *lost, errDisk)
	_, _, err := Open(context.Background(), log, h.Key, began("b"), func(error) {})
	require.ErrorIs(t, err, errDisk)
	log.tell = nil
	_, h, _ = log.open("c")
	require.Len(t, h.Attempts, 2)
}
