// How an answer is read, in the order that keeps money safe: a documented success, a documented error, and for everything else
// "nobody knows" on what has an effect and "not now" on what has none.
import { describe, expect, it } from 'vitest';

import { OPERATIONS, type Operation } from '../../src/service/errors.ts';
import { CALLS, outcomeOf } from './calls.ts';
import { hostileServer, html, json, refusal, text, type Line } from './hostile-server.ts';
import { openClient } from './open-client.ts';
import { QUOTATION, TRANSFER } from './wire-samples.ts';

const operations = Object.keys(OPERATIONS) as Operation[];
const MUTATIONS = operations.filter((operation) => OPERATIONS[operation] === 'mutation');

async function answered(operation: Operation, line: Line): Promise<string> {
  const { baseUrl } = await hostileServer(line);
  return outcomeOf(CALLS[operation](openClient({ baseUrl })));
}

describe('the answer to a create', () => {
  it.each<readonly [string, Line, string]>([
    ['200 and the transfer', json(200, TRANSFER), 'success'],
    ['201 and the transfer', json(201, TRANSFER), 'success'],
    ['200 and HTML', html(200), 'Unanswered malformed'],
    ['200 and nothing', text(200, ''), 'Unanswered malformed'],
    ['204 and nothing', text(204, ''), 'Unanswered malformed'],
    ['200 and null', json(200, null), 'Unanswered malformed'],
    ['200 and a list', json(200, [TRANSFER]), 'Unanswered malformed'],
    ['200 and an envelope', json(200, { data: TRANSFER }), 'Unanswered malformed'],
    ['200 and cut JSON', text(200, JSON.stringify(TRANSFER).slice(0, 300)), 'Unanswered malformed'],
    [
      '200 and a million brackets',
      text(200, '['.repeat(1_000_000) + ']'.repeat(1_000_000)),
      'Unanswered malformed',
    ],
    ['200 and gzip that is none', text(200, '\u001f\u008b\u0008'), 'Unanswered malformed'],
    ['200 and an error body', refusal(200, 10018), 'Refused 10018'],
    ['200 with a status but no id', json(200, { ...TRANSFER, id: '' }), 'Unanswered malformed'],
    ['500 and the transfer', json(500, TRANSFER), 'Unanswered server-error'],
    ['408 and nothing', text(408, ''), 'Unanswered malformed'],
    ['404 and HTML', html(404), 'Unanswered malformed'],
    ['413 and HTML', html(413), 'Unanswered malformed'],
    ['429 and nothing', text(429, ''), 'Unanswered throttled'],
    ['429 with 10001', refusal(429, 10001), 'Unanswered throttled'],
    ['500 and HTML', html(500), 'Unanswered server-error'],
    ['502 and HTML', html(502), 'Unanswered server-error'],
    ['503 and nothing', text(503, ''), 'Unanswered server-error'],
    ['504 and HTML', html(504), 'Unanswered server-error'],
    ['301', text(301, '', { location: '/elsewhere' }), 'Unavailable redirected'],
    ['307', text(307, '', { location: '/elsewhere' }), 'Unavailable redirected'],
    ['401 and nothing', text(401, ''), 'Unavailable credentials'],
    ['403 and nothing', text(403, ''), 'Unavailable credentials'],
    ['403 and HTML', html(403), 'Unavailable credentials'],
    ['403 with 10006', refusal(403, 10006), 'Unavailable credentials'],
    ['403 with 10001', refusal(403, 10001), 'Unavailable credentials'],
    ['403 with an unknown code', refusal(403, 19999), 'Unavailable credentials'],
    ['403 with a rule of the business', refusal(403, 10024), 'Refused 10024'],
    ['500 with 10006', refusal(500, 10006), 'Unavailable credentials'],
    ['400 with 10001', refusal(400, 10001, ['receiver.city is missing']), 'Refused 10001'],
    ['500 with 10001', refusal(500, 10001), 'Unanswered server-error'],
    ['200 with 10001', refusal(200, 10001), 'Unanswered server-error'],
    ['422 with 10001', refusal(422, 10001), 'Unanswered server-error'],
    ['500 with 10011', refusal(500, 10011), 'Refused 10011'],
    ['404 with 10014', refusal(404, 10014), 'Refused 10014'],
    ['500 with an unknown code', refusal(500, 10099), 'Unanswered unknown-code'],
    ['500 with the code as text', refusal(500, '10011'), 'Unanswered server-error'],
    ['500 with the code as a fraction', refusal(500, 10011.5), 'Unanswered server-error'],
    ['500 with a negative code', refusal(500, -10011), 'Unanswered server-error'],
    ['500 with a code in exponent form', text(500, '{"errorCode":1.0011e4}'), 'Unanswered server-error'],
    ['500 with a code written 10011.0', text(500, '{"errorCode":10011.0}'), 'Unanswered server-error'],
    ['500 with the code null', refusal(500, null), 'Unanswered server-error'],
    ['500 with a message but no code', json(500, { message: 'no' }), 'Unanswered server-error'],
    [
      '500 with the code in an envelope',
      json(500, { error: { errorCode: 10011 } }),
      'Unanswered server-error',
    ],
    ['500 with a code but no message', json(500, { errorCode: 10011 }), 'Refused 10011'],
    ['500 with a code and the message null', refusal(500, 10011, null), 'Refused 10011'],
    ['400 with the HTTP status as code', refusal(400, 400), 'Unanswered unknown-code'],
  ])('%s', async (_name, line, outcome) => {
    expect(await answered('createTransfer', line)).toBe(outcome);
  });
});

describe('the same answer', () => {
  it.each(MUTATIONS.filter((operation) => operation !== 'uploadAttachment'))(
    'HTML under 200 leaves %s open',
    async (operation) => {
      expect(await answered(operation, html(200))).toBe('Unanswered malformed');
    },
  );

  it.each(operations.filter((operation) => OPERATIONS[operation] === 'read' && operation !== 'balances'))(
    'HTML under 200 to the read %s leaves it unread',
    async (operation) => {
      expect(await answered(operation, html(200))).toBe('Unanswered malformed');
    },
  );

  it.each(operations)('403 without a code to %s is the key', async (operation) => {
    expect(await answered(operation, text(403, ''))).toBe('Unavailable credentials');
  });

  it.each(operations)(
    '429 to %s is throttling, and leaves only what has an effect open',
    async (operation) => {
      const isRead = OPERATIONS[operation] === 'read';
      expect(await answered(operation, text(429, ''))).toBe(
        `${isRead ? 'Unavailable' : 'Unanswered'} throttled`,
      );
    },
  );
});

describe('the answer to a confirm', () => {
  it.each<readonly [string, Line, string]>([
    ['200 and null', text(200, 'null'), 'success'],
    ['200 and nothing', text(200, ''), 'success'],
    ['200 and blanks', text(200, ' \r\n'), 'success'],
    ['204', text(204, ''), 'success'],
    ['200 and HTML', html(200), 'Unanswered malformed'],
    ['200 and a transfer', json(200, TRANSFER), 'Unanswered malformed'],
    ['200 and an empty object', json(200, {}), 'Unanswered malformed'],
    ['200 and false', text(200, 'false'), 'Unanswered malformed'],
    ['200 with 10015', refusal(200, 10015), 'Refused 10015'],
    ['500 with 10027', refusal(500, 10027), 'Refused 10027'],
    ['500 and nothing', text(500, ''), 'Unanswered server-error'],
  ])('%s', async (_name, line, outcome) => {
    expect(await answered('confirmTransfer', line)).toBe(outcome);
  });
});

describe('the reply to an upload is not shown, so under 2xx it does not matter', () => {
  it.each<readonly [string, Line]>([
    ['nothing', text(200, '')],
    ['204', text(204, '')],
    ['an object', json(200, { ok: true })],
    ['HTML', html(200)],
  ])('%s', async (_name, line) => {
    expect(await answered('uploadAttachment', line)).toBe('success');
  });

  it('and under 500 it does', async () => {
    expect(await answered('uploadAttachment', html(500))).toBe('Unanswered server-error');
  });
});

describe('the words of a refusal', () => {
  const wordsOf = async (message: unknown): Promise<string> => {
    const { baseUrl } = await hostileServer(json(400, { errorCode: 10001, message }));
    const error: unknown = await CALLS.createTransfer(openClient({ baseUrl })).catch(
      (fault: unknown) => fault,
    );
    return (error as { words: string }).words;
  };

  it.each([
    ['a text', 'city is missing', 'city is missing'],
    ['a list', ['city is missing', 'name is missing'], 'city is missing; name is missing'],
    ['a list with other things in it', ['city', 7, null, {}], 'city'],
    ['control characters', 'a\u001b[2Jb\r\nc\u0000d', 'a [2Jb c d'],
    ['missing', undefined, ''],
  ])('%s', async (_name, message, words) => {
    expect(await wordsOf(message)).toBe(words);
  });

  it('are kept to 500 characters', async () => {
    expect(await wordsOf('x'.repeat(10_000))).toBe('x'.repeat(500));
  });

  it('do not stand in the error that logs may show', async () => {
    const { baseUrl } = await hostileServer(refusal(400, 10001, 'canary-77'));
    const error: unknown = await CALLS.createTransfer(openClient({ baseUrl })).catch(
      (fault: unknown) => fault,
    );
    expect((error as Error).message).not.toContain('canary-77');
    expect((error as Error).stack).not.toContain('canary-77');
  });
});

describe('the Date of an answer', () => {
  it.each([
    ['Fri, 20 Nov 2026 08:30:00 GMT', 1_795_163_400_000],
    ['yesterday', null],
  ])('%s is %j', async (date, serverTime) => {
    const { baseUrl } = await hostileServer(json(200, QUOTATION, { date }));
    const answer = await CALLS.createQuotation(openClient({ baseUrl }));
    expect(answer.serverTime).toBe(serverTime);
  });

  it('that is missing is null', async () => {
    const { baseUrl } = await hostileServer((response) => {
      response.sendDate = false;
      response.end(JSON.stringify(QUOTATION));
    });
    expect((await CALLS.createQuotation(openClient({ baseUrl }))).serverTime).toBeNull();
  });
});
