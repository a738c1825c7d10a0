package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/seed-a2b66b4f/agentgraph"
)

// An archive is a run in one file: a line that says so, a line for each record as
// the library writes it in JSON, and a line with the SHA-256 of all lines before it.

// archiveFormat is that of the lines.
const archiveFormat = 1

// archiveHead is the first line.
type archiveHead struct {
	Format int    `json:"agentgraph_run"`
	RunID  string `json:"run_id"`
}

// archiveFoot is the last one.
type archiveFoot struct {
	Records int    `json:"records"`
	SHA256  string `json:"sha256"`
}

// errArchive: a file is not what export wrote.
var errArchive = errors.New("not an archive of a run, or damaged")

func writeArchive(w io.Writer, runID string, records []agentgraph.Record) error {
	sum := sha256.New()
	e := json.NewEncoder(io.MultiWriter(w, sum))
	e.SetEscapeHTML(false)
	if err := e.Encode(archiveHead{archiveFormat, runID}); err != nil {
		return err
	}
	for _, r := range records {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return json.NewEncoder(w).Encode(archiveFoot{len(records), digest(sum)})
}

func digest(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)) }

// readArchive reads all of a file before it says that it is good.
func readArchive(r io.Reader) (runID string, records []agentgraph.Record, err error) {
	lines := bufio.NewReader(r)
	sum := sha256.New()
	var head archiveHead
	line, err := next(lines)
	if err != nil {
		return "", nil, err
	}
	if err := strictly(line, &head); err != nil || head.RunID == "" {
		return "", nil, fmt.Errorf("%w: the first line is that of no run", errArchive)
	}
	if head.Format != archiveFormat {
		return "", nil, fmt.Errorf("%w: format %d, where %d is known", errArchive, head.Format, archiveFormat)
	}
	for {
		sum.Write(line)
		if line, err = next(lines); err != nil {
			return "", nil, err
		}
		var foot archiveFoot
		if strictly(line, &foot) == nil {
			return head.RunID, records, ends(lines, foot, len(records), digest(sum))
		}
		var r agentgraph.Record
		if err := strictly(line, &r); err != nil || r.Seq != uint64(len(records))+1 {
			return "", nil, fmt.Errorf("%w: line %d is not record %d", errArchive, len(records)+2, len(records)+1)
		}
		records = append(records, r)
	}
}

// next reads a line.
func next(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it ends too early", errArchive)
	}
	return line, err
}

func ends(rest *bufio.Reader, foot archiveFoot, records int, sum string) error {
	switch _, err := rest.ReadByte(); {
	case err == nil:
		return fmt.Errorf("%w: something follows the last line", errArchive)
	case !errors.Is(err, io.EOF):
		return err
	case foot.Records != records || foot.SHA256 != sum:
		return fmt.Errorf("%w: the checksum does not fit", errArchive)
	}
	return nil
}

// strictly reads a JSON object that has no other keys.
func strictly(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
