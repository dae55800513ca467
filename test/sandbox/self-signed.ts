// A certificate for localhost, made on the spot, because the webhook rules are about certificates and a key has no place in a repository.
import { generateKeyPairSync, sign } from 'node:crypto';

/** Bytes of DER: a tag, a length below 64 kB, the content. */
function der(tag: number, ...parts: readonly (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const size = content.byteLength;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const SEQUENCE = 0x30;
const SET = 0x31;
const OID = 0x06;
const INTEGER = 0x02;
const text = (value: string): Buffer => Buffer.from(value, 'latin1');

const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OID, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
const COMMON_NAME = der(OID, [0x55, 0x04, 0x03]);
const ALTERNATIVE_NAME = der(OID, [0x55, 0x1d, 0x11]);
const BASIC_CONSTRAINTS = der(OID, [0x55, 0x1d, 0x13]);

export function selfSigned(): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, text('localhost')))));
  const validity = der(SEQUENCE, der(0x17, text('200101000000Z')), der(0x17, text('491231235959Z')));
  const localhost = der(SEQUENCE, ALTERNATIVE_NAME, der(0x04, der(SEQUENCE, der(0x82, text('localhost')))));
  const authority = der(SEQUENCE, BASIC_CONSTRAINTS, der(0x04, der(SEQUENCE, der(0x01, [0xff]))));
  const body = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, [2])),
    der(INTEGER, [1]),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, localhost, authority)),
  );
  const certificate = der(
    SEQUENCE,
    body,
    ECDSA_WITH_SHA256,
    der(0x03, [0], sign('sha256', body, privateKey)),
  );
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
