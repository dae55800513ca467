// What was available in the last 24 hours: kept every five minutes, once for all processes, and left out while the service tells nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { BalanceHistory } from '../../src/app/desk/money-status.ts';
import { openPeopleFile } from '../../src/app/people/people-file.ts';
import { systemClock } from '../../src/base/clock.ts';
import { dataOf, openWeb, type Web } from './with-web.ts';

const root = mkdtempSync(join(tmpdir(), 'balances-'));
let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

const HOURS = 30;
const LOOKS = (HOURS * 60) / 5;

it('has a point every five minutes of one day, none while the service is away, and each once', async () => {
  let [now, looks] = [Date.parse('2026-11-20T00:00:00Z'), 0];
  const end = new AbortController();
  const sleep = (ms: number): Promise<void> => {
    now += ms;
    looks += 1;
    if (looks === LOOKS) end.abort();
    return Promise.resolve();
  };
  const file = openPeopleFile({ root }, { ...systemClock, now: () => now, sleep });
  const { service } = web.paydrop;
  const isAway = (): boolean => looks >= LOOKS - 24 && looks < LOOKS - 12;
  const balances = (): ReturnType<typeof service.balances> =>
    isAway() ? Promise.reject(new Error('away')) : service.balances();
  const history = new BalanceHistory(file);
  await Promise.all([
    history.follow({ service: { ...service, balances } }, end.signal),
    new BalanceHistory(file).follow({ service: { ...service, balances } }, end.signal),
  ]);
  const [told] = (await service.balances()).value.filter(({ currency }) => currency === 'XAF');
  const line = history.lines().find(({ currency }) => currency === 'XAF');
  const times = (line?.points ?? []).map(({ at }) => Date.parse(at));
  expect(line?.highest.available).toBe(told?.available);
  expect(new Set(times.map((at) => Math.floor(at / 300_000))).size).toBe(times.length);
  expect(Math.min(...times)).toBeGreaterThan(now - 24 * 60 * 60_000);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  expect(gaps.filter((gap) => gap > 12 * 60_000)).toHaveLength(1);
  file.database.close();
});

it('is told to whoever may see the money, from the moment that the page is served', async () => {
  const told = await web.json('/api/v1/balances/history');
  expect(told.status).toBe(200);
  const [line] = dataOf(told).filter(({ currency }) => currency === 'XAF');
  const [{ available } = { available: '' }] = dataOf(await web.json('/api/v1/balances')).filter(
    ({ currency }) => currency === 'XAF',
  );
  expect(line).toMatchObject({ points: [{ available }], lowest: { available }, highest: { available } });
});
