// Several machines on one ledger: which they are, what they carry, and whether they use the same config.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  databaseFindings,
  examineCluster,
  examineNodes,
  nodeStatuses,
} from '../../../src/app/desk/examine-cluster.ts';
import { daemonNotes, livingNodes, noteText } from '../../../src/app/parts/daemon-note.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { nodeName, configDigest } from '../../../src/app/config/ledger-config.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { until } from '../../sandbox/until.ts';
import { giveTo, runElsewhere } from '../../ledger/machines.ts';
import { HURRIED, line, openDesk, type Desk } from '../desk.ts';

const SHARED = { url: 'postgres://me@localhost/pay', password: null, giveUpAfterMs: 5_000 };

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** As if its ledger were one that several machines share; it confers as one. */
function shared({ config, ledger }: Paydrop) {
  return { config: { ...config, sharedLedger: SHARED }, ledger };
}

describe('the machines on a ledger', () => {
  it('are told with what they carry; a process that is no daemon by its host', async () => {
    const paydrop = await desk.open();
    const { summary } = await processBatch(paydrop, await desk.file('a.csv', [line('A-1', '100')]), {
      ...HURRIED,
      signal: AbortSignal.abort(),
    });
    const beside = await runElsewhere(paydrop.workspace.ledgerPath);
    giveTo(paydrop.workspace.ledgerPath, summary.batch, beside.run);
    const [node, ...more] = await nodeStatuses(shared(paydrop));
    expect(node).toMatchObject({ node: 'container-b', carries: [summary.batch] });
    expect(more).toEqual([]);
    expect(Date.parse(node?.since ?? '')).toBeGreaterThan(Date.now() - 60_000);
    // A ledger in a file has one machine.
    expect(await nodeStatuses(paydrop)).toEqual([]);
    await beside.close();
    expect(await nodeStatuses(shared(paydrop))).toEqual([]);
  });

  it('a daemon tells its name and the digest of its config', async () => {
    const paydrop = await desk.open('intake: { scanEvery: 50ms }\ncluster: { node: pay-1 }');
    const stopper = new AbortController();
    const ended = watch(paydrop, {
      signal: stopper.signal,
      onResult: () => undefined,
      onWaiting: () => undefined,
      onTrouble: () => undefined,
    });
    await until(async () => (await daemonNotes(paydrop.ledger)).length > 0);
    const [note] = await daemonNotes(paydrop.ledger);
    expect(note).toMatchObject({ node: nodeName(paydrop.config), digest: configDigest(paydrop.config) });
    expect(note?.node).toBe('pay-1');
    stopper.abort();
    await ended;
  });

  it('of an older version has no name and no digest, and is shown by its host', async () => {
    const { ledger } = await desk.open();
    const other = await desk.open();
    await other.ledger.runs.tell('{"since":"2026-11-20T08:30:00.000Z","config":null,"inbox":[]}');
    const known = (await ledger.runs.alive()).find(({ run }) => run === other.ledger.run);
    expect(await livingNodes(ledger)).toEqual([
      { run: other.ledger.run, node: known?.host, since: known?.startedAt, digest: null },
    ]);
    expect(noteText({ since: 'x', node: null, digest: null, config: null, inbox: [] })).toContain(
      '"node":null',
    );
  });
});

it('doctor names a machine whose config decides otherwise, and no other', async () => {
  const paydrop = await desk.open();
  const own = shared(paydrop);
  expect(await examineCluster(paydrop)).toEqual([]);
  expect(await examineNodes(own)).toMatchObject({ name: 'nodes', ok: true });
  const other = await desk.open();
  const note = { since: '2026-11-20T08:30:00.000Z', node: 'pay-2', config: null, inbox: [] };
  await other.ledger.runs.tell(noteText({ ...note, digest: configDigest(own.config) }));
  const equal = await examineNodes(own);
  expect([equal.ok, equal.words.en]).toEqual([true, 'pay-2: equal configs']);
  await other.ledger.runs.tell(noteText({ ...note, digest: '0f' }));
  const different = await examineNodes(own);
  expect([different.ok, different.words.en]).toEqual([
    false,
    expect.stringContaining('The config of pay-2 differs'),
  ]);
});

describe('a database', () => {
  const SOUND = {
    version: 180_004,
    settings: { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' },
    synchronousStandbys: 1,
    clockDifferenceMs: -40,
    isPooled: false,
  };
  const faults = (changes: object, url = SHARED.url): readonly string[] =>
    databaseFindings({ ...SOUND, ...changes }, { url }).flatMap(({ name, ok }) => (ok ? [] : [name]));

  it('that is as it should be is told so, line by line', () => {
    const found = databaseFindings(SOUND, { url: 'postgres://me@db/pay?sslmode=verify-full' });
    expect(found.map(({ name, ok }) => [name, ok])).toEqual(
      ['database', 'durable', 'standby', 'tls', 'databaseClock', 'pooling'].map((name) => [name, true]),
    );
    expect(found[0]?.words.en).toBe('PostgreSQL 18.4');
  });

  it.each([
    ['of version 13', { version: 130_020 }, 'database'],
    ['that does not sync', { settings: { ...SOUND.settings, fsync: 'off' } }, 'durable'],
    [
      'that acknowledges before it is written',
      { settings: { ...SOUND.settings, synchronous_commit: 'local' } },
      'durable',
    ],
    ['without a synchronous standby', { synchronousStandbys: 0 }, 'standby'],
    ['whose clock is behind', { clockDifferenceMs: -3_000 }, 'databaseClock'],
    ['behind a pooler', { isPooled: true }, 'pooling'],
  ])('%s is told apart', (_what, changes, name) => {
    expect(faults(changes)).toEqual([name]);
  });

  it('on another machine has to be verified', () => {
    expect(faults({}, 'postgres://me@db.internal/pay')).toEqual(['tls']);
    expect(faults({}, 'postgres://me@db.internal/pay?sslmode=require')).toEqual(['tls']);
  });
});
