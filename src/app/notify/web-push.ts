// Web Push: one message to one browser, through the push service that the browser has chosen. The message is encrypted for that browser alone (RFC 8291), and
// the service is shown who sends it (VAPID, RFC 8292).
import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from 'node:crypto';

import type { PushKey, PushSubscription } from '../people/push-browsers.ts';

/** What the encryption draws by chance. */
export type PushChance = { readonly salt: Uint8Array; readonly ownKey: Uint8Array };

const SALT_BYTES = 16;
const RECORD_BYTES = 4_096;

/** Ends the last record (RFC 8188). */
const LAST_RECORD = 2;

/** The body of the request (`aes128gcm`). Throws for a key that is no point of the curve. */
export function encryptPush(
  text: string,
  { p256dh, auth }: Pick<PushSubscription, 'p256dh' | 'auth'>,
  { salt, ownKey }: PushChance = chance(),
): Uint8Array {
  const own = createECDH('prime256v1');
  own.setPrivateKey(ownKey);
  const [theirs, ours] = [Buffer.from(p256dh, 'base64url'), own.getPublicKey()];
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]);
  const secret = hkdfSync('sha256', own.computeSecret(theirs), Buffer.from(auth, 'base64url'), info, 32);
  const derived = (name: string, bytes: number): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', new Uint8Array(secret), salt, `Content-Encoding: ${name}\0`, bytes));
  const cipher = createCipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
  const record = cipher.update(Buffer.concat([Buffer.from(text, 'utf8'), Buffer.of(LAST_RECORD)]));
  cipher.final();
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  return Buffer.concat([salt, size, Buffer.of(ours.length), ours, record, cipher.getAuthTag()]);
}

function chance(): PushChance {
  const own = createECDH('prime256v1');
  own.generateKeys();
  return { salt: randomBytes(SALT_BYTES), ownKey: own.getPrivateKey() };
}

/** Of the 24 hours that the services allow. */
const TOKEN_LASTS_S = 12 * 3_600;

/** The value of `authorization`. @param contact a `mailto:` or `https:` address by which the service reaches whoever runs paydrop; null for none. */
export function vapidOf(
  { privateKey, publicKey }: PushKey,
  audience: string,
  contact: string | null,
  now: number,
): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    aud: audience,
    exp: Math.floor(now / 1_000) + TOKEN_LASTS_S,
    ...(contact === null ? {} : { sub: contact }),
  };
  const said = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`;
  const key = createPrivateKey({ key: privateKey, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(said), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${said}.${signature.toString('base64url')}, k=${publicKey}`;
}
