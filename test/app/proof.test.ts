// A proof of payment says what the ledger has and nothing else, in both languages and in every name; a forged one is found, and one that holds no more says so.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { proof as prove, verify } from '../../src/app/desk/commands.ts';
import { writeProof } from '../../src/app/desk/prove-payments.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import type { Language } from '../../src/base/language.ts';
import { PROOF_VERDICTS, type Proof } from '../../src/contract/proof.ts';
import { proofPdf } from '../../src/results/proof-pdf.ts';
import { proofKeyOf } from '../../src/results/proof-seal.ts';
import { HURRIED, line, magic, openDesk, PATIENT, type Desk } from './desk.ts';
import { leapClock, type LeapClock } from './leap-clock.ts';

const DAY_MS = 86_400_000;
const run = promisify(execFile);

let clock: LeapClock;
let desk: Desk;

beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock, reversalMs: DAY_MS }, clock);
});
afterEach(() => desk.close());

const at = (name: string) => join(desk.workspace, name);

/** The proof of a batch as a file; throws where none may be made. */
async function proofAt(
  paydrop: Paydrop,
  batch: string,
  { rows = null, language = 'en' }: { readonly rows?: string | null; readonly language?: Language } = {},
) {
  const path = at(`${rows ?? 'all'}-${language}.pdf`);
  const made = await prove(paydrop, batch, { rows, language }, { path, mayReplace: true });
  if ('fault' in made) throw new Error(made.fault.en);
  return made;
}

async function paid(paydrop: Paydrop, lines: readonly string[]): Promise<string> {
  const { summary } = await processBatch(paydrop, await desk.file('payroll.csv', lines), PATIENT);
  return summary.batch;
}

describe('a proof', () => {
  it('of paid rows is one, and the ledger vouches for it', async () => {
    const paydrop = await desk.open();
    const batch = await paid(paydrop, [line('A-1', '100'), line('A-2', '250.50')]);
    const { proof, path, code } = await proofAt(paydrop, batch);
    expect(proof).toMatchObject({ kind: 'proof', batch, payers: ['Wouri SARL'], paid: { rows: 2 } });
    expect(proof.paid.received).toEqual([{ currency: 'CNY', amount: '350.50' }]);
    expect(proof.rows[0]).toMatchObject({
      outcome: 'paid',
      receiver: 'Li Wei',
      account: '••• 8000',
      receiveAmount: '100.00',
    });
    const checked = await verify(paydrop, path);
    expect(checked).toMatchObject({ verdict: 'genuine', code, proof });
    expect(PROOF_VERDICTS).toContain(checked.verdict);
  });

  it('is a statement where one row is not paid', async () => {
    const paydrop = await desk.open();
    const batch = await paid(paydrop, [line('A-1', '100'), magic('A-2', '0100002')]);
    expect((await proofAt(paydrop, batch)).proof).toMatchObject({ kind: 'statement', paid: { rows: 1 } });
    expect((await proofAt(paydrop, batch, { rows: '2' })).proof.kind).toBe('proof');
    const failed = await proofAt(paydrop, batch, { rows: '3' });
    expect(failed.proof).toMatchObject({ kind: 'statement', paid: { rows: 0, received: [], debited: [] } });
    expect(await verify(paydrop, failed.path)).toMatchObject({ verdict: 'genuine' });
  });

  it('is a statement of a payment that is under way', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [magic('A-1', '0060000')]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    const { proof, path } = await proofAt(paydrop, batch);
    expect(proof).toMatchObject({ kind: 'statement', rows: [{ outcome: 'submitted' }] });
    expect(await verify(paydrop, path)).toMatchObject({ verdict: 'genuine' });
  });

  it('holds no more once the payment is reversed, and no new one is made', async () => {
    const paydrop = await desk.open();
    const batch = await paid(paydrop, [magic('A-1', '0100001')]);
    const { proof, path } = await proofAt(paydrop, batch);
    expect(proof.kind).toBe('proof');
    clock.leap(2 * DAY_MS);
    await resumeBatches(paydrop, null, PATIENT);
    const checked = await verify(paydrop, path);
    expect(checked.verdict).toBe('moved');
    expect(checked.details.map(({ en }) => en).join('\n')).toContain(
      'the document says paid, the ledger failed',
    );
    for (const language of ['en', 'fr'] as const) {
      const after = await proofAt(paydrop, batch, { language });
      expect(after.proof).toMatchObject({
        kind: 'statement',
        rows: [{ outcome: 'failed' }],
        paid: { rows: 0 },
      });
      expect(after.words.en).not.toContain('Proof');
    }
  });

  it('is made of no row that is not there, over no file, and of no more rows than a book has', async () => {
    const paydrop = await desk.open();
    const batch = await paid(paydrop, [line('A-1', '100')]);
    const order = { rows: '2,9', language: 'en' } as const;
    const nowhere = { path: at('x.pdf'), mayReplace: false };
    expect(await prove(paydrop, batch, order, nowhere)).toMatchObject({ fault: { en: /no row 9/ } });
    expect(await prove(paydrop, '20260101-00000000', { ...order, rows: null }, nowhere)).toHaveProperty(
      'fault',
    );
    const many = new Set(Array.from({ length: 1_001 }, (_, row) => String(row)));
    expect(await writeProof(paydrop, batch, { rows: many, language: 'en' })).toHaveProperty('fault');
    await writeFile(at('x.pdf'), 'mine');
    await expect(prove(paydrop, batch, { ...order, rows: '2' }, nowhere)).rejects.toThrow(/already/);
    await expect(
      prove(paydrop, batch, { ...order, rows: '2' }, { ...nowhere, path: at('x.csv') }),
    ).rejects.toThrow(/\.pdf/);
    expect(await readFile(at('x.pdf'), 'utf8')).toBe('mine');
  });
});

describe('a document that is checked', () => {
  it('is none of paydrop where it was saved anew, or is anything else', async () => {
    const paydrop = await desk.open();
    await writeFile(at('other.pdf'), '%PDF-1.7\n%%EOF\n');
    expect(await verify(paydrop, at('other.pdf'))).toMatchObject({ verdict: 'not-a-proof', proof: null });
    await expect(verify(paydrop, at('missing.pdf'))).rejects.toThrow(/missing\.pdf/);
  });

  it('of another workspace is not proved here', async () => {
    const paydrop = await desk.open();
    const { path } = await proofAt(paydrop, await paid(paydrop, [line('A-1', '100')]));
    const other = await openDesk();
    try {
      expect(await verify(await other.open(), path)).toMatchObject({ verdict: 'foreign', code: null });
    } finally {
      await other.close();
    }
  });
});

const hasReader = (() => {
  try {
    execFileSync('pdftotext', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** With one space between words, and none where a line was broken within one. */
async function textOf(path: string): Promise<string> {
  const { stdout } = await run('pdftotext', ['-layout', path, '-']);
  return stdout.replace(/\s+/gu, ' ');
}

const DEJAVU = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';

// Without pdftotext (poppler-utils) on this machine, nobody here can read what is printed.
describe.skipIf(!hasReader)('what is printed', () => {
  /** What a person compares, of each row. */
  const printedOf = ({ rows, payers }: Proof) => [
    ...payers,
    ...rows.flatMap(({ reference, receiver, account, transferId, state }) => [
      reference,
      receiver,
      account,
      transferId,
      state,
    ]),
  ];

  it.each(['en', 'fr'] as const)('is what the data say, in %s', async (language) => {
    const paydrop = await desk.open();
    const named = line('É-1', '12345.60').replace('Li,Wei', 'Hélène-Zoé,Œuvrard');
    const batch = await paid(paydrop, [named, line('A-2', '100'), magic('A-3', '0100002')]);
    for (const rows of [null, '2']) {
      const { proof, path, code } = await proofAt(paydrop, batch, { rows, language });
      const text = await textOf(path);
      for (const said of [...printedOf(proof), code, proof.batch, proof.file.sha256])
        expect(text).toContain(said.replace(/\s+/gu, ' '));
      expect(text).toContain(language === 'en' ? '12,345.60 CNY' : '12 345,60 CNY');
      expect(text.includes(language === 'en' ? 'Proof of payment ' : 'Preuve de paiement ')).toBe(
        proof.kind === 'proof',
      );
    }
  });

  it('shows a name that the font lacks by its numbers, and says so', async () => {
    const paydrop = await desk.open();
    const named = line('A-1', '100').replace('Li,Wei', '小明,王');
    const decomposed = line('A-2', '200').replace('Li,Wei', 'Zoe\u0301,Ngo');
    const batch = await paid(paydrop, [named, decomposed]);
    const { proof, path } = await proofAt(paydrop, batch);
    const text = await textOf(path);
    expect(text.replaceAll(' ', '')).toContain('[U+5C0F][U+660E]');
    expect(text).toContain('payment.json');
    expect(text).toContain('Zoé Ngo');
    expect(proof.rows[0]?.receiver).toContain('小明');
    expect(await verify(paydrop, path)).toMatchObject({ verdict: 'genuine' });
  });

  it('prints a character that would turn the line round as its number', async () => {
    const paydrop = await desk.open();
    const { proof } = await proofAt(paydrop, await paid(paydrop, [line('A-1', '100')]));
    const [row] = proof.rows;
    if (row === undefined) throw new Error('The row is there.');
    const turned = { ...proof, rows: [{ ...row, receiver: 'Li\u202E\u00adWei' }] };
    await writeFile(at('turned.pdf'), await proofPdf(turned, proofKeyOf(Buffer.from('any')), null));
    expect(await textOf(at('turned.pdf'))).toContain('Li[U+202E][U+00AD]Wei');
  });

  it.skipIf(!existsSync(DEJAVU))('shows it as it is where a font is given that has it', async () => {
    const paydrop = await desk.open(`proof: { font: ${DEJAVU} }`);
    const batch = await paid(paydrop, [line('A-1', '100').replace('Li,Wei', 'Пётр,王')]);
    const text = await textOf((await proofAt(paydrop, batch)).path);
    expect(text).toContain('Пётр [U+738B]');
  });

  it('is refused with a font that is none', async () => {
    await writeFile(at('font.ttf'), 'no font');
    const paydrop = await desk.open(`proof: { font: ${at('font.ttf')} }`);
    const batch = await paid(paydrop, [line('A-1', '100')]);
    await expect(proofAt(paydrop, batch)).rejects.toThrow(/proof\.font/);
  });
});
