// `approve` and `decline` as commands: separate processes from the one that pays.
import { execFile } from 'node:child_process';
import { once } from 'node:events';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { statusOf } from '../../../src/app/desk/batch-status.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { endsOf, HURRIED, line, openDesk, SENDER, transfersOf, type Desk } from '../desk.ts';
import { askedOf, REQUIRED, resume } from './two-people.ts';

let desk: Desk;
beforeEach(async () => void (desk = await openDesk()));
afterEach(() => desk.close());

async function command(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const environment = { PAYDROP_BASE_URL: desk.sandbox.baseUrl, PAYDROP_API_KEY: desk.sandbox.apiKey };
  const child = execFile(process.execPath, ['src/main.ts', '--workspace', desk.workspace, ...args], {
    env: { ...process.env, ...environment },
  });
  let out = '';
  const add = (text: string): void => void (out += text);
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  const [code] = (await once(child, 'close')) as [number];
  return { code, out };
}

async function asked() {
  const paydrop = await desk.open(REQUIRED);
  const { summary } = await processBatch(paydrop, await desk.file('a.csv', [line('A', '100')]), HURRIED);
  return { paydrop, batch: summary.batch };
}

/** Each command is a process of its own, which a busy machine starts slowly. */
const SLOW_MS = 120_000;

it(
  'approve says what was approved, and the process that has the batch pays it',
  async () => {
    const { paydrop, batch } = await asked();
    const { totals } = await askedOf(paydrop, batch);
    const debit = totals[0]?.debit ?? '';
    expect(await command('approve', batch, '--by', 'a\u0007b')).toMatchObject({ code: 2 });
    expect(await command('approve', batch, '--by', 'Marie', '--total', '1 XAF')).toMatchObject({ code: 2 });
    const approved = await command('approve', batch, '--by', 'Marie', '--total', `${debit} XAF`);
    expect(approved.code).toBe(0);
    expect(approved.out).toContain(`Approved by Marie: 1 row of a.csv (SHA-256 `);
    expect((await askedOf(paydrop, batch)).given?.via).toMatch(/^command of the system's user ./);
    const status = await command('status', batch);
    expect(status.out).toMatch(/Approved by Marie on \d{4}-.*paydrop resume/);
    expect((await resume(paydrop, batch)).summary.outcomes.paid).toBe(1);
    const record = await paydrop.ledger.batch(batch);
    const { approval } = record === null ? { approval: null } : await statusOf(paydrop, record);
    expect(approval).toMatchObject({ rows: 1, given: { by: 'Marie' }, declined: null });
  },
  SLOW_MS,
);

it(
  'decline leaves a batch that another process has to that one',
  async () => {
    const { paydrop, batch } = await asked();
    const declined = await command('decline', batch, '--by', 'Marie', '--reason', 'wrong month', '--json');
    expect(JSON.parse(declined.out)).toMatchObject({ batch, decision: 'decided', code: null });
    expect((await paydrop.ledger.batch(batch))?.state).toBe('accepted');
    expect((await resume(paydrop, batch)).summary.state).toBe('closed');
    expect(await transfersOf(paydrop)).toEqual([]);
  },
  SLOW_MS,
);

it(
  'run waits for approval with exit code 5, and decline closes the batch where nobody else has it',
  async () => {
    const config = await desk.write('paydrop.yaml', `${SENDER}\n${REQUIRED}\n`);
    const file = await desk.file('a.csv', [line('A', '100')]);
    const run = await command('--config', config, 'run', file, '--wait', '0', '--by', 'Paul', '--json');
    expect(run.code).toBe(5);
    expect(run.out).toContain('"state": "awaiting-approval"');
    const paydrop = await desk.open();
    const [batch] = await paydrop.ledger.batches();
    const id = batch?.id ?? '';
    await desk.shut();
    expect(await command('approve', id, '--by', 'PAUL')).toMatchObject({ code: 2 });
    expect(await command('decline', id, '--by', 'Paul', '--reason', 'wrong month')).toMatchObject({
      code: 0,
    });
    const next = await desk.open();
    expect((await next.ledger.batch(id))?.state).toBe('closed');
    expect(await endsOf(next, id)).toEqual(['rejected declined']);
    expect(await transfersOf(next)).toEqual([]);
  },
  SLOW_MS,
);
