// What a proof of payment says of rows, taken from the ledger alone, and how it differs from what the ledger has by now. Only a row that is paid at that moment
// is called paid: a reversed one is not.
import { formatAmount } from '../base/currency.ts';
import { addDecimals, DecimalSum, toDecimalText } from '../base/decimal.ts';
import { type Language, sameWords, say, type Words } from '../base/language.ts';
import { type Proof, proof as proofSchema, type ProvedRow } from '../contract/proof.ts';
import type { BatchRecord, RowRecord } from '../ledger/records.ts';
import { sentence } from '../messages/messages.ts';
import { outcomeOf } from '../payouts/lifecycle.ts';
import { stageOrHeld } from '../payouts/progress.ts';
import { shownPayee } from '../payouts/shown-payee.ts';
import { payoutCells, PLAIN_REASON, reasonOf, RESULT_COLUMNS } from './payout-cells.ts';

/** @param rows those that are proved, in the order of the file. */
export function proofOf(
  batch: BatchRecord,
  rows: readonly RowRecord[],
  { ledger, asOf, language }: { readonly ledger: string; readonly asOf: string; readonly language: Language },
): Proof {
  const proved = rows.map((row) => provedRow(row, language));
  return {
    format: 'paydrop-proof/1',
    kind: kindOf(proved),
    language,
    asOf,
    sandbox: batch.sandbox,
    ledger,
    batch: batch.id,
    file: { name: batch.fileName, sha256: batch.sha256, rows: batch.rows },
    payers: [...new Set(rows.flatMap(payerOf))],
    rows: proved,
    paid: sumsOfPaid(proved),
  };
}

/** The text over which a proof is sealed: its fields in the order of the schema, without spaces. Throws where it is none. */
export function canonicalProof(proof: Proof): string {
  return JSON.stringify(proofSchema.parse(proof));
}

function kindOf(rows: readonly ProvedRow[]): Proof['kind'] {
  return rows.length > 0 && rows.every(({ outcome }) => outcome === 'paid') ? 'proof' : 'statement';
}

function provedRow(row: RowRecord, language: Language): ProvedRow {
  const cells = payoutCells(row, '.', null, language);
  const cell = (column: (typeof RESULT_COLUMNS)[number]) => cells[RESULT_COLUMNS.indexOf(column)] ?? '';
  const { receiver, account } = shownPayee(row.payout);
  const outcome = outcomeOf(stageOrHeld(row.progress));
  const sendAmount = cell('payout.sendAmount');
  const feeAmount = cell('payout.feeAmount');
  const sourceCurrency = cell('payout.sourceCurrency');
  return {
    row: row.row,
    outcome,
    // What somebody in the office has to do about a row is not for the payee.
    state: outcome === 'failed' ? reasonOf(row, null, language) : say(PLAIN_REASON[outcome], language),
    reference: row.reference ?? '',
    receiver: receiver ?? '',
    account: account ?? '',
    destinationCurrency: cell('payout.destinationCurrency'),
    receiveAmount: cell('payout.receiveAmount'),
    sourceCurrency,
    sendAmount,
    feeAmount,
    debit: debitOf(sendAmount, feeAmount, sourceCurrency),
    rate: cell('payout.rate'),
    confirmedAt: cell('payout.confirmedAt'),
    finalAt: cell('payout.finalAt'),
    transferId: cell('payout.transferId'),
    externalId: cell('payout.externalId'),
  };
}

function debitOf(sendAmount: string, feeAmount: string, currency: string): string {
  const [send, fee] = [toDecimalText(sendAmount), toDecimalText(feeAmount)];
  return send === null || fee === null ? '' : formatAmount(addDecimals(send, fee), currency);
}

function payerOf({ payout }: RowRecord): readonly string[] {
  const { receiver } = shownPayee(
    payout === null ? null : { ...payout, receivingParty: payout.sendingParty },
  );
  return receiver === null ? [] : [receiver];
}

function sumsOfPaid(rows: readonly ProvedRow[]): Proof['paid'] {
  const paid = rows.filter(({ outcome }) => outcome === 'paid');
  return {
    rows: paid.length,
    received: sumsOf(paid, ({ destinationCurrency, receiveAmount }) => [destinationCurrency, receiveAmount]),
    debited: sumsOf(paid, ({ sourceCurrency, debit }) => [sourceCurrency, debit]),
  };
}

function sumsOf(
  rows: readonly ProvedRow[],
  amountOf: (row: ProvedRow) => readonly [currency: string, amount: string],
): Proof['paid']['received'] {
  const sums = new Map<string, DecimalSum>();
  for (const row of rows) {
    const [currency, amount] = amountOf(row);
    const sum = sums.get(currency) ?? new DecimalSum();
    sum.add(toDecimalText(amount) ?? '0');
    sums.set(currency, sum);
  }
  return [...sums].map(([currency, sum]) => ({ currency, amount: formatAmount(sum.toText(), currency) }));
}

// How a proof stands against the ledger now.

/** They go with what became of the row. */
const OF_OUTCOME: ReadonlySet<string> = new Set(['outcome', 'state', 'confirmedAt', 'finalAt']);

/** Each in words; none where all of it is so. @param now the same rows as the ledger has them; null where it has no such batch. */
export function proofDifferences(proof: Proof, now: Proof | null): readonly Words[] {
  if (now === null) return [sentence('proof.noBatch', { batch: proof.batch })];
  const rows = new Map(now.rows.map((row) => [row.row, row]));
  const place = sentence('proof.batch', { batch: proof.batch });
  const facts = ({ sandbox, file, payers }: Proof) => ({
    sandbox: String(sandbox),
    file: JSON.stringify(file),
    payers: payers.join(', '),
  });
  // The sums are those of its own rows, however these stand by now.
  const summed = { kind: kindOf(proof.rows), paid: JSON.stringify(sumsOfPaid(proof.rows)) };
  return [
    ...fieldDifferences(place, facts(proof), facts(now)),
    ...fieldDifferences(place, { kind: proof.kind, paid: JSON.stringify(proof.paid) }, summed),
    ...proof.rows.flatMap((row) => rowDifferences(row, rows.get(row.row))),
  ];
}

function rowDifferences(row: ProvedRow, now: ProvedRow | undefined): readonly Words[] {
  const { row: name, outcome } = row;
  if (now === undefined) return [sentence('proof.noRow', { row: name })];
  const place = sentence('proof.row', { row: name });
  if (outcome === now.outcome) return fieldDifferences(place, { ...row, state: '' }, { ...now, state: '' });
  // Ids and a price come with the sending.
  const known = Object.entries(row).filter(([field, value]) => value !== '' && !OF_OUTCOME.has(field));
  const moved = sentence('proof.moved', {
    place,
    said: outcome,
    now: now.outcome,
    state: sameWords(now.state),
  });
  return [moved, ...fieldDifferences(place, Object.fromEntries(known), now)];
}

function fieldDifferences(
  place: Words,
  said: Readonly<Record<string, string>>,
  has: Readonly<Record<string, string>>,
): readonly Words[] {
  return Object.entries(said)
    .filter(([field, value]) => has[field] !== value)
    .map(([field, value]) => sentence('proof.differs', { place, field, said: value, has: has[field] ?? '' }));
}
