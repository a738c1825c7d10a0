package filestore

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFileName(t *testing.T) {
	for run, want := range map[string]string{
		"order-17_b":             "order-17_b.jsonl",
		"order.17":               "order%2e17.jsonl",
		"A":                      "%41.jsonl",
		"a":                      "a.jsonl",
		"../x":                   "%2e%2e%2fx.jsonl",
		".":                      "%2e.jsonl",
		"con":                    "%63on.jsonl",
		"CON":                    "%43%4f%4e.jsonl",
		"com1":                   "%63om1.jsonl",
		"com10":                  "com10.jsonl",
		"lpt0":                   "%6cpt0.jsonl",
		"comx":                   "comx.jsonl",
		"console":                "console.jsonl",
		"é":                      "%c3%a9.jsonl",
		"%41":                    "%2541.jsonl",
		strings.Repeat("x", 200): strings.Repeat("x", 200) + ".jsonl",
	} {
		require.Equal(t, want, fileName(run))
	}
	require.Regexp(t, `^x{100}~[0-9a-f]{64}\.jsonl$`, fileName(strings.Repeat("x", 201)))
}

// TestFileNames: two IDs never meet, and every name is safe everywhere.
func TestFileNames(t *testing.T) {
	safe := regexp.MustCompile(`^[a-z0-9_%-]+(~[0-9a-f]{64})?\.jsonl$`)
	device := regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])\.`)
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(
			rapid.StringMatching(`[aA%.]{1,6}`),
			rapid.SampledFrom([]string{"con", "nul", "aux", "prn", "com1", "lpt9", "Con"}),
			rapid.StringMatching(`x{195,205}[aA]`),
			rapid.StringN(1, 100, 512),
		)
		a, b := id.Draw(t, "a"), id.Draw(t, "b")
		name := fileName(a)
		if !safe.MatchString(name) || device.MatchString(name) || len(name)+len(tornEnding) > 255 {
			t.Fatalf("%q is not safe", name)
		}
		if a != b && strings.EqualFold(name, fileName(b)) {
			t.Fatalf("%q and %q meet in %q", a, b, name)
		}
	})
}
