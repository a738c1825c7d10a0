CREATE TABLE agentgraph_schema AS SELECT 1 AS form;
CREATE TABLE agentgraph_runs (
	run  text COLLATE "C" PRIMARY KEY,
	last bigint NOT NULL,
	life uuid NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE agentgraph_records (
	run   text COLLATE "C" NOT NULL,
	seq   bigint NOT NULL,
	at    timestamptz NOT NULL,
	at_ns smallint NOT NULL,
	kind  bytea NOT NULL,
	data  bytea NOT NULL,
	PRIMARY KEY (run, seq)
);
INSERT INTO agentgraph_runs VALUES
	('other', 1, '00000000-0000-0000-0000-000000000002'),
	('run', 3, '00000000-0000-0000-0000-000000000001');
INSERT INTO agentgraph_records
	SELECT run, seq, '2026-01-02 03:04:05.000006Z', 7, 'note', convert_to('{"n":' || seq - 1 || '}', 'UTF8')
	FROM agentgraph_runs, generate_series(1, last) seq;
