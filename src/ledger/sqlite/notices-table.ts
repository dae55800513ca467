// Notices to and from their table. A notice waits while it has a time at which it is due; told or given up, its row stays so that it is not made again.
import type { ChannelName, ChannelStanding, NewNotice, Notice, Notices, Telling } from '../notices.ts';
import type { GroupCommit, Sql } from './group-commit.ts';

const LAST_TOLD = 'SELECT max(told_at) AS at FROM notices WHERE topic = ? AND channel = ?';

const ADD = `
  INSERT INTO notices (topic, version, channel, message, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`;

/** One that was tried may have arrived, so it is told to its end. */
const REPLACE = `
  DELETE FROM notices
   WHERE topic = ? AND channel = ? AND version <> ? AND due_at IS NOT NULL AND tries = 0 AND lease_until IS NULL`;

const CLAIM = `
  UPDATE notices SET lease_owner = ?1, lease_until = ?2
   WHERE (topic, version, channel) IN (
     SELECT topic, version, channel FROM notices
      WHERE channel = ?5 AND due_at <= ?3 AND (lease_until IS NULL OR lease_until <= ?3)
      ORDER BY due_at, created_at LIMIT +?4)
  RETURNING topic, version, channel, message, created_at, tries`;

const END = `
  UPDATE notices
     SET message = iif(?5 IS NULL, '', message), due_at = ?5, told_at = ?6, fault = ?7, tries = tries + 1,
         lease_owner = NULL, lease_until = NULL
   WHERE topic = ?1 AND version = ?2 AND channel = ?3 AND lease_owner = ?4`;

const STANDING = `
  SELECT channel, count(due_at) AS waiting, count(*) - count(due_at) - count(told_at) AS given_up,
         min(iif(due_at IS NULL, NULL, created_at)) AS oldest_at,
         (SELECT fault FROM notices AS last
           WHERE last.channel = notices.channel AND last.due_at IS NOT NULL AND last.fault IS NOT NULL
           ORDER BY last.due_at DESC LIMIT 1) AS fault
    FROM notices GROUP BY channel ORDER BY channel`;

export function noticesTable(sql: Sql, commits: GroupCommit, run: string): Notices {
  return {
    add: (notice, now, quietMs) => commits.run(() => add(sql, notice, now, quietMs)),
    claim: (channel, now, leaseMs, limit) =>
      commits.run(() =>
        sql(CLAIM)
          .all(run, now + leaseMs, now, limit, channel)
          .map(toNotice)
          .sort((a, b) => a.createdAt - b.createdAt),
      ),
    end: (notice, telling) => commits.run(() => end(sql, run, notice, telling)),
    standing: () => commits.read(() => sql(STANDING).all().map(toStanding)),
  };
}

/** Gives back the notices that a run has claimed. */
export function endNoticesOf(sql: Sql, run: string): void {
  sql(
    'UPDATE notices SET lease_owner = NULL, lease_until = NULL WHERE due_at IS NOT NULL AND lease_owner = ?',
  ).run(run);
}

function add(sql: Sql, notice: NewNotice, now: number, quietMs: number): boolean {
  const { topic, version, channel, message } = notice;
  const toldAt = sql(LAST_TOLD).get(topic, channel)?.['at'];
  const dueAt = typeof toldAt === 'number' ? Math.max(now, toldAt + quietMs) : now;
  if (Number(sql(ADD).run(topic, version, channel, message, now, dueAt).changes) === 0) return false;
  sql(REPLACE).run(topic, channel, version);
  return true;
}

function end(sql: Sql, run: string, { topic, version, channel }: Notice, telling: Telling): void {
  const dueAt = telling.kind === 'later' ? telling.dueAt : null;
  const toldAt = telling.kind === 'told' ? telling.at : null;
  const fault = telling.kind === 'told' ? null : telling.fault;
  sql(END).run(topic, version, channel, run, dueAt, toldAt, fault);
}

function toNotice(found: Readonly<Record<string, unknown>>): Notice {
  return {
    topic: String(found['topic']),
    version: String(found['version']),
    channel: String(found['channel']) as ChannelName,
    message: String(found['message']),
    createdAt: Number(found['created_at']),
    tries: Number(found['tries']),
  };
}

function toStanding(found: Readonly<Record<string, unknown>>): ChannelStanding {
  const { oldest_at: oldestAt, fault } = found;
  return {
    channel: String(found['channel']) as ChannelName,
    waiting: Number(found['waiting']),
    givenUp: Number(found['given_up']),
    oldestAt: typeof oldestAt === 'number' ? oldestAt : null,
    fault: typeof fault === 'string' ? fault : null,
  };
}
