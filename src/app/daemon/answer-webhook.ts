// From a request to the status that answers it. Strangers are told nothing but no, before anything is read from them or looked up for them; 2xx
// is said only of what has reached the disk, because the service does not send it again.
import type { IncomingMessage } from 'node:http';

import type { Clock } from '../../base/clock.ts';
import { type Callbacks, SIGNATURE_HEADER, verifyWebhook } from '../../service/webhooks.ts';
import type { WebhookLimits } from './webhook-limits.ts';
import { readBody } from './read-body.ts';
import type { Refusals } from './refusals.ts';
import { takeWebhook, type HintTo } from './take-webhook.ts';
import { validKeys, type WebhookKeys } from '../config/webhook-keys.ts';

export type WebhookDesk = HintTo & {
  readonly callbacks: Callbacks;
  readonly keys: WebhookKeys;
  readonly clock: Clock;
  readonly limits: WebhookLimits;
  readonly refusals: Refusals;
};

/** The HTTP status; null when nobody is left to be told. */
export async function answerWebhook(desk: WebhookDesk, incoming: IncomingMessage): Promise<number | null> {
  const callback = desk.callbacks.find(incoming.url ?? '');
  if (callback === null) return desk.refusals.next();
  if (incoming.method !== 'POST') return 405;
  const rawBody = await readBody(incoming, desk.limits.bodyBytesMax);
  if (rawBody === 'gone') return null;
  if (rawBody === 'too-large') return 413;
  const signature = incoming.headers[SIGNATURE_HEADER];
  const isSigned = validKeys(desk.keys, desk.clock.now()).some((key) =>
    verifyWebhook(key, callback.path, rawBody, signature),
  );
  if (!isSigned) return desk.refusals.next();
  return (await isTaken(desk, callback.externalId, rawBody)) ? 204 : 503;
}

/** False when it may not be durable: the service is told so, and the payout is found by polling. */
async function isTaken(desk: WebhookDesk, externalId: string, rawBody: Uint8Array): Promise<boolean> {
  const ended = new AbortController();
  const isLate = desk.clock.sleep(desk.limits.answerWithinMs, ended.signal).then(() => false);
  try {
    return await Promise.race([takeWebhook(externalId, rawBody, desk).then(() => true), isLate]);
  } catch (error) {
    desk.log.error('webhook not recorded', {
      externalId,
      reason: error instanceof Error ? error.message : 'unknown',
    });
    return false;
  } finally {
    ended.abort();
  }
}
