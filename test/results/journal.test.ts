// What an accountant imports balances to the unit, entry by entry and file by file, and its bank says what the results say was debited: over a thousand batches of
// payments, failures and reversals, in three currencies.
import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';

import { configSchema } from '../../src/app/config/config.ts';
import { fromUnits, toDecimalText, toUnits } from '../../src/base/decimal.ts';
import type { BatchRecord, RowRecord } from '../../src/ledger/records.ts';
import type { Stage } from '../../src/payouts/lifecycle.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { FRESH, type KnownTransfer } from '../../src/payouts/progress.ts';
import { entriesOf, type JournalEntry } from '../../src/results/journal.ts';
import {
  JOURNAL_COLUMNS,
  type JournalForm,
  type JournalFormat,
  writeJournal,
} from '../../src/results/journal-formats.ts';
import { Tally } from '../../src/results/summary.ts';
import { sameWords } from '../../src/base/language.ts';

const BATCHES = 1_000;
const SEED = Number(process.env['JOURNAL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const RULES: JournalForm = configSchema.parse({
  journal: { banks: { EUR: '5215' }, rates: { 'EUR/XAF': '655.957', 'USD/XAF': '603.4271' } },
}).journal;

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

type Below = (below: number) => number;

const DECIMALS: Readonly<Record<string, number>> = { XAF: 0, EUR: 2, USD: 2 };
const amountIn = (currency: string, below: Below, most = 90_000_000) =>
  fromUnits(BigInt(1 + below(most)), DECIMALS[currency] ?? 0);

/** What became of a row, with the status that the service gave its transfer. */
const ENDS: readonly (readonly [stage: Stage, status: string, code: string, share: number])[] = [
  ['paid', 'paid', '10000', 6],
  ['failed', 'failed', '100001', 2],
  ['failed', 'failed', '100002', 1],
  ['rejected', '', '', 1],
];
const ENDED = ENDS.flatMap(([stage, status, code, share]) =>
  Array.from({ length: share }, () => [stage, status, code] as const),
);

function rowOf(batch: string, position: number, below: Below): RowRecord {
  const currency = ['XAF', 'XAF', 'EUR', 'USD'][below(4)] ?? 'XAF';
  const [stage, status, statusCode] = ENDED[below(ENDED.length)] ?? ['paid', 'paid', '10000'];
  const [sendAmount, feeAmount] = [
    amountIn(currency, below),
    below(5) === 0 ? '0' : amountIn(currency, below, 9_999),
  ];
  const debit = toUnits(sendAmount, 2) + toUnits(feeAmount, 2);
  const id = hash('sha1', `${batch}-${String(position)}`);
  const transfer: KnownTransfer = {
    ...{ transferId: `t-${id}`, externalId: id, quotationId: `q-${id}`, status, statusCode },
    ...{ sendAmount, feeAmount, receiveAmount: '10', createdAt: '2026-11-28T10:00:00.000Z', expiredAt: '' },
  };
  // Most are paid at the price that was shown.
  const shownPrice =
    below(3) > 0
      ? null
      : {
          debit: fromUnits(debit + BigInt(below(20_001) - 10_000) * (currency === 'XAF' ? 100n : 1n), 2),
          receiveAmount: '10',
        };
  return {
    position,
    batch,
    row: String(position + 2),
    hints: 0,
    version: 1,
    fingerprint: null,
    lineage: null,
    rejections: [],
    reference: `REF-${String(position)}`,
    payout: {
      ...{ sourceCurrency: currency, targetCurrency: 'CNY', receivingParty: { registeredName: 'Li; "Wei"' } },
      ...{ purposeOfRemittance: below(2) === 0 ? 'SALARY_PAYMENT' : 'GOODS_PAYMENT', deliveryMethodInfo: {} },
    } as unknown as Payout,
    progress: {
      ...FRESH,
      stage,
      transfer: status === '' ? null : transfer,
      confirmedAt: status === '' ? null : '2026-11-28T10:00:01.000Z',
      finalAt: statusCode === '100001' ? '2026-12-03T08:00:00.000Z' : '2026-11-28T10:05:00.000Z',
      why: stage === 'paid' ? null : { errorCode: statusCode, reason: sameWords('') },
      comparison: { lifted: [], shownPrice, otherWays: null },
    },
  };
}

type SeededBatch = {
  readonly id: string;
  readonly rows: readonly RowRecord[];
  readonly entries: readonly JournalEntry[];
};

function batchesFrom(seed: number, count: number): readonly SeededBatch[] {
  const below = numbersFrom(seed);
  return Array.from({ length: count }, (_, at) => {
    const id = `20261128-${String(at).padStart(8, '0')}`;
    const rows = Array.from({ length: 1 + below(12) }, (__, position) => rowOf(id, position, below));
    return { id, rows, entries: rows.flatMap((row) => entriesOf(row, false, RULES)) };
  });
}

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
const BANKS = new Set([RULES.accounts.bank, ...Object.values(RULES.banks)]);

describe(`a thousand batches (JOURNAL_SEED=${String(SEED)})`, () => {
  const batches = batchesFrom(SEED, BATCHES);
  const entries = batches.flatMap((batch) => batch.entries);

  it('have payments, reversals and every account', () => {
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['payment', 'reversal']));
    const accounts = new Set(entries.flatMap(({ lines }) => lines.map(({ account }) => account)));
    expect([...accounts].sort()).toEqual(['401', '422', '521', '5215', '631', '676', '776']);
  });

  it('balance in every entry, with one amount above zero on each line', () => {
    const wrong = entries.filter(
      ({ lines }) =>
        sum(lines.map(({ debit }) => debit)) !== sum(lines.map(({ credit }) => credit)) ||
        sum(lines.map(({ foreign }) => foreign ?? 0n)) !== 0n ||
        lines.some(({ debit, credit }) => debit < 0n || credit < 0n || debit > 0n === credit > 0n),
    );
    expect(wrong).toEqual([]);
  });

  it('show at the bank what the results say was debited, in each currency', () => {
    for (const { id, rows, entries: own } of batches) {
      const tally = new Tally();
      for (const row of rows) tally.add(row);
      const batch = {
        id,
        rows: rows.length,
        state: 'closed',
        decisions: [],
        wait: null,
      } as unknown as BatchRecord;
      const { totals } = tally.summary(batch, []);
      for (const currency of Object.keys(DECIMALS)) {
        const debited = totals.find(({ sourceCurrency }) => sourceCurrency === currency)?.debited ?? '0';
        const ofCurrency = own.filter(({ foreignCurrency }) => (foreignCurrency ?? 'XAF') === currency);
        const bank = ofCurrency.flatMap(({ lines }) => lines.filter(({ account }) => BANKS.has(account)));
        const shown = bank.map(({ debit, credit, foreign }) =>
          foreign === null ? credit - debit : -foreign,
        );
        expect(fromUnits(sum(shown), DECIMALS[currency] ?? 0)).toBe(toDecimalText(debited));
      }
    }
  });

  it('book a reversal as an entry of its own, on its own day, that leaves nothing of the payment', () => {
    const reversed = entries.filter(({ kind }) => kind === 'reversal');
    expect(reversed.length).toBeGreaterThan(100);
    for (const reversal of reversed) {
      const payment = entries.find(({ piece }) => piece === reversal.piece.replace('R', 'P'));
      expect([payment?.date, reversal.date]).toEqual(['2026-11-28', '2026-12-03']);
      const left = new Map<string, bigint>();
      for (const { account, debit, credit } of [...(payment?.lines ?? []), ...reversal.lines])
        left.set(account, (left.get(account) ?? 0n) + debit - credit);
      expect([...left.values()].every((value) => value === 0n)).toBe(true);
    }
  });

  it.each([
    ['csv', JOURNAL_COLUMNS.indexOf('debit'), ',', 1],
    ['odoo', 7, ',', 1],
    ['sage', 6, ';', 0],
  ] as const)(
    'balance in the file that %s imports, as it is written',
    async (format, debitAt, delimiter, from) => {
      let lines = 0;
      for (const { entries: own } of batches) {
        const text = await textOf(format, own);
        const cells = parse(text, { delimiter }).slice(from);
        const units = (at: number) =>
          sum(
            cells.map((line) => toUnits(toDecimalText((line[at] ?? '').replace(',', '.') || '0') ?? 'x', 0)),
          );
        expect(units(debitAt)).toBe(units(debitAt + 1));
        expect(cells).toHaveLength(own.flatMap((entry) => entry.lines).length);
        lines += cells.length;
      }
      expect(lines).toBeGreaterThan(BATCHES);
    },
  );
});

async function textOf(
  format: JournalFormat,
  entries: readonly JournalEntry[],
  rules = RULES,
): Promise<string> {
  return (await buffer(writeJournal(format, entries, rules, 'fr'))).toString('latin1');
}

describe('an entry', () => {
  const paid = (change: Partial<RowRecord> = {}): RowRecord => {
    const row = rowOf('20261128-0000abcd', 0, () => 0);
    const { transfer } = row.progress;
    if (transfer === null) throw new Error('It is paid.');
    const progress = {
      ...row.progress,
      transfer: { ...transfer, sendAmount: '10000', feeAmount: '150' },
      comparison: { lifted: [], shownPrice: { debit: '10100', receiveAmount: '10' }, otherWays: null },
    };
    return { ...row, progress, ...change };
  };

  it('has suppliers or personnel, fees, the difference of exchange and the bank', () => {
    const [entry] = entriesOf(paid(), false, RULES);
    expect(entry?.lines).toEqual([
      { account: '422', debit: 9_950n, credit: 0n, foreign: null },
      { account: '631', debit: 150n, credit: 0n, foreign: null },
      { account: '676', debit: 50n, credit: 0n, foreign: null },
      { account: '521', debit: 0n, credit: 10_150n, foreign: null },
    ]);
  });

  it('needs a rate where it is paid from another currency than that of the books', () => {
    expect(() => entriesOf(paid(), false, { ...RULES, currency: 'USD', rates: null })).toThrow(/XAF\/USD/);
  });

  it('of play money says so in every format, also where Sage has no letters for the payee', async () => {
    const row = paid({
      payout: { ...paid().payout, receivingParty: { registeredName: '王小明' } } as Payout,
    });
    const entries = entriesOf(row, true, RULES);
    for (const format of ['csv', 'odoo', 'sage'] as const)
      expect(await textOf(format, entries)).toContain('SANDBOX REF-0');
    expect(await textOf('sage', entries)).not.toContain('?');
  });

  it('names each of its lines to Odoo, which adds a line without a name once more at a second import', async () => {
    const [entry] = entriesOf(paid(), false, RULES);
    const [header = [], ...lines] = parse(await textOf('odoo', entriesOf(paid(), false, RULES)));
    const at = (name: string) => lines.map((cells) => cells[header.indexOf(name)]);
    const id = `paydrop_${entry?.piece ?? ''}`;
    expect(at('id')).toEqual([id, '', '', '']);
    expect(at('line_ids/id')).toEqual([`${id}_1`, `${id}_2`, `${id}_3`, `${id}_4`]);
    expect(at('line_ids/account_id')).toEqual(['422', '631', '676', '521']);
    expect(at('date')[0]).toBe('2026-11-28');
  });

  it('is written with the columns that the config names', async () => {
    const entries = entriesOf(paid(), false, RULES);
    const rules: JournalForm = { ...RULES, columns: ['account', 'debit', 'credit'] };
    expect((await textOf('csv', entries, rules)).split('\n').slice(0, 2)).toEqual([
      'account,debit,credit',
      '422,9950,',
    ]);
  });

  it('is none of a row that is held, whatever stands under it', () => {
    const row = paid();
    const hold = { code: 'status_went_back', reason: sameWords(''), errorCode: null, since: '' } as const;
    const held = { ...row, progress: { ...row.progress, hold: hold as never } };
    expect(entriesOf(held, false, RULES)).toEqual([]);
  });
});
