// The signature of the service's status notifications (interface: Webhook signature).
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The request header that carries the signature. */
export const SIGNATURE_HEADER = 'x-service-signature';

const SIGNATURE_FORM = /^[0-9a-f]{64}$/;

/**
 * Signs a notification: lowercase hexadecimal HMAC-SHA256, keyed by the API key, over `POST`, the path and the raw body.
 * @param path the path component of the transfer's callbackUrl, percent-encoded, `/` when it has none; no query.
 * @param rawBody the exact bytes sent or received; re-serialised JSON has another signature.
 */
export function signWebhook(apiKey: string, path: string, rawBody: Uint8Array): string {
  return createHmac('sha256', apiKey).update(`POST${path}`, 'utf8').update(rawBody).digest('hex');
}

/**
 * True when `signature` is this body's; compared in constant time. False for anything but 64 lowercase hexadecimal digits (also for a list of
 * headers or none) and for an empty key. It never throws, because it reads what strangers send.
 */
export function verifyWebhook(
  apiKey: string,
  path: string,
  rawBody: Uint8Array,
  signature: unknown,
): boolean {
  if (apiKey === '' || typeof signature !== 'string' || !SIGNATURE_FORM.test(signature)) return false;
  const expected = Buffer.from(signWebhook(apiKey, path, rawBody), 'latin1');
  return timingSafeEqual(expected, Buffer.from(signature, 'latin1'));
}

/** The path that is signed for a callback URL: normalised, percent-encoded, without query or fragment. */
export function signedPath(callbackUrl: string): string {
  return new URL(callbackUrl).pathname;
}

// The callback URL of each transfer: the public base and a token that nobody can guess. The token is derived from the transfer's externalId and
// a key alone. So a repeated create sends the same URL, and a stranger's request is told from a notification before anything is read or looked
// up.

export type Callbacks = {
  /** The URL that is sent with a transfer. */
  readonly urlOf: (externalId: string) => string;
  /** The transfer that a request is about, by the token in its target; null for a token that is not ours. */
  readonly find: (target: string) => Callback | null;
};

type Callback = {
  readonly externalId: string;
  /** The path as it is stored on the transfer, even if a proxy rewrote it on the way: the service signs this path. */
  readonly path: string;
};

/** The externalId without its hyphens, then as many hexadecimal digits of an HMAC: 128 bits that nobody can guess. */
const TOKEN_FORM = /^[0-9a-f]{64}$/;
const ID_DIGITS = 32;

/** @param base where the service reaches us from outside; without a query. */
export function callbacks(base: string, key: Uint8Array): Callbacks {
  const trimmed = new URL(base).href.replace(/\/+$/, '');
  const urlOf = (externalId: string): string => `${trimmed}/${tokenOf(key, externalId)}`;
  return {
    urlOf,
    find: (target) => {
      const externalId = externalIdOf(key, lastSegment(target));
      return externalId === null ? null : { externalId, path: signedPath(urlOf(externalId)) };
    },
  };
}

function tokenOf(key: Uint8Array, externalId: string): string {
  const mac = createHmac('sha256', key).update(externalId, 'utf8').digest('hex');
  return externalId.replaceAll('-', '') + mac.slice(0, ID_DIGITS);
}

function externalIdOf(key: Uint8Array, token: string): string | null {
  if (!TOKEN_FORM.test(token)) return null;
  const externalId = token.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  const ours = tokenOf(key, externalId);
  return timingSafeEqual(Buffer.from(ours, 'latin1'), Buffer.from(token, 'latin1')) ? externalId : null;
}

/** Proxies add slashes, rewrite prefixes and change the case of escapes. The query is not signed, and never read. */
function lastSegment(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  const segment = path.split('/').findLast((part) => part !== '') ?? '';
  return decoded(segment).toLowerCase();
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stranger's broken escape is no token of ours.
    return '';
  }
}
