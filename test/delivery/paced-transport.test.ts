// Calls on their way to the service: each waits for its turn, and none leaves while the service has asked for quiet.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { pacedTransport } from '../../src/delivery/paced-transport.ts';
import { RateControl } from '../../src/delivery/rate-control.ts';
import { Cut, NotSent, type Transport, type TransportResponse } from '../../src/service/transport.ts';
import { manualClock } from '../sandbox/manual-clock.ts';

const ASK = {
  operation: 'transfer',
  method: 'GET',
  path: '/transfers/t-1',
  headers: {},
  body: null,
  timeoutMs: 1_000,
} as const;

function answer(status: number, headers: Readonly<Record<string, string>> = {}): TransportResponse {
  return { status, headers: new Map(Object.entries(headers)), body: new Uint8Array() };
}

function paced(perSecond: number, service: (call: number) => TransportResponse = () => answer(200)) {
  const clock = manualClock();
  const rateControl = new RateControl(clock, { lanes: 16, perSecond });
  const sentAt: number[] = [];
  const transport: Transport = () => {
    sentAt.push(clock.monotonic());
    return Promise.resolve(service(sentAt.length));
  };
  return { clock, rateControl, sentAt, send: pacedTransport(transport, rateControl, clock) };
}

describe('calls that come all at once', () => {
  it('leave evenly over the second that the config allows them', async () => {
    const { clock, sentAt, send } = paced(4);
    const sent = Promise.all(Array.from({ length: 6 }, () => send(ASK)));
    for (let ms = 0; ms < 2_000; ms += 10) {
      await nextTurn();
      clock.advance(10);
    }
    await sent;
    expect(sentAt).toEqual([0, 250, 500, 750, 1_000, 1_250]);
  });

  it('leave at once where nothing limits them', async () => {
    const { sentAt, send } = paced(Infinity);
    await Promise.all(Array.from({ length: 1_000 }, () => send(ASK)));
    expect(sentAt).toHaveLength(1_000);
  });
});

describe('a call that waits for its turn while another is told to stay away', () => {
  it('leaves at its turn: what the other was told is for its row', async () => {
    const { clock, sentAt, send } = paced(4, (call) =>
      answer(call === 1 ? 429 : 200, { 'retry-after': '60' }),
    );
    const both = Promise.all([send(ASK), send(ASK)]);
    await nextTurn();
    clock.advance(250);
    await both;
    expect(sentAt).toEqual([0, 250]);
  });
});

it('a call leaves while another is refused by a business code, also with 403: that says nothing of the key', async () => {
  const refused = Buffer.from('{"errorCode":10003,"message":"not enabled"}');
  const { clock, sentAt, send } = paced(4, (call) =>
    call === 1 ? { ...answer(403), body: refused } : answer(200),
  );
  const both = Promise.all([send(ASK), send(ASK)]);
  await nextTurn();
  clock.advance(250);
  await both;
  expect(sentAt).toEqual([0, 250]);
});

describe('a call that waits for its turn while the key of another is refused', () => {
  it.each([401, 403])(
    '(%i) does not leave, and one that comes later does: it may have another key',
    async (status) => {
      const { clock, sentAt, send } = paced(4, (call) => answer(call === 1 ? status : 200));
      const first = send(ASK);
      const second = expect(send(ASK)).rejects.toBeInstanceOf(NotSent);
      await first;
      clock.advance(250);
      await second;
      clock.advance(250);
      await send(ASK);
      expect(sentAt).toEqual([0, 500]);
    },
  );
});

describe('what is heard of the service', () => {
  const refusal = (status: number, code: number): TransportResponse => ({
    ...answer(status),
    body: Buffer.from(JSON.stringify({ errorCode: code, message: 'no' })),
  });

  it.each([
    ['200', answer(200), 16],
    ['a key that is refused', answer(403), 16],
    ['a refusal of the interface', refusal(500, 10_009), 16],
    ['a request that is wrong', refusal(400, 10_001), 16],
    ['429', answer(429), 5],
    ['503', answer(503), 5],
    ['a page of a gateway', { ...answer(502), body: Buffer.from('<html>') }, 5],
    ['a fault of the service itself', refusal(500, 10_001), 5],
    ['a code that the interface does not list', refusal(500, 99_999), 5],
    ['a page of 404', answer(404), 5],
  ])('%s, a hundred times', async (_what, response, lanes) => {
    const clock = manualClock();
    // A wait for a turn makes as much time pass.
    const passing = {
      ...clock,
      sleep: (ms: number) => {
        clock.advance(ms);
        return Promise.resolve();
      },
    };
    const rateControl = new RateControl(passing, { lanes: 16, perSecond: Infinity });
    const send = pacedTransport(() => Promise.resolve(response), rateControl, passing);
    for (let call = 0; call < 100; call++) {
      clock.advance(10);
      await send({ ...ASK, operation: 'createTransfer', method: 'POST' });
    }
    expect(rateControl.lanes('mutation')).toBeLessThanOrEqual(lanes);
    if (lanes === 16) expect(rateControl.lanes('mutation')).toBe(16);
    expect(rateControl.lanes('read')).toBe(16);
  });

  it.each([new Cut('connection'), new Cut('timeout'), new NotSent('no route')])('%s', async (error) => {
    const { clock, rateControl, send } = paced(Infinity, () => {
      clock.advance(10);
      throw error;
    });
    for (let call = 0; call < 20; call++)
      await expect(send({ ...ASK, operation: 'createTransfer', method: 'POST' })).rejects.toBe(error);
    expect([rateControl.isOut('mutation'), rateControl.isOut('read')]).toEqual([true, false]);
  });

  it.each([
    ['transfer', 'GET', '/transfers/t-1', 8],
    // Its document may be large.
    ['uploadAttachment', 'PUT', '/transfers/t-1/attachment', 16],
  ] as const)('%s that comes to take far longer than before', async (operation, method, path, lanes) => {
    const took = { ms: 20 };
    const { clock, rateControl, send } = paced(Infinity, () => {
      clock.advance(took.ms);
      return answer(200);
    });
    for (let call = 0; call < 350; call++) {
      if (call === 300) took.ms = 300;
      await send({ ...ASK, operation, method, path });
    }
    expect(rateControl.lanes(method === 'GET' ? 'read' : 'mutation')).toBeLessThanOrEqual(lanes);
    expect(rateControl.lanes(method === 'GET' ? 'read' : 'mutation')).toBeGreaterThanOrEqual(lanes / 2);
  });
});
