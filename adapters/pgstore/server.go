package pgstore

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const oldest = 130000 // has gen_random_uuid without an extension

// checkServer says why a server cannot keep journals.
func checkServer(ctx context.Context, pool *pgxpool.Pool) error {
	var version int
	var encoding, commit string
	row := pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int,
		current_setting('server_encoding'), current_setting('synchronous_commit')`)
	if err := row.Scan(&version, &encoding, &commit); err != nil {
		return err
	}
	return checkSettings(version, encoding, commit)
}

func checkSettings(version int, encoding, commit string) error {
	switch {
	case version < oldest:
		return fmt.Errorf("the server is PostgreSQL %d, and %d is the oldest that will do",
			version/10000, oldest/10000)
	case encoding != "UTF8":
		return fmt.Errorf("the database has the encoding %s, and run IDs need UTF8", encoding)
	case commit == "off":
		return fmt.Errorf("synchronous_commit is off, so that the server would acknowledge what it can lose: " +
			"set it for this role or database, or add synchronous_commit=on to the URL")
	}
	return nil
}

// whereOf is a URL of the server and database without the password.
func whereOf(c *pgx.ConnConfig) string {
	u := url.URL{Scheme: "postgres", User: url.User(c.User), Path: "/" + c.Database}
	port := strconv.Itoa(int(c.Port))
	if strings.HasPrefix(c.Host, "/") || strings.HasPrefix(c.Host, "@") {
		u.RawQuery = "host=" + c.Host + "&port=" + port
	} else {
		u.Host = hostPort(c.Host, port)
	}
	return u.String()
}

func hostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}
