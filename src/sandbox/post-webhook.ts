// One try to post a notification: its bytes, its signature, and the redirects that the service follows as badly as the interface says.
import { request, type Dispatcher } from 'undici';

import { SIGNATURE_HEADER, signedPath, signWebhook } from '../service/webhook-signature.ts';
import { isCallbackUrl } from './callback-url.ts';

export type Post = {
  readonly method: 'POST' | 'GET';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
};

/** How a try ended. Only `not-connected` may be tried again: with the others somebody may have had the notification. */
export type Outcome = {
  readonly reason: 'answered' | 'not-connected' | 'no-answer' | 'redirect-refused';
  readonly httpStatus?: number;
};

/** Nobody needs more hops; more is a loop. */
const REDIRECTS_MAX = 5;

/** The notification for a callback URL, signed over that URL's path. */
export function signedPost(apiKey: string, callbackUrl: string, body: Buffer): Post {
  const signature = signWebhook(apiKey, signedPath(callbackUrl), body);
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature };
  return { method: 'POST', url: callbackUrl, headers, body };
}

export type Via = {
  readonly agent: Dispatcher;
  readonly allowHttpCallbacks: boolean;
  readonly signal: AbortSignal;
};

/** Posts it and follows redirects, to no place that a callback URL could not name; it never throws. */
export async function postWebhook(first: Post, { agent, allowHttpCallbacks, signal }: Via): Promise<Outcome> {
  let post = first;
  for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
    const reply = await send(agent, post, signal);
    // Only the first connection is retried: behind a redirect, somebody has already had the notification.
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
): Promise<Reply | Outcome> {
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

/** DNS failure, refused connection, connect time-out. A refused certificate is none of them: it would be refused again. */
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
