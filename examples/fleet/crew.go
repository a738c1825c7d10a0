package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// crew is the worker processes. One that dies is replaced.
type crew struct {
	settings settings
	out      io.Writer
	all      sync.WaitGroup
	end      chan struct{}

	mu    sync.Mutex
	procs []*proc
}

type proc struct {
	cmd   *exec.Cmd
	stdin io.Closer
}

func newCrew(s settings, out io.Writer) *crew {
	return &crew{settings: s, out: out, end: make(chan struct{}), procs: make([]*proc, s.workers)}
}

func (c *crew) start(ctx context.Context) error {
	for i := range c.procs {
		p, err := c.hire(ctx, i)
		if err != nil {
			return err
		}
		c.all.Go(func() { c.keep(ctx, i, p) })
	}
	return nil
}

// hire starts one more of this program, as a worker.
func (c *crew) hire(ctx context.Context, i int) (*proc, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, "-worker", "-nats", c.settings.urls, "-slow", c.settings.slow.String())
	cmd.Stdout, cmd.Stderr = c.out, c.out
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &proc{cmd, stdin}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.procs[i] = p
	return p, nil
}

// keep replaces a worker as often as it dies.
func (c *crew) keep(ctx context.Context, i int, p *proc) {
	for {
		died := p.cmd.Wait()
		if c.ended(time.Second) {
			return
		}
		next, err := c.hire(ctx, i)
		if err != nil {
			fmt.Fprintln(c.out, err)
			return
		}
		fmt.Fprintf(c.out, "worker %d: %v; %d takes its place\n", p.cmd.Process.Pid, died, next.cmd.Process.Pid)
		p = next
	}
}

func (c *crew) ended(within time.Duration) bool {
	select {
	case <-c.end:
		return true
	case <-time.After(within):
		return false
	}
}

// pids are the processes that work.
func (c *crew) pids() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []int
	for _, p := range c.procs {
		all = append(all, p.cmd.Process.Pid)
	}
	return all
}

// stop lets the workers hand back what they have, and waits for that.
func (c *crew) stop() {
	close(c.end)
	c.mu.Lock()
	for _, p := range c.procs {
		if p != nil {
			_ = p.stdin.Close()
		}
	}
	c.mu.Unlock()
	c.all.Wait()
}
