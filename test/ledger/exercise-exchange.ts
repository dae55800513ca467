// What a ledger remembers of files that are fetched and answers that are brought: an account is one run's at a time, and nothing is forgotten.
import { expect, it } from 'vitest';

import type { AnswerRecord, PullRecord } from '../../src/ledger/exchange.ts';
import type { OpenLedgers } from './two-ledgers.ts';

const SINCE = '2026-11-20T08:00:00.000Z';

const PULL: Omit<PullRecord, 'id'> = {
  account: 'erp',
  path: '/out/a.csv',
  bytes: 3,
  modifiedMs: 1_000,
  remoteSha256: 'ab'.repeat(32),
  sha256: '3f9a2c11'.padEnd(64, '0'),
  temporary: '/inbox/erp/.fetched-1',
  target: '/inbox/erp/out/a.csv',
  number: null,
  phase: 'fetched',
  fetchedAt: SINCE,
  run: 'here/1/x',
};

const ANSWER: AnswerRecord = {
  account: 'erp',
  name: 'a.20261120-3f9a2c11.ack.json',
  sha256: 'cd'.repeat(32),
  remoteBytes: 9,
  phase: 'uploaded',
  signature: '9 1 2',
  at: SINCE,
};

export function exerciseExchange(open: OpenLedgers): void {
  it('an account is held by one run while that is alive, and stays known since it first was', async () => {
    const { ledger, other, kill } = await open();
    expect(await ledger.exchange.account('erp')).toBeNull();
    expect(await ledger.exchange.hold('erp', SINCE)).toBe(true);
    expect(await ledger.exchange.hold('erp', SINCE)).toBe(true);
    expect(await other.exchange.hold('erp', SINCE)).toBe(false);
    await kill();
    expect(await other.exchange.hold('erp', '2026-11-21T00:00:00.000Z')).toBe(true);
    // It may have been ended by then, and write nothing at all.
    await ledger.exchange.letGo('erp').catch(() => undefined);
    expect(await ledger.exchange.account('erp')).toMatchObject({ holder: other.run, since: SINCE });
    await other.exchange.letGo('erp');
    expect(await ledger.exchange.account('erp')).toMatchObject({ holder: null });
  });

  it('only who holds an account says how it went with it', async () => {
    const { ledger, other } = await open();
    await ledger.exchange.hold('erp', SINCE);
    const words = { en: 'Down.', fr: 'En panne.', es: 'Averiado.' };
    const told = { reachedAt: null, troubles: [words], fault: { code: 'unreachable', words, since: SINCE } };
    await ledger.exchange.tell('erp', told);
    await other.exchange.tell('erp', { reachedAt: SINCE, troubles: [], fault: null });
    expect(await other.exchange.account('erp')).toMatchObject(told);
  });

  it('what was fetched is open until it is done, and found by the beginning of its hash for ever', async () => {
    const { ledger, other } = await open();
    const pull = await ledger.exchange.addPull(PULL);
    await ledger.exchange.addPull({ ...PULL, account: 'bank', sha256: '4'.repeat(64) });
    expect(await other.exchange.openPulls('erp')).toEqual([pull]);
    const placed = await other.exchange.changePull(pull, { phase: 'placed' });
    expect(await ledger.exchange.openPulls('erp')).toEqual([{ ...pull, phase: 'placed' }]);
    await ledger.exchange.dropPull(placed);
    expect(await ledger.exchange.openPulls('erp')).toHaveLength(1);
    await ledger.exchange.changePull(placed, { phase: 'done' });
    expect(await ledger.exchange.openPulls('erp')).toEqual([]);
    expect(await other.exchange.pullsLike('erp', '3f9a2c11')).toEqual([{ ...pull, phase: 'done' }]);
    expect(await other.exchange.pullsLike('erp', '3f9a2c12')).toEqual([]);
    expect(await other.exchange.pullsLike('erp', '44444444')).toEqual([]);
  });

  it('what was fetched and not placed can be forgotten', async () => {
    const { ledger } = await open();
    await ledger.exchange.dropPull(await ledger.exchange.addPull(PULL));
    expect(await ledger.exchange.openPulls('erp')).toEqual([]);
  });

  it('files with a number are found in the order of numbers', async () => {
    const { ledger, other } = await open();
    for (const number of [3, null, 1]) await ledger.exchange.addPull({ ...PULL, number });
    expect((await other.exchange.numbered('erp')).map((pull) => pull.number)).toEqual([1, 3]);
    expect(await other.exchange.numbered('bank')).toEqual([]);
  });

  it('the last version of an answer is remembered, for each account by itself', async () => {
    const { ledger, other } = await open();
    await ledger.exchange.noteAnswer(ANSWER);
    expect(await other.exchange.answer('erp', ANSWER.name)).toEqual(ANSWER);
    await other.exchange.noteAnswer({ ...ANSWER, phase: 'delivered' });
    expect(await ledger.exchange.answer('erp', ANSWER.name)).toMatchObject({ phase: 'delivered' });
    expect(await ledger.exchange.answer('bank', ANSWER.name)).toBeNull();
  });
}
