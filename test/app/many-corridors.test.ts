// More corridors than one answer of the service holds: none of them may look as if it did not exist.
import { describe, expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { ServiceClock } from '../../src/delivery/service-clock.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { askingAhead } from '../../src/app/parts/wait-for-service.ts';
import { loadCorridors } from '../../src/app/workflow/validate/check-rules.ts';
import { hostileServer } from '../service/hostile-server.ts';
import { openClient } from '../service/open-client.ts';
import { CORRIDOR } from '../service/wire-samples.ts';

const MODES = ['B2B', 'B2C', 'C2B', 'C2C'] as const;
const METHODS = ['bankTransfer', 'alipay', 'wechat', 'unionpayCard'] as const;
const CURRENCIES = ['CNY', 'EUR', 'USD', 'NGN'] as const;

/** So many corridors for each mode, method and currency. */
function corridors(each: number) {
  return MODES.flatMap((transactionMode) =>
    METHODS.flatMap((deliveryMethod) =>
      CURRENCIES.flatMap((targetCurrency) =>
        Array.from({ length: each }, (_, index) => ({
          ...CORRIDOR,
          id: [transactionMode, deliveryMethod, targetCurrency, index].join('-'),
          transactionMode,
          deliveryMethod,
          targetCurrency,
        })),
      ),
    ),
  );
}

async function loaded(each: number): Promise<{ ids: ReadonlySet<string>; calls: number }> {
  const all = corridors(each);
  const server = await hostileServer((response, { path }) => {
    const asked = new URL(path, 'http://localhost').searchParams;
    const isAsked = (name: string, value: string): boolean => (asked.get(name) ?? value) === value;
    const found = all.filter(
      ({ transactionMode, deliveryMethod, targetCurrency }) =>
        isAsked('transactionMode', transactionMode) &&
        isAsked('deliveryMethod', deliveryMethod) &&
        isAsked('currency', targetCurrency),
    );
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(found.slice(0, Number(asked.get('limit') ?? 100))));
  });
  const found = await loadCorridors(openClient({ baseUrl: server.baseUrl }));
  return { ids: new Set(found.map(({ id }) => id)), calls: server.seen.length };
}

describe('corridors', () => {
  it('that fit into one answer are one call', async () => {
    expect(await loaded(3)).toMatchObject({ calls: 1 });
  });

  it.each([
    ['by mode and method', 40],
    ['by currency too, where such a part is full again', 60],
  ])('that do not are asked for %s, and every one is found', async (_name, each) => {
    const { ids } = await loaded(each);
    expect(ids.size).toBe(corridors(each).length);
  });
});

describe('corridors that are asked for ahead', () => {
  /** What the service does with its calls, one after the other. */
  async function asking(answers: readonly ('refused' | 'answered')[]) {
    const server = await hostileServer((response) => {
      response.statusCode = answers[server.seen.length - 1] === 'refused' ? 401 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(response.statusCode === 200 ? JSON.stringify([CORRIDOR]) : '');
    });
    const client = openClient({ baseUrl: server.baseUrl });
    const parts = { service: client, serviceClock: new ServiceClock(systemClock) };
    const { service } = await askingAhead(parts as Paydrop);
    return { service, seen: server.seen };
  }

  it('are one call, of which the next question knows nothing', async () => {
    const { service, seen } = await asking([]);
    expect(await loadCorridors(service)).toHaveLength(1);
    expect(seen).toHaveLength(1);
    expect(await loadCorridors(service)).toHaveLength(1);
    expect(seen).toHaveLength(2);
  });

  it('are asked for again where that failed', async () => {
    const { service, seen } = await asking(['refused', 'answered']);
    expect(await loadCorridors(service)).toHaveLength(1);
    expect(seen).toHaveLength(2);
  });

  it('answer no other question', async () => {
    const { service, seen } = await asking([]);
    await service.payoutCorridors({ limit: 1 });
    await loadCorridors(service);
    expect(seen.map(({ path }) => path).sort()).toEqual([
      '/payout-corridors?limit=1',
      '/payout-corridors?limit=200',
    ]);
  });
});
