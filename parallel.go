package agentgraph

import "context"

func (m *Meeting[B]) runParallel(ctx context.Context, each bool, yield func(Turn[B], error) bool) {
	m.runSequential(ctx, each, yield)
}
