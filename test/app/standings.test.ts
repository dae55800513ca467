// What is said of a file's money, at every step of its life: nothing is called paid for before a transfer of it exists, or while its question is open.
import { afterEach, beforeEach, expect, it } from 'vitest';

import { statusOf } from '../../src/app/desk/batch-status.ts';
import { release } from '../../src/app/desk/commands.ts';
import { releaseRows } from './release.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { waitsForAnswer } from '../../src/ledger/approval.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Standing } from '../../src/contract/words.ts';
import { summarize, type Summary } from '../../src/results/summary.ts';
import { approve, decline, REQUIRED } from './approval/two-people.ts';
import { HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

type Step = Pick<Summary, 'state' | 'standing'> & { readonly isAsked: boolean; readonly created: number };

const WRITES: ReadonlySet<string | symbol> = new Set([
  'addRows',
  'askApproval',
  'crossCheck',
  'decideWhole',
  'record',
  'revise',
  'takeOver',
] satisfies readonly (keyof Ledger)[] as readonly string[]);

/** Looks at the one batch after each write of the ledger, and at what the service has of it before. */
function watched(paydrop: Paydrop): { readonly paydrop: Paydrop; readonly steps: Step[] } {
  const { ledger } = paydrop;
  const steps: Step[] = [];
  const look = async (created: number): Promise<void> => {
    const [batch] = await ledger.batches();
    if (batch === undefined) return;
    const { state, standing } = await summarize(ledger, batch);
    steps.push({ state, standing, isAsked: waitsForAnswer(batch), created });
  };
  const proxy = new Proxy(ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: readonly unknown[]) => unknown;
      if (!WRITES.has(name)) return call;
      return async (...args: readonly unknown[]) => {
        const written = await call(...args);
        await look((await transfersOf(paydrop)).length);
        return written;
      };
    },
  });
  return { paydrop: { ...paydrop, ledger: proxy }, steps };
}

/** Each once, in their order. */
function walked(steps: readonly Step[]): readonly Standing[] {
  return [...new Set(steps.map(({ standing }) => standing))];
}

function expectTrue(steps: readonly Step[]): void {
  expect(steps.length).toBeGreaterThan(10);
  for (const step of steps) {
    const isSaidPaid = [step.state, step.standing].includes('paying') || step.standing === 'in-transit';
    if (step.isAsked || step.created === 0)
      expect({ ...step, isSaidPaid }).toMatchObject({ isSaidPaid: false });
  }
}

it.each(['', 'policy: { strategy: reserve-then-confirm }', 'policy: { onInvalidRows: skip-rows }'])(
  'of a file that nobody is asked about, under "%s"',
  async (config) => {
    const { paydrop, steps } = watched(await desk.open(config));
    const rows = [line('A-1', '100'), line('A-2', '200'), line('A-3', '300')];
    await processBatch(paydrop, await desk.file('pay.csv', rows), HURRIED);
    await resumeBatches(paydrop, null, PATIENT);
    expectTrue(steps);
    expect(walked(steps)).toEqual(['checking', 'asking-prices', 'paying', 'in-transit', 'done']);
  },
);

it('of a file that waits for its approval, is approved, and is paid', async () => {
  const opened = await desk.open(REQUIRED);
  const { paydrop, steps } = watched(opened);
  const file = await desk.file('pay.csv', [line('A-1', '100'), line('A-2', '200')]);
  const { summary } = await processBatch(paydrop, file, PATIENT);
  expect(summary).toMatchObject({ state: 'awaiting-approval', standing: 'awaiting-approval' });
  expectTrue(steps);
  expect(walked(steps)).toEqual(['checking', 'asking-prices', 'awaiting-approval']);
  await approve(opened, summary.batch);
  // No run has it: it is no more and no less than decided.
  const [batch] = await opened.ledger.batches();
  if (batch === undefined) throw new Error('The batch is not known.');
  const left = await statusOf(opened, { ...batch, owner: null });
  expect(left).toMatchObject({ standing: 'ready', stands: 'ready; nobody works on it', state: 'checked' });
  await resumeBatches(paydrop, null, PATIENT);
  expectTrue(steps);
  expect(walked(steps).slice(3)).toEqual(['paying', 'in-transit', 'done']);
});

it.each([
  ['skip', true, 'paydrop decline'],
  ['let go', false, 'paydrop approve'],
])(
  'a release that has nothing to %s changes nothing, and names the command that does it',
  async (_, skip, command) => {
    const paydrop = await desk.open(REQUIRED);
    const file = await desk.file('pay.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
    const order = { by: 'Marie', reason: 'no', rows: null, skip, via: 'the test' };
    const end = await release(paydrop, batch, order);
    expect(end).toMatchObject({ instead: { en: expect.stringContaining(`${command} ${batch}`) as string } });
    expect(await summaryOf(paydrop)).toMatchObject({ standing: 'awaiting-approval' });
  },
);

async function summaryOf(paydrop: Paydrop): Promise<Summary> {
  const [batch] = await paydrop.ledger.batches();
  if (batch === undefined) throw new Error('The batch is not known.');
  return summarize(paydrop.ledger, batch);
}

it('of a file that is declined', async () => {
  const opened = await desk.open(REQUIRED);
  const { paydrop, steps } = watched(opened);
  const file = await desk.file('pay.csv', [line('A-1', '100'), line('A-2', '200')]);
  const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
  await decline(opened, batch);
  await resumeBatches(paydrop, null, PATIENT);
  expectTrue(steps);
  expect(walked(steps)).toEqual(['checking', 'asking-prices', 'awaiting-approval', 'done-not-paid']);
});

it('of a file all of whose rows are held: a decision, and no payment', async () => {
  const { paydrop, steps } = watched(await desk.open());
  const file = await desk.file('pay.csv', [line('', '100'), line('', '100')]);
  const { summary } = await processBatch(paydrop, file, PATIENT);
  expect(summary).toMatchObject({ state: 'checked', standing: 'needs-decision', waitingFor: 'operator' });
  expectTrue(steps);
});

it('of a file that a limit stops, and a person lets go on: ready, and not interrupted', async () => {
  const opened = await desk.open('limits: { perDay: 20000 XAF }');
  const { paydrop, steps } = watched(opened);
  const file = await desk.file('pay.csv', [line('A-1', '100'), line('A-2', '200')]);
  const { summary } = await processBatch(paydrop, file, PATIENT);
  expect(summary).toMatchObject({ state: 'checked', standing: 'needs-decision', waitingFor: 'operator' });
  expectTrue(steps);
  const [stopped] = await opened.ledger.batches();
  if (stopped === undefined) throw new Error('The batch is not known.');
  await releaseRows(opened, stopped, { by: 'Marie', reason: 'agreed', rows: null, skip: false });
  const stands = async () => {
    const batch = await opened.ledger.batch(stopped.id);
    if (batch === null) throw new Error('The batch is not known.');
    return statusOf(opened, { ...batch, owner: null });
  };
  expect(await stands()).toMatchObject({ standing: 'ready', stands: 'ready; nobody works on it' });
  const stopping = new AbortController();
  const view = { ...PATIENT.view, moved: () => stopping.abort() };
  await resumeBatches(opened, null, { ...PATIENT, signal: stopping.signal, view });
  // A run has gone on since, and was told to stop.
  expect(await stands()).toMatchObject({ standing: 'interrupted' });
});
