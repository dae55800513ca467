// OpenPGP around files: it decrypts incoming files and checks their signatures against the partner's keys; it signs outgoing files and encrypts them to those keys.
import { readFile } from 'node:fs/promises';

import type { Message, PrivateKey, PublicKey } from 'openpgp';

import { SftpFault, type Envelope } from './account.ts';
import { sentence } from '../messages/messages.ts';

export type EnvelopeFaultCode = 'not_decrypted' | 'signature_missing' | 'signature_wrong';

/** Names of encrypted files. */
const ENCRYPTED = /\.(?:pgp|gpg)$/i;

/** The extension of encrypted answers. */
export const SEALED_EXTENSION = '.pgp';

export function isEncryptedName(name: string): boolean {
  return ENCRYPTED.test(name);
}

/** `suppliers.csv` for `suppliers.csv.pgp`. */
export function plainName(name: string): string {
  return name.replace(ENCRYPTED, '');
}

/**
 * The content of the file at `path`. A fault is the sender's to correct; a key of ours that cannot be used is thrown.
 * @param bytesMax the most bytes of the content: a few bytes can be made to expand without end.
 */
export async function openEnvelope(
  path: string,
  envelope: Envelope,
  bytesMax: number,
): Promise<{ readonly bytes: Uint8Array } | { readonly fault: EnvelopeFaultCode }> {
  const { decrypt } = await import('openpgp');
  const keys = await keysOf(envelope);
  const bytes = await readFile(path);
  const opened = await readMessage(bytes)
    .then((message) =>
      decrypt({
        message,
        decryptionKeys: keys.own,
        verificationKeys: [...keys.partner],
        format: 'binary',
        config: { maxDecompressedMessageSize: bytesMax },
      }),
    )
    // The sender has to create the file again, whatever is wrong with it.
    .catch(() => null);
  if (opened === null || !(opened.data instanceof Uint8Array)) return { fault: 'not_decrypted' };
  const signature = await judge(opened.signatures);
  if (signature === 'wrong') return { fault: 'signature_wrong' };
  if (signature === 'missing' && envelope.signature === 'required') return { fault: 'signature_missing' };
  return { bytes: opened.data };
}

/** Signed by us, and readable by the partner alone. */
export async function sealEnvelope(content: Uint8Array, envelope: Envelope): Promise<Uint8Array> {
  const { createMessage, encrypt } = await import('openpgp');
  const keys = await keysOf(envelope);
  const sealed: unknown = await encrypt({
    message: await createMessage({ binary: content }),
    encryptionKeys: [...keys.partner],
    signingKeys: keys.own,
    format: 'binary',
  });
  if (sealed instanceof Uint8Array) return sealed;
  throw new Error('What was asked for as bytes has come as something else.');
}

type Keys = { readonly own: PrivateKey; readonly partner: readonly PublicKey[] };

/** Throws `SftpFault` when one of them cannot be used. */
export async function keysOf(envelope: Envelope): Promise<Keys> {
  try {
    const keys = await readKeys(envelope);
    if (keys.own.isDecrypted()) return keys;
  } catch (error) {
    throw keysUnusable(error);
  }
  throw keysUnusable(null);
}

async function readKeys({ privateKey, passphrase, partnerKey }: Envelope): Promise<Keys> {
  const openpgp = await import('openpgp');
  const read = isArmored(privateKey)
    ? await openpgp.readPrivateKey({ armoredKey: textOf(privateKey) })
    : await openpgp.readPrivateKey({ binaryKey: privateKey });
  const own =
    read.isDecrypted() || passphrase === null
      ? read
      : await openpgp.decryptKey({ privateKey: read, passphrase });
  const partner = isArmored(partnerKey)
    ? await openpgp.readKeys({ armoredKeys: textOf(partnerKey) })
    : await openpgp.readKeys({ binaryKeys: partnerKey });
  return { own, partner: partner.map((key) => key.toPublic()) };
}

function keysUnusable(cause: unknown): SftpFault {
  return new SftpFault('openpgp_unusable', sentence('sftp.openpgpUnusable'), { cause });
}

/** One good signature of the partner is enough; one that is present and bad is worse than none. */
async function judge(
  signatures: readonly { readonly verified: Promise<true> }[],
): Promise<'good' | 'missing' | 'wrong'> {
  if (signatures.length === 0) return 'missing';
  const verified = await Promise.allSettled(signatures.map((signature) => signature.verified));
  return verified.some((each) => each.status === 'fulfilled') ? 'good' : 'wrong';
}

async function readMessage(bytes: Uint8Array): Promise<Message<Uint8Array>> {
  const { readMessage: read } = await import('openpgp');
  if (!isArmored(bytes)) return read({ binaryMessage: bytes });
  return read({ armoredMessage: textOf(bytes) });
}

function isArmored(bytes: Uint8Array): boolean {
  return textOf(bytes.subarray(0, 100)).trimStart().startsWith('-----BEGIN PGP');
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
