-- The first state of the database: jobs with their history, and the leases that bills are made from.
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  spec TEXT NOT NULL,
  verdicts TEXT NOT NULL,
  decision TEXT NOT NULL DEFAULT '',
  chip TEXT NOT NULL DEFAULT '',
  exit_code INTEGER,
  submitted_ms INTEGER NOT NULL,
  started_ms INTEGER,
  ended_ms INTEGER,
  idempotency_key TEXT UNIQUE
) STRICT;
CREATE INDEX jobs_by_state ON jobs (state, submitted_ms, id);
CREATE TABLE job_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id TEXT NOT NULL REFERENCES jobs (id),
  at_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  note TEXT NOT NULL
) STRICT;
CREATE INDEX job_events_by_job ON job_events (job_id, id);
CREATE TABLE leases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id TEXT NOT NULL REFERENCES jobs (id),
  chip TEXT NOT NULL,
  cards TEXT NOT NULL,
  open_ms INTEGER NOT NULL,
  close_ms INTEGER,
  price_micro_fen INTEGER NOT NULL CHECK (price_micro_fen >= 0),
  discount_per_mille INTEGER NOT NULL CHECK (discount_per_mille BETWEEN 0 AND 1000),
  speed_per_mille INTEGER,
  reference_price_micro_fen INTEGER,
  CHECK (close_ms IS NULL OR close_ms >= open_ms)
) STRICT;
CREATE INDEX leases_by_job ON leases (job_id);
CREATE UNIQUE INDEX leases_open_once ON leases (job_id) WHERE close_ms IS NULL;
