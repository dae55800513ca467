// Delivering status notifications by the interface's rules: one attempt each, and only a connection that never came about is tried again.
import pLimit from 'p-limit';
import { Agent } from 'undici';

import { startDeadline, type Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { postWebhook, signedPost, type Outcome, type Post } from './post-webhook.ts';

export type Webhooks = {
  /** Posts `body`, a transfer's JSON, to its callback URL; it answers nobody, and never throws. */
  deliver(transferId: string, callbackUrl: string, body: string): void;
  close(): Promise<void>;
};

type WebhookOptions = {
  readonly key: () => string;
  readonly allowHttpCallbacks: boolean;
  readonly clock: Clock;
  readonly log: Log;
};

/** Any 2xx within 30 seconds, redirects included. */
const REPLY_MS = 30_000;
/** When a failed connection is tried again, counted from the first try: three times over about 12 s. */
const RETRY_AT_MS = [3_000, 7_000, 12_000] as const;
/** The connect time-out ends before the next try begins. */
const CONNECT_MS = 3_000;
/** As many notifications travel at once; a receiver on the same machine would gain nothing from more. */
const AT_ONCE = 64;

export function startWebhooks(options: WebhookOptions): Webhooks {
  const closing = new AbortController();
  const limit = pLimit(AT_ONCE);
  // Without keep-alive: a socket that the receiver dropped meanwhile would cost the one attempt. Certificates are verified, as by default.
  const agent = new Agent({ pipelining: 0, connect: { timeout: CONNECT_MS, rejectUnauthorized: true } });

  const tryOnce = async (post: Post): Promise<Outcome> => {
    const deadline = startDeadline(REPLY_MS);
    try {
      const signal = AbortSignal.any([deadline.signal, closing.signal]);
      return await postWebhook(post, { agent, allowHttpCallbacks: options.allowHttpCallbacks, signal });
    } finally {
      deadline.clear();
    }
  };
  const deliver = async (transferId: string, post: Post): Promise<void> => {
    const startMs = options.clock.monotonic();
    for (const [tries, offsetMs] of [0, ...RETRY_AT_MS].entries()) {
      const waitMs = offsetMs - (options.clock.monotonic() - startMs);
      if (waitMs > 0) await options.clock.sleep(waitMs, closing.signal);
      if (closing.signal.aborted) return;
      const outcome = await limit(() => tryOnce(post));
      options.log.info('webhook', { transferId, tries: tries + 1, ...outcome });
      if (outcome.reason !== 'not-connected') return;
    }
  };

  return {
    deliver: (transferId, callbackUrl, body) =>
      void deliver(transferId, signedPost(options.key(), callbackUrl, Buffer.from(body))),
    async close() {
      closing.abort();
      await agent.destroy();
    },
  };
}
