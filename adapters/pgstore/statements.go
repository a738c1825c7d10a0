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

	head   string // how long a journal is, and its life
	page   string // some records of a journal
	list   string // some runs
	forget string // deletes the row of a run, and waits for whoever appends
	purge  string // deletes its records, after forget
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
		one:  appends{start: fill(startSQL + recordSQL), extend: fill(extendSQL + recordSQL)},
		many: appends{start: fill(startSQL + recordsSQL), extend: fill(extendSQL + recordsSQL)},
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

// A statement that appends gives the life of the journal in one row, or no row if the
// journal has another length. Writers of one run meet at its row in {runs}: the later
// one waits there, and then sees what the earlier one made of it.
const (
	startSQL = `WITH head AS (
	INSERT INTO {runs} (run, last, life) VALUES ($1, $2::bigint + $3::bigint, gen_random_uuid())
	ON CONFLICT (run) DO NOTHING RETURNING life
)`
	extendSQL = `WITH head AS (
	UPDATE {runs} SET last = last + $3::bigint
	WHERE run = $1 AND last = $2::bigint AND ($8::text = '' OR life::text = $8) RETURNING life
)`
	// One record has a statement of its own, for a list of unknown length makes the
	// server plan each time anew.
	recordSQL = `, written AS (
	INSERT INTO {records} (run, seq, at, at_ns, kind, data)
	SELECT $1::text, $2::bigint + 1, $4::timestamptz, $5::smallint, $6::bytea, $7::bytea FROM head
)
SELECT life::text FROM head`
	recordsSQL = `, written AS (
	INSERT INTO {records} (run, seq, at, at_ns, kind, data)
	SELECT $1::text, $2::bigint + r.n, r.at, r.at_ns, r.kind, r.data
	FROM head, unnest($4::timestamptz[], $5::smallint[], $6::bytea[], $7::bytea[])
		WITH ORDINALITY AS r (at, at_ns, kind, data, n)
)
SELECT life::text FROM head`

	headSQL = `SELECT last, life::text FROM {runs} WHERE run = $1`

	// As many records after $2 as are in $3, or fewer: no more once those before have
	// $4 bytes. Each row has the head of the journal, and there is one without a record
	// if there are no records.
	pageSQL = `SELECT h.last, h.life::text, r.seq, r.at, r.at_ns, r.kind, r.data
FROM {runs} h LEFT JOIN (
	SELECT seq, at, at_ns, kind, data,
		sum(octet_length(kind) + octet_length(data)) OVER (ORDER BY seq) - octet_length(kind) - octet_length(data) AS before
	FROM {records} WHERE run = $1 AND seq > $2::bigint AND seq <= $2::bigint + $3::bigint
) r ON r.before < $4::bigint AND r.seq <= h.last
WHERE h.run = $1 ORDER BY r.seq`

	listSQL = `SELECT run FROM {runs} WHERE run > $1 ORDER BY run LIMIT $2`

	forgetSQL = `DELETE FROM {runs} WHERE run = $1`
	purgeSQL  = `DELETE FROM {records} WHERE run = $1`
)
