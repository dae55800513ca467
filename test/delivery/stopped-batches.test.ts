// What stops a batch without failing a row: funds, the key, an outage, a pause; and how it goes on.
import { describe, expect, it } from 'vitest';

import {
  BANK,
  count,
  deliver,
  expectBooksExact,
  stagesOf,
  transfersOf,
  BATCH,
  type Delivery,
} from './deliver.ts';
import { first, isConfirm, isCreate, isQuote, isUpload, refusal } from './meddling-proxy.ts';
import { PAUSED, RESUMED } from '../ledger/records.ts';
import { own } from '../ledger/own.ts';
import { changeBatch, type Ledger } from '../../src/ledger/ledger.ts';

async function pause(ledger: Ledger | undefined): Promise<void> {
  if (ledger !== undefined) await changeBatch(ledger, await own(ledger, BATCH), PAUSED);
}

const XAF = {};
const EUR = { sourceCurrency: 'EUR' };
/** Enough for one row of 1000 CNY, which costs about 87 000 XAF, and not for two. */
const FOR_ONE = { XAF: '120000' };

const sorted = async (delivery: Delivery) => [...(await stagesOf(delivery))].sort();

describe('funds that run out', () => {
  it('pause their currency; others go on and nothing fails; a deposit resumes', async () => {
    const delivery = await deliver({ payouts: [XAF, XAF, XAF, EUR, EUR], sandbox: { balances: FOR_ONE } });
    expect(await delivery.run({ waitMs: 10_000 })).toEqual({ kind: 'funds', currencies: ['XAF'] });
    const rows = await delivery.rows();
    const stageIn = (currency: string) =>
      rows
        .filter(({ payout }) => payout?.sourceCurrency === currency)
        .map(({ progress }) => progress.stage)
        .sort();
    expect(stageIn('EUR')).toEqual(['paid', 'paid']);
    expect(stageIn('XAF').filter((stage) => stage === 'paid')).toHaveLength(1);
    expect(stageIn('XAF').filter((stage) => stage === 'quoted')).toHaveLength(2);
    await expectBooksExact(delivery);
    await delivery.sandbox.client.post('/sandbox/top-up', { currency: 'XAF', amount: 1_000_000 });
    await delivery.ledger.makeDue(BATCH, 'all');
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await sorted(delivery)).toEqual(['paid', 'paid', 'paid', 'paid', 'paid']);
    expect(await transfersOf(delivery)).toHaveLength(5);
    await expectBooksExact(delivery);
  });

  it('and come back while the run waits let it go on by itself', async () => {
    const delivery = await deliver({
      payouts: [XAF, XAF],
      sandbox: { balances: FOR_ONE },
      onWait: (waits, { client }) =>
        waits === 20 ? client.post('/sandbox/top-up', { currency: 'XAF', amount: 1_000_000 }) : undefined,
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid', 'paid']);
    await expectBooksExact(delivery);
  });

  it('are asked for ever more rarely while the run waits', async () => {
    const delivery = await deliver({
      payouts: Array.from({ length: 8 }, () => XAF),
      sandbox: { balances: { XAF: '0' } },
    });
    expect(await delivery.run({ waitMs: 600_000 })).toMatchObject({ kind: 'funds' });
    // Ten minutes at half a minute each, and the first rows at once.
    expect(count(delivery, 'POST', '/transfers')).toBeLessThan(60);
  });

  it('by the word of a confirm (10024) do not make the service be stormed with confirms', async () => {
    const delivery = await deliver({
      meddling: { instead: (asked) => (isConfirm(asked) ? refusal(500, 10024) : null) },
    });
    const stop = new AbortController();
    const ended = delivery.run({ waitMs: 10_000, signal: stop.signal });
    const watched = watchFor(() => count(delivery, 'POST', '/confirm') > 30, stop);
    expect(await ended).toMatchObject({ kind: 'funds' });
    watched.end();
    expect(count(delivery, 'POST', '/confirm')).toBeLessThan(30);
  });
});

describe('funds that somebody else spends while we run', () => {
  it('are waited for like any other, and nothing is created meanwhile', async () => {
    const spent = first(1, isConfirm);
    const box: { delivery?: Delivery; createdThen?: number } = {};
    const delivery = await deliver({
      payouts: Array.from({ length: 6 }, () => XAF),
      meddling: {
        instead: async (asked) => {
          if (spent(asked))
            await box.delivery?.sandbox.client.post('/sandbox/balances', {
              currency: 'XAF',
              availableAmount: 0,
            });
          return null;
        },
      },
      onWait: (waits, { client }) =>
        waits === 20 ? client.post('/sandbox/top-up', { currency: 'XAF', amount: 10_000_000 }) : undefined,
    });
    box.delivery = delivery;
    expect(await delivery.run({ concurrency: 2 })).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(Array.from({ length: 6 }, () => 'paid'));
    expect(await transfersOf(delivery)).toHaveLength(6);
    // It was met.
    expect(count(delivery, 'POST', '/transfers')).toBeGreaterThan(6);
  });

  it('by the word of a quotation (10024) are waited for too, and fail no row', async () => {
    const missing = first(3, isQuote);
    const delivery = await deliver({
      payouts: [XAF, XAF, EUR],
      meddling: { instead: (asked) => (missing(asked) ? refusal(500, 10024) : null) },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid', 'paid', 'paid']);
    await expectBooksExact(delivery);
  });
});

describe('a refused key', () => {
  it('stops everything, fails no row, and asks no more', async () => {
    const delivery = await deliver({ payouts: [XAF, XAF, XAF, EUR], apiKey: 'wrong' });
    expect(await delivery.run()).toEqual({ kind: 'credentials' });
    expect(await stagesOf(delivery)).toEqual(['ready', 'ready', 'ready', 'ready']);
    expect(delivery.calls.length).toBeLessThanOrEqual(4);
  });

  it('in the middle leaves rows where they are, and the next run pays them once', async () => {
    const refused = first(3, isConfirm);
    const delivery = await deliver({
      payouts: [XAF, XAF, XAF],
      meddling: { instead: (asked) => (refused(asked) ? refusal(403, 10006) : null) },
    });
    expect(await delivery.run()).toEqual({ kind: 'credentials' });
    // Of a confirm that met a refused key a copy may have been taken: its intent stands until a look or time tells.
    for (const stage of await sorted(delivery)) expect(['created', 'confirming']).toContain(stage);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await transfersOf(delivery)).toHaveLength(3);
    await expectBooksExact(delivery);
  });
});

describe('a service that is out', () => {
  it('is waited for, and asked by one row at a time', async () => {
    const out = first(12, isQuote);
    const delivery = await deliver({
      payouts: [XAF, XAF, XAF, XAF, XAF, XAF],
      meddling: { instead: (asked) => (out(asked) ? { status: 301, body: '' } : null) },
    });
    // A redirect ends the run for good; the next one finds the service back.
    expect(await delivery.run()).toEqual({ kind: 'service' });
    expect((await sorted(delivery)).includes('failed')).toBe(false);
  });

  it('for longer than may be waited ends the run, and no row', async () => {
    const delivery = await deliver({ payouts: [XAF, XAF] });
    await delivery.sandbox.close();
    expect(await delivery.run({ waitMs: 30_000 })).toEqual({ kind: 'service' });
    expect(await stagesOf(delivery)).toEqual(['ready', 'ready']);
    expect(delivery.calls.length).toBeLessThan(30);
  });
});

describe('an outage of minutes', () => {
  it.each(['createQuotation', 'createTransfer', 'confirmTransfer', 'uploadAttachment', 'transfer'] as const)(
    'that answers %s with gateway pages leaves every row to be paid when it is over',
    async (operation) => {
      const rule = { fault: 'html', status: 502, operations: [operation], times: 25 } as const;
      const delivery = await deliver({ payouts: [BANK], sandbox: { faults: { rules: [rule] } } });
      expect(await delivery.run()).toEqual({ kind: 'done' });
      expect((await delivery.rows())[0]?.progress).toMatchObject({ stage: 'paid', deadAttempts: [] });
      expect(await transfersOf(delivery)).toHaveLength(1);
    },
  );
});

describe('a throttle with Retry-After: 0', () => {
  it.each(['createTransfer', 'transfer'] as const)(
    'on %s does not take the back-off away',
    async (operation) => {
      const rule = { fault: 'throttle', operations: [operation], retryAfterSeconds: 0 } as const;
      const delivery = await deliver({ sandbox: { faults: { rules: [rule] } } });
      const stop = new AbortController();
      const watched = watchFor(() => delivery.calls.length > 300, stop);
      await delivery.run({ waitMs: 60_000, signal: stop.signal });
      watched.end();
      expect(delivery.calls.length).toBeLessThan(200);
    },
  );
});

describe('a pause', () => {
  it('stops before the next call, and nothing is lost when it ends', async () => {
    const paused = first(1, isCreate);
    const box: { delivery?: Delivery; callsAtPause?: number } = {};
    const delivery = await deliver({
      payouts: [XAF, XAF, XAF],
      meddling: {
        instead: async (asked) => {
          if (paused(asked)) {
            await pause(box.delivery?.ledger);
            box.callsAtPause = box.delivery?.calls.length ?? 0;
          }
          return null;
        },
      },
    });
    box.delivery = delivery;
    expect(await delivery.run({ concurrency: 1 })).toEqual({ kind: 'paused' });
    // While the first row waited for the record that tells of the pause, the next may have asked for its price.
    const since = delivery.calls.slice(box.callsAtPause).map(({ call }) => call);
    expect(since.length).toBeLessThanOrEqual(1);
    expect(since.filter((call) => call !== 'POST /rates')).toEqual([]);
    await changeBatch(delivery.ledger, await own(delivery.ledger, BATCH), RESUMED);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid', 'paid', 'paid']);
    expect(await transfersOf(delivery)).toHaveLength(3);
    await expectBooksExact(delivery);
  });

  it('of a batch that is paused already lets nothing be sent at all', async () => {
    const delivery = await deliver();
    await changeBatch(delivery.ledger, await own(delivery.ledger, BATCH), PAUSED);
    expect(await delivery.run()).toEqual({ kind: 'paused' });
    expect(delivery.calls).toEqual([]);
  });
});

describe('an intent to confirm that is on record when the run has to stop', () => {
  const stopAt = (stop: AbortController) => (_from: string, to: string) => {
    if (to === 'confirming') stop.abort();
  };

  it('is followed by its confirm when we were only asked to end', async () => {
    const stop = new AbortController();
    const delivery = await deliver({ payouts: [BANK] });
    const end = await delivery.run({ signal: stop.signal, onMoved: stopAt(stop) });
    expect(end).toEqual({ kind: 'interrupted' });
    expect(await stagesOf(delivery)).toEqual(['confirmed']);
    expect(count(delivery, 'POST', '/confirm')).toBe(1);
  });

  it.each([
    ['STOP stands', 'operator'],
    ['the batch was paused', 'paused'],
  ] as const)(
    'is taken back when we are asked to end while %s, and nothing is in doubt after it',
    async (_, by) => {
      const stop = new AbortController();
      const box: { delivery?: Delivery } = {};
      let stands = false;
      const uploaded = first(1, isUpload);
      const delivery = await deliver({
        payouts: [BANK],
        meddling: {
          instead: async (asked) => {
            if (!uploaded(asked)) return null;
            if (by === 'paused') await pause(box.delivery?.ledger);
            return null;
          },
        },
      });
      box.delivery = delivery;
      const onMoved = (from: string, to: string): void => {
        stands ||= by === 'operator' && to === 'confirming';
        stopAt(stop)(from, to);
      };
      const words = { en: 'STOP stands.', fr: 'STOP est là.', es: 'STOP está ahí.' };
      const halted = () => (stands ? ({ by: 'stop-file', words } as const) : null);
      const end = await delivery.run({ signal: stop.signal, onMoved, stop: halted });
      expect(end).toEqual({ kind: 'interrupted' });
      expect(count(delivery, 'POST', '/confirm')).toBe(0);
      expect((await delivery.rows())[0]?.progress).toMatchObject({ stage: 'created', confirm: 'none' });
      await changeBatch(delivery.ledger, await own(delivery.ledger, BATCH), RESUMED);
      expect(await delivery.run()).toEqual({ kind: 'done' });
      expect(await stagesOf(delivery)).toEqual(['paid']);
      expect(await transfersOf(delivery)).toHaveLength(1);
    },
  );

  it('is taken back when the batch was paused, and the confirm is not sent', async () => {
    const box: { delivery?: Delivery } = {};
    const uploaded = first(1, isUpload);
    const delivery = await deliver({
      payouts: [BANK],
      meddling: {
        instead: async (asked) => {
          if (uploaded(asked)) await pause(box.delivery?.ledger);
          return null;
        },
      },
    });
    box.delivery = delivery;
    expect(await delivery.run()).toEqual({ kind: 'paused' });
    expect(count(delivery, 'POST', '/confirm')).toBe(0);
    expect((await delivery.rows())[0]?.progress).toMatchObject({ stage: 'created', confirm: 'none' });
    await changeBatch(delivery.ledger, await own(delivery.ledger, BATCH), RESUMED);
    // Hours later its quotation has run out, and no confirm can have been sent: the row is paid by a new attempt, without a person.
    delivery.clock.advance(6 * 3_600_000);
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      stage: 'paid',
      deadAttempts: [{ attempt: 1 }],
    });
    expect((await transfersOf(delivery)).map(({ status }) => status).sort()).toEqual(['created', 'paid']);
  });

  it('is taken back when the key is refused, and the document is not uploaded again', async () => {
    const refused = first(1, isConfirm);
    const delivery = await deliver({
      payouts: [BANK],
      meddling: { instead: (asked) => (refused(asked) ? refusal(403, 10006) : null) },
    });
    expect(await delivery.run()).toEqual({ kind: 'credentials' });
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    expect(count(delivery, 'PUT', '/attachment')).toBe(1);
  });
});

describe('one row that is answered in a way that the interface does not describe', () => {
  const oddly = { status: 422, body: '<html>no</html>' };

  it.each([
    ['create', isCreate],
    ['confirm', isConfirm],
  ] as const)('to its %s is held with what was answered, and the others are paid', async (_call, matches) => {
    const odd = { id: '' };
    const delivery = await deliver({
      payouts: [XAF, XAF, XAF],
      meddling: {
        instead: (asked) => {
          if (!matches(asked)) return null;
          const id =
            matches === isCreate ? (/"externalId":"([^"]+)"/.exec(asked.body)?.[1] ?? '') : asked.path;
          if (odd.id === '') odd.id = id;
          return odd.id === id ? oddly : null;
        },
      },
    });
    await delivery.run();
    expect(await sorted(delivery)).toEqual(['held', 'paid', 'paid']);
    const held = (await delivery.rows()).find(({ progress }) => progress.hold !== null);
    expect(held?.progress).toMatchObject({ hold: { code: 'unexpected_refusal' } });
    expect(held?.progress.hold?.reason.en).toContain('HTTP 422');
  });

  it('to every row is a service in trouble: nothing is held', async () => {
    const delivery = await deliver({
      payouts: [XAF, XAF],
      meddling: { instead: () => ({ status: 200, body: '<html>maintenance</html>' }) },
    });
    expect(await delivery.run({ waitMs: 300_000 })).toEqual({ kind: 'service' });
    expect(await stagesOf(delivery)).toEqual(['ready', 'ready']);
  });
});

describe('mutations that are never answered while reads are', () => {
  it('end a run that does not wait, soon and with every row where it can go on', async () => {
    const delivery = await deliver({
      payouts: Array.from({ length: 20 }, () => XAF),
      meddling: { instead: (asked) => (isCreate(asked) ? { status: 500, body: 'x' } : null) },
    });
    const start = delivery.clock.now();
    expect(await delivery.run({ waitMs: 0 })).toEqual({ kind: 'service' });
    expect(delivery.clock.now() - start).toBeLessThan(60_000);
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['quoted']));
  });
});

describe('a quotation that is refused at every create', () => {
  it('is asked for anew ever more rarely', async () => {
    const delivery = await deliver({
      meddling: { instead: (asked) => (isCreate(asked) ? refusal(400, 10009) : null) },
    });
    await delivery.run({ waitMs: 600_000 });
    expect(count(delivery, 'POST', '/rates')).toBeLessThan(25);
  });
});

describe('a currency whose funds are in doubt', () => {
  it('does not hold up the rows of another', async () => {
    const delivery = await deliver({
      payouts: [XAF, ...Array.from({ length: 30 }, () => EUR)],
      sandbox: { balances: { XAF: '0', EUR: '100000000' } },
    });
    const waitsAtPaid: number[] = [];
    await delivery.run({
      waitMs: 5_000,
      concurrency: 8,
      onMoved: (_from, to) => {
        if (to === 'confirmed') waitsAtPaid.push(delivery.clock.now());
      },
    });
    expect(waitsAtPaid).toHaveLength(30);
    // None of them waited for a moment at which the XAF row was asked about.
    expect(Math.max(...waitsAtPaid) - Math.min(...waitsAtPaid)).toBeLessThan(1_500);
  });
});

describe('a signal to stop', () => {
  it('ends the run between two calls, and another process goes on with what it left', async () => {
    const stop = new AbortController();
    const delivery = await deliver({ payouts: Array.from({ length: 12 }, () => XAF) });
    let moves = 0;
    const onMoved = (): void => {
      moves += 1;
      if (moves === 9) stop.abort();
    };
    expect(await delivery.run({ signal: stop.signal, onMoved })).toEqual({ kind: 'interrupted' });
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(Array.from({ length: 12 }, () => 'paid'));
    expect(await transfersOf(delivery)).toHaveLength(12);
    await expectBooksExact(delivery);
  });
});

/** Ends a run that does what it must not, so that a failing test fails instead of hanging. */
function watchFor(isTooMuch: () => boolean, stop: AbortController): { end(): void } {
  let isOver = false;
  const look = (): void => {
    if (isTooMuch()) stop.abort();
    else if (!isOver) setImmediate(look);
  };
  look();
  return {
    end: () => {
      isOver = true;
    },
  };
}
