// Which runs of other hosts are taken for living ones: nobody here sees their processes, only that their hearts beat.
import { mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { isOtherRunHere, startHeartbeat } from '../../src/ledger/open-ledger.ts';

const OWN = `${hostname()}/1/boot.1/11111111-1111-4111-8111-111111111111`;
const OTHER = 'container-b/1/boot.2/22222222-2222-4222-8222-222222222222';

/** Longer than any pause between two beats that is still none of a lost host. */
const LOST_SECONDS = 61;

const fail = (error: unknown): never => {
  throw error;
};

let folder: string;
let ledgerPath: string;
let stops: (() => void)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heartbeat-'));
  ledgerPath = join(folder, 'ledger.sqlite');
  stops = [];
});
afterEach(() => {
  for (const stop of stops) stop();
  rmSync(folder, { recursive: true });
});

function start(run: string, path = ledgerPath): () => void {
  const stop = startHeartbeat(path, run, fail);
  stops.push(stop);
  return stop;
}

function lose(seconds: number): void {
  const at = systemClock.now() / 1_000 + seconds;
  for (const name of readdirSync(join(folder, '.runs'))) utimesSync(join(folder, '.runs', name), at, at);
}

describe('a run of another host', () => {
  it('works while its heart beats, until it has ended', () => {
    start(OWN);
    const stop = start(OTHER);
    expect(isOtherRunHere(OTHER, OWN)).toBe(true);
    stop();
    expect(isOtherRunHere(OTHER, OWN)).toBe(false);
  });

  it.each([-LOST_SECONDS, LOST_SECONDS])('is lost when it last beat %i seconds from now', (seconds) => {
    start(OTHER);
    start(OWN);
    lose(seconds);
    expect(isOtherRunHere(OTHER, OWN)).toBe(false);
  });

  it('is lost where its beats cannot be read', () => {
    start(OWN);
    const loop = join(folder, '.runs', OTHER.split('/').at(-1) ?? '');
    symlinkSync(loop, loop);
    expect(isOtherRunHere(OTHER, OWN)).toBe(false);
  });

  it('is none of ours when it works on a ledger elsewhere, or has no heart', () => {
    start(OWN);
    start(OTHER, join(folder, 'elsewhere', 'ledger.sqlite'));
    expect([isOtherRunHere(OTHER, OWN), isOtherRunHere('container-c/1/dead', OWN)]).toEqual([false, false]);
  });
});

describe('a heart that cannot beat', () => {
  it('is told, and stops nothing', () => {
    writeFileSync(join(folder, 'file'), '');
    const faults: unknown[] = [];
    startHeartbeat(join(folder, 'file', 'ledger.sqlite'), OWN, (error) => faults.push(error))();
    expect(faults).not.toEqual([]);
  });
});

describe('the folder of heartbeats', () => {
  it('keeps nothing of runs that have ended or were lost', () => {
    start(OTHER);
    lose(-LOST_SECONDS);
    const stop = start(OWN);
    expect(readdirSync(join(folder, '.runs'))).toEqual([OWN.split('/').at(-1)]);
    stop();
    expect(readdirSync(join(folder, '.runs'))).toEqual([]);
  });
});
