// The second sheet of a result: outcomes and cost. Its header names no column that a reader of payments knows, so that a result that is dropped
// again still has one table.
import { say, type Language, type Words } from '../base/language.ts';
import type { XlsxCell, XlsxSheet } from '../rows/xlsx/xlsx-writer.ts';
import { OUTCOMES, type Outcome } from '../payouts/lifecycle.ts';
import type { Summary } from './summary.ts';
import { sentence } from '../messages/messages.ts';

export const TOTALS_HEADER: readonly Words[] = [
  sentence('totalsSheet.totalsHeader.what'),
  sentence('totalsSheet.totalsHeader.unit'),
  sentence('totalsSheet.totalsHeader.howMuch'),
];
export const TOTALS_WIDTHS = [28, 10, 20];

const NAME: Words = sentence('totalsSheet.name');

/** The counted outcomes, as the answers call them. */
export const OUTCOME_CAPTIONS: Readonly<Record<Outcome, Words>> = {
  paid: sentence('totalsSheet.paid'),
  failed: sentence('totalsSheet.failed'),
  submitted: sentence('totalsSheet.submitted'),
  rejected: sentence('totalsSheet.rejected'),
  duplicate: sentence('totalsSheet.duplicate'),
  held: sentence('totalsSheet.held'),
  pending: sentence('totalsSheet.pending'),
};

const IN_ALL: Words = sentence('totalsSheet.inAll');
const ROWS: Words = sentence('totalsSheet.rows');

type MoneyCaption = 'sent' | 'fees' | 'debited' | 'reserved' | 'received';
export const MONEY_CAPTIONS: Readonly<Record<MoneyCaption, Words>> = {
  sent: sentence('totalsSheet.sent'),
  fees: sentence('totalsSheet.fees'),
  debited: sentence('totalsSheet.debited'),
  reserved: sentence('totalsSheet.reserved'),
  received: sentence('totalsSheet.received'),
};

/** `taken` is the name of the first sheet; `summary` is called when that one is complete. */
export function totalsSheet(summary: () => Summary, taken: string, language: Language): XlsxSheet {
  return {
    name: totalsName(taken, language),
    header: TOTALS_HEADER.map((words) => say(words, language)),
    widths: TOTALS_WIDTHS,
    rows: totalsLines(summary, language),
  };
}

function* totalsLines(summary: () => Summary, language: Language): Generator<readonly XlsxCell[]> {
  const summed = summary();
  yield* outcomeLines(summed, language);
  yield* moneyLines(summed, language);
}

const PLAY_MONEY: Words = sentence('totalsSheet.playMoney');

/** The sheet of a sandbox run says first that no money moved. */
export function sandboxSheet(sheet: XlsxSheet, language: Language): XlsxSheet {
  return { ...sheet, rows: afterPlayMoney(sheet.rows, language) };
}

async function* afterPlayMoney(
  rows: XlsxSheet['rows'],
  language: Language,
): AsyncGenerator<readonly XlsxCell[]> {
  yield [{ value: say(PLAY_MONEY, language) }];
  yield* rows;
}

/** Two sheets cannot have the same name, even in different case. */
export function totalsName(taken: string, language: Language): string {
  const name = say(NAME, language);
  return taken.toLowerCase() === name.toLowerCase() ? `${name} 2` : name;
}

function outcomeLines({ outcomes, file }: Summary, language: Language): readonly (readonly XlsxCell[])[] {
  const counts = OUTCOMES.flatMap((outcome) =>
    outcomes[outcome] > 0 ? [[OUTCOME_CAPTIONS[outcome], outcomes[outcome]] as const] : [],
  );
  return [...counts, [IN_ALL, file.rows] as const].map(([what, rows]) => [
    { value: say(what, language) },
    { value: say(ROWS, language) },
    { value: { decimal: String(rows) }, format: '#,##0' },
  ]);
}

function moneyLines({ totals, received }: Summary, language: Language): readonly (readonly XlsxCell[])[] {
  const line = (what: MoneyCaption, currency: string, amount: string) =>
    amountLine(say(MONEY_CAPTIONS[what], language), currency, amount);
  const sent = totals.flatMap(({ sourceCurrency, sendAmount, feeAmount, debited, reserved }) => [
    line('sent', sourceCurrency, sendAmount),
    line('fees', sourceCurrency, feeAmount),
    line('debited', sourceCurrency, debited),
    line('reserved', sourceCurrency, reserved),
  ]);
  return [...sent, ...received.map((sum) => line('received', sum.destinationCurrency, sum.receiveAmount))];
}

export function amountLine(what: string, currency: string, amount: string): readonly XlsxCell[] {
  const decimals = amount.split('.')[1]?.length ?? 0;
  const format = `#,##0${decimals === 0 ? '' : `.${'0'.repeat(decimals)}`}`;
  return [{ value: what }, { value: currency }, { value: { decimal: amount }, format }];
}
