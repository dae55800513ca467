// The epoch of a batch in ledger and manifest: what permits is in the ledger first, what forbids in the manifest first. A kill in between leaves
// neither a payment that nobody allowed nor a doubt that nobody ends.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getuid, seteuid } from 'node:process';

import { describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { LedgerForgetful } from '../../src/app/parts/describe-error.ts';
import {
  decideInBoth,
  isBehind,
  keepManifest,
  nextEpoch,
  raiseEpoch,
} from '../../src/app/workflow/batch/epoch.ts';
import { deliveryTools } from '../../src/app/workflow/carry/pay-batch.ts';
import { batchOf } from '../../src/app/workflow/batch/work.ts';
import { settleUnseen } from '../../src/app/workflow/resolve-doubt/settle-unseen.ts';
import { laterDoubt } from '../../src/app/workflow/carry/unseen-rows.ts';
import { acknowledge } from '../../src/app/workflow/answers/acknowledge.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { systemClock } from '../../src/base/clock.ts';
import { manifestEpoch, manifestNow, writeManifest } from '../../src/inbox/manifest.ts';
import { openWorkspace, processingFolder, type Workspace } from '../../src/inbox/workspace.ts';
import { type Ledger, changeBatch } from '../../src/ledger/ledger.ts';
import type { Doubt } from '../../src/ledger/records.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import { Unanswered } from '../../src/service/errors.ts';
import { atEnd } from '../at-end.ts';
import { BATCH } from '../ledger/records.ts';
import { type Desk, HURRIED, line, openDesk, PATIENT, transfersOf } from './desk.ts';
import { clientOf } from '../sandbox/sandbox-client.ts';
import { own } from '../ledger/own.ts';
import { said } from './said.ts';

const HOUR_MS = 3_600_000;

const FILE = { name: BATCH.fileName, sha256: BATCH.sha256 };
const PAUSE = {
  about: 'pause',
  by: 'Marie',
  reason: null,
  at: '2026-11-20T09:00:00.000Z',
  words: { en: 'Paused.', fr: 'En pause.', es: 'En pausa.' },
} as const;

type Both = { readonly ledger: Ledger; readonly workspace: Workspace; readonly folder: string };

/** A batch of which a go has begun: both know its first epoch. */
async function begun(): Promise<Both> {
  const root = mkdtempSync(join(tmpdir(), 'epoch-'));
  atEnd(() => rmSync(root, { recursive: true }));
  const workspace = await openWorkspace(root);
  const ledger = openSqlite(workspace.ledgerPath, systemClock);
  atEnd(() => ledger.close());
  await ledger.addBatch(BATCH);
  await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'checking' });
  const folder = processingFolder(workspace, BATCH.id);
  mkdirSync(folder);
  const both = { ledger, workspace, folder };
  await raiseEpoch(both, BATCH.id);
  return both;
}

/** As after a kill at the end of the commit of that number. */
function killedIn(both: Both, last: number): Both {
  let commits = 0;
  const revise: Ledger['revise'] = (id, decide) => {
    commits += 1;
    return both.ledger.revise(id, (batch, all) => {
      const revision = decide(batch, all);
      if (commits === last) throw new Error('killed');
      return revision;
    });
  };
  const ledger = new Proxy(both.ledger, {
    get: (target, key) => {
      const value: unknown = key === 'revise' ? revise : Reflect.get(target, key);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { ...both, ledger };
}

async function recordOf({ ledger }: Both) {
  const batch = await ledger.batch(BATCH.id);
  if (batch === null) throw new Error('The batch is there.');
  return batch;
}

async function epochsOf(both: Both): Promise<readonly number[]> {
  return [(await recordOf(both)).epoch ?? 0, manifestEpoch(both.workspace, BATCH.id)];
}

describe('a go', () => {
  it('raises the epoch in the ledger and in the manifest', async () => {
    const both = await begun();
    expect(await epochsOf(both)).toEqual([1, 1]);
    await raiseEpoch(both, BATCH.id);
    expect(await epochsOf(both)).toEqual([2, 2]);
  });

  it('that was killed in between is known to the ledger alone, which is no doubt, and is made good by the next', async () => {
    const both = await begun();
    await expect(raiseEpoch(killedIn(both, 2), BATCH.id)).rejects.toThrow('killed');
    const [ledger = 0, manifest = 0] = await epochsOf(both);
    expect(ledger).toBeGreaterThan(1);
    expect(manifest).toBeLessThanOrEqual(ledger);
    expect(isBehind(both, await recordOf(both))).toBe(false);
    await keepManifest(both, BATCH.id);
    expect(await epochsOf(both)).toEqual([ledger, ledger]);
  });

  it('has its epoch in both before its first confirm, also where a file is paid whole', async () => {
    const desk = await openDesk();
    atEnd(() => desk.close());
    const real = await desk.open('policy: { strategy: reserve-then-confirm }');
    const epochs: (readonly [number, number, string | null])[] = [];
    const confirmTransfer: Paydrop['service']['confirmTransfer'] = async (id) => {
      const [batch] = await real.ledger.batches();
      if (batch === undefined) throw new Error('The batch is there.');
      epochs.push([batch.epoch ?? 0, manifestEpoch(real.workspace, batch.id), batch.whole]);
      return real.service.confirmTransfer(id);
    };
    const paydrop = { ...real, service: { ...real.service, confirmTransfer } };
    await processBatch(
      paydrop,
      await desk.file('whole.csv', [line('A-1', '100'), line('A-2', '200')]),
      PATIENT,
    );
    expect(epochs).toHaveLength(2);
    for (const [ledger, manifest, whole] of epochs) {
      expect(ledger).toBeGreaterThan(2);
      expect(manifest).toBe(ledger);
      expect(whole).toBe('confirming');
    }
  });
});

describe('what the owner of an accepted file was told', () => {
  it('stands in the manifest, and is told again from there to the letter, whatever became of the answer', async () => {
    const desk = await openDesk();
    atEnd(() => desk.close());
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    const { outbox } = paydrop.workspace;
    const name = `payroll.${batch}.ack.json`;
    const told = readFileSync(join(outbox, name), 'utf8');
    expect(manifestNow(paydrop.workspace, batch)?.acknowledged).toEqual(JSON.parse(told));
    for (const folder of [outbox, processingFolder(paydrop.workspace, batch)]) rmSync(join(folder, name));
    await acknowledge(paydrop, await own(paydrop.ledger, batch), null);
    expect(readFileSync(join(outbox, name), 'utf8')).toBe(told);
  });
});

/** As whoever takes it over from a run that was killed leaves it, and is killed too. */
async function inDoubt(paydrop: Paydrop, file: string): Promise<string> {
  const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
  const leased = await own(paydrop.ledger, batch);
  await changeBatch(paydrop.ledger, leased, { doubt: { since: null } });
  await paydrop.ledger.giveBack(leased);
  return batch;
}

describe('a batch that nobody gave back', () => {
  it('is in doubt from the time at the service at which a go takes it up', async () => {
    const desk = await openDesk();
    atEnd(() => desk.close());
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    await changeBatch(paydrop.ledger, await own(paydrop.ledger, batch), { doubt: { since: null } });
    const before = paydrop.serviceClock.earliestNow() ?? Infinity;
    await resumeBatches(paydrop, null, HURRIED);
    const since = (await paydrop.ledger.batch(batch))?.doubt?.since;
    expect(since).toBeGreaterThanOrEqual(before);
    expect(since).toBeLessThanOrEqual(paydrop.serviceClock.latestNow() ?? 0);
  });

  it('waits for a service that is out of reach, and no clock of this machine says since when it is in doubt', async () => {
    const desk = await openDesk();
    atEnd(() => desk.close());
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const batch = await inDoubt(await desk.open(), file);
    const later = await desk.open();
    const context = { httpStatus: null, retryAfterMs: null, serverTime: null } as const;
    const gone = (operation: 'balances' | 'payoutCorridors') => () =>
      Promise.reject(new Unanswered('connection', { ...context, operation }));
    const service = {
      ...later.service,
      balances: gone('balances'),
      payoutCorridors: gone('payoutCorridors'),
    };
    const alone = await resumeBatches({ ...later, service }, null, HURRIED);
    expect(alone?.[0]?.summary.waitingFor).toBe('service');
    expect(await later.ledger.batch(batch)).toMatchObject({
      doubt: { since: null },
      wait: { for: 'service' },
    });
    await resumeBatches(later, null, HURRIED);
    expect((await later.ledger.batch(batch))?.doubt?.since).toBeGreaterThan(0);
  });

  it('does not wait for ever for a service that answers and tells no time', async () => {
    const desk = await openDesk();
    atEnd(() => desk.close());
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const batch = await inDoubt(await desk.open(), file);
    const later = await desk.open();
    const balances = async () => ({ ...(await later.service.balances()), serverTime: null });
    const timeless = { ...later, service: { ...later.service, balances } };
    const before = Date.now();
    await resumeBatches(timeless, null, HURRIED);
    expect((await later.ledger.batch(batch))?.doubt?.since).toBeGreaterThanOrEqual(before);
  });

  it.each([-26, 26])(
    'begins that anew with the first time that the service tells, where only our clock, %i h ahead, said when it began',
    async (hours) => {
      const desk = await openDesk();
      atEnd(() => desk.close());
      const file = await desk.file('payroll.csv', [line('A-1', '100')]);
      const batch = await inDoubt(await desk.open(), file);
      const later = await desk.open();
      const now = Date.now() + hours * HOUR_MS;
      const wrong = { ...later, clock: { ...later.clock, now: () => now } };
      const balances = async () => ({ ...(await later.service.balances()), serverTime: null });
      await resumeBatches({ ...wrong, service: { ...later.service, balances } }, null, HURRIED);
      expect((await later.ledger.batch(batch))?.doubt).toEqual({ since: now, isOwnTime: true });
      // From the first such answer on, while the go still goes on.
      await later.serviceClock.ask(() => later.service.balances());
      const tools = deliveryTools(wrong, await batchOf(wrong, batch));
      const doubtSince = tools.doubtSince();
      expect(Math.abs((doubtSince ?? 0) - Date.now())).toBeLessThan(HOUR_MS);
      // It stands there: what waits for its end would wait for ever otherwise.
      await later.serviceClock.ask(() => later.service.balances());
      expect(tools.doubtSince()).toBe(doubtSince);
      await resumeBatches(wrong, null, HURRIED);
      const { since = null, ...rest } = (await later.ledger.batch(batch))?.doubt ?? {};
      expect(Math.abs((since ?? 0) - Date.now())).toBeLessThan(HOUR_MS);
      expect(rest).toEqual({});
    },
  );
});

describe('a doubt', () => {
  /** A service whose answers bear no time, asked by a process whose clock is ahead by a day and two hours. */
  async function ahead(desk: Desk, batch: string, doubt: Doubt) {
    const later = await desk.open();
    await changeBatch(later.ledger, await own(later.ledger, batch), { doubt });
    const balances = async () => ({ ...(await later.service.balances()), serverTime: null });
    const now = Date.now() + 26 * HOUR_MS;
    const timeless = {
      ...later,
      clock: { ...later.clock, now: () => now },
      service: { ...later.service, balances },
    };
    return { later, timeless, kept: async () => (await later.ledger.batch(batch))?.doubt };
  }

  it('that began by the time of the service is not ended by our own clock', async () => {
    const desk = await openDesk();
    atEnd(() => desk.close());
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const batch = await inDoubt(await desk.open(), file);
    const since = Date.now() - HOUR_MS;
    const { later, timeless, kept } = await ahead(desk, batch, { since });
    await settleUnseen(timeless);
    expect(await kept()).toEqual({ since });
    await settleUnseen(later);
    expect(await kept()).toBeUndefined();
  });

  it.each([
    ['that nobody began', null],
    ['that our own clock began', -26 * HOUR_MS],
  ])(
    'of a paused batch, %s, begins too when the service tells the time: others wait for it',
    async (_whose, ms) => {
      const since = ms === null ? null : Date.now() + ms;
      const desk = await openDesk();
      atEnd(() => desk.close());
      const file = await desk.file('payroll.csv', [line('A-1', '100')]);
      const batch = await inDoubt(await desk.open(), file);
      const { later, kept } = await ahead(desk, batch, { since, isOwnTime: since !== null });
      await changeBatch(later.ledger, await own(later.ledger, batch), { decisions: [PAUSE] });
      await settleUnseen(later);
      const begun = await kept();
      expect(Math.abs((begun?.since ?? 0) - Date.now())).toBeLessThan(HOUR_MS);
      expect(begun?.isOwnTime).toBeUndefined();
    },
  );

  it('that our own clock began passes for the later of two, whatever that clock said', () => {
    const [ours, theirs] = [{ since: 5, isOwnTime: true }, { since: 1_000 }];
    expect(laterDoubt(theirs, ours)).toBe(ours);
    expect(laterDoubt(ours, theirs)).toBe(ours);
    expect(laterDoubt({ since: 999 }, theirs)).toBe(theirs);
    expect(laterDoubt(undefined, theirs)).toBe(theirs);
  });
});

/** Permissions mean nothing to the superuser, as which tests run in containers. */
async function asNobody<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const isSuperuser = getuid?.() === 0;
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  if (isSuperuser) for (const name of ['', ...entries]) chownSync(join(folder, name), 65_534, 65_534);
  // The folders above belong to the superuser too.
  if (isSuperuser) chmodSync(dirname(folder), 0o711);
  if (isSuperuser) seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isSuperuser) seteuid?.(0);
  }
}

describe('a manifest that the disk does not take', () => {
  it('is waited for in words, with nothing sent meanwhile, and the next go pays', async () => {
    const desk = await openDesk();
    atEnd(() => desk.close());
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const setBalance = (availableAmount: string) =>
      clientOf(desk.sandbox).post('/sandbox/balances', { currency: 'XAF', availableAmount });
    await setBalance('0');
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    await setBalance('10000000');
    const folder = processingFolder(paydrop.workspace, batch);
    chmodSync(folder, 0o500);
    const results = await asNobody(desk.workspace, async () => resumeBatches(paydrop, null, PATIENT));
    expect(said(results?.[0]?.words ?? []).join()).toMatch(/takes no more notes \(EACCES\)/);
    expect(results?.[0]?.summary).toMatchObject({ waitingFor: 'operator', outcomes: { pending: 1 } });
    expect(await transfersOf(paydrop)).toEqual([]);
    expect((await paydrop.ledger.batch(batch))?.wait?.for).toBe('manifest');
    chmodSync(folder, 0o700);
    const [after] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
    expect(after?.summary).toMatchObject({ state: 'closed', waitingFor: null, outcomes: { paid: 1 } });
  });
});

describe('what forbids', () => {
  const pause = (both: Both) =>
    decideInBoth(both, BATCH.id, { pause: PAUSE }, ({ decisions }) => ({
      change: { decisions: [...decisions, PAUSE] },
      event: 'paused',
    }));

  it('is in the manifest before it is in the ledger', async () => {
    const both = await begun();
    await expect(pause(killedIn(both, 2))).rejects.toThrow('killed');
    expect((await recordOf(both)).decisions).toEqual([]);
    expect(manifestNow(both.workspace, BATCH.id)?.pause).toEqual(PAUSE);
    expect(isBehind(both, await recordOf(both))).toBe(false);
  });

  it('is in neither where it was killed before', async () => {
    const both = await begun();
    await expect(pause(killedIn(both, 1))).rejects.toThrow('killed');
    expect((await recordOf(both)).decisions).toEqual([]);
    expect(manifestNow(both.workspace, BATCH.id)?.pause).toBeUndefined();
    expect(await epochsOf(both)).toEqual([1, 1]);
  });
});

describe('a manifest', () => {
  it('that knows more than the ledger is a doubt: no go begins, and nothing is written over it', async () => {
    const both = await begun();
    writeManifest(
      both.workspace,
      { epoch: 7, ledger: both.ledger.id, batch: BATCH.id, file: FILE },
      { pause: PAUSE },
    );
    expect(isBehind(both, await recordOf(both))).toBe(true);
    await expect(raiseEpoch(both, BATCH.id)).rejects.toThrow(LedgerForgetful);
    await expect(keepManifest(both, BATCH.id, { pause: null })).rejects.toThrow(LedgerForgetful);
    expect(manifestNow(both.workspace, BATCH.id)).toMatchObject({ epoch: 7, pause: PAUSE });
  });

  it('that another ledger wrote is a doubt, be its epoch lower, until the batch is rebuilt', async () => {
    const both = await begun();
    const [folder] = readdirSync(both.folder);
    const facts = { epoch: 1, ledger: 'another', batch: BATCH.id, file: FILE };
    writeFileSync(join(both.folder, String(folder)), JSON.stringify(facts));
    await raiseEpoch(both, BATCH.id).then(
      () => expect.unreachable(),
      (error: unknown) => expect(error).toBeInstanceOf(LedgerForgetful),
    );
    await expect(keepManifest(both, BATCH.id, { pause: PAUSE })).rejects.toThrow('Another ledger');
    expect(manifestNow(both.workspace, BATCH.id)).toEqual(facts);
    const resolving = { ...(await recordOf(both)), state: 'resolving' } as const;
    expect(nextEpoch(both, resolving)).toEqual({ epoch: 2 });
  });

  it('and its ledger are both behind the next epoch, whichever knows more', async () => {
    const both = await begun();
    const resolving = { ...(await recordOf(both)), state: 'resolving', epoch: 3 } as const;
    expect(nextEpoch(both, resolving)).toEqual({ epoch: 4 });
    writeManifest(both.workspace, { epoch: 7, ledger: both.ledger.id, batch: BATCH.id, file: FILE });
    expect(nextEpoch(both, resolving)).toEqual({ epoch: 8 });
  });

  it('of the highest epoch counts where a kill has left two, and the next takes the place of both', async () => {
    const { ledger, workspace, folder } = await begun();
    writeManifest(workspace, { epoch: 9, ledger: ledger.id, batch: BATCH.id, file: FILE }, { pause: PAUSE });
    writeFileSync(
      join(folder, 'batch.2.json'),
      JSON.stringify({ epoch: 2, ledger: ledger.id, batch: BATCH.id, file: FILE }),
    );
    expect(manifestNow(workspace, BATCH.id)).toMatchObject({ epoch: 9, pause: PAUSE });
    writeManifest(workspace, { epoch: 10, ledger: ledger.id, batch: BATCH.id, file: FILE });
    expect(readdirSync(folder)).toEqual(['batch.10.json']);
    expect(manifestNow(workspace, BATCH.id)).toMatchObject({ epoch: 10, pause: PAUSE });
  });

  it('never goes back to an earlier epoch', async () => {
    const { ledger, workspace, folder } = await begun();
    writeManifest(workspace, { epoch: 9, ledger: ledger.id, batch: BATCH.id, file: FILE });
    writeManifest(workspace, { epoch: 3, ledger: ledger.id, batch: BATCH.id, file: FILE }, { pause: PAUSE });
    expect(readdirSync(folder)).toEqual(['batch.9.json']);
    expect(manifestNow(workspace, BATCH.id)).toMatchObject({ epoch: 9, pause: PAUSE });
  });
});
