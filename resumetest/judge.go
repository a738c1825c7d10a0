package resumetest

import "fmt"

// judge tells whether a flow has ended with this life, and what is wrong with it.
func (l *life) judge(o outcome, want *ending) (ended bool, fault string) {
	if fault := l.fault(o); fault != "" {
		return false, fault
	}
	if l.crashed || l.failed && errorText(o.err) != want.err {
		return false, ""
	}
	got, err := l.ending(o)
	if err != nil {
		return false, err.Error()
	}
	if difference := got.differs(want); difference != "" {
		return false, difference
	}
	return true, got.repeats(want)
}

// event is what went wrong in a life.
func (l *life) event() string {
	switch {
	case l.crashed:
		return fmt.Sprintf("crashed at append %d, %s", l.crash.at, l.name)
	case l.failed:
		return fmt.Sprintf("append %d %s", l.crash.at, l.name)
	case l.crash.at > 0:
		return fmt.Sprintf("undisturbed, as it came to no append %d", l.crash.at)
	}
	return "undisturbed"
}

// fault is what is wrong with a life however the flow should end.
func (l *life) fault(o outcome) string {
	switch {
	case l.broken != nil:
		return l.broken.Error()
	case l.tooMany():
		return fmt.Sprintf("the flow does not end: it has called the store %d times in this life", l.most)
	case !o.returned:
		return "run did not return: it called runtime.Goexit, as t.FailNow does"
	case l.crashed && o.err == nil:
		return "run returned no error though its store had crashed, so it lost the error of a call"
	}
	return ""
}
