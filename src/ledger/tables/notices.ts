// Notices to and from their table. A notice waits while it has a time at which it is due; told or given up, its row stays so that it is not made again.
import type { RunId } from '../../payouts/progress.ts';
import type { ChannelName, ChannelStanding, NewNotice, Notice, Notices, Telling } from '../notices.ts';
import { find, findOne, type Plan, send, type Ways } from '../plan.ts';
import type { Found } from '../seals.ts';
import { textOrNull } from '../stored-rows.ts';

/** Its part of the schema. */
export const NOTICES_TABLE = `
  CREATE TABLE notices (
    topic text NOT NULL,
    version text NOT NULL,
    channel text NOT NULL,
    message text NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint,
    told_at bigint,
    tries int NOT NULL DEFAULT 0,
    fault text,
    lease_owner text,
    lease_until bigint,
    PRIMARY KEY (topic, version, channel)
  );
  CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL;
`;

const LAST_TOLD = 'SELECT max(told_at) AS at FROM notices WHERE topic = $1 AND channel = $2';

const ADD = `
  INSERT INTO notices (topic, version, channel, message, created_at, due_at) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT DO NOTHING RETURNING topic`;

/** One that was tried may have arrived, so it is told to its end. */
const REPLACE = `
  DELETE FROM notices
   WHERE topic = $1 AND channel = $2 AND version <> $3 AND due_at IS NOT NULL AND tries = 0 AND lease_until IS NULL`;

const CLAIM = `
  WITH next AS (
    SELECT topic, version, channel FROM notices
     WHERE channel = $5 AND due_at <= $3 AND (lease_until IS NULL OR lease_until <= $3)
     ORDER BY due_at, created_at LIMIT $4 FOR UPDATE SKIP LOCKED)
  UPDATE notices SET lease_owner = $1, lease_until = $2
   WHERE (topic, version, channel) IN (SELECT topic, version, channel FROM next)
  RETURNING topic, version, channel, message, created_at, tries`;

const END = `
  UPDATE notices
     SET message = CASE WHEN $5::bigint IS NULL THEN '' ELSE message END, due_at = $5, told_at = $6, fault = $7, tries = tries + 1,
         lease_owner = NULL, lease_until = NULL
   WHERE topic = $1 AND version = $2 AND channel = $3 AND lease_owner = $4`;

const STANDING = `
  SELECT channel, count(due_at) AS waiting, count(*) - count(due_at) - count(told_at) AS given_up,
         min(created_at) FILTER (WHERE due_at IS NOT NULL) AS oldest_at,
         (SELECT fault FROM notices AS last
           WHERE last.channel = notices.channel AND last.due_at IS NOT NULL AND last.fault IS NOT NULL
           ORDER BY last.due_at DESC LIMIT 1) AS fault
    FROM notices GROUP BY channel ORDER BY channel`;

export function noticesTable({ run, write, read }: Ways): Notices {
  return {
    add: (notice, now, quietMs) => write(() => add(notice, now, quietMs)),
    claim: (channel, now, leaseMs, limit) =>
      write(function* () {
        const claimed = yield* find(CLAIM, [run, now + leaseMs, now, limit, channel]);
        return claimed.map(toNotice).sort((a, b) => a.createdAt - b.createdAt);
      }),
    end: (notice, telling) => write(() => end(run, notice, telling)),
    standing: () =>
      read(function* () {
        return (yield* find(STANDING)).map(toStanding);
      }),
  };
}

/** Gives back the notices that a run has claimed. */
export function* endNoticesOf(run: RunId): Plan<void> {
  yield* send(
    'UPDATE notices SET lease_owner = NULL, lease_until = NULL WHERE due_at IS NOT NULL AND lease_owner = $1',
    [run],
  );
}

function* add({ topic, version, channel, message }: NewNotice, now: number, quietMs: number): Plan<boolean> {
  const toldAt = (yield* findOne(LAST_TOLD, [topic, channel]))?.['at'];
  const dueAt = typeof toldAt === 'number' ? Math.max(now, toldAt + quietMs) : now;
  const added = yield* find(ADD, [topic, version, channel, message, now, dueAt]);
  if (added.length === 0) return false;
  yield* send(REPLACE, [topic, channel, version]);
  return true;
}

function* end(run: RunId, { topic, version, channel }: Notice, telling: Telling): Plan<void> {
  const dueAt = telling.kind === 'later' ? telling.dueAt : null;
  const toldAt = telling.kind === 'told' ? telling.at : null;
  const fault = telling.kind === 'told' ? null : telling.fault;
  yield* send(END, [topic, version, channel, run, dueAt, toldAt, fault]);
}

function toNotice(found: Found): Notice {
  return {
    topic: String(found['topic']),
    version: String(found['version']),
    channel: String(found['channel']) as ChannelName,
    message: String(found['message']),
    createdAt: Number(found['created_at']),
    tries: Number(found['tries']),
  };
}

function toStanding(found: Found): ChannelStanding {
  const { oldest_at: oldestAt } = found;
  return {
    channel: String(found['channel']) as ChannelName,
    waiting: Number(found['waiting']),
    givenUp: Number(found['given_up']),
    oldestAt: typeof oldestAt === 'number' ? oldestAt : null,
    fault: textOrNull(found['fault']),
  };
}
