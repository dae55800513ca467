// The lines of the runs: their tables, and what is asked of them.
import type { Parted } from '../runs.ts';
import type { Found } from '../seals.ts';
import { sentence } from '../../messages/messages.ts';

/** Their part of the schema. What changes with every beat stands apart: every commit holds the row of its run. */
export const RUNS_TABLES = `
  CREATE TABLE runs (
    run text PRIMARY KEY,
    number int GENERATED ALWAYS AS IDENTITY UNIQUE,
    host text NOT NULL,
    boot text,
    namespace text,
    pid int NOT NULL,
    start text,
    started_at text NOT NULL,
    ended_at text,
    ended_by text
  );
  CREATE INDEX runs_open ON runs (started_at, run) WHERE ended_at IS NULL;
  CREATE TABLE beats (run text PRIMARY KEY, beat_at timestamptz NOT NULL, note text, said text) WITH (fillfactor = 50);
`;

/** Locks of runs: one space of numbers for each schema. */
const SPACE = `(hashtext('paydrop runs of ' || current_schema()) & 2147483647)`;

export const ENTER = `
  WITH entered AS (
    INSERT INTO runs (run, host, boot, namespace, pid, start, started_at) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING run, number),
  beating AS (INSERT INTO beats (run, beat_at) SELECT run, clock_timestamp() FROM entered)
  SELECT pg_advisory_lock(${SPACE}, number) FROM entered`;

export const LOCK_AGAIN = `SELECT pg_advisory_lock(${SPACE}, number) FROM runs WHERE run = $1`;

export const OPEN = `
  SELECT r.*, b.note, b.said,
         (extract(epoch FROM b.beat_at) * 1000)::bigint AS beat_at,
         (extract(epoch FROM clock_timestamp() - b.beat_at) * 1000)::bigint AS silent_ms,
         EXISTS (SELECT 1 FROM pg_locks l
                  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = ${SPACE}::oid AND l.objid = r.number::oid
                    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS is_locked
    FROM runs r JOIN beats b ON b.run = r.run
   WHERE r.ended_at IS NULL ORDER BY r.started_at, r.run`;

/** No line where the run has ended; then the division fails, and with it all that was sent behind it. */
export const RUN_STANDS = `
  SELECT 1 / (SELECT count(*) FROM (SELECT 1 FROM runs WHERE run = $1 AND ended_at IS NULL FOR SHARE) AS standing)::int AS is_standing`;
export const DIVISION_BY_ZERO = '22012';

export const END = `
  UPDATE runs SET ended_at = $2, ended_by = $3 WHERE run = $1 AND ended_at IS NULL RETURNING run`;

/** Its last beat is that of its end, by the database's clock: from then on its last statement is shown for a while. */
export const END_BEATS = 'UPDATE beats SET beat_at = clock_timestamp() WHERE run = $1';

/** The statements of runs that ended lately; their beats are removed. */
export const PARTED = `
  WITH gone AS (
    DELETE FROM beats b USING runs r
     WHERE r.run = b.run AND r.ended_at IS NOT NULL AND b.beat_at <= clock_timestamp() - $1::int * interval '1 ms')
  SELECT b.run, b.said, (extract(epoch FROM clock_timestamp() - b.beat_at) * 1000)::bigint AS ago_ms
    FROM beats b JOIN runs r ON r.run = b.run
   WHERE r.ended_at IS NOT NULL AND b.said IS NOT NULL AND b.beat_at > clock_timestamp() - $1::int * interval '1 ms'`;

export const GIVEN_UP = sentence('ledger.givenUp');

export function partedOf(found: Found): Parted {
  return { said: String(found['said']), agoMs: Number(found['ago_ms'] ?? 0) };
}
