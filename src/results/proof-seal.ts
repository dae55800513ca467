// What tells a true proof from a forged one: a keyed digest (HMAC-SHA256) over the data that are printed, and a seal over every byte of the PDF, so that a page
// which says something else than its data is found too. The key is derived from that of the workspace (HKDF), which leaves it never.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

import { type Proof, proof as proofSchema } from '../contract/proof.ts';
import { canonicalProof } from './proof.ts';

export type ProofKey = Uint8Array;

const KEY_BYTES = 32;

/** @param workspace the key of the workspace. */
export function proofKeyOf(workspace: Uint8Array): ProofKey {
  return new Uint8Array(hkdfSync('sha256', workspace, '', 'paydrop proof of payment', KEY_BYTES));
}

/** In hexadecimal digits. */
export function digestOfProof(proof: Proof, key: ProofKey): string {
  return mac(key, 'data', canonicalProof(proof));
}

/** What a person reads out on the telephone; letters that look like digits are left out. */
export function codeOfDigest(digest: string): string {
  const bits = BigInt(`0x${digest.slice(0, CODE_LENGTH * 2)}`);
  const letters = Array.from({ length: CODE_LENGTH }, (_, at) =>
    CODE_LETTERS.charAt(Number((bits >> BigInt(5 * at)) & 31n)),
  ).join('');
  return `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`;
}

const CODE_LENGTH = 10;
const CODE_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function mac(key: ProofKey, what: 'data' | 'file', content: string | Uint8Array): string {
  return createHmac('sha256', key).update(`${what}\n`).update(content).digest('hex');
}

// The seal stands behind the end of the PDF, in a comment that readers of PDFs pass over.

const SEAL = /%paydrop-seal (?<digest>[0-9a-f]{64}) (?<seal>[0-9a-f]{64})\n$/;
const SEAL_BYTES = '%paydrop-seal  \n'.length + 2 * 64;

/** The bytes with their seal. @param digest of the data in them. */
export function withSeal(pdf: Uint8Array, digest: string, key: ProofKey): Uint8Array {
  const line = `%paydrop-seal ${digest} `;
  const unsealed = Buffer.concat([pdf, Buffer.from(line, 'latin1')]);
  return Buffer.concat([unsealed, Buffer.from(`${mac(key, 'file', unsealed)}\n`, 'latin1')]);
}

/** The attached data stand in the file as they are. */
const DATA_BEGIN = '{"format":"paydrop-proof/1"';
const DATA_END = '\nendstream';

/** Null where the bytes hold no data of a proof, or more than one. `isData`: the data are ours; `isFile`: so is every byte. */
export function readProof(
  bytes: Uint8Array,
  key: ProofKey,
): {
  readonly proof: Proof;
  readonly digest: string;
  readonly isData: boolean;
  readonly isFile: boolean;
} | null {
  const pdf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const from = pdf.indexOf(DATA_BEGIN);
  const to = pdf.indexOf(DATA_END, from);
  if (from < 0 || to < 0 || pdf.indexOf(DATA_BEGIN, from + 1) >= 0) return null;
  const proof = parsed(pdf.subarray(from, to).toString('utf8'));
  if (proof === null) return null;
  const { digest: noted = '', seal = '' } =
    SEAL.exec(pdf.subarray(-SEAL_BYTES).toString('latin1'))?.groups ?? {};
  const digest = digestOfProof(proof, key);
  const sealed = pdf.subarray(0, Math.max(0, pdf.length - seal.length - 1));
  const isData = isSame(noted, digest);
  return { proof, digest, isData, isFile: isData && isSame(seal, mac(key, 'file', sealed)) };
}

function parsed(text: string): Proof | null {
  try {
    return proofSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
