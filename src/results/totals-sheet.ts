// The second sheet of a result: what became of the rows, and what it cost. Its header names no column that a reader of payments knows, so
// that a result that is dropped again is still one table.
import type { XlsxCell, XlsxSheet } from '../rows/xlsx-writer.ts';
import type { Summary } from './summary.ts';

export const TOTALS_HEADER = ['What', 'Unit', 'How much'];
export const TOTALS_WIDTHS = [28, 10, 20];

const NAME = 'Totals';

/** `taken` is the name of the first sheet. */
export function totalsSheet(summary: Summary, taken: string): XlsxSheet {
  return {
    name: totalsName(taken),
    header: TOTALS_HEADER,
    widths: TOTALS_WIDTHS,
    rows: [...outcomeLines(summary), ...moneyLines(summary)],
  };
}

/** Two sheets of one name are not possible, in whatever case. */
export function totalsName(taken: string): string {
  return taken.toLowerCase() === NAME.toLowerCase() ? `${NAME} 2` : NAME;
}

function outcomeLines({ outcomes, file }: Summary): readonly (readonly XlsxCell[])[] {
  const counts = Object.entries(outcomes).filter(([, rows]) => rows > 0);
  return [...counts, ['rows in all', file.rows] as const].map(([what, rows]) => [
    { value: what },
    { value: 'rows' },
    { value: { decimal: String(rows) }, format: '#,##0' },
  ]);
}

function moneyLines({ totals, received }: Summary): readonly (readonly XlsxCell[])[] {
  const sent = totals.flatMap(({ sourceCurrency, sendAmount, feeAmount, debited, reserved }) => [
    amountLine('sent', sourceCurrency, sendAmount),
    amountLine('fees', sourceCurrency, feeAmount),
    amountLine('debited', sourceCurrency, debited),
    amountLine('reserved', sourceCurrency, reserved),
  ]);
  return [
    ...sent,
    ...received.map((line) => amountLine('received', line.destinationCurrency, line.receiveAmount)),
  ];
}

export function amountLine(what: string, currency: string, amount: string): readonly XlsxCell[] {
  const decimals = amount.split('.')[1]?.length ?? 0;
  const format = `#,##0${decimals === 0 ? '' : `.${'0'.repeat(decimals)}`}`;
  return [{ value: what }, { value: currency }, { value: { decimal: amount }, format }];
}
