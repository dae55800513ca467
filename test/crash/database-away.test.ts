// A node that starts while the database of its ledger is away, as when both start with the same machine: it waits, says so once, and calls nobody.
import { expect, it } from 'vitest';

import { atEnd } from '../at-end.ts';
import { openClusterScene } from '../cluster/cluster-scene.ts';

it('a node waits at its start for a database that is away, and ends with 5 where it is asked to stop before', async () => {
  const cluster = await openClusterScene({ rows: 3, files: 1 });
  atEnd(() => cluster.close());
  const { database, scene } = cluster;
  await database.crash();
  const [waiting, stopped] = [await cluster.begin('n1'), await cluster.begin('n2')];
  atEnd(() => waiting.process.kill());
  atEnd(() => stopped.process.kill());
  await Promise.all([waiting, stopped].map(({ process: node }) => node.said('does not answer')));
  stopped.process.signal('SIGTERM');
  expect(await stopped.process.ended).toMatchObject({ code: 5 });
  // A command that only asks is told at once.
  const asking = await scene.start(['--config', `${scene.folder}/n1.yaml`, 'status']).ended;
  expect(asking.code).toBe(5);
  expect(asking.stderr).toContain('does not answer');
  expect([waiting.ended, scene.watched.calls()]).toEqual([null, 0]);
  const watching = waiting.process.said('watching');
  await database.restart();
  await watching;
  await cluster.drop();
  await expect
    .poll(async () => (await cluster.ledger.batches()).map(({ state }) => state), { timeout: 60_000 })
    .toEqual(['closed']);
  waiting.process.signal('SIGTERM');
  const { code, stderr } = await waiting.process.ended;
  expect(code).toBe(0);
  expect(stderr.split('does not answer')).toHaveLength(2);
}, 180_000);
