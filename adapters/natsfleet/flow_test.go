package natsfleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBackoffAfter: each wait is twice the one before, as long as that is not too long.
func TestBackoffAfter(t *testing.T) {
	waits := func(b backoff) (all []time.Duration) {
		for errors := range 5 {
			all = append(all, b.after(errors+1))
		}
		return all
	}
	require.Equal(t, []time.Duration{2, 4, 8, 10, 10}, waits(backoff{first: 2, most: 10}))
	require.Equal(t, []time.Duration{3, 3, 3, 3, 3}, waits(backoff{first: 5, most: 3}))
	require.Equal(t, time.Hour, backoff{first: time.Second, most: time.Hour}.after(1_000_000), "it does not overflow")
}
