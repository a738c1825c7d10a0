package agentgraph

import "github.com/seed-a2b66b4f/agentgraph/internal/shadow"

// shadows reports the shadow edges of all sites. Those of one graph are looked
// for once.
func (s *surveyed) shadows(w *web) []Finding {
	for _, c := range s.charts {
		c.shadowed = shadow.Find(c.form, c.Wires, shadow.UsualLimits())
	}
	var findings []Finding
	for _, at := range w.sites {
		c, prefix := s.charts[at.chart], prefixOf(at.path)
		for _, sh := range c.shadowed {
			channels := Channels(prefix + c.Sets.Channels()[sh.Channel])
			f := Finding{Kind: LintShadow, Path: at.path, Channels: channels, Count: sh.Count, Partial: sh.Partial}
			for _, p := range sh.Shown {
				hearer := prefix + c.Names[p.To]
				f.Shadows = append(f.Shadows, Edge{prefix + c.Names[p.From], hearer, channels})
				f.Names = append(f.Names, hearer)
			}
			f.Names = sorted(f.Names)
			findings = append(findings, f)
		}
	}
	return findings
}
