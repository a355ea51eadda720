package store

import "strings"

const (
	// applicationID marks a SQLite file as a recording of ours: "SLWT".
	applicationID = 0x534c5754
	// Version is the schema's. A database of another one is refused, in both
	// directions: there is no migration, a recording is read by what wrote it.
	Version = 1
)

// schema is written for SQLite; WITHOUT ROWID is left out elsewhere. Moments are microseconds
// since 1970 in UTC, 0 for a missing moment. "at" is when the event was received here where
// clock is 0, the API's own moment where it is 1, and the moment of the event before it where
// it is 2.
const schema = `
CREATE TABLE meta (
	name  TEXT PRIMARY KEY,
	value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE run (
	id      BIGINT PRIMARY KEY,
	source  TEXT NOT NULL,
	scope   TEXT NOT NULL,
	started BIGINT NOT NULL,
	until   BIGINT NOT NULL,  -- everything up to here was seen
	ended   BIGINT NOT NULL   -- 0 while it runs, and for a run that was killed
);

CREATE TABLE segment (
	id        BIGINT PRIMARY KEY,
	run       BIGINT NOT NULL,
	first_seq BIGINT NOT NULL,
	started   BIGINT NOT NULL
);

CREATE TABLE slice_header (
	segment BIGINT NOT NULL, id BIGINT NOT NULL,
	namespace TEXT NOT NULL, name TEXT NOT NULL, uid TEXT NOT NULL,
	service TEXT NOT NULL, managed_by TEXT NOT NULL, address_type TEXT NOT NULL, ports TEXT NOT NULL,
	PRIMARY KEY (segment, id)
) WITHOUT ROWID;

CREATE TABLE endpoint_record (
	segment BIGINT NOT NULL, id BIGINT NOT NULL,
	addresses TEXT NOT NULL, hostname TEXT NOT NULL, node TEXT NOT NULL, zone TEXT NOT NULL,
	for_zones TEXT NOT NULL, for_nodes TEXT NOT NULL,
	target_kind TEXT NOT NULL, target_namespace TEXT NOT NULL, target_name TEXT NOT NULL, target_uid TEXT NOT NULL,
	PRIMARY KEY (segment, id)
) WITHOUT ROWID;

CREATE TABLE pod_identity (
	segment BIGINT NOT NULL, id BIGINT NOT NULL,
	namespace TEXT NOT NULL, name TEXT NOT NULL, uid TEXT NOT NULL,
	node TEXT NOT NULL, ips TEXT NOT NULL, host_network BIGINT NOT NULL,
	PRIMARY KEY (segment, id)
) WITHOUT ROWID;

CREATE TABLE slice_event (
	segment BIGINT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, clock BIGINT NOT NULL, op BIGINT NOT NULL,
	header BIGINT NOT NULL, resource_version TEXT NOT NULL, written BIGINT NOT NULL, triggered BIGINT NOT NULL,
	PRIMARY KEY (segment, seq)
) WITHOUT ROWID;

CREATE TABLE endpoint_change (
	segment BIGINT NOT NULL, seq BIGINT NOT NULL, n BIGINT NOT NULL,
	record BIGINT NOT NULL, occurrence BIGINT NOT NULL,
	conditions BIGINT NOT NULL,  -- ready, serving<<2, terminating<<4, each 0 absent, 1 false, 2 true
	removed BIGINT NOT NULL,
	PRIMARY KEY (segment, seq, n)
) WITHOUT ROWID;

CREATE TABLE pod_event (
	segment BIGINT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, clock BIGINT NOT NULL, op BIGINT NOT NULL,
	pod BIGINT NOT NULL, resource_version TEXT NOT NULL, phase TEXT NOT NULL,
	ready BIGINT NOT NULL, ready_since BIGINT NOT NULL,
	grace_ends BIGINT NOT NULL, grace BIGINT NOT NULL, stopped BIGINT NOT NULL, written BIGINT NOT NULL,
	PRIMARY KEY (segment, seq)
) WITHOUT ROWID;

CREATE TABLE service_event (
	segment BIGINT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, clock BIGINT NOT NULL, op BIGINT NOT NULL,
	namespace TEXT NOT NULL, name TEXT NOT NULL, resource_version TEXT NOT NULL,
	publish_not_ready BIGINT NOT NULL, has_selector BIGINT NOT NULL, headless BIGINT NOT NULL, written BIGINT NOT NULL,
	PRIMARY KEY (segment, seq)
) WITHOUT ROWID;

CREATE TABLE gap (
	segment BIGINT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, clock BIGINT NOT NULL,
	from_at BIGINT NOT NULL, to_at BIGINT NOT NULL,
	resource TEXT NOT NULL, namespace TEXT NOT NULL, lost BIGINT NOT NULL, reason TEXT NOT NULL,
	PRIMARY KEY (segment, seq)
) WITHOUT ROWID;

CREATE TABLE consumer_observation (
	segment BIGINT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, clock BIGINT NOT NULL,
	consumer TEXT NOT NULL, namespace TEXT NOT NULL, service TEXT NOT NULL,
	address TEXT NOT NULL, port BIGINT NOT NULL,
	kind BIGINT NOT NULL,  -- 1 new connections, 2 requests, 3 failures
	first_at BIGINT NOT NULL, last_at BIGINT NOT NULL, count BIGINT NOT NULL, detail TEXT NOT NULL,
	PRIMARY KEY (segment, seq)
) WITHOUT ROWID;

-- For people with a SQL prompt: what every write did to every endpoint.
CREATE VIEW endpoint_timeline AS
SELECT e.seq, e.at, h.namespace, h.service, h.name AS slice, e.resource_version, r.addresses,
	c.removed, c.conditions & 3 AS ready, (c.conditions >> 2) & 3 AS serving, (c.conditions >> 4) & 3 AS terminating,
	r.node, r.zone, r.for_zones, r.for_nodes, r.target_name, r.target_uid
FROM endpoint_change c
JOIN slice_event e ON e.segment = c.segment AND e.seq = c.seq
JOIN slice_header h ON h.segment = e.segment AND h.id = e.header
JOIN endpoint_record r ON r.segment = c.segment AND r.id = c.record
`

// segmentTables are those whose rows belong to a segment, which goes last.
var segmentTables = []string{
	"endpoint_change", "slice_event", "pod_event", "service_event", "gap", "consumer_observation",
	"slice_header", "endpoint_record", "pod_identity",
}

// Inserts. The order of the columns is that of the tables.
const (
	insertRun     = `INSERT INTO run VALUES (?, ?, ?, ?, ?, 0)`
	insertSegment = `INSERT INTO segment VALUES (?, ?, ?, ?)`

	insertHeader = `INSERT INTO slice_header VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertRecord = `INSERT INTO endpoint_record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertPod    = `INSERT INTO pod_identity VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

	insertSliceEvent   = `INSERT INTO slice_event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertEndpoint     = `INSERT INTO endpoint_change VALUES (?, ?, ?, ?, ?, ?, ?)`
	insertPodEvent     = `INSERT INTO pod_event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertServiceEvent = `INSERT INTO service_event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertGap          = `INSERT INTO gap VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertObservation  = `INSERT INTO consumer_observation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// statements splits the schema; no text in it holds a semicolon.
func statements() []string {
	var list []string
	for _, s := range strings.Split(schema, ";") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}
