package natsfleet

import "time"

// Mute keeps the fleet's workers from saying that they are still at it.
func (f *Fleet) Mute() { f.pulse = time.Hour }
