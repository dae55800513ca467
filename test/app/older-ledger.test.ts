// An older copy of the ledger is put back after a row of it was refused, cancelled or declined, and after another file made the same payment: the
// old knowledge pays none of that.
import { copyFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { reconcile } from '../../src/app/desk/commands.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { LedgerForgetful } from '../../src/app/parts/describe-error.ts';
import { processBatch, resumeBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { raiseEpoch } from '../../src/app/workflow/batch/epoch.ts';
import { assertLedgerKnowsAll } from '../../src/app/workflow/resolve-doubt/known-batches.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { orderRelease } from '../../src/app/workflow/decisions/mailbox.ts';
import { pauseBatch } from '../../src/app/workflow/decisions/pause-batch.ts';
import { releaseRows } from './release.ts';
import { settleRebuilt } from '../../src/app/workflow/resolve-doubt/settle-rebuilt.ts';
import { folderNow } from '../../src/inbox/manifest.ts';
import { changeBatch } from '../../src/ledger/ledger.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { approve, decline, REQUIRED } from './approval/two-people.ts';
import {
  type Desk,
  endsOf,
  HURRIED,
  line,
  magic,
  openDesk,
  PATIENT,
  switchCorridor,
  transfersOf,
} from './desk.ts';
import { editManifest, manifestPath, passForLatest } from './put-back.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';
import { BY_MARIE, PAUSED } from '../ledger/records.ts';
import { own, record } from '../ledger/own.ts';
import { beforeRevision } from '../ledger/before-revision.ts';

let clock: CalendarClock;
let desk: Desk;
beforeEach(async () => {
  clock = calendarClock('2026-10-30T10:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

const SKIP_ROWS = 'policy: { onInvalidRows: skip-rows }';

/** Stops before anything is sent. */
const STOPPED = { ...HURRIED, signal: AbortSignal.abort() };

const ledgerPath = (): string => join(desk.workspace, 'ledger.sqlite');

async function keepCopy(): Promise<void> {
  await desk.shut();
  await copyFile(ledgerPath(), join(desk.workspace, 'backup'));
}

/** A copy from within the last go, by its epochs: with the heads that tell of what came behind it, or without. */
type FromWithin = 'from within the last go' | 'from within the last go, under the heads';

async function putCopyBack(also?: FromWithin): Promise<void> {
  await desk.loseLedger();
  await copyFile(join(desk.workspace, 'backup'), ledgerPath());
  if (also === undefined) return;
  await passForLatest(desk.workspace, also === 'from within the last go' ? 'lost' : 'there');
}

async function pay(paydrop: Paydrop, path: string, control = HURRIED): Promise<string> {
  return (await processBatch(paydrop, path, control)).summary.batch;
}

async function callBack(paydrop: Paydrop, id: string): Promise<void> {
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('The batch is there.');
  await releaseRows(paydrop, batch, { by: 'Ama', reason: 'called back', rows: null, skip: true });
}

/** Does what the terminal says until it asks for nothing more: each named file is rebuilt. */
async function obey(paydrop: Paydrop): Promise<readonly string[]> {
  const named: string[] = [];
  for (;;) {
    const refused = await resumeBatches(paydrop, null, HURRIED).then(
      () => null,
      (error: unknown) => {
        if (error instanceof LedgerForgetful) return error;
        throw error;
      },
    );
    if (refused === null) return named;
    const paths = [...refused.message.matchAll(/"([^"]+)"/g)].map(([, path = '']) => path);
    for (const path of paths) await rebuildFile(paydrop, path, HURRIED);
    named.push(...paths.map((path) => path.slice(path.lastIndexOf('/') + 1)));
  }
}

/** Dies between the archive and the ledger. */
function killedAtTheClose(paydrop: Paydrop): Paydrop {
  const ledger = beforeRevision(paydrop.ledger, (change) =>
    change.state === 'closed' ? Promise.reject(new Error('killed')) : Promise.resolve(),
  );
  return { ...paydrop, ledger };
}

const setCorridor = (isEnabled: boolean) => switchCorridor(desk, 'chn-cny-b2c-wechat', isEnabled);

/** A run that did not begin the rows is told no, and believes it once no create of another run can be hidden any more. */
async function refuse(paydrop: Paydrop, id: string): Promise<void> {
  await setCorridor(false);
  for (const time of ['10:01:00', '10:20:00', '10:22:00']) {
    clock.goTo(`2026-10-30T${time}Z`);
    await resumeBatches(paydrop, id, HURRIED);
  }
  expect((await endsOf(paydrop, id))[0]).toBe('rejected 10003');
  await setCorridor(true);
  // As if nobody had been told so: what was reported stays rejected, see reported-rejected.test.ts.
  await editManifest(folderNow(paydrop.workspace, id) ?? '', { rejected: {} });
}

describe('the batch was archived since', () => {
  it('a file that was called back before its time is not paid at its time', async () => {
    const id = await pay(await desk.open(), await desk.file('payroll@2026-11-28.csv', [line('A-1', '100')]));
    await keepCopy();
    const before = await desk.open();
    await callBack(before, id);
    await resumeBatches(before, id, HURRIED);
    await putCopyBack();
    clock.goTo('2026-11-28T07:30:00Z');
    const paydrop = await desk.open();
    expect(await obey(paydrop)).toEqual([]);
    expect(await endsOf(paydrop, id)).toEqual(['rejected cancelled']);
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('a file that was declined after it had been approved is not paid', async () => {
    const first = await desk.open(REQUIRED);
    const id = await pay(first, await desk.file('payroll.csv', [line('A-1', '100')]));
    await approve(first, id);
    await keepCopy();
    const before = await desk.open(REQUIRED);
    await decline(before, id);
    await resumeBatches(before, id, HURRIED);
    await putCopyBack();
    const paydrop = await desk.open(REQUIRED);
    expect(await obey(paydrop)).toEqual([]);
    expect(await endsOf(paydrop, id)).toEqual(['rejected declined']);
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('a file that was called back, and paid by another, is not paid beside it', async () => {
    const id = await pay(await desk.open(), await desk.file('payroll@2026-11-28.csv', [line('A-1', '100')]));
    await keepCopy();
    const before = await desk.open();
    await callBack(before, id);
    await resumeBatches(before, id, HURRIED);
    await pay(before, await desk.file('payroll-now.csv', [line('A-1', '100'), line('A-9', '70')]));
    await putCopyBack();
    const paydrop = await desk.open();
    expect((await obey(paydrop)).toSorted()).toEqual(['payroll-now.csv', 'payroll@2026-11-28.csv']);
    expect(await transfersOf(paydrop)).toHaveLength(2);
    clock.goTo('2026-11-28T07:30:00Z');
    await resumeBatches(paydrop, null, HURRIED);
    expect(await endsOf(paydrop, id)).toEqual(['rejected cancelled']);
    // The service lists those of the last days: none since.
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('a row that was refused, and paid by another file, is not paid a second time', async () => {
    const id = await pay(await desk.open(SKIP_ROWS), await desk.file('a.csv', [line('A-1', '100')]), STOPPED);
    await keepCopy();
    const before = await desk.open(SKIP_ROWS);
    await refuse(before, id);
    await pay(before, await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]));
    await putCopyBack();
    const paydrop = await desk.open(SKIP_ROWS);
    expect((await obey(paydrop)).toSorted()).toEqual(['a.csv', 'b.csv']);
    expect(await endsOf(paydrop, id)).toEqual(['duplicate duplicate_reference']);
    expect(await transfersOf(paydrop)).toHaveLength(2);
  });

  it('what waits for a person after the rebuild does not ask for another', async () => {
    const id = await pay(await desk.open(SKIP_ROWS), await desk.file('a.csv', [line('A-1', '100')]), STOPPED);
    await keepCopy();
    const before = await desk.open(SKIP_ROWS);
    await refuse(before, id);
    await putCopyBack();
    const paydrop = await desk.open(SKIP_ROWS);
    expect(await obey(paydrop)).toEqual([]);
    expect(await endsOf(paydrop, id)).toEqual(['held in_doubt_unseen']);
    clock.goTo('2026-10-30T10:45:00Z');
    expect(await obey(paydrop)).toEqual([]);
    expect(await endsOf(paydrop, id)).toEqual(['held in_doubt_unsent']);
    expect(await obey(paydrop)).toEqual([]);
  });

  it('a row that was under way is found paid, and counts once for the limits', async () => {
    const id = await pay(await desk.open(), await desk.file('payroll.csv', [line('A-1', '100')]));
    await keepCopy();
    await resumeBatches(await desk.open(), id, PATIENT);
    await putCopyBack();
    const paydrop = await desk.open();
    expect(await obey(paydrop)).toEqual([]);
    await resumeBatches(paydrop, id, PATIENT);
    expect(await endsOf(paydrop, id)).toEqual(['paid']);
    expect(await paydrop.ledger.history.verify()).toMatchObject({
      fault: null,
      rowFault: null,
      sumFault: null,
    });
  });

  it('a batch that was killed after it was archived, and before the ledger knew, goes on by itself', async () => {
    const first = await desk.open();
    const id = await pay(first, await desk.file('payroll@2026-11-28.csv', [line('A-1', '100')]));
    await callBack(first, id);
    await resumeBatches(killedAtTheClose(first), id, HURRIED).catch(() => null);
    expect(await first.ledger.batch(id)).toMatchObject({ state: 'closing' });
    expect(await obey(await desk.open())).toEqual([]);
    expect(await first.ledger.batch(id)).toMatchObject({ state: 'closed' });
  });
});

describe('a copy from before the last go, of a batch that is open still', () => {
  const ROWS = [magic('A-1', '0060000'), line('', '300'), line('', '300')];

  /** Sent after the copy was taken, and neither final nor archived. */
  async function sentSinceTheCopy(which?: FromWithin): Promise<string> {
    const id = await pay(await desk.open(SKIP_ROWS), await desk.file('a.csv', ROWS), STOPPED);
    await keepCopy();
    const before = await desk.open(SKIP_ROWS);
    await resumeBatches(before, id, HURRIED);
    expect((await endsOf(before, id))[0]).toBe('confirmed');
    await putCopyBack(which);
    return id;
  }

  it('learns by itself what it lacks, and goes on', async () => {
    const id = await sentSinceTheCopy();
    const paydrop = await desk.open(SKIP_ROWS);
    await resumeBatches(paydrop, id, HURRIED);
    expect(await endsOf(paydrop, id)).toEqual(['confirmed', 'held equal_rows', 'held equal_rows']);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('asks for a person where its folder cannot be read, and says what is wrong there', async () => {
    const id = await sentSinceTheCopy();
    const folder = join(desk.workspace, 'processing', id);
    await writeFile(await manifestPath(folder), 'no JSON');
    const paydrop = await desk.open(SKIP_ROWS);
    await expect(resumeBatches(paydrop, id, HURRIED)).rejects.toThrow(/batch\.\d+\.json/);
    await rm(join(folder, 'a.csv'));
    await expect(resumeBatches(paydrop, id, HURRIED)).rejects.toThrow(/First run: paydrop rebuild/);
  });

  it('is not seen in a batch that another process takes further in the midst of the look', async () => {
    const id = await pay(await desk.open(SKIP_ROWS), await desk.file('a.csv', ROWS), STOPPED);
    const paydrop = await desk.open(SKIP_ROWS);
    const before = await paydrop.ledger.batches();
    await raiseEpoch(paydrop, id);
    const ledger = new Proxy(paydrop.ledger, {
      get: (target, key) => {
        const value: unknown = key === 'batches' ? () => before : Reflect.get(target, key);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    await assertLedgerKnowsAll({ ...paydrop, ledger });
  });

  it.each([undefined, 'from within the last go, under the heads'] as const)(
    'is noticed before anything is sent or decided (%s)',
    async (which) => {
      const id = await sentSinceTheCopy(which);
      const paydrop = await desk.open(SKIP_ROWS);
      const batch = await paydrop.ledger.batch(id);
      if (batch === null) throw new Error('The batch is there.');
      const order = { by: 'Ama', reason: 'not owed', rows: null, skip: true };
      await expect(releaseRows(paydrop, batch, order)).rejects.toThrow(/^The ledger is an older copy/);
      await expect(resumeBatch(paydrop, id, HURRIED)).rejects.toThrow(LedgerForgetful);
      expect((await endsOf(paydrop, id))[0]).toBe('ready');
    },
  );

  /** What somebody, or a process, may do first with a copy that was put back. */
  const FIRST = {
    'a lease that is taken and given back': async (paydrop: Paydrop, batch: BatchRecord) => {
      const leased = await paydrop.ledger.takeOver(batch);
      if (leased !== null) await paydrop.ledger.giveBack(leased, true);
    },
    'an order to cancel rows': async (paydrop: Paydrop, batch: BatchRecord) => {
      const order = { by: 'Ama', reason: 'not owed', rows: null, skip: true, roles: null, via: 'the test' };
      await expect(orderRelease(paydrop, batch, order)).rejects.toThrow(LedgerForgetful);
    },
    'a pause': async (paydrop: Paydrop, { id }: BatchRecord) => {
      await expect(pauseBatch(paydrop, id, BY_MARIE)).rejects.toThrow(LedgerForgetful);
    },
    'a notification of the service': async ({ ledger }: Paydrop, { id }: BatchRecord) => {
      await ledger.hint({ batch: id, position: 0 });
    },
    'a reconciliation': async (paydrop: Paydrop, { id }: BatchRecord) => {
      await reconcile(paydrop, { batch: id }, HURRIED);
    },
  } as const;
  it.each(Object.keys(FIRST) as (keyof typeof FIRST)[])(
    'from within the last go stays noticed behind %s, also by the next process',
    async (first) => {
      const id = await sentSinceTheCopy('from within the last go, under the heads');
      const paydrop = await desk.open(SKIP_ROWS);
      const batch = await paydrop.ledger.batch(id);
      if (batch === null) throw new Error('The batch is there.');
      await FIRST[first](paydrop, batch);
      await desk.shut();
      await expect(assertLedgerKnowsAll(await desk.open(SKIP_ROWS))).rejects.toThrow(LedgerForgetful);
    },
  );

  it.each([approve, decline])(
    'from within the last go is noticed by %o, and stays noticed',
    async (decide) => {
      const first = await desk.open(REQUIRED);
      const id = await pay(first, await desk.file('payroll.csv', [line('A-1', '100')]));
      await keepCopy();
      const before = await desk.open(REQUIRED);
      const seen = await before.ledger.batch(id);
      if (seen === null) throw new Error('The batch is there.');
      await FIRST['a lease that is taken and given back'](before, seen);
      await putCopyBack('from within the last go, under the heads');
      const paydrop = await desk.open(REQUIRED);
      await expect(decide(paydrop, id)).rejects.toThrow(LedgerForgetful);
      await desk.shut();
      await expect(assertLedgerKnowsAll(await desk.open(REQUIRED))).rejects.toThrow(LedgerForgetful);
    },
  );

  it('that was rebuilt is no older copy by a head that a power cut brings back', async () => {
    const id = await sentSinceTheCopy('from within the last go, under the heads');
    const head = join(desk.workspace, 'processing', id, 'head.json');
    const { birthtimeMs } = await stat(head);
    const paydrop = await desk.open(SKIP_ROWS);
    await rebuildFile(paydrop, join(desk.workspace, 'processing', id, 'a.csv'), HURRIED);
    await desk.shut();
    // Not written over: taken away, and made anew.
    expect((await stat(head)).birthtimeMs).toBeGreaterThan(birthtimeMs);
  });

  it('from within the last go: what it lacks is learned, and nothing that was paid since is told unpaid', async () => {
    const id = await sentSinceTheCopy('from within the last go, under the heads');
    const paydrop = await desk.open(SKIP_ROWS);
    expect(await obey(paydrop)).toEqual([]);
    expect(await endsOf(paydrop, id)).toEqual(['confirmed', 'held equal_rows', 'held equal_rows']);
    expect(await transfersOf(paydrop)).toHaveLength(1);
    // Known again, and no more in doubt with the next start.
    const { ledger } = paydrop;
    const events = (await ledger.history.verify()).events;
    await desk.shut();
    const again = await desk.open(SKIP_ROWS);
    await assertLedgerKnowsAll(again);
    expect((await again.ledger.history.verify()).events).toBe(events);
  });

  it('is noticed by a command that decides, however often that is tried', async () => {
    const id = await sentSinceTheCopy();
    const paydrop = await desk.open(SKIP_ROWS);
    for (let tries = 0; tries < 9; tries += 1)
      await expect(pauseBatch(paydrop, id, BY_MARIE)).rejects.toThrow(LedgerForgetful);
    await resumeBatches(paydrop, id, HURRIED);
    expect(await pauseBatch(paydrop, id, BY_MARIE)).toBe(true);
  });

  it('concludes nothing from a refusal that it meets while reads hide the payment', async () => {
    const id = await sentSinceTheCopy();
    const real = await desk.open(SKIP_ROWS);
    const lag = { isOn: true };
    const service: Paydrop['service'] = {
      ...real.service,
      transferByExternalId: (asked) =>
        real.service.transferByExternalId(lag.isOn ? crypto.randomUUID() : asked),
    };
    const paydrop = { ...real, service };
    await rebuildFile(paydrop, join(desk.workspace, 'processing', id, 'a.csv'), HURRIED);
    const [row] = await paydrop.ledger.rows(id, 0, 1);
    expect(row?.progress.mayArriveUntil).not.toBeNull();
    await setCorridor(false);
    await resumeBatches(paydrop, null, HURRIED);
    expect((await endsOf(paydrop, id))[0]).toBe('quoted');
    lag.isOn = false;
    for (const time of ['10:20:00', '10:40:00', '10:42:00', '10:44:00']) {
      clock.goTo(`2026-10-30T${time}Z`);
      await resumeBatches(paydrop, null, HURRIED);
    }
    expect((await endsOf(paydrop, id))[0]).toBe('confirmed');
  });
});

describe('the batch is still open', () => {
  it('a row that was cancelled since is not paid', async () => {
    const id = await pay(await desk.open(), await desk.file('payroll@2026-11-28.csv', [line('A-1', '100')]));
    await keepCopy();
    await callBack(await desk.open(), id);
    await putCopyBack();
    clock.goTo('2026-11-28T07:30:00Z');
    const paydrop = await desk.open();
    expect(await obey(paydrop)).toEqual([]);
    expect(await endsOf(paydrop, id)).toEqual(['rejected cancelled']);
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('a row that was refused since, and paid by another file, is not paid a second time', async () => {
    const rows = [line('A-1', '100'), line('', '300'), line('', '300')];
    const id = await pay(await desk.open(SKIP_ROWS), await desk.file('a.csv', rows), STOPPED);
    await keepCopy();
    const before = await desk.open(SKIP_ROWS);
    await refuse(before, id);
    await pay(before, await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]));
    await putCopyBack();
    const paydrop = await desk.open(SKIP_ROWS);
    expect((await obey(paydrop)).toSorted()).toEqual(['a.csv', 'b.csv']);
    expect(await endsOf(paydrop, id)).toEqual([
      'duplicate duplicate_reference',
      'held equal_rows',
      'held equal_rows',
    ]);
    expect(await transfersOf(paydrop)).toHaveLength(2);
  });

  it('a file that is paused is held against what was rebuilt, and stays paused', async () => {
    const first = await desk.open(SKIP_ROWS);
    const id = await pay(first, await desk.file('a.csv', [line('A-1', '100')]), STOPPED);
    await changeBatch(first.ledger, await own(first.ledger, id), PAUSED);
    const b = await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]);
    await keepCopy();
    const before = await desk.open(SKIP_ROWS);
    await refuse(before, id);
    await pay(before, b);
    await putCopyBack();
    const paydrop = await desk.open(SKIP_ROWS);
    await rebuildFile(paydrop, b, HURRIED);
    await settleRebuilt(paydrop);
    expect(await paydrop.ledger.batch(id)).toMatchObject({ state: 'sending', ...PAUSED });
    expect(await endsOf(paydrop, id)).toEqual(['duplicate duplicate_reference']);
  });
});

// A copy from within the last go, which no manifest tells from the latest: the rows' own doubts have to hold.
describe('a row that this ledger knows as created, and whose reference another file has paid since', () => {
  const EQUAL = [line('', '300'), line('', '300')];

  /** Paused behind its create, and copied so. */
  async function createdThenCopied(): Promise<string> {
    const real = await desk.open(SKIP_ROWS);
    const createTransfer: Paydrop['service']['createTransfer'] = async (request) => {
      for (const { id } of await real.ledger.batches())
        await changeBatch(real.ledger, await own(real.ledger, id), PAUSED);
      return real.service.createTransfer(request);
    };
    const paydrop = { ...real, service: { ...real.service, createTransfer } };
    const id = await pay(paydrop, await desk.file('a.csv', [line('A-1', '100'), ...EQUAL]));
    expect((await endsOf(real, id))[0]).toBe('created');
    await keepCopy();
    return id;
  }

  async function goOn(paydrop: Paydrop, times: readonly string[]): Promise<void> {
    for (const time of times) {
      clock.goTo(`2026-10-30T${time}Z`);
      await resumeBatches(paydrop, null, HURRIED);
    }
  }

  async function paidOrOnTheWay(paydrop: Paydrop): Promise<number> {
    const sent = (await transfersOf(paydrop)).filter(
      ({ status }) => status === 'paid' || status === 'submitted',
    );
    return sent.length;
  }

  /** Its first transfer has run out, and its second was refused; then b.csv paid the reference. */
  async function refusedThenPaidByAnother(id: string): Promise<void> {
    const before = await desk.open(SKIP_ROWS);
    await setCorridor(false);
    clock.goTo('2026-10-30T10:31:00Z');
    await resumeBatches(before, null, HURRIED);
    // A refusal is believed once no create of another run can be hidden any more.
    await goOn(before, ['10:33:00', '10:35:00', '10:51:00', '10:53:00', '10:55:00']);
    expect((await endsOf(before, id))[0]).toBe('rejected 10003');
    await setCorridor(true);
    await pay(before, await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]), PATIENT);
    await putCopyBack('from within the last go');
  }

  it('is not paid a second time: a person decides', async () => {
    const id = await createdThenCopied();
    await refusedThenPaidByAnother(id);
    const paydrop = await desk.open(SKIP_ROWS);
    expect(await obey(paydrop)).toEqual(['b.csv']);
    await goOn(paydrop, ['11:00:00', '11:05:00', '11:50:00']);
    expect((await endsOf(paydrop, id))[0]).toBe('held reference_undecided');
    expect(await paidOrOnTheWay(paydrop)).toBe(2);
    const [row] = await paydrop.ledger.rows(id, 0, 1);
    expect(row?.progress.hold?.reason.en).toMatch(
      /is already paid or in progress .* Cancel this row with --skip/,
    );
    await callBack(paydrop, id);
    expect((await endsOf(paydrop, id))[0]).toBe('rejected cancelled');
  });

  it('is paid by its next transfer where a person releases it after the first has run out', async () => {
    const id = await createdThenCopied();
    await refusedThenPaidByAnother(id);
    const paydrop = await desk.open(SKIP_ROWS);
    await obey(paydrop);
    await goOn(paydrop, ['11:50:00']);
    const batch = await paydrop.ledger.batch(id);
    if (batch === null) throw new Error('The batch is there.');
    const order = { by: 'Ama', reason: 'both are owed', rows: new Set(['2']), skip: false };
    expect(await releaseRows(paydrop, batch, order)).toMatchObject({ released: ['2'] });
    await goOn(paydrop, ['11:51:00', '11:53:00', '12:10:00', '12:12:00', '12:14:00']);
    expect((await endsOf(paydrop, id))[0]).toMatch(/^(confirmed|paid)/);
    expect(await paidOrOnTheWay(paydrop)).toBe(3);
  });

  it('waits by itself while reads may hide what the other file sent, and is paid where it sent nothing', async () => {
    const id = await createdThenCopied();
    const before = await desk.open(SKIP_ROWS);
    const b = await pay(before, await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]), PATIENT);
    expect(await endsOf(before, b)).toEqual(['duplicate duplicate_reference', 'paid']);
    await putCopyBack('from within the last go');
    const paydrop = await desk.open(SKIP_ROWS);
    await obey(paydrop);
    expect((await endsOf(paydrop, id))[0]).toBe('held in_doubt_unseen');
    // Its first transfer has run out meanwhile: that is proved once more before the next one pays.
    await goOn(paydrop, ['10:05:00', '10:20:00', '10:32:00', '10:34:00', '10:36:00']);
    expect((await endsOf(paydrop, id))[0]).toMatch(/^(confirmed|paid)/);
    expect((await endsOf(paydrop, b))[0]).toBe('duplicate duplicate_reference');
    expect(await paidOrOnTheWay(paydrop)).toBe(2);
  });

  it('is not paid a second time where the other file was found unsent, and let go, before it was judged itself', async () => {
    const id = await createdThenCopied();
    const before = await desk.open(SKIP_ROWS);
    const b = await pay(before, await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]), PATIENT);
    await putCopyBack('from within the last go');
    const paydrop = await desk.open(SKIP_ROWS);
    await obey(paydrop);
    const [held] = await paydrop.ledger.rows(b, 0, 1);
    if (held === undefined) throw new Error('The row is there.');
    // Killed in between: the one is being paid already, and the other still waits.
    const progress = {
      ...held.progress,
      stage: 'ready',
      hold: null,
      why: null,
    } as const;
    await record(paydrop.ledger, held, { progress, dueAt: 0, event: 'let go' });
    await changeBatch(paydrop.ledger, await own(paydrop.ledger, b), { doubt: undefined });
    await goOn(paydrop, ['10:20:00', '10:32:00', '10:34:00', '10:36:00']);
    expect((await endsOf(paydrop, id))[0]).toBe('held reference_undecided');
    expect((await endsOf(paydrop, b))[0]).toMatch(/^(confirmed|paid)/);
    expect(await paidOrOnTheWay(paydrop)).toBe(2);
  });

  it('is not paid a second time where reads hide for a while that the other file paid it', async () => {
    const id = await createdThenCopied();
    await refusedThenPaidByAnother(id);
    const lag = { isOn: true };
    const real = await desk.open(SKIP_ROWS);
    const service: Paydrop['service'] = {
      ...real.service,
      transferByExternalId: (asked) =>
        real.service.transferByExternalId(lag.isOn ? crypto.randomUUID() : asked),
    };
    const paydrop = { ...real, service };
    await obey(paydrop);
    await goOn(paydrop, ['11:05:00', '11:08:00', '11:10:00']);
    expect((await endsOf(paydrop, id))[0]).toBe('held in_doubt_unseen');
    lag.isOn = false;
    await goOn(paydrop, ['11:13:00', '11:30:00', '11:50:00']);
    expect((await endsOf(paydrop, id))[0]).toBe('held reference_undecided');
    expect(await paidOrOnTheWay(paydrop)).toBe(2);
  });

  it('is followed where it was paid itself', async () => {
    const id = await createdThenCopied();
    const before = await desk.open(SKIP_ROWS);
    await resumeBatches(before, null, PATIENT);
    expect((await endsOf(before, id))[0]).toBe('paid');
    const b = await pay(before, await desk.file('b.csv', [line('A-1', '120'), line('A-2', '50')]));
    expect((await endsOf(before, b))[0]).toBe('held reference_paid_differently');
    const batch = await before.ledger.batch(b);
    if (batch === null) throw new Error('The batch is there.');
    await releaseRows(before, batch, { by: 'Ama', reason: 'both are owed', rows: null, skip: false });
    await resumeBatches(before, null, PATIENT);
    await putCopyBack('from within the last go');
    const paydrop = await desk.open(SKIP_ROWS);
    await rebuildFile(paydrop, join(desk.workspace, 'archive', '2026', '10', b, 'b.csv'), HURRIED);
    await settleRebuilt(paydrop);
    expect((await endsOf(paydrop, id))[0]).toBe('held reference_paid_differently');
    await resumeBatches(paydrop, null, PATIENT);
    expect((await endsOf(paydrop, id))[0]).toBe('paid');
    expect(await paidOrOnTheWay(paydrop)).toBe(3);
  });

  it('is confirmed as ever where the other file holds the reference, and has sent nothing for it', async () => {
    const id = await createdThenCopied();
    const before = await desk.open(SKIP_ROWS);
    await resumeBatches(before, null, PATIENT);
    const b = await pay(before, await desk.file('b.csv', [line('A-1', '100'), line('A-2', '50')]), PATIENT);
    expect((await endsOf(before, b))[0]).toBe('duplicate duplicate_reference');
    await putCopyBack('from within the last go');
    const paydrop = await desk.open(SKIP_ROWS);
    expect(await obey(paydrop)).toEqual(['b.csv']);
    expect((await endsOf(paydrop, id))[0]).toMatch(/^(confirmed|paid)/);
    expect(await paidOrOnTheWay(paydrop)).toBe(2);
  });
});

describe('another ledger has taken its place since', () => {
  it.each(['closed', 'open'])(
    'it pays nothing before what that one wrote of a batch, %s, is rebuilt',
    async (state) => {
      const rows =
        state === 'closed' ? [line('A-1', '100')] : [line('A-1', '100'), line('', '50'), line('', '50')];
      const file = await desk.file('a.csv', rows);
      const id = await pay(await desk.open(), file, PATIENT);
      await keepCopy();
      await desk.loseLedger();
      const since = await desk.open();
      await rebuildFile(since, file, PATIENT);
      await resumeBatches(since, null, PATIENT);
      await putCopyBack('from within the last go');
      const paydrop = await desk.open();
      await expect(resumeBatches(paydrop, null, PATIENT)).rejects.toThrow(
        /^Another ledger wrote the last state of a batch/,
      );
      expect(await obey(paydrop)).toEqual(['a.csv']);
      await resumeBatches(paydrop, null, PATIENT);
      expect((await endsOf(paydrop, id))[0]).toBe('paid');
      expect(await transfersOf(paydrop)).toHaveLength(1);
    },
  );
});
