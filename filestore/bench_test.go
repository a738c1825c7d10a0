package filestore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// typical is a record whose line has some 200 bytes.
func typical() agentgraph.Record {
	return agentgraph.Record{Kind: "step", Data: []byte(`{"path":["plan","draft"],"out":"` + strings.Repeat("x", 64) + `"}`)}
}

// BenchmarkAppend is beside one write and one sync of the same bytes.
func BenchmarkAppend(b *testing.B) {
	ctx := context.Background()
	b.Run("store", func(b *testing.B) {
		s, after := open(b, b.TempDir()), uint64(0)
		for b.Loop() {
			if err := s.Append(ctx, "run", after, typical()); err != nil {
				b.Fatal(err)
			}
			after++
		}
	})
	b.Run("write and sync", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
		require.NoError(b, err)
		defer f.Close()
		line := bytes.Repeat([]byte("x"), 200)
		for b.Loop() {
			if _, err := f.Write(line); err != nil {
				b.Fatal(err)
			}
			if err := filestore.Datasync(f); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRead is beside encoding/json of the same records.
func BenchmarkRead(b *testing.B) {
	const n = 10_000
	ctx, dir := context.Background(), b.TempDir()
	s := open(b, dir)
	require.NoError(b, s.Append(ctx, "run", 0, typical()))
	for after := uint64(1); after < n; after += 101 {
		records := make([]agentgraph.Record, min(101, n-after))
		for i := range records {
			records[i] = typical()
		}
		require.NoError(b, s.Append(ctx, "run", after, records...))
	}
	for _, cold := range []bool{false, true} {
		b.Run(fmt.Sprintf("store, cold=%v", cold), func(b *testing.B) {
			for b.Loop() {
				s := s
				if cold {
					s = open(b, dir)
				}
				seen := 0
				for _, err := range s.Read(ctx, "run", 0) {
					if err != nil {
						b.Fatal(err)
					}
					seen++
				}
				require.Equal(b, n, seen)
			}
		})
	}
	b.Run("encoding json", func(b *testing.B) {
		for b.Loop() {
			text, err := os.ReadFile(filepath.Join(dir, "run.jsonl"))
			require.NoError(b, err)
			seen := 0
			for line := range bytes.Lines(text) {
				var r agentgraph.Record
				if err := json.Unmarshal(line, &r); err != nil {
					b.Fatal(err)
				}
				seen++
			}
			require.Equal(b, n, seen)
		}
	})
}
