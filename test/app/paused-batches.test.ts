// A pause that was confirmed to a person holds until somebody resumes: no automatic work and no earlier request undoes it.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { declineBatch } from '../../src/app/workflow/approval/decide-approval.ts';
import { pauseBatch } from '../../src/app/workflow/decisions/pause-batch.ts';
import { processBatch, resumeBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { settleRebuilt } from '../../src/app/workflow/resolve-doubt/settle-rebuilt.ts';
import { unfinishedBatches } from '../../src/app/daemon/unfinished.ts';
import { statusOf } from '../../src/app/desk/batch-status.ts';
import { pauseOf } from '../../src/ledger/batch-rules.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { giveTo, runElsewhere } from '../ledger/machines.ts';
import { BY_MARIE } from '../ledger/records.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { passForLatest } from './put-back.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';
import { dropInto, QUICK, startWatching } from './schedule/watching.ts';
import { said } from './said.ts';

let clock: CalendarClock;
let desk: Desk;

beforeEach(async () => {
  clock = calendarClock('2026-11-27T10:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

/** A batch that was left before its first call. */
async function cutShort(paydrop: Paydrop, name: string): Promise<string> {
  const file = await desk.file(`${name}.csv`, [
    line(`${name}-1`, `${name}00`),
    line(`${name}-2`, `${name}50`),
  ]);
  return (await processBatch(paydrop, file, { ...HURRIED, signal: AbortSignal.abort() })).summary.batch;
}

const PAUSED_BY =
  /^Paused by Marie Dupont at 2026-11-27T10:00:\S+: wrong bank file\. "paydrop resume \S+" goes on\.$/;

const pause = async (paydrop: Paydrop, batch: string): Promise<void> =>
  expect(await pauseBatch(paydrop, batch, BY_MARIE)).toBe(true);
async function isPaused({ ledger }: Paydrop, batch: string): Promise<boolean> {
  const known = await ledger.batch(batch);
  return known !== null && pauseOf(known) !== null;
}

/** The ledger itself; `before` happens before it gives the first row to be sent. */
function beforeFirstRow(ledger: Ledger, before: () => Promise<void>): Ledger {
  let first: Promise<void> | null = null;
  const dueRows: Ledger['dueRows'] = async (...asked) => {
    await (first ??= before());
    return ledger.dueRows(...asked);
  };
  return new Proxy(ledger, {
    get: (target, key) => {
      const value: unknown = key === 'dueRows' ? dueRows : Reflect.get(target, key);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** As after a kill at the end of one of its revisions, which is not committed then. */
function killedInCommit(paydrop: Paydrop, last: number): Paydrop {
  let revisions = 0;
  const revise: Ledger['revise'] = (id, decide) => {
    revisions += 1;
    return paydrop.ledger.revise(id, (batch, all) => {
      const revision = decide(batch, all);
      if (revisions === last) throw new Error('killed');
      return revision;
    });
  };
  const ledger = new Proxy(paydrop.ledger, {
    get: (target, key) => {
      const value: unknown = key === 'revise' ? revise : Reflect.get(target, key);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { ...paydrop, ledger };
}

describe('a pause', () => {
  it('that comes while "resume" of all is at the batch before holds, and is told', async () => {
    const paydrop = await desk.open();
    const batches = [await cutShort(paydrop, '1'), await cutShort(paydrop, '2')].sort();
    const [first = '', second = ''] = batches;
    const ledger = beforeFirstRow(paydrop.ledger, () => pause(paydrop, second));
    const results = (await resumeBatches({ ...paydrop, ledger }, null, PATIENT)) ?? [];
    expect(await endsOf(paydrop, first)).toEqual(['paid', 'paid']);
    expect(await isPaused(paydrop, second)).toBe(true);
    expect(await endsOf(paydrop, second)).toEqual(['ready', 'ready']);
    expect(results[1]).toMatchObject({
      isStopped: true,
      words: [{ en: expect.stringMatching(PAUSED_BY) as string }],
    });
  });

  it('that comes between the look of a daemon and its going on holds', async () => {
    const paydrop = await desk.open();
    const batch = await cutShort(paydrop, '1');
    expect((await unfinishedBatches(paydrop)).map(({ id }) => id)).toEqual([batch]);
    await pause(paydrop, batch);
    await resumeBatch(paydrop, batch, PATIENT);
    expect(await isPaused(paydrop, batch)).toBe(true);
    expect(await endsOf(paydrop, batch)).toEqual(['ready', 'ready']);
  });

  it('is lifted by a "resume" that begins after it, of that batch or of all', async () => {
    const paydrop = await desk.open();
    const [first, second] = [await cutShort(paydrop, '1'), await cutShort(paydrop, '2')];
    for (const batch of [first, second]) await pause(paydrop, batch);
    await resumeBatches(paydrop, first, PATIENT);
    expect(await endsOf(paydrop, first)).toEqual(['paid', 'paid']);
    expect(await isPaused(paydrop, second)).toBe(true);
    await resumeBatches(paydrop, null, PATIENT);
    expect(await endsOf(paydrop, second)).toEqual(['paid', 'paid']);
  });

  it.each(['before it was declined', 'once it was declined'])('%s keeps no file open', async (when) => {
    const paydrop = await desk.open('policy: { approval: required, approvalBy: name }');
    const file = await desk.file('refused.csv', [line('R-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    const order = { by: 'Marie Dupont', via: 'a test', reason: 'wrong month' };
    if (when.startsWith('before')) await pause(paydrop, batch);
    expect((await declineBatch(paydrop, batch, order)).kind).toBe('decided');
    if (when.startsWith('once')) expect(await pauseBatch(paydrop, batch, BY_MARIE)).toBe(false);
    expect((await unfinishedBatches(paydrop)).map(({ id }) => id)).toEqual([batch]);
    await resumeBatch(paydrop, batch, PATIENT);
    expect((await paydrop.ledger.batch(batch))?.state).toBe('closed');
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('of a batch that another process carries is lifted by "resume", which says so, and the daemon goes on', async () => {
    const watching = await desk.open(QUICK);
    const beside = await desk.open();
    const daemon = startWatching(watching);
    await dropInto(desk, 'payroll@2026-11-28.csv', [line('A-1', '100')]);
    const { summary } = await daemon.until(({ state }) => state === 'scheduled');
    const { batch } = summary;
    // As the daemon stands for another process: ours and its are one in this test.
    const elsewhere = await runElsewhere(watching.workspace.ledgerPath);
    giveTo(watching.workspace.ledgerPath, batch, elsewhere.run);
    await pause(beside, batch);
    const [result] = (await resumeBatches(beside, batch, HURRIED)) ?? [];
    expect(said(result?.words ?? []).join(' ')).toContain('The pause of payroll@2026-11-28.csv is lifted');
    expect(await isPaused(beside, batch)).toBe(false);
    expect(await beside.ledger.batch(batch)).toMatchObject({ state: 'accepted' });
    giveTo(watching.workspace.ledgerPath, batch, watching.ledger.run);
    clock.goTo('2026-11-28T07:30:00Z');
    await daemon.until((told) => told.batch === batch && told.state === 'closed');
    await daemon.stop();
    expect(await endsOf(watching, batch)).toEqual(['paid']);
  });

  it('is told with the name and the reason of whoever paused, also of a batch that waits for its time', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll@2026-11-28.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    await pause(paydrop, batch);
    const known = await paydrop.ledger.batch(batch);
    if (known === null) throw new Error('The batch has vanished.');
    expect(await statusOf(paydrop, known)).toMatchObject({
      state: 'scheduled',
      paused: true,
      waitingFor: 'operator',
      place: 'needs-you',
      words: expect.stringMatching(PAUSED_BY) as unknown,
    });
    await resumeBatches(paydrop, batch, HURRIED, 'Paul Martin');
    const resumed = await paydrop.ledger.batch(batch);
    expect(resumed).toMatchObject({ wait: { for: 'schedule' } });
    expect(resumed?.decisions).toMatchObject([
      { about: 'pause', ...BY_MARIE },
      { about: 'resume', by: 'Paul Martin' },
    ]);
  });

  it('that was cut short between manifest and ledger holds', async () => {
    const paydrop = await desk.open();
    const batch = await cutShort(paydrop, '1');
    await expect(pauseBatch(killedInCommit(paydrop, 2), batch, BY_MARIE)).rejects.toThrow('killed');
    expect(await isPaused(paydrop, batch)).toBe(false);
    const result = await resumeBatch(paydrop, batch, PATIENT);
    expect(result).toMatchObject({
      isStopped: true,
      words: [{ en: expect.stringMatching(PAUSED_BY) as string }],
    });
    expect(await endsOf(paydrop, batch)).toEqual(['ready', 'ready']);
  });

  describe('outlives its ledger', () => {
    async function lostAndRebuilt(batch: string): Promise<Paydrop> {
      await desk.loseLedger();
      const paydrop = await desk.open(QUICK);
      await rebuildFile(paydrop, join(desk.workspace, 'processing', batch, '1.csv'), PATIENT);
      return paydrop;
    }

    it('and a daemon does not pay the rebuilt batch before it is resumed', async () => {
      const first = await desk.open();
      const batch = await cutShort(first, '1');
      await pause(first, batch);
      const paydrop = await lostAndRebuilt(batch);
      await settleRebuilt(paydrop);
      expect(await isPaused(paydrop, batch)).toBe(true);
      expect(await unfinishedBatches(paydrop)).toEqual([]);
      await resumeBatch(paydrop, batch, PATIENT);
      expect(await endsOf(paydrop, batch)).toEqual(['ready', 'ready']);
      await resumeBatches(paydrop, batch, PATIENT);
      expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid']);
    });

    it('also where the batch was not acknowledged yet', async () => {
      const first = await desk.open('', 'nobody');
      const batch = await cutShort(first, '1');
      await pause(first, batch);
      const paydrop = await lostAndRebuilt(batch);
      await settleRebuilt(paydrop);
      expect(await isPaused(paydrop, batch)).toBe(true);
      expect(await unfinishedBatches(paydrop)).toEqual([]);
    });

    it('but not where it was lifted before', async () => {
      const first = await desk.open();
      const batch = await cutShort(first, '1');
      await pause(first, batch);
      await resumeBatches(first, batch, { ...HURRIED, signal: AbortSignal.abort() });
      const paydrop = await lostAndRebuilt(batch);
      expect(await isPaused(paydrop, batch)).toBe(false);
    });

    describe('also where a copy from before it is put back', () => {
      async function putBack(): Promise<{ readonly paydrop: Paydrop; readonly batch: string }> {
        const batch = await cutShort(await desk.open(), '1');
        await desk.shut();
        const ledger = join(desk.workspace, 'ledger.sqlite');
        await copyFile(ledger, `${ledger}.copy`);
        await pause(await desk.open(), batch);
        await desk.shut();
        await copyFile(`${ledger}.copy`, ledger);
        await passForLatest(desk.workspace);
        const paydrop = await desk.open(QUICK);
        expect(await isPaused(paydrop, batch)).toBe(false);
        return { paydrop, batch };
      }

      it('so that a daemon finds it paused from its start', async () => {
        const { paydrop, batch } = await putBack();
        await settleRebuilt(paydrop);
        expect(await isPaused(paydrop, batch)).toBe(true);
        expect(await unfinishedBatches(paydrop)).toEqual([]);
      });

      it('so that going on with it by itself pays nothing, and tells that it is paused', async () => {
        const { paydrop, batch } = await putBack();
        const result = await resumeBatch(paydrop, batch, PATIENT);
        expect(result).toMatchObject({
          isStopped: true,
          words: [{ en: expect.stringMatching(PAUSED_BY) as string }],
        });
        expect(await isPaused(paydrop, batch)).toBe(true);
        expect(await endsOf(paydrop, batch)).toEqual(['ready', 'ready']);
      });

      it('and "resume" lifts it at once', async () => {
        const { paydrop, batch } = await putBack();
        await resumeBatches(paydrop, batch, PATIENT);
        expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid']);
      });

      it('and once "resume" has lifted it, a ledger that is lost after that does not bring it back', async () => {
        const { paydrop, batch } = await putBack();
        await resumeBatches(paydrop, batch, { ...HURRIED, signal: AbortSignal.abort() });
        expect(await isPaused(await lostAndRebuilt(batch), batch)).toBe(false);
      });
    });
  });

  it('of a batch that has ended is none, and nobody is told that there is one', async () => {
    const paydrop = await desk.open();
    const { summary } = await processBatch(paydrop, await desk.file('1.csv', [line('A-1', '100')]), PATIENT);
    expect(await pauseBatch(paydrop, summary.batch, BY_MARIE)).toBe(false);
    expect(await isPaused(paydrop, summary.batch)).toBe(false);
  });
});
