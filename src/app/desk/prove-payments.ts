// `proof` and `verify`: writes what the ledger has of payments as a sealed PDF, and says of such a PDF whether it is genuine and whether it still holds.
import { extname, parse } from 'node:path';

import { publishFile } from '../../base/atomic-file.ts';
import { isoTime } from '../../base/clock.ts';
import type { Language, Words } from '../../base/language.ts';
import { readPlainFile } from '../../base/plain-file.ts';
import type { Proof, ProofVerdict } from '../../contract/proof.ts';
import { PROOF_ROWS_MOST } from '../../contract/words.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';
import { proofDifferences, proofOf } from '../../results/proof.ts';
import { ATTACHED, proofPdf, titleOf } from '../../results/proof-pdf.ts';
import {
  codeOfDigest,
  digestOfProof,
  type ProofKey,
  proofKeyOf,
  readProof,
} from '../../results/proof-seal.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import type { Records } from '../parts.ts';
import { openCallbackKey } from '../parts/webhooks.ts';
import { assertPlace } from './output-place.ts';
import { namedRows } from './typed-words.ts';

type ProofOrder = {
  /** By name; null for the whole file. */
  readonly rows: ReadonlySet<string> | null;
  readonly language: Language;
};

type WrittenProof = {
  readonly proof: Proof;
  readonly code: string;
  /** How the file is called where nobody names it. */
  readonly name: string;
  readonly bytes: Uint8Array;
};

type ProofFault = { readonly fault: Words; readonly isUnknown: boolean };

/** Null where there is no such batch. Throws `ConfigUnusable` for a key or a font that cannot be read. */
export async function writeProof(
  records: Records,
  id: string,
  { rows: names, language }: ProofOrder,
): Promise<WrittenProof | ProofFault | null> {
  const { ledger, clock } = records;
  const batch = await ledger.batch(id);
  if (batch === null) return null;
  const count = names?.size ?? batch.rows;
  if (count > PROOF_ROWS_MOST)
    return { fault: sentence('proof.tooMany', { rows: count, most: PROOF_ROWS_MOST }), isUnknown: false };
  const asOf = isoTime(clock.now());
  const rows = await rowsNamed(records, id, names);
  if (rows.length === 0) return { fault: sentence('proof.noRows', { id }), isUnknown: true };
  const proof = proofOf(batch, rows, { ledger: ledger.id, asOf, language });
  const key = await proofKey(records);
  const bytes = await printed(records, proof, key);
  return { proof, code: codeOfDigest(digestOfProof(proof, key)), name: nameOf(batch, proof), bytes };
}

/** The same for rows as they are typed, such as `3,7-9`. */
export async function writeProofOf(
  records: Records,
  id: string,
  { rows, language }: { readonly rows: string | null; readonly language: Language },
): Promise<WrittenProof | ProofFault | null> {
  const named = rows === null ? null : await namedRows(records, id, rows);
  if (named !== null && named.unknown.length > 0) {
    const unknown = named.unknown.join(', ');
    return { fault: sentence('proof.unknownRows', { id, rows: unknown }), isUnknown: true };
  }
  return writeProof(records, id, { rows: named?.rows ?? null, language });
}

async function printed({ config }: Records, proof: Proof, key: ProofKey): Promise<Uint8Array> {
  const { font } = config.proof;
  try {
    return await proofPdf(proof, key, font);
  } catch (error) {
    if (font === null) throw error;
    throw new ConfigUnusable(sentence('proof.fontUnreadable', { path: font }), { cause: error });
  }
}

/** Throws `ConfigUnusable` for a place where none may be written. */
export async function saveProof(
  { proof, code, bytes }: WrittenProof,
  path: string,
  mayReplace: boolean,
): Promise<{
  readonly path: string;
  readonly code: string;
  readonly proof: Proof;
  readonly words: Words;
}> {
  if (extname(path).toLowerCase() !== '.pdf') throw new ConfigUnusable(sentence('proof.notPdf', { path }));
  await assertPlace(path, mayReplace);
  await publishFile(path, [bytes]);
  return { path, code, proof, words: sentence('proof.written', { title: titleOf(proof), path, code }) };
}

async function proofKey({ workspace }: Records): Promise<ProofKey> {
  return proofKeyOf(await openCallbackKey(workspace.root));
}

async function rowsNamed(
  { ledger }: Records,
  id: string,
  names: ReadonlySet<string> | null,
): Promise<readonly RowRecord[]> {
  const rows: RowRecord[] = [];
  for await (const row of batchRows(ledger, id)) if (names?.has(row.row) ?? true) rows.push(row);
  return rows;
}

function nameOf({ fileName, id }: BatchRecord, { kind, rows: [first], rows: { length } }: Proof): string {
  const row = length === 1 && first !== undefined ? `.${first.row.replace(/[^\w-]+/g, '-')}` : '';
  return `${parse(fileName).name}.${id}${row}.${kind}.pdf`;
}

export type CheckedProof = {
  readonly verdict: ProofVerdict;
  readonly words: Words;
  /** What it is, and what differs from the ledger. */
  readonly details: readonly Words[];
  readonly proof: Proof | null;
  readonly code: string | null;
};

/** No proof is larger. */
const PROOF_BYTES_MAX = 50_000_000;

/** Throws `ConfigUnusable` where the path leads to no file that can be read. */
export async function checkProof(records: Records, path: string): Promise<CheckedProof> {
  const bytes = await readPlainFile(path, { bytesMax: PROOF_BYTES_MAX, mayBeLinked: true });
  if (bytes === 'missing' || bytes === 'not-a-file')
    throw new ConfigUnusable(sentence('path.missing', { path }));
  const read = typeof bytes === 'string' ? null : readProof(bytes, await proofKey(records));
  if (read === null)
    return {
      verdict: 'not-a-proof',
      words: sentence('proof.notAProof', { path }),
      details: [],
      proof: null,
      code: null,
    };
  const { proof, digest, isData, isFile } = read;
  const isOurs = proof.ledger === records.ledger.id;
  const differences = isOurs ? proofDifferences(proof, await proofNow(records, proof)) : [];
  const verdict = verdictOf(read, isOurs, differences.length > 0);
  const code = isData ? codeOfDigest(digest) : null;
  const { batch, rows, asOf: at } = proof;
  const what = sentence('proof.checked', {
    title: titleOf(proof),
    batch,
    rows: rows.length,
    at,
    code: code ?? '–',
  });
  const agrees = isOurs && !isFile && differences.length === 0 ? [sentence('proof.agrees')] : [];
  const sandbox = proof.sandbox ? [sentence('proof.sandbox')] : [];
  const details = [what, ...sandbox, ...differences, ...agrees];
  return { verdict, words: verdictWords(verdict, proof), details, proof, code };
}

function verdictOf(
  { isData, isFile }: { readonly isData: boolean; readonly isFile: boolean },
  isOurs: boolean,
  differs: boolean,
): Exclude<ProofVerdict, 'not-a-proof'> {
  if (!isOurs) return 'foreign';
  if (!isFile) return isData ? 'page-changed' : 'altered';
  return differs ? 'moved' : 'genuine';
}

function verdictWords(verdict: Exclude<ProofVerdict, 'not-a-proof'>, { ledger }: Proof): Words {
  switch (verdict) {
    case 'genuine':
      return sentence('proof.genuine');
    case 'moved':
      return sentence('proof.hasMoved');
    case 'page-changed':
      return sentence('proof.pageChanged', { file: ATTACHED });
    case 'altered':
      return sentence('proof.altered');
    case 'foreign':
      return sentence('proof.foreign', { ledger });
  }
}

/** The same rows as the ledger has them now; null where it has no such batch. */
async function proofNow(records: Records, { batch: id, rows, language }: Proof): Promise<Proof | null> {
  const { ledger, clock } = records;
  const batch = await ledger.batch(id);
  if (batch === null) return null;
  const found = await rowsNamed(records, id, new Set(rows.map(({ row }) => row)));
  return proofOf(batch, found, { ledger: ledger.id, asOf: isoTime(clock.now()), language });
}
