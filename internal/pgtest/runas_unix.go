//go:build unix

package pgtest

import (
	"os/exec"
	"os/user"
	"syscall"
)

func runAs(cmd *exec.Cmd, u *user.User) {
	uid, gid, err := ids(u)
	if err != nil {
		cmd.Err = err
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
