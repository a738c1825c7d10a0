package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
)

// allServers is answered by each server with JetStream, to the system account.
const allServers = "$SYS.REQ.SERVER.PING.JSZ"

const maxServers = 4096 // in one system

// synced asks the servers whether they sync before they acknowledge, until each of
// those named has answered.
func synced(ctx context.Context, system *nats.Conn, names []string) error {
	if system == nil {
		return fmt.Errorf("%w: only the system account sees it, so Options.System must be set", ErrNotSynced)
	}
	replies, err := listen(system, maxServers)
	if err != nil {
		return fmt.Errorf("system account: %w", err)
	}
	defer replies.close()
	if err := system.PublishRequest(allServers, replies.sub.Subject, nil); err != nil {
		return fmt.Errorf("system account: %w", err)
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: nobody knows which servers keep the stream", ErrNotSynced)
	}
	for len(names) > 0 {
		name, syncs, err := nextServer(ctx, replies)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrNotSynced, strings.Join(names, ", "), err)
		}
		if slices.Contains(names, name) && !syncs {
			return fmt.Errorf("%w: %s has no sync_interval: always", ErrNotSynced, name)
		}
		names = slices.DeleteFunc(names, func(n string) bool { return n == name })
	}
	return nil
}

// nextServer is the name of a server, and whether it syncs.
func nextServer(ctx context.Context, replies *answers) (name string, syncs bool, err error) {
	m, err := replies.next(ctx, firstWait)
	if errors.Is(err, nats.ErrNoResponders) {
		return "", false, errors.New("the connection is not to the system account")
	}
	if err != nil {
		return "", false, err
	}
	var answer struct {
		Server struct {
			Name string `json:"name"`
		} `json:"server"`
		Data struct {
			Config struct {
				Sync bool `json:"sync_always"`
			} `json:"config"`
		} `json:"data"`
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil {
		return "", false, fmt.Errorf("answer to %s: %w", allServers, err)
	}
	return answer.Server.Name, answer.Data.Config.Sync, nil
}
