// Notices to and from their table. A notice waits while it has a time at which it is due; told or given up, its row stays so that it is not made again.
import type { ChannelName, ChannelStanding, Notice, Notices } from '../notices.ts';
import type { Found } from '../seals.ts';
import { textOrNull } from '../stored-rows.ts';
import type { Query } from './connect.ts';
import type { LedgerWays } from './shared-connections.ts';

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
  UPDATE notices n SET lease_owner = $1, lease_until = $2
    FROM next WHERE n.topic = next.topic AND n.version = next.version AND n.channel = next.channel
  RETURNING n.topic, n.version, n.channel, n.message, n.created_at, n.tries`;

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

export function noticesTable({ run, write, read }: LedgerWays): Notices {
  return {
    add: ({ topic, version, channel, message }, now, quietMs) =>
      write(async (query) => {
        const toldAt = (await query(LAST_TOLD, [topic, channel]))[0]?.['at'];
        const dueAt = typeof toldAt === 'number' ? Math.max(now, toldAt + quietMs) : now;
        const added = await query(ADD, [topic, version, channel, message, now, dueAt]);
        if (added.length === 0) return false;
        await query(REPLACE, [topic, channel, version]);
        return true;
      }),
    claim: (channel, now, leaseMs, limit) =>
      write(async (query) => {
        const claimed = await query(CLAIM, [run, now + leaseMs, now, limit, channel]);
        return claimed.map(toNotice).sort((a, b) => a.createdAt - b.createdAt);
      }),
    end: ({ topic, version, channel }, telling) =>
      write(async (query) => {
        const dueAt = telling.kind === 'later' ? telling.dueAt : null;
        const toldAt = telling.kind === 'told' ? telling.at : null;
        const fault = telling.kind === 'told' ? null : telling.fault;
        await query(END, [topic, version, channel, run, dueAt, toldAt, fault]);
      }),
    standing: () => read(async (query) => (await query(STANDING)).map(toStanding)),
  };
}

/** Gives back the notices that a run has claimed. */
export async function endNoticesOf(query: Query, run: string): Promise<void> {
  await query(
    'UPDATE notices SET lease_owner = NULL, lease_until = NULL WHERE due_at IS NOT NULL AND lease_owner = $1',
    [run],
  );
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
