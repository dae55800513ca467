// A passkey as a phone or a key has one: ES256, implemented with node:crypto alone, and able to do what a correct one never does.
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

export type Asked = {
  readonly challenge: string;
  readonly options: {
    readonly challenge: string;
    readonly rpId?: string;
    readonly rp?: { readonly id: string };
  };
};

/** What a wrong one does. */
export type Wrong = {
  readonly origin?: string;
  readonly rpId?: string;
  /** Without having asked the person. */
  readonly unverified?: boolean;
  readonly counter?: number;
  readonly challenge?: string;
  readonly type?: string;
};

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

export class Authenticator {
  readonly id = randomBytes(16).toString('base64url');
  readonly #key: KeyObject;
  readonly #point: { readonly x: Buffer; readonly y: Buffer };
  readonly #origin: string;
  #counter = 0;

  constructor(origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#key = privateKey;
    this.#point = { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') };
    this.#origin = origin;
  }

  /** What `navigator.credentials.create` gives. */
  create({ options }: Asked, wrong: Wrong = {}): object {
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const authData = Buffer.concat([
      this.#authData(options.rp?.id ?? '', ATTESTED, wrong),
      Buffer.alloc(16),
      length,
      id,
      this.#coseKey(),
    ]);
    const attestationObject = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(authData)],
    ]);
    return this.#credential({
      attestationObject: attestationObject.toString('base64url'),
      clientDataJSON: this.#clientData(wrong.type ?? 'webauthn.create', options.challenge, wrong).toString(
        'base64url',
      ),
      transports: ['internal'],
    });
  }

  /** What `navigator.credentials.get` gives. */
  sign({ options }: Asked, wrong: Wrong = {}): object {
    this.#counter = wrong.counter ?? this.#counter + 1;
    const authData = this.#authData(options.rpId ?? '', 0, wrong);
    const clientData = this.#clientData(wrong.type ?? 'webauthn.get', options.challenge, wrong);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    return this.#credential({
      authenticatorData: authData.toString('base64url'),
      clientDataJSON: clientData.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.#key).toString('base64url'),
    });
  }

  #credential(response: object): object {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #authData(rpId: string, flags: number, wrong: Wrong): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | PRESENT | (wrong.unverified === true ? 0 : VERIFIED));
    head.writeUInt32BE(this.#counter, 1);
    return Buffer.concat([
      createHash('sha256')
        .update(wrong.rpId ?? rpId)
        .digest(),
      head,
    ]);
  }

  #clientData(type: string, challenge: string, wrong: Wrong): Buffer {
    const origin = wrong.origin ?? this.#origin;
    return Buffer.from(
      JSON.stringify({ type, challenge: wrong.challenge ?? challenge, origin, crossOrigin: false }),
    );
  }

  #coseKey(): Buffer {
    return cborMap([
      [cborInt(1), cborInt(2)],
      [cborInt(3), cborInt(-7)],
      [cborInt(-1), cborInt(1)],
      [cborInt(-2), cborBytes(this.#point.x)],
      [cborInt(-3), cborBytes(this.#point.y)],
    ]);
  }
}

// As much of CBOR (RFC 8949) as a passkey is written in.

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}

const cborInt = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([head(2, bytes.length), bytes]);
const cborText = (text: string): Buffer =>
  Buffer.concat([head(3, Buffer.byteLength(text)), Buffer.from(text)]);
const cborMap = (pairs: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([head(5, pairs.length), ...pairs.flat()]);
