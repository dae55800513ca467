// What a trial asks the ledger directly, without the nodes: the progress of the rows, which files each node has, and when another node goes on with them.
import { setTimeout as wait } from 'node:timers/promises';

import type { ClusterDatabase } from './cluster-database.ts';

/** Steps of rows that were recorded, and files that were closed. */
export type Progress = { readonly steps: number; readonly closed: number };

/** A node's run, and its files of which rows are still under way. */
export type Carrier = { readonly name: string; readonly run: string; readonly files: readonly string[] };

const PROGRESS = `
  SELECT (SELECT coalesce(sum(CASE stage WHEN 'ready' THEN 0 WHEN 'quoted' THEN 1 WHEN 'created' THEN 2 WHEN 'confirming' THEN 3
                                         WHEN 'confirmed' THEN 4 ELSE 5 END), 0) FROM row_states)::int AS steps,
         (SELECT count(*) FROM batches WHERE state = 'closed')::int AS closed`;

const CARRIERS = `
  SELECT r.run, b.note::json ->> 'node' AS name, array_agg(f.id) AS files
    FROM runs r JOIN beats b ON b.run = r.run JOIN batches f ON f.owner = r.run
   WHERE r.ended_at IS NULL AND b.note IS NOT NULL AND f.state NOT IN ('closed', 'refused')
     AND EXISTS (SELECT 1 FROM row_states s WHERE s.batch = f.id AND s.stage IN ('ready', 'quoted', 'created', 'confirming'))
   GROUP BY r.run, b.note`;

const LAST = 'SELECT coalesce(max(id), 0) AS last FROM groups';

/** A record of a row of one of these files that another run than this one has made. */
const NEXT = `
  SELECT 1 FROM groups WHERE id > $1 AND batch = ANY($2) AND run <> $3 AND from_position IS NOT NULL LIMIT 1`;

/** Null while the database is away. */
export async function progressOf(database: ClusterDatabase): Promise<Progress | null> {
  const [found] = await database.ask(PROGRESS);
  return found === undefined ? null : { steps: Number(found['steps']), closed: Number(found['closed']) };
}

export async function carriersOf(database: ClusterDatabase): Promise<readonly Carrier[]> {
  const found = await database.ask(CARRIERS);
  return found.map(({ name, run, files }) => ({
    name: String(name),
    run: String(run),
    files: files as readonly string[],
  }));
}

/** The last group of the history, as soon as the database tells it. */
export async function lastGroup(database: ClusterDatabase): Promise<number> {
  for (;;) {
    const [found] = await database.ask(LAST);
    if (found !== undefined) return Number(found['last']);
    await wait(5);
  }
}

/** Groups that a run has written behind that one. */
export async function groupsBehind(database: ClusterDatabase, behind: number, run: string): Promise<number> {
  const [found] = await database.ask(
    'SELECT count(*)::int AS groups FROM groups WHERE id > $1 AND run = $2',
    [behind, run],
  );
  return Number(found?.['groups'] ?? 0);
}

/** True once another run has recorded a row of these files behind that group. */
export async function isGoneOn(
  database: ClusterDatabase,
  behind: number,
  { run, files }: Pick<Carrier, 'run' | 'files'>,
): Promise<boolean> {
  return (await database.ask(NEXT, [behind, files, run])).length > 0;
}
