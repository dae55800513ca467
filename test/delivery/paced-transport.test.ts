// Calls on their way to the service: each waits for its turn, and none leaves while the service has asked for quiet.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { pacedTransport } from '../../src/delivery/paced-transport.ts';
import { Pacer } from '../../src/delivery/pacer.ts';
import { Turns } from '../../src/delivery/turns.ts';
import { Cut, NotSent, type Transport, type TransportResponse } from '../../src/service/transport.ts';
import { manualClock } from '../sandbox/manual-clock.ts';

const ASK = { method: 'GET', path: '/transfers/t-1', headers: {}, body: null, timeoutMs: 1_000 } as const;

function answer(status: number, headers: Readonly<Record<string, string>> = {}): TransportResponse {
  return { status, headers: new Map(Object.entries(headers)), body: new Uint8Array() };
}

function paced(perSecond: number, service: (call: number) => TransportResponse = () => answer(200)) {
  const clock = manualClock();
  const pacer = new Pacer(clock, { lanes: 16, perSecond });
  const sentAt: number[] = [];
  const transport: Transport = () => {
    sentAt.push(clock.monotonic());
    return Promise.resolve(service(sentAt.length));
  };
  return { clock, pacer, sentAt, send: pacedTransport(transport, pacer, clock) };
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
  it('does not leave, which is certain and may be relied upon', async () => {
    const { clock, sentAt, send } = paced(4, () => answer(429, { 'retry-after': '60' }));
    const first = send(ASK);
    const second = expect(send(ASK)).rejects.toBeInstanceOf(NotSent);
    await first;
    clock.advance(250);
    await second;
    expect(sentAt).toEqual([0]);
  });
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

describe('lanes', () => {
  it.each([429, 503])('are halved by an answer of %i', async (status) => {
    const { pacer, send } = paced(Infinity, () => answer(status));
    await Promise.all(Array.from({ length: 16 }, () => send(ASK)));
    expect(pacer.lanes).toBe(8);
  });

  it.each([200, 400, 403, 500])('stay as they are after an answer of %i', async (status) => {
    const { pacer, send } = paced(Infinity, () => answer(status));
    await send(ASK);
    expect(pacer.lanes).toBe(16);
  });

  it('fall when answers come ever later, and when they do not come at all', async () => {
    const clock = manualClock();
    const pacer = new Pacer(clock, { lanes: 16, perSecond: Infinity });
    let takesMs = 20;
    const transport: Transport = () => {
      clock.advance(takesMs);
      return takesMs < 1_000 ? Promise.resolve(answer(200)) : Promise.reject(new Cut('timeout'));
    };
    const send = pacedTransport(transport, pacer, clock);
    for (let call = 0; call < 300; call++) await send(ASK);
    expect(pacer.lanes).toBe(16);
    takesMs = 400;
    for (let call = 0; call < 20; call++) await send(ASK);
    const slow = pacer.lanes;
    expect(slow).toBeLessThan(16);
    takesMs = 10_000;
    for (let call = 0; call < 10; call++) await expect(send(ASK)).rejects.toBeInstanceOf(Cut);
    expect(pacer.lanes).toBeLessThan(slow);
  });

  it('do not fall for an upload that takes long, because its document may be large', async () => {
    const clock = manualClock();
    const pacer = new Pacer(clock, { lanes: 16, perSecond: Infinity });
    let takesMs = 20;
    const transport: Transport = () => {
      clock.advance(takesMs);
      return Promise.resolve(answer(200));
    };
    const send = pacedTransport(transport, pacer, clock);
    for (let call = 0; call < 100; call++) {
      if (call === 50) takesMs = 3_000;
      await send({ ...ASK, method: 'PUT', path: '/transfers/t-1/attachment' });
    }
    expect(pacer.lanes).toBe(16);
  });
});

describe('the calls of a second', () => {
  it('are those of the fuller of the last two', () => {
    const turns = new Turns();
    for (let call = 0; call < 30; call++) turns.take(call * 10, Infinity);
    turns.take(1_100, Infinity);
    expect(turns.callsPerSecond).toBe(30);
    turns.take(5_000, Infinity);
    expect(turns.callsPerSecond).toBe(1);
  });
});
