//go:build !unix

package pgstore_test

import (
	"os/exec"
	"os/user"
)

func runAs(*exec.Cmd, *user.User) {}
