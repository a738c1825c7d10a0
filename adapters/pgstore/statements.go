package pgstore

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// statements are all that a store says to the server about journals. All are good at
// any isolation, but for the two of a deletion, which need READ COMMITTED.
type statements struct {
	schema string // as a literal name; empty for the search path
	made   string // the tables' names, quoted, in the order of the schema's placeholders
	runs   string
	record string

	one, many appends

	head   string // the life of a journal, and how long it is
	page   string // some records of a journal
	list   string // some runs
	forget string // deletes the row of a run, and gives its life
	purge  string // deletes the first records of a life, and waits for whoever appends
}

const (
	defaultPrefix = "agentgraph_"
	maxName       = 63 // bytes; the server cuts off what is longer
)

func statementsOf(o Options) (*statements, error) {
	if o.Prefix == "" {
		o.Prefix = defaultPrefix
	}
	if err := checkName("schema", o.Schema); err != nil {
		return nil, err
	}
	if err := checkName("table", o.Prefix+"records"); err != nil {
		return nil, err
	}
	name := func(table string) string {
		if o.Schema == "" {
			return pgx.Identifier{o.Prefix + table}.Sanitize()
		}
		return pgx.Identifier{o.Schema, o.Prefix + table}.Sanitize()
	}
	runs, records := name("runs"), name("records")
	fill := strings.NewReplacer("{runs}", runs, "{records}", records).Replace
	return &statements{
		schema: o.Schema, made: name("schema"), runs: runs, record: records,
		one:  appends{start: fill(beginSQL + recordSQL + " FROM begun"), extend: fill(recordSQL + " FROM " + beforeSQL)},
		many: appends{start: fill(beginSQL + recordsSQL + ", begun"), extend: fill(recordsSQL + ", " + beforeSQL)},
		head: fill(headSQL), page: fill(pageSQL), list: fill(listSQL), forget: fill(forgetSQL), purge: fill(purgeSQL),
	}, nil
}

// appends are the two statements that append the same records.
type appends struct {
	start  string // to a journal that is not there
	extend string // to one that is
}

func checkName(what, name string) error {
	if len(name) > maxName {
		return fmt.Errorf("the name of the %s %q is longer than %d bytes", what, name, maxName)
	}
	if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return fmt.Errorf("the name of the %s %q is not valid", what, name)
	}
	return nil
}

// A statement that appends adds no row if the journal of that life has no record $2,
// which it locks against its deletion until the end, or if there is a journal where one
// is to begin. Of two writers of one place the later one waits in a primary key, which
// refuses it if the earlier one ends well.
const (
	// What begins comes first, for a record that is refused was written all the same.
	beginSQL  = `WITH begun AS (INSERT INTO {runs} (run, life) VALUES ($7, $1) ON CONFLICT DO NOTHING RETURNING run)`
	beforeSQL = `(SELECT FROM {records} WHERE life = $1 AND seq = $2 FOR KEY SHARE) before`

	// One record has a statement of its own, for a list of unknown length makes the
	// server plan each time anew.
	recordSQL = `
INSERT INTO {records} (life, seq, at, at_ns, kind, data)
SELECT $1::uuid, $2::bigint + 1, $3::timestamptz, $4::smallint, $5::bytea, $6::bytea`
	recordsSQL = `
INSERT INTO {records} (life, seq, at, at_ns, kind, data)
SELECT $1::uuid, $2::bigint + r.n, r.at, r.at_ns, r.kind, r.data
FROM unnest($3::timestamptz[], $4::smallint[], $5::bytea[], $6::bytea[])
	WITH ORDINALITY AS r (at, at_ns, kind, data, n)`

	headSQL = `SELECT h.life, coalesce((SELECT max(seq) FROM {records} WHERE life = h.life), 0) AS last FROM {runs} h WHERE run = $1`

	// As many records after $2 as are in $3, or fewer: no more once those before have
	// $4 bytes. Each row has the head of the journal, and there is one without a record
	// if there are no records.
	pageSQL = `WITH h AS (` + headSQL + `)
SELECT h.life, h.last, r.seq, r.at, r.at_ns, r.kind, r.data
FROM h LEFT JOIN (
	SELECT seq, at, at_ns, kind, data,
		sum(octet_length(kind) + octet_length(data)) OVER (ORDER BY seq) - octet_length(kind) - octet_length(data) AS before
	FROM {records} WHERE life = (SELECT life FROM h) AND seq > $2::bigint AND seq <= $2::bigint + $3::bigint
) r ON r.before < $4::bigint ORDER BY r.seq`

	listSQL = `SELECT run FROM {runs} WHERE run > $1 ORDER BY run LIMIT $2`

	forgetSQL = `DELETE FROM {runs} WHERE run = $1 RETURNING life`

	// The first $3 of the records after $2. All are locked before one is deleted: an
	// append of an old owner holds the record that it expects and comes upon the next
	// one, and would wait for that if it were deleted, each for the other.
	purgeSQL = `WITH held AS (SELECT seq FROM {records} WHERE life = $1 AND seq > $2::bigint ORDER BY seq LIMIT $3 FOR UPDATE)
DELETE FROM {records} WHERE life = $1 AND seq > $2::bigint AND seq <= (SELECT max(seq) FROM held)`
)
