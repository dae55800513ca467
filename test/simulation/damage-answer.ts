// What the way back can do to an answer: cut it, replace it with a proxy's own words, or change what it says of the payment.
import type { Random } from './random.ts';
import type { Reply } from './model-service.ts';

const BROKEN = [
  '<html><body>It works!</body></html>',
  '{"ok":true}',
  '[]',
  '{"errorCode":"10015"}',
  '{"errorCode":19999,"message":"new"}',
  '"paid"',
] as const;

/** A 2xx with a body that means nothing, or half of one that meant something. */
export function brokenAnswer(reply: Reply, random: Random): Reply {
  const isCut = reply.body.length > 4 && random.chance(0.5);
  const body = isCut ? reply.body.slice(0, random.between(1, reply.body.length - 1)) : random.pick(BROKEN);
  const status = random.chance(0.8) ? reply.status : 200;
  return { ...reply, status, body, errorCode: null, transfer: null };
}

/** The answer of a proxy or of a server that broke, whatever became of the request. */
export function serverError(random: Random): Reply {
  const status = random.pick([500, 502, 503, 504, 408]);
  const body = random.pick(['', '<html>bad gateway</html>', '{"errorCode":10001,"message":"unexpected"}']);
  return { status, headers: {}, body, errorCode: null, transfer: null };
}

export function throttled(random: Random, now: number): Reply {
  const retryAfter = random.pick([
    '0',
    '1',
    '7',
    '86400',
    'soon',
    '-5',
    new Date(now + 20_000).toUTCString(),
    new Date(now - 20_000).toUTCString(),
  ]);
  const headers: Record<string, string> = random.chance(0.8) ? { 'retry-after': retryAfter } : {};
  return { status: 429, headers, body: '', errorCode: null, transfer: null };
}

const FORGED_FIELDS = [
  'sendAmount',
  'feeAmount',
  'receiveAmount',
  'purposeOfRemittance',
  'sourceCurrency',
] as const;

/** Another amount of the first that is listed. Null when nothing is. */
export function forgedList(reply: Reply, random: Random): Reply | null {
  const field = random.pick(['sendAmount', 'feeAmount', 'receiveAmount'] as const);
  const body = reply.body.replace(new RegExp(`("${field}":"?)`), '$19');
  return body === reply.body ? null : { ...reply, body };
}

/** Another payment under the same ids. Null when the answer says nothing of one. */
export function forgedAnswer(reply: Reply, random: Random): Reply | null {
  if (reply.transfer?.status !== 'created') return null;
  const field = random.pick([...FORGED_FIELDS, 'account'] as const);
  const body =
    field === 'account'
      ? reply.body.replace(/("deliveryMethodInfo":\{.*?"(?:msisdn|bankAccountNumber|cardNumber)":")/, '$19')
      : reply.body.replace(new RegExp(`("${field}":"?)`), '$19');
  return body === reply.body ? null : { ...reply, body };
}
