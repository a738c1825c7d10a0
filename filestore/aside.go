package filestore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
)

// aside is a line of a file of torn bytes.
type aside struct {
	At   int64  `json:"at"`
	Torn []byte `json:"torn"` // in base64
}

// moveAside saves torn bytes in the file beside, and cuts them off.
func (j *journal) moveAside(offset, n int64, logger *slog.Logger) error {
	torn := make([]byte, n)
	if _, err := j.ReadAt(torn, offset); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := j.save(aside{offset, torn}); err != nil {
		return fmt.Errorf("moving a torn end aside: %w", err)
	}
	if err := j.Truncate(offset); err != nil {
		return err
	}
	if err := j.sync(); err != nil {
		return err
	}
	logger.Warn("agentgraph: moved the torn end of a journal aside",
		"run", j.run, "file", j.name, "offset", offset, "bytes", n, "aside", j.name+tornEnding)
	return nil
}

func (j *journal) save(a aside) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f, err := j.disk.open(j.name+tornEnding, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	beside := &journal{file: f, disk: j.disk, fresh: true}
	defer beside.close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return beside.put(append(line, '\n'), info.Size())
}
