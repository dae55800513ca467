// Delivers status notifications by the interface's rules: one attempt each; it retries only when no connection was made.
import pLimit from 'p-limit';
import { Agent, type Dispatcher, request } from 'undici';

import { type Clock, startDeadline } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { SIGNATURE_HEADER, signWebhook, signedPath } from '../service/webhooks.ts';

export type Webhooks = {
  /** Posts `body`, a transfer's JSON, to its callback URL; it returns nothing, and never throws. */
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
/** This many notifications travel at once; a receiver on the same machine would gain nothing from more. */
const AT_ONCE = 64;

export function startWebhooks(options: WebhookOptions): Webhooks {
  const closing = new AbortController();
  const limit = pLimit(AT_ONCE);
  // Without keep-alive: a socket that the receiver dropped meanwhile would cost the one attempt. Certificates are verified, as by default.
  const agent = new Agent({ pipelining: 0, connect: { timeout: CONNECT_MS, rejectUnauthorized: true } });

  const tryOnce = async (post: Post): Promise<WebhookOutcome> => {
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

// One try to post a notification: its bytes, its signature, and the redirects, which the service follows as badly as the interface says.

type Post = {
  readonly method: 'POST' | 'GET';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
};

/** How a try ended. Only `not-connected` may be retried: otherwise somebody may have had the notification. */
type WebhookOutcome = {
  readonly reason: 'answered' | 'not-connected' | 'no-answer' | 'redirect-refused';
  readonly httpStatus?: number;
};

/** No receiver needs more hops; more is a loop. */
const REDIRECTS_MAX = 5;

/** The notification for a callback URL, signed over that URL's path. */
function signedPost(apiKey: string, callbackUrl: string, body: Buffer): Post {
  const signature = signWebhook(apiKey, signedPath(callbackUrl), body);
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature };
  return { method: 'POST', url: callbackUrl, headers, body };
}

type Via = {
  readonly agent: Dispatcher;
  readonly allowHttpCallbacks: boolean;
  readonly signal: AbortSignal;
};

/** Posts the notification and follows redirects, but only to places that a callback URL could name; it never throws. */
async function postWebhook(first: Post, { agent, allowHttpCallbacks, signal }: Via): Promise<WebhookOutcome> {
  let post = first;
  for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
    const reply = await send(agent, post, signal);
    // Only the first connection is retried: after a redirect, somebody has already had the notification.
    if ('reason' in reply) return hops === 0 ? reply : { reason: 'no-answer' };
    const target = redirectTarget(post, reply);
    if (target === null) return { reason: 'answered', httpStatus: reply.status };
    if (!isCallbackUrl(target.url, allowHttpCallbacks)) return { reason: 'redirect-refused' };
    post = target;
  }
  return { reason: 'redirect-refused' };
}

type Reply = { readonly status: number; readonly location: string | undefined };

async function send(
  agent: Dispatcher,
  { url, ...post }: Post,
  signal: AbortSignal,
): Promise<Reply | WebhookOutcome> {
  try {
    const response = await request(url, { dispatcher: agent, signal, ...post });
    await response.body.dump();
    const location = response.headers['location'];
    return { status: response.statusCode, location: Array.isArray(location) ? location[0] : location };
  } catch (error) {
    return { reason: NOT_CONNECTED.has(codeOf(error)) ? 'not-connected' : 'no-answer' };
  }
}

/** 301, 302 and 303 become a GET without body; 307 and 308 keep the body and, wrongly for the new path, the signature. */
function redirectTarget(post: Post, { status, location }: Reply): Post | null {
  if (location === undefined || !URL.canParse(location, post.url)) return null;
  const url = new URL(location, post.url).href;
  if (status === 307 || status === 308) return { ...post, url };
  if (status !== 301 && status !== 302 && status !== 303) return null;
  const headers = { [SIGNATURE_HEADER]: post.headers[SIGNATURE_HEADER] ?? '' };
  return { method: 'GET', url, headers, body: null };
}

/** DNS failure, refused connection, connect time-out. A rejected certificate is not among them: it would be rejected again. */
const NOT_CONNECTED = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

// Where a status notification may go: HTTPS anywhere; plain HTTP only to this machine, and only if the sandbox allows it.

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for a URL that notifications may be posted to. */
export function isCallbackUrl(text: string, allowHttp: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && allowHttp && LOOPBACK.test(hostname));
}

/** The URL as it is stored on the transfer: normalised and percent-encoded, but without a `/` added to a URL that has no path. */
export function storedCallbackUrl(text: string): string {
  const normalised = new URL(text).href;
  return normalised === `${text}/` ? text : normalised;
}
