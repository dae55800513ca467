// Sums and amounts of the answers against the books of the service, to the minor unit.
import type { CaseFile, KnownTransfer, Violation } from './case-file.ts';
import type { FinalRow } from './asked-row.ts';
import type { Minor } from './journal.ts';

const DECIMALS: Readonly<Record<string, number>> = { XAF: 0, USD: 2, EUR: 2, CNY: 2 };

/** I-3: what the summary says was debited and received is what the paid transfers say. */
export function checkSums(file: CaseFile): readonly Violation[] {
  const debited = new Map<string, Minor>();
  const received = new Map<string, Minor>();
  const reserved = new Map<string, Minor>();
  for (const { facts } of transfersOfRows(file, 'confirmed'))
    add(reserved, facts.sourceCurrency, facts.sendAmount + facts.feeAmount);
  for (const { facts } of transfersOfRows(file, 'paid')) {
    add(debited, facts.sourceCurrency, facts.sendAmount + facts.feeAmount);
    add(received, facts.destinationCurrency, facts.receiveAmount);
  }
  return [
    ...compare('debited', file.totals.debited, debited),
    ...compare('reserved', file.totals.reserved, reserved),
    ...compare('received', file.totals.received, received),
  ];
}

/** I-12: a paid row shows the amounts of the quotation that was used. */
export function checkAmountsShown(file: CaseFile): readonly Violation[] {
  return paidTransfers(file).flatMap(([{ row, cells }, { facts }]) => {
    const shown = {
      'payout.sendAmount': [facts.sendAmount, facts.sourceCurrency],
      'payout.feeAmount': [facts.feeAmount, facts.sourceCurrency],
      'payout.receiveAmount': [facts.receiveAmount, facts.destinationCurrency],
    } as const;
    const wrong = Object.entries(shown).flatMap(([column, [amount, currency]]) =>
      minorOf(cells[column] ?? '', currency) === amount ? [] : [column],
    );
    const isNamed =
      cells['payout.transferId'] === facts.id &&
      cells['payout.externalId']?.toLowerCase() === facts.externalId.toLowerCase() &&
      cells['payout.quotationId'] === facts.quotationId;
    return wrong.length === 0 && isNamed
      ? []
      : [
          {
            invariant: 'I-12',
            row,
            words: `shows another ${[...wrong, ...(isNamed ? [] : ['id'])].join(', ')}`,
          },
        ];
  });
}

function transfersOfRows(file: CaseFile, stage: string): readonly KnownTransfer[] {
  return file.finals.flatMap((final) => {
    const known = file.transfers.get(final.transferId ?? '');
    return final.stage === stage && known !== undefined ? [known] : [];
  });
}

function paidTransfers(file: CaseFile): readonly (readonly [FinalRow, KnownTransfer])[] {
  return file.finals.flatMap((final) => {
    const known = file.transfers.get(final.transferId ?? '');
    return final.stage === 'paid' && known !== undefined ? [[final, known] as const] : [];
  });
}

function compare(
  what: string,
  told: Readonly<Record<string, string>>,
  expected: ReadonlyMap<string, Minor>,
): readonly Violation[] {
  const currencies = new Set([...Object.keys(told), ...expected.keys()]);
  return [...currencies].flatMap((currency) => {
    const amount = minorOf(told[currency] ?? '0', currency);
    const right = expected.get(currency) ?? 0n;
    return amount === right
      ? []
      : [
          {
            invariant: 'I-3',
            row: null,
            words: `${what} ${currency} is told as ${String(told[currency])}, not ${String(right)}`,
          },
        ];
  });
}

function add(sums: Map<string, Minor>, currency: string, amount: Minor): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + amount);
}

/** Null for what is no amount of this currency; an amount must show all decimals of it. */
function minorOf(text: string, currency: string): Minor | null {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const decimals = DECIMALS[currency] ?? 2;
  if (whole === undefined || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
