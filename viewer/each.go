package viewer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// atOnce is how many journals are read at once.
const atOnce = 4

// each does something for all of a list, until there is an error, which it returns, or
// it is over. It does so for the first few in any case. A panic goes on in the caller's
// goroutine: the service may recover it there.
func each[T any](ctx context.Context, list []T, over func() bool, do func(context.Context, T) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(atOnce, len(list)) {
		workers.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					stop(&panicked{v, debug.Stack()})
				}
			}()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(list) || i >= atLeast && over() {
					return
				}
				if err := do(ctx, list[i]); err != nil {
					stop(err)
				}
			}
		})
	}
	workers.Wait()
	err := context.Cause(ctx)
	if p, ok := errors.AsType[*panicked](err); ok {
		panic(p)
	}
	return err
}

// panicked is what a store has panicked with, and where.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }
