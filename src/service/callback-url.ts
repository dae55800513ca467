// The callback URL of each transfer: the public base and a token that nobody can guess. The token is made of the transfer's externalId and a key
// alone, so that a repeated create says the same, and a stranger's request is told from a notification before anything is read or looked up.
import { createHmac, timingSafeEqual } from 'node:crypto';

import { signedPath } from './webhook-signature.ts';

export type Callbacks = {
  /** The URL that is sent with a transfer. */
  readonly urlOf: (externalId: string) => string;
  /** The transfer that a request speaks of, by the token in its target; null for a token that was never ours. */
  readonly find: (target: string) => Callback | null;
};

export type Callback = {
  readonly externalId: string;
  /** The path as it is stored on the transfer, whatever a proxy made of it on the way: this is what is signed. */
  readonly path: string;
};

/** The externalId without its hyphens, and as many hexadecimal digits of a HMAC: 128 bits that nobody guesses. */
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

/** Proxies add slashes, rewrite prefixes and change the case of escapes; the query is not signed, and never read. */
function lastSegment(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  const segment = path.split('/').findLast((part) => part !== '') ?? '';
  return decoded(segment).toLowerCase();
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stranger's broken escape is no token of ours, whatever it stands for.
    return '';
  }
}
