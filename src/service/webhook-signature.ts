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
 * True when `signature` is this body's, in constant time. Anything else than 64 lowercase hexadecimal digits, a list of
 * headers or none included, is false; so is an empty key. It never throws, because it reads what strangers send.
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
