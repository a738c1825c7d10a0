package natsstore

import "fmt"

// checkVersion refuses a server that would make a stream and leave out what it does not
// know: such a stream would be in the way when the server is a newer one. A version of
// another form is let pass, for the stream itself tells, as it does where the servers of
// a cluster differ.
func checkVersion(version string) error {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n == 2 && (major < 2 || major == 2 && minor < 12) {
		return tooOld(version)
	}
	return nil
}

func tooOld(version string) error {
	return fmt.Errorf("%w: NATS %s knows no atomic publish, 2.12 does", ErrOldServer, version)
}
