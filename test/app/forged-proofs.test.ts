// Two hundred forged proofs of payment, made by somebody who has a genuine one, the program and every key but that of the workspace: each is found.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { verify } from '../../src/app/desk/commands.ts';
import { writeProof } from '../../src/app/desk/prove-payments.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import type { Proof, ProvedRow } from '../../src/contract/proof.ts';
import { canonicalProof } from '../../src/results/proof.ts';
import { proofPdf } from '../../src/results/proof-pdf.ts';
import { proofKeyOf } from '../../src/results/proof-seal.ts';
import { line, magic, openDesk, PATIENT, type Desk } from './desk.ts';

const FORGED = 200;
const SEED = Number(process.env['PROOF_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let desk: Desk;
let paydrop: Paydrop;
let batch: string;

beforeAll(async () => {
  desk = await openDesk();
  paydrop = await desk.open();
  const lines = [line('A-1', '100'), line('A-2', '2500.75'), magic('A-3', '0100002'), line('A-4', '70')];
  ({ batch } = (await processBatch(paydrop, await desk.file('payroll.csv', lines), PATIENT)).summary);
});
afterAll(() => desk.close());

/** Mulberry32: the same numbers for the same seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const DIGIT = /[0-8]/g;

/** The text with one digit raised, so that its length stays. */
function otherDigit(text: string, below: (n: number) => number): string {
  const places = [...text.matchAll(DIGIT)].map(({ index }) => index);
  const at = places[below(places.length)] ?? 0;
  return `${text.slice(0, at)}${String(Number(text[at]) + 1)}${text.slice(at + 1)}`;
}

type Forger = (below: (n: number) => number) => Promise<Uint8Array>;

async function genuine(rows: readonly string[] | null = null) {
  const order = { rows: rows === null ? null : new Set(rows), language: 'fr' } as const;
  const made = await writeProof(paydrop, batch, order);
  if (made === null || 'fault' in made) throw new Error('The batch is there.');
  return made;
}

const otherKey = (below: (n: number) => number) => proofKeyOf(Buffer.from(`guess ${String(below(1e9))}`));

/** All of a document made anew with a row that says something else. */
function forgedRow(change: (row: ProvedRow, below: (n: number) => number) => Partial<ProvedRow>): Forger {
  return async (below) => {
    const { proof } = await genuine();
    const at = below(proof.rows.length);
    const rows = proof.rows.map((row, index) => (index === at ? { ...row, ...change(row, below) } : row));
    return proofPdf({ ...proof, rows }, otherKey(below), null);
  };
}

/** The bytes with one text in the place of another. */
function replaced(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const [latinFrom, latinTo] = [from, to].map((each) => Buffer.from(each).toString('latin1'));
  if (!text.includes(latinFrom ?? '')) throw new Error('What is to be replaced is there.');
  return Buffer.from(
    text.replace(latinFrom ?? '', () => latinTo ?? ''),
    'latin1',
  );
}

const sealOf = (bytes: Uint8Array) =>
  /%paydrop-seal .*\n$/.exec(Buffer.from(bytes).toString('latin1'))?.[0] ?? '';
const unsealed = (bytes: Uint8Array) => Buffer.from(bytes).subarray(0, bytes.length - sealOf(bytes).length);

const KINDS: Readonly<Record<string, Forger>> = {
  amount: forgedRow(({ receiveAmount }, below) => ({ receiveAmount: otherDigit(receiveAmount, below) })),
  name: forgedRow((_, below) => ({ receiver: `Li Wei${String(below(100))}` })),
  account: forgedRow(({ account }, below) => ({ account: otherDigit(account, below) })),
  date: forgedRow(({ finalAt }, below) => ({ finalAt: otherDigit(finalAt, below) })),
  id: forgedRow(({ transferId }, below) => ({ transferId: otherDigit(transferId, below) })),
  reference: forgedRow((_, below) => ({ reference: `B-${String(below(100))}` })),
  'a failed row told as paid': async (below) => {
    const { proof } = await genuine(['4']);
    const [row] = proof.rows;
    if (row === undefined) throw new Error('The row is there.');
    const rows = [{ ...row, outcome: 'paid' as const, state: 'Payé au bénéficiaire.' }];
    return proofPdf({ ...proof, kind: 'proof', rows }, otherKey(below), null);
  },
  'the moment alone': async (below) => {
    const { proof } = await genuine();
    return proofPdf({ ...proof, asOf: otherDigit(proof.asOf, () => below(3)) }, otherKey(below), null);
  },
  'true data under another key': async (below) => proofPdf((await genuine()).proof, otherKey(below), null),
  'data changed in place': async (below) => {
    const { bytes, proof } = await genuine();
    const row = proof.rows[below(proof.rows.length)];
    const field = (['receiveAmount', 'transferId', 'reference'] as const)[below(3)] ?? 'reference';
    const value = row?.[field] ?? '';
    return replaced(bytes, `"${field}":"${value}"`, `"${field}":"${otherDigit(value, below)}"`);
  },
  'another page over true data': async (below) => {
    const { bytes, proof } = await genuine(['2']);
    const [row] = proof.rows;
    if (row === undefined) throw new Error('The row is there.');
    const printed: Proof = {
      ...proof,
      rows: [{ ...row, receiveAmount: otherDigit(row.receiveAmount, below) }],
    };
    const forged = unsealed(await proofPdf(printed, otherKey(below), null));
    const hidden = replaced(forged, canonicalProof(printed), canonicalProof(proof));
    return Buffer.concat([hidden, Buffer.from(sealOf(bytes), 'latin1')]);
  },
  'a byte of the page': async (below) => {
    const copy = Buffer.from((await genuine()).bytes);
    const at = copy.indexOf('stream\n') + 7 + below(40);
    copy[at] = (copy[at] ?? 0) ^ (1 << below(8));
    return copy;
  },
  'a later version appended': async (below) => {
    const { bytes } = await genuine();
    const update = Buffer.from(`9 0 obj\n<< /Length ${String(below(99))} >>\nendobj\n%%EOF\n`);
    return Buffer.concat([bytes, update, ...(below(2) === 0 ? [] : [Buffer.from(sealOf(bytes))])]);
  },
  'no seal': async () => unsealed((await genuine()).bytes),
  'the seal of another proof': async (below) => {
    const [one, other] = [await genuine(), await genuine([String(2 + below(4))])];
    return Buffer.concat([unsealed(one.bytes), Buffer.from(sealOf(other.bytes))]);
  },
};

it(`of ${String(FORGED)} forged proofs none passes (PROOF_SEED=${String(SEED)})`, async () => {
  const below = numbersFrom(SEED);
  const kinds = Object.entries(KINDS);
  const passed: string[] = [];
  const verdicts = new Map<string, number>();
  for (let at = 0; at < FORGED; at += 1) {
    const [kind, forge] = kinds[at % kinds.length] ?? ['', () => Promise.reject(new Error('No kind.'))];
    const path = join(desk.workspace, 'forged.pdf');
    await writeFile(path, await forge(below));
    const { verdict, code } = await verify(paydrop, path);
    verdicts.set(`${kind}: ${verdict}`, (verdicts.get(`${kind}: ${verdict}`) ?? 0) + 1);
    const isFound = verdict === 'altered' || verdict === 'page-changed' || verdict === 'not-a-proof';
    if (!isFound || (verdict === 'altered' && code !== null))
      passed.push(`${String(at)} ${kind}: ${verdict}`);
  }
  expect(passed).toEqual([]);
  expect(verdicts.size).toBeGreaterThanOrEqual(kinds.length);
});

it('what differs is said in plain words', async () => {
  const below = numbersFrom(SEED);
  const path = join(desk.workspace, 'forged.pdf');
  await writeFile(path, (await KINDS['name']?.(below)) ?? '');
  const { words, details } = await verify(paydrop, path);
  expect(words.en).toContain('Forged');
  expect(details.map(({ en }) => en).join('\n')).toMatch(
    /Row \d, receiver: the document says "Li Wei\d+", the ledger "Li Wei"/,
  );
});

it('and the genuine one does', async () => {
  const path = join(desk.workspace, 'true.pdf');
  await writeFile(path, (await genuine()).bytes);
  expect(await verify(paydrop, path)).toMatchObject({ verdict: 'genuine' });
});
