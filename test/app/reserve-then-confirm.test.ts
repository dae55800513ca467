// A payroll that is paid whole or not at all: nothing is confirmed before every transfer stands, and from then on every one is.
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, describe, expect, it } from 'vitest';

import { exitCodeOf, type BatchResult } from '../../src/app/batch-result.ts';
import type { Paydrop } from '../../src/app/compose.ts';
import { processBatch } from '../../src/app/process-batch.ts';
import { releaseRows } from '../../src/app/release-rows.ts';
import { resumeBatches } from '../../src/app/resume-batches.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';

const WHOLE = 'policy: { strategy: reserve-then-confirm }';
const WHOLE_SKIPPING = 'policy: { strategy: reserve-then-confirm, onInvalidRows: skip-rows }';

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

async function deskOf(options: SandboxOptions = {}, clock?: Clock): Promise<Desk> {
  const desk = await openDesk(options, clock);
  desks.push(desk);
  return desk;
}

/** Whoever waits makes time pass by as much. */
function passing(clock: ManualClock): Clock {
  return {
    ...clock,
    sleep: async (ms) => {
      clock.advance(Math.max(0, ms));
      await nextTurn();
    },
  };
}

function lines(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => line(`A-${String(index + 1)}`, String(100 + index)));
}

async function statuses(paydrop: Paydrop): Promise<readonly string[]> {
  return (await transfersOf(paydrop)).map(({ status }) => status);
}

async function resumeOnly(paydrop: Paydrop): Promise<BatchResult> {
  const [result] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
  if (result === undefined) throw new Error('There was nothing to resume.');
  return result;
}

/** As if the process had died at a call of the ledger, before it or behind it. */
function dyingAt(paydrop: Paydrop, method: keyof Ledger, when: 'before' | 'after'): Paydrop {
  const ledger = new Proxy(paydrop.ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== method) return value.bind(target) as unknown;
      return async (...given: unknown[]) => {
        if (when === 'after') await (value.apply(target, given) as Promise<unknown>);
        throw new Error('The power was cut.');
      };
    },
  });
  return { ...paydrop, ledger };
}

describe('a file that is paid whole or not at all', () => {
  it('is paid whole when all of its transfers stand', async () => {
    const desk = await deskOf();
    const paydrop = await desk.open(WHOLE);
    const result = await processBatch(paydrop, await desk.file('payroll.csv', lines(40)), PATIENT);
    expect(result.summary).toMatchObject({ state: 'closed', outcomes: { paid: 40 } });
    expect(await statuses(paydrop)).toEqual(Array.from({ length: 40 }, () => 'paid'));
    expect((await paydrop.ledger.batch(result.summary.batch))?.whole).toBe('confirming');
  });
});
