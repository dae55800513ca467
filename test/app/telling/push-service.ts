// A push service of the test's own on loopback, and a browser that subscribes to it and reads what comes (RFC 8291, RFC 8292).
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';

import type { PushSubscription } from '../../../src/app/people/push-browsers.ts';
import { type Receiver, receiver } from '../../sandbox/receiver.ts';

type PushService = Receiver & {
  readonly origin: string;
  /** The status of every answer from now on; 201 at first. */
  readonly answers: (status: number) => void;
  /** The claims of a header that this key has signed. Throws for any other. */
  readonly vapid: (header: string, publicKey: string) => { readonly aud: string; readonly exp: number };
};

export async function pushService(): Promise<PushService> {
  let status = 201;
  const service = await receiver(() => ({ status }));
  return { ...service, origin: new URL(service.url).origin, answers: (next) => void (status = next), vapid };
}

function vapid(header: string, publicKey: string): ReturnType<PushService['vapid']> {
  const [, head = '', claims = '', signature = '', shown] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)];
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const isSound = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSound || shown !== publicKey) throw new Error(`Nobody with this key signed ${header}`);
  return JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as ReturnType<PushService['vapid']>;
}

export function pushedBrowser(endpoint: string): {
  readonly subscription: PushSubscription;
  readonly read: (body: Buffer) => unknown;
} {
  const keys = createECDH('prime256v1');
  const [point, auth] = [keys.generateKeys(), randomBytes(16)];
  const read = (body: Buffer): unknown => {
    const [salt, theirs, rest] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), point, theirs]);
    const secret = Buffer.from(hkdfSync('sha256', keys.computeSecret(theirs), auth, info, 32));
    const derived = (name: string, bytes: number): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, bytes));
    const decipher = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
    decipher.setAuthTag(rest.subarray(-16));
    const text = Buffer.concat([decipher.update(rest.subarray(0, -16)), decipher.final()]);
    // The last record ends in a 2.
    return JSON.parse(text.subarray(0, -1).toString('utf8'));
  };
  return {
    subscription: { endpoint, p256dh: point.toString('base64url'), auth: auth.toString('base64url') },
    read,
  };
}
