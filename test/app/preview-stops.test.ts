// A preview that cannot be finished, or that finds what a check cannot: it never looks like the preview of the whole file.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { compose } from '../../src/app/compose.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { previewFile } from '../../src/app/desk/preview-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { silentLog } from '../../src/base/log.ts';
import { isQuote, meddlingProxy, refusal, type Asked, type Meddling } from '../delivery/meddling-proxy.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A desk whose calls pass through somebody's hands, and all of them. */
async function openMeddled(
  meddling: Meddling = {},
  concurrency = 4,
): Promise<{ readonly desk: Desk; readonly paydrop: Paydrop; readonly asked: readonly Asked[] }> {
  const desk = await openDesk();
  closers.push(() => desk.close());
  const asked: Asked[] = [];
  const seen: Meddling = {
    ...meddling,
    instead: (call) => {
      asked.push(call);
      return meddling.instead?.(call) ?? null;
    },
  };
  const { config } = await desk.open(`service: { concurrency: ${String(concurrency)} }`);
  await desk.shut();
  const baseUrl = new URL(await meddlingProxy(desk.sandbox.baseUrl, seen));
  const paydrop = await compose({ ...config, baseUrl }, silentLog);
  closers.push(() => paydrop.close());
  return { desk, paydrop, asked };
}

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => line(`A-${String(index)}`, String(100 + index)));

async function previewsIn({ workspace }: Paydrop): Promise<readonly string[]> {
  return (await readdir(workspace.outbox)).filter((name) => name.includes('preview'));
}

describe('a preview that cannot be finished', () => {
  it('for want of prices is none: it ends with 5 after few calls, and says that it waits for the service', async () => {
    let prices = 0;
    const { desk, paydrop, asked } = await openMeddled({
      instead: (call) => (isQuote(call) && ++prices > 50 ? { status: 503 } : null),
    });
    const result = await previewFile(paydrop, await desk.file('payroll.csv', rows(150)), HURRIED);
    expect(exitCodeOf(result, 0)).toBe(5);
    expect(result.summary).toMatchObject({ state: 'checked', waitingFor: 'service', answers: [] });
    expect(result.summary.preview).toBeUndefined();
    expect(await previewsIn(paydrop)).toEqual([]);
    // The four that were under way together may all have failed; no other row was asked for.
    expect(asked.filter(isQuote).length).toBeLessThanOrEqual(54);
  });

  it('because somebody stops it makes no further call', async () => {
    const { desk, paydrop, asked } = await openMeddled({}, 1);
    const stop = new AbortController();
    let settled = 0;
    const control = {
      ...PATIENT,
      signal: stop.signal,
      view: { ...PATIENT.view, settled: () => (++settled === 3 ? stop.abort() : undefined) },
    };
    const result = await previewFile(paydrop, await desk.file('payroll.csv', rows(30)), control);
    expect(exitCodeOf(result, 0)).toBe(5);
    expect(said(result.words).at(-1)).toContain('stopped');
    expect(asked.filter(isQuote).length).toBeLessThanOrEqual(4);
    expect(await previewsIn(paydrop)).toEqual([]);
  });

  it('because the key is refused says so', async () => {
    const { desk, paydrop } = await openMeddled({
      instead: (call) => (isQuote(call) ? refusal(403, 10001) : null),
    });
    const result = await previewFile(paydrop, await desk.file('payroll.csv', rows(2)), PATIENT);
    expect(result.summary.waitingFor).toBe('credentials');
  });
});

describe('what only a price shows', () => {
  it('an amount that would arrive outside the bounds is to be fixed, and not every row can be paid', async () => {
    const { desk, paydrop } = await openMeddled();
    const path = await desk.file('payroll.csv', [line('A-1', '100'), line('A-2', '100')]);
    const [header = '', first = '', second = ''] = (await readFile(path, 'utf8')).split('\n');
    const lines = [
      header.replace('destinationAmount', 'destinationAmount,sourceAmount'),
      first.replace(',100,', ',100,,'),
      // A hundred XAF are a yuan, and the corridor pays from ten.
      second.replace(',100,', ',,100,'),
    ];
    await writeFile(path, `${lines.join('\n')}\n`);
    const result = await previewFile(paydrop, path, PATIENT);
    expect(exitCodeOf(result, 0)).toBe(4);
    expect(result.summary.outcomes).toMatchObject({ rejected: 1, pending: 1 });
    expect(said(result.words)).toContain(
      '1 row cannot be paid at this price: see the preview, column payout.error.',
    );
    expect(said(result.words).join(' ')).not.toContain('Every row can be paid');
  });

  it('a price of something else than was asked is no price', async () => {
    const { desk, paydrop } = await openMeddled({
      after: (call, { body }) =>
        isQuote(call) ? { body: body.replace('"destinationAmount":100', '"destinationAmount":90') } : null,
    });
    const result = await previewFile(paydrop, await desk.file('payroll.csv', [line('A-1', '100')]), PATIENT);
    expect(result.summary).toMatchObject({ outcomes: { rejected: 1 }, preview: [] });
  });
});

describe('previews and runs of one file', () => {
  it('previewed twice, the file is paid once, by a run that takes over the prices that are still valid', async () => {
    const { desk, paydrop, asked } = await openMeddled();
    const path = await desk.file('payroll.csv', rows(5));
    await previewFile(paydrop, path, PATIENT);
    await previewFile(paydrop, path, PATIENT);
    const before = asked.length;
    const { summary } = await processBatch(paydrop, path, PATIENT);
    const calls = asked.slice(before);
    expect(await endsOf(paydrop, summary.batch)).toEqual(Array(5).fill('paid'));
    expect(calls.filter(isQuote)).toHaveLength(5);
    expect(calls.filter(({ path: asks }) => asks.startsWith('/rates/ext-'))).toHaveLength(5);
    const ids = asked
      .filter(isQuote)
      .map(({ body }) => (JSON.parse(body) as { externalId: string }).externalId);
    expect(new Set(ids).size).toBe(5);
    expect(await transfersOf(paydrop)).toHaveLength(5);
  });

  it('previewed after it was paid, the file is told to be paid already', async () => {
    const { desk, paydrop } = await openMeddled();
    const path = await desk.file('payroll.csv', rows(1));
    const { summary } = await processBatch(paydrop, path, PATIENT);
    const { words } = await previewFile(paydrop, path, PATIENT);
    expect(said(words).join(' ')).toContain(`batch ${summary.batch}. Nothing was sent`);
  });

  it('a file that comes again with new rows costs what the new ones cost, and says what became of the others', async () => {
    const { desk, paydrop, asked } = await openMeddled();
    await processBatch(paydrop, await desk.file('october.csv', rows(2)), PATIENT);
    const whole = await desk.file('whole.csv', [line('A-0', '100'), line('A-1', '999'), line('B-1', '300')]);
    const quotes = asked.filter(isQuote).length;
    const preview = await previewFile(paydrop, whole, PATIENT);
    expect(asked.filter(isQuote).length - quotes).toBe(1);
    expect(preview.summary.outcomes).toMatchObject({ duplicate: 1, held: 1, pending: 1, rejected: 0 });
    expect(said(preview.words).join(' ')).toContain('1 row was paid before and is not counted');
    expect(said(preview.words).join(' ')).toContain(
      '1 row would be held because it looks like an earlier payment',
    );
    expect(said(preview.words)).not.toContain('Every row can be paid.');
    const ran = await processBatch(paydrop, whole, PATIENT);
    expect(ran.summary.outcomes).toMatchObject({ duplicate: 1, held: 1, paid: 1 });
    expect(ran.summary.totals[0]?.debited).toBe(preview.summary.preview?.[0]?.debit);
    const name = preview.summary.answers.find((answer) => answer.includes('.preview.')) ?? '';
    const [, first = '', second = ''] = (await readFile(join(paydrop.workspace.outbox, name), 'utf8')).split(
      '\n',
    );
    expect(first).toContain('is already paid or in progress');
    expect(second).toContain('with another receiver or amount');
  });

  it('no preview asks for a price by a read', async () => {
    const { desk, paydrop, asked } = await openMeddled();
    await previewFile(paydrop, await desk.file('payroll.csv', rows(3)), PATIENT);
    expect(asked.filter(({ method, path }) => method === 'GET' && path.startsWith('/rates'))).toEqual([]);
    expect(asked.filter(({ path }) => path.startsWith('/transfers'))).toEqual([]);
  });
});
