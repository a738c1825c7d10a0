package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Programs is where initdb and postgres are, the newest of them. It is empty where
// there are none, which is an error if CI is set: there, nothing is left out.
func Programs() (bin string, err error) {
	bin = programs()
	if bin == "" && os.Getenv("CI") != "" {
		return "", errors.New("PostgreSQL (initdb, postgres) is not on this machine, and CI must have it")
	}
	return bin, nil
}

func programs() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	var found []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/initdb", "/usr/pgsql-*/bin/initdb", "/opt/homebrew/opt/postgresql@*/bin/initdb"} {
		paths, _ := filepath.Glob(pattern)
		found = append(found, paths...)
	}
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.Max(found))
}
