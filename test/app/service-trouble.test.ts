// When a service that is out of reach is a matter for a person: at once where nobody else can end it, and after the time within which outages end by themselves.
import { expect, it } from 'vitest';

import { OUTAGE_ENDS_MS, ServiceTrouble } from '../../src/app/parts/service-trouble.ts';
import { silentLog } from '../../src/base/log.ts';
import { type Fault, type FaultContext, Refused, Unanswered, Unavailable } from '../../src/service/errors.ts';
import type { NetworkCause } from '../../src/service/network-cause.ts';

const context = (more: Partial<FaultContext> = {}): FaultContext => ({
  operation: 'balances',
  httpStatus: null,
  serverTime: null,
  retryAfterMs: null,
  ...more,
});
const away = (networkCause: NetworkCause) => new Unavailable('unreachable', context({ networkCause }));

function heard() {
  let now = 1_000;
  const trouble = new ServiceTrouble(silentLog, { monotonic: () => now });
  return {
    hear: (fault: Fault | null) => trouble.hear(fault),
    pass: (ms: number) => void (now += ms),
    needsPerson: () => trouble.needsPerson,
  };
}

it.each([
  'name',
  'certificate-unknown',
  'certificate-expired',
  'certificate-early',
  'certificate-name',
  'no-tls',
  'proxy',
  'proxy-login',
  'portal',
] as const)('%s is for a person at once', (cause) => {
  const { hear, needsPerson } = heard();
  hear(away(cause));
  expect(needsPerson()).toBe(true);
  hear(null);
  expect(needsPerson()).toBe(false);
});

it.each<[string, Fault]>([
  ...(['refused', 'no-route', 'late', 'broken'] as const).map((cause): [string, Fault] => [
    cause,
    away(cause),
  ]),
  ['503', new Unavailable('overloaded', context({ httpStatus: 503 }))],
  ['a time limit', new Unanswered('timeout', context())],
  ['500 without a code', new Unanswered('server-error', context({ httpStatus: 500 }))],
])('%s is for a person once it has lasted, counted from the last answer', (_, fault) => {
  const { hear, pass, needsPerson } = heard();
  hear(fault);
  pass(OUTAGE_ENDS_MS - 1);
  hear(fault);
  expect(needsPerson()).toBe(false);
  pass(1);
  expect(needsPerson()).toBe(true);
  // Another fault is the same outage, an answer is its end.
  hear(away('late'));
  expect(needsPerson()).toBe(true);
  hear(null);
  expect(needsPerson()).toBe(false);
  hear(fault);
  pass(OUTAGE_ENDS_MS - 1);
  expect(needsPerson()).toBe(false);
});

it.each<[string, Fault]>([
  ['a refusal', new Refused(10_001, 'no', context({ httpStatus: 400 }))],
  ['a throttle', new Unavailable('throttled', context({ httpStatus: 429 }))],
  ['a refused key', new Unavailable('credentials', context({ httpStatus: 401 }))],
])('%s is an answer, however often it comes', (_, fault) => {
  const { hear, pass, needsPerson } = heard();
  hear(fault);
  pass(OUTAGE_ENDS_MS);
  hear(fault);
  expect(needsPerson()).toBe(false);
});
