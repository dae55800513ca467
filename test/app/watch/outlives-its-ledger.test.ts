// A ledger that is away for a while: the daemon waits for it, says so once, sends nothing, and goes on when it is back. Here another program holds the
// ledger; a database that is restarted is met in the same words.
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { watch } from '../../../src/app/daemon/daemon.ts';
import { serveMetrics } from '../../../src/app/daemon/metrics-server.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import { atEnd } from '../../at-end.ts';
import { lineTo, openDesk, transfersOf, type Desk } from '../desk.ts';

const QUICK = 'intake: { settleFor: 10ms, scanEvery: 50ms }\nmetrics: { listen: "127.0.0.1:0" }';
const WAITING = { timeout: 20_000, interval: 20 };

let desk: Desk;
let inbox: string;
beforeEach(async () => {
  desk = await openDesk({ settleMs: 20 });
  inbox = join(desk.workspace, 'inbox');
  await mkdir(inbox, { recursive: true });
});
afterEach(() => desk.close());

/** A paydrop that waits for its ledger for a moment only. */
async function open(): Promise<Paydrop> {
  const heard = vi.spyOn(DatabaseSync.prototype, 'exec');
  const paydrop = await desk.open(QUICK);
  const [connection] = heard.mock.contexts as readonly DatabaseSync[];
  heard.mockRestore();
  connection?.exec('PRAGMA busy_timeout = 20');
  return paydrop;
}

/** Takes the ledger away; gives what brings it back. */
function takeAway({ workspace }: Paydrop): () => void {
  const holder = new DatabaseSync(workspace.ledgerPath, { timeout: 10_000 });
  holder.exec('BEGIN IMMEDIATE');
  return () => {
    holder.exec('ROLLBACK');
    holder.close();
  };
}

function start(paydrop: Paydrop) {
  const stopper = new AbortController();
  const results: BatchResult[] = [];
  const troubles: string[] = [];
  const ended = watch(paydrop, {
    signal: stopper.signal,
    onResult: (result) => void results.push(result),
    onWaiting: () => undefined,
    onTrouble: (words) => void troubles.push(words),
  });
  const stop = () => {
    stopper.abort();
    return ended;
  };
  return { results, troubles, stop };
}

async function drop(name: string, rows: number): Promise<void> {
  const lines = Array.from({ length: rows }, (_, index) =>
    lineTo(`${name} ${String(index)}`, `${name}-${String(index)}`, '100'),
  );
  await rename(await desk.file(`${name}.csv`, lines), join(inbox, `${name}.csv`));
}

async function healthOf(paydrop: Paydrop): Promise<() => Promise<unknown>> {
  const server = await serveMetrics(paydrop);
  if (server === null) throw new Error('An address is set.');
  atEnd(() => server.close());
  return async () => {
    const response = await fetch(`${server.url}/healthz`);
    return { code: response.status, ...((await response.json()) as object) };
  };
}

describe('a ledger that is away', () => {
  it('keeps a file in the inbox, is told once and by /healthz, and is no reason to restart anything', async () => {
    const paydrop = await open();
    const health = await healthOf(paydrop);
    const bringBack = takeAway(paydrop);
    const { results, troubles, stop } = start(paydrop);
    await drop('early', 2);
    await vi.waitFor(
      async () => expect(await health()).toMatchObject({ code: 200, status: 'waiting' }),
      WAITING,
    );
    expect(troubles).toEqual([expect.stringContaining('Another program holds the ledger')]);
    expect(await transfersOf(paydrop)).toEqual([]);
    bringBack();
    await vi.waitFor(() => expect(results).toHaveLength(1), WAITING);
    expect(results[0]?.summary.outcomes.paid).toBe(2);
    expect(await health()).toMatchObject({ code: 200, status: 'ok', reasons: [] });
    expect(troubles).toHaveLength(1);
    expect(await stop()).toEqual({ isDone: true });
  });

  it('stops a file in the middle, and the rows under way go on as soon as it is back', async () => {
    const paydrop = await open();
    const { results, troubles, stop } = start(paydrop);
    await drop('whole', 90);
    await vi.waitFor(async () => expect((await transfersOf(paydrop)).length).toBeGreaterThan(5), {
      ...WAITING,
      interval: 2,
    });
    const bringBack = takeAway(paydrop);
    await vi.waitFor(() => expect(troubles).toHaveLength(1), WAITING);
    const sent = JSON.stringify(await transfersOf(paydrop));
    expect(results).toEqual([]);
    // Nothing more is sent during the next looks.
    const looks = vi.spyOn(paydrop.meter, 'away');
    await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(1), WAITING);
    const confirmed = (text: string): number => text.split('"confirmedAt":"').length;
    expect(confirmed(JSON.stringify(await transfersOf(paydrop)))).toBe(confirmed(sent));
    bringBack();
    const backAt = performance.now();
    await vi.waitFor(() => expect(results.at(-1)?.summary.state).toBe('closed'), WAITING);
    // Claims of rows that were under way last three minutes.
    expect(performance.now() - backAt).toBeLessThan(20_000);
    expect(results.at(-1)?.summary.outcomes.paid).toBe(90);
    expect(await transfersOf(paydrop)).toHaveLength(90);
    await stop();
  });

  it('does not keep a daemon from ending, which says that something is left', async () => {
    const paydrop = await open();
    const bringBack = takeAway(paydrop);
    const { troubles, stop } = start(paydrop);
    await vi.waitFor(() => expect(troubles).toHaveLength(1), WAITING);
    expect(await stop()).toEqual({ isDone: false });
    bringBack();
  });
});
