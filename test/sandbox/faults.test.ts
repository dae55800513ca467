// Faults on purpose: what each kind does to a caller, and that a seed always brings the same ones.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { describeError } from '../../src/app/parts/describe-error.ts';
import { startTold } from '../../src/app/parts/embedded-sandbox.ts';
import { EXIT } from '../../src/base/exit-codes.ts';

import { planFaults, readFaults, type Faults } from '../../src/sandbox/faults.ts';
import { quotationRequest, refusalOf } from './sandbox-client.ts';
import { until } from './until.ts';
import { withSandbox } from './with-sandbox.ts';

type Rule = NonNullable<Faults['rules']>[number];

const ONCE = { operations: ['createQuotation'], times: 1 } as const;

/** What the first try and then a look-up of its reference are answered, under a fault that strikes the first try. */
async function struckOnce(rule: Rule) {
  const { client } = await withSandbox({ faults: { rules: [rule] } });
  const request = quotationRequest();
  const first = await client.post('/rates', request).catch((error: unknown) => ({ error }));
  const lookUp = await client.get(`/rates/ext-${String(request['externalId'])}`);
  return { first, wasDone: lookUp.status === 200 };
}

describe('the fault', () => {
  it.each([
    ['reset', false],
    ['drop', false],
    ['drop-answer', true],
  ] as const)('%s breaks the connection, and whether the work was done is %j', async (fault, done) => {
    const { first, wasDone } = await struckOnce({ fault, ...ONCE });
    expect(first).toHaveProperty('error');
    expect(wasDone).toBe(done);
  });

  it('throttle answers 429 with Retry-After and does nothing', async () => {
    const { first, wasDone } = await struckOnce({ fault: 'throttle', retryAfterSeconds: 7, ...ONCE });
    expect(first).toMatchObject({ status: 429 });
    expect('headers' in first && first.headers.get('retry-after')).toBe('7');
    expect(wasDone).toBe(false);
  });

  it.each([false, true])('html answers a page under a 5xx, and the work was done: %j', async (acts) => {
    const { first, wasDone } = await struckOnce({ fault: 'html', status: 503, acts, ...ONCE });
    expect(first).toMatchObject({ status: 503 });
    expect('text' in first && first.text).toContain('<html>');
    expect(wasDone).toBe(acts);
  });

  it('cut does the work and ends the JSON in its middle', async () => {
    const { first, wasDone } = await struckOnce({ fault: 'cut', ...ONCE });
    expect(first).toMatchObject({ status: 200 });
    expect(() => JSON.parse('text' in first ? first.text : '{}') as unknown).toThrow(SyntaxError);
    expect(wasDone).toBe(true);
  });

  it('delay does the work later', async () => {
    const faults: Faults = { rules: [{ fault: 'delay', delayMs: 5_000, ...ONCE }] };
    const { client, clock } = await withSandbox({ faults });
    const request = quotationRequest();
    const reply = client.post('/rates', request);
    await until(() => clock.sleepers() === 1);
    expect(refusalOf(await client.get(`/rates/ext-${String(request['externalId'])}`))).toBe('500/10008');
    clock.advance(5_000);
    expect((await reply).json).toMatchObject({ createdAt: '2026-11-20T08:30:05.250Z' });
  });

  it('refuse resets a connection before any request on it', async () => {
    const { client } = await withSandbox({ faults: { rules: [{ fault: 'refuse', times: 1 }] } });
    await expect(client.get('/public/balances')).rejects.toThrow();
    expect((await client.get('/public/balances')).status).toBe(200);
  });

  it('leaves the control endpoints alone', async () => {
    const { client } = await withSandbox({ faults: { rules: [{ fault: 'drop' }] } });
    expect((await client.get('/sandbox/books')).status).toBe(200);
  });
});

describe('a plan of faults', () => {
  const faults = (seed: number): Faults => ({
    seed,
    rules: [
      { fault: 'drop', operations: ['createTransfer'], probability: 0.3 },
      { fault: 'delay', probability: 0.2, delayMs: 5 },
    ],
  });
  const fates = (seed: number, calls = 200) => {
    const plan = planFaults(faults(seed));
    return Array.from({ length: calls }, () => plan.onCall('createTransfer')?.fault ?? null);
  };

  it('is the same for the same seed and another for another', () => {
    expect(fates(7)).toEqual(fates(7));
    expect(fates(7)).not.toEqual(fates(8));
  });

  it('does not depend on calls of other operations in between', () => {
    const plan = planFaults(faults(7));
    const mixed = Array.from({ length: 200 }, () => {
      plan.onCall('transfer');
      return plan.onCall('createTransfer')?.fault ?? null;
    });
    expect(mixed).toEqual(fates(7));
  });

  it('strikes about as often as its probability says', () => {
    const drops = fates(1, 5_000).filter((fate) => fate === 'drop').length;
    expect(drops).toBeGreaterThan(1_350);
    expect(drops).toBeLessThan(1_650);
  });

  it('spares the calls to skip, and ends after its times', () => {
    const plan = planFaults({ rules: [{ fault: 'cut', skip: 2, times: 1 }] });
    const seen = Array.from({ length: 5 }, () => plan.onCall('transfer')?.fault ?? null);
    expect(seen).toEqual([null, null, 'cut', null, null]);
  });
});

describe('a faults file', () => {
  it('is read, and refused with its mistakes named', () => {
    const folder = mkdtempSync(join(tmpdir(), 'faults-'));
    const path = join(folder, 'faults.json');
    writeFileSync(path, '{ "seed": 3, "rules": [{ "fault": "html", "status": 503 }] }');
    expect(readFaults(path)).toMatchObject({ seed: 3, rules: [{ fault: 'html', probability: 1 }] });
    writeFileSync(path, '{ "rules": [{ "fault": "html", "status": 200, "oftn": 1 }] }');
    expect(() => readFaults(path)).toThrow(/status|oftn/);
    rmSync(folder, { recursive: true });
  });

  it.each(['{ "rules": [', '{ "rules": [{ "fault": "nope" }] }'])(
    'that is wrong is a mistake of the person who gives it, and not a bug: %s',
    async (text) => {
      const folder = mkdtempSync(join(tmpdir(), 'faults-'));
      const faultsPath = join(folder, 'faults.json');
      writeFileSync(faultsPath, text);
      const { code, words } = describeError(await startTold({ faultsPath }).catch((error: unknown) => error));
      expect(code).toBe(EXIT.usage);
      expect(words.fr).toContain(faultsPath);
      rmSync(folder, { recursive: true });
    },
  );
});
