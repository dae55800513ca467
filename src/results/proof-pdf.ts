// A proof of payment on paper: who was paid what by whom, how that stood at which moment, and by what it is told from a forged one. The same data lie in the PDF as a
// file, and nothing is printed that is not among them.
import { setImmediate as turn } from 'node:timers/promises';

import { grouped } from '../base/decimal.ts';
import { joinWords, sameWords, say, type Words } from '../base/language.ts';
import type { Proof, ProvedRow } from '../contract/proof.ts';
import { sentence } from '../messages/messages.ts';
import { openPaper, type Paper, SOFT } from './paper.ts';
import { canonicalProof } from './proof.ts';
import { codeOfDigest, digestOfProof, type ProofKey, withSeal } from './proof-seal.ts';

export const ATTACHED = 'payment.json';

/** The sealed PDF. @param font see `openPaper`. */
export async function proofPdf(proof: Proof, key: ProofKey, font: string | null): Promise<Uint8Array> {
  const { language, asOf } = proof;
  const text = (words: Words) => say(words, language);
  const title = text(titleOf(proof));
  const paper = await openPaper({ title, language, at: asOf, font });
  const digest = digestOfProof(proof, key);
  writeHead(paper, proof, text);
  const [only] = proof.rows;
  if (only !== undefined && proof.rows.length === 1) writeRow(paper, only, text);
  else await writeRows(paper, proof, text);
  writeFoot(paper, { proof, digest }, text);
  paper.attach(ATTACHED, canonicalProof(proof), { at: asOf, words: title });
  const code = codeOfDigest(digest);
  const pdf = await paper.finish((page, pages) =>
    text(sentence('proof.footer', { batch: proof.batch, code, page, pages })),
  );
  return withSeal(pdf, digest, key);
}

type Say = (words: Words) => string;

export function titleOf({ kind }: Proof): Words {
  return kind === 'proof' ? sentence('proof.title') : sentence('proof.statement');
}

function writeHead(paper: Paper, proof: Proof, text: Say): void {
  const { sandbox, payers, file, batch, asOf, rows } = proof;
  paper.line({ text: text(titleOf(proof)), size: 20, isBold: true });
  paper.space(4);
  if (sandbox)
    paper.line({ text: text(sentence('proof.sandbox')), size: 12, isBold: true, colour: '#b00020' });
  if (proof.kind === 'statement') paper.line({ text: text(sentence('proof.noProof')), colour: '#b00020' });
  paper.line({ text: text(sentence('proof.asOf', { at: timeOf(asOf) })), colour: SOFT });
  paper.space(8);
  const [first] = rows;
  const which =
    rows.length === 1 && first !== undefined
      ? sentence('proof.rowOf', { row: first.row, file: file.name, batch })
      : sentence('proof.rowsOf', { rows: rows.length, of: file.rows, file: file.name, batch });
  writeFact(paper, text(sentence('proof.payer')), payers.join(', '));
  writeFact(paper, text(sentence('proof.file')), text(which));
  paper.space(6);
  paper.rule();
}

/** One payment fills the page. */
function writeRow(paper: Paper, row: ProvedRow, text: Say): void {
  const label = (words: Words) => text(words);
  paper.space(6);
  paper.line({ text: text(moneyOf(row.receiveAmount, row.destinationCurrency)), size: 22, isBold: true });
  paper.line({ text: row.state, size: 12, isBold: true });
  paper.space(8);
  writeFact(paper, label(sentence('proof.payee')), row.receiver);
  writeFact(paper, label(sentence('proof.account')), row.account);
  writeFact(paper, label(sentence('plainHeaders.reference')), row.reference);
  writeFact(paper, label(sentence('proof.amount')), text(moneyOf(row.sendAmount, row.sourceCurrency)));
  writeFact(paper, label(sentence('proof.fee')), text(moneyOf(row.feeAmount, row.sourceCurrency)));
  writeFact(paper, label(sentence('proof.debit')), text(moneyOf(row.debit, row.sourceCurrency)));
  writeFact(paper, label(sentence('proof.rate')), text(grouped(row.rate)));
  writeFact(paper, label(sentence('proof.confirmed')), timeOf(row.confirmedAt));
  writeFact(paper, label(sentence('proof.final')), timeOf(row.finalAt));
  writeFact(paper, label(sentence('proof.transfer')), row.transferId);
  writeFact(paper, label(sentence('proof.external')), row.externalId);
  paper.space(6);
  paper.rule();
}

/** Nothing is written of what there is none of. */
function writeFact(paper: Paper, name: string, value: string): void {
  if (value === '') return;
  paper.line({ text: name, width: 125, colour: SOFT }, { text: value, at: 130 });
  paper.space(3);
}

const COLUMNS = { row: [0, 95], payee: [102, 168], money: [277, 110], state: [397, 98] } as const;

function cellAt(column: keyof typeof COLUMNS): { readonly at: number; readonly width: number } {
  const [at, width] = COLUMNS[column];
  return { at, width };
}

/** Others have their turn after so many. */
const ROWS_AT_ONCE = 50;

async function writeRows(paper: Paper, { rows, paid }: Proof, text: Say): Promise<void> {
  const head = (column: keyof typeof COLUMNS, words: Words, isRight = false) => ({
    text: text(words),
    ...cellAt(column),
    isBold: true,
    isRight,
  });
  const isMoney = true;
  paper.line(
    head('row', sentence('plainHeaders.reference')),
    head('payee', sentence('proof.payee')),
    head('money', sentence('proof.amounts'), isMoney),
    head('state', sentence('proof.state')),
  );
  paper.rule();
  for (const [index, row] of rows.entries()) {
    writeShortRow(paper, row, text);
    if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await turn();
  }
  const sums = (of: Proof['paid']['received']) =>
    of.map(({ currency, amount }) => text(moneyOf(amount, currency))).join(' + ');
  const values = { rows: paid.rows, received: sums(paid.received), debited: sums(paid.debited) };
  if (paid.rows > 0) paper.line({ text: text(sentence('proof.sums', values)), isBold: true });
}

function writeShortRow(paper: Paper, row: ProvedRow, text: Say): void {
  const money = [moneyOf(row.receiveAmount, row.destinationCurrency), moneyOf(row.debit, row.sourceCurrency)];
  const small = { size: 8, colour: SOFT };
  paper.keep(40);
  paper.line(
    { text: row.reference, ...cellAt('row') },
    { text: `${row.receiver} ${row.account}`.trim(), ...cellAt('payee') },
    { text: text(money[0] ?? sameWords('')), ...cellAt('money'), isRight: true },
    { text: row.state, ...cellAt('state') },
  );
  paper.line(
    { text: text(sentence('proof.row', { row: row.row })), ...cellAt('row'), ...small },
    { text: row.transferId, ...cellAt('payee'), ...small },
    { text: text(money[1] ?? sameWords('')), ...cellAt('money'), ...small, isRight: true },
    { text: timeOf(row.finalAt === '' ? row.confirmedAt : row.finalAt), ...cellAt('state'), ...small },
  );
  paper.space(2);
  paper.rule();
}

function writeFoot(
  paper: Paper,
  { proof, digest }: { readonly proof: Proof; readonly digest: string },
  text: Say,
): void {
  paper.space(8);
  paper.keep(100);
  if (paper.hasNumbers) {
    paper.line({ text: text(sentence('proof.numbers', { file: ATTACHED })), colour: SOFT });
    paper.space(4);
  }
  writeFact(paper, text(sentence('proof.code')), codeOfDigest(digest));
  writeFact(paper, text(sentence('proof.digest')), digest);
  writeFact(paper, text(sentence('proof.sha256')), proof.file.sha256);
  paper.line({ text: text(sentence('proof.howToCheck', { file: ATTACHED })), colour: SOFT });
}

function moneyOf(amount: string, currency: string): Words {
  return amount === '' ? sameWords('') : joinWords([grouped(amount), sameWords(currency)]);
}

/** `2026-11-30 13:05:09 UTC`. */
function timeOf(iso: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(iso) ?? [];
  return day === undefined || time === undefined ? iso : `${day} ${time} UTC`;
}
