// Everybody who was paid. The index says who and where, each payment is shown as the ledger has it, and what people have verified stands beside it.
import { formatAmount } from '../../base/currency.ts';
import type { Reader } from '../../base/language.ts';
import type { Payee, PayeeAccount, PayeeHistory, RowPayee, Verification } from '../../contract/payees.ts';
import type { FoundPayment } from '../../contract/search.ts';
import type { PayeeCell } from '../../contract/uploads.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import { writeCsv } from '../../rows/csv/csv-file.ts';
import { accountKey, payeeKey } from '../../payouts/payment-keys.ts';
import { requestedCurrency } from '../../payouts/payout.ts';
import { shownPayee } from '../../payouts/shown-payee.ts';
import type { Records } from '../parts.ts';
import { erasePayee } from '../people/erased-payees.ts';
import type { PeopleFile } from '../people/people-file.ts';
import type { VerifiedAccounts } from '../people/verified-accounts.ts';
import type { PayeeEntry, RowsToFill } from '../search/payee-tables.ts';
import type { RowPlace } from '../../payouts/progress.ts';
import { accountsOf, fits, readQueries, type SearchQuery, wordsOfPayee } from '../search/words.ts';
import type { Decider, DeciderFault } from '../workflow/batch/may-decide.ts';
import { mayReleaseBy } from '../workflow/decisions/release-rows.ts';
import { TABLE_FORM } from './audit-trail.ts';
import { rowsNamed, shownRow } from './file-views.ts';
import { lookedAt, PLACES_OF_PAGE, type Search } from './find.ts';
import { PayeeCells } from './payee-cells.ts';

/** See `payeeKey`. */
const PAYEE_ID = /^[\w-]{22}$/;

/** Of one payee: the salaries of nearly two years. */
const PAYMENTS_SHOWN = 20;

const PAGE = 200;

export const PAYEES_NAME = 'payees.csv';
const COLUMNS: readonly string[] = [
  ...['name', 'account', 'accounts', 'lastAt', 'amount', 'currency'],
  ...['verifiedAt', 'verifiedBy', 'how', 'batch', 'row'],
];

function cellsOf(payee: Payee): readonly string[] {
  const { name, account, accounts, lastAt, lastAmount, lastCurrency, verified } = payee;
  return [
    ...[name, account ?? '', String(accounts), lastAt, lastAmount, lastCurrency],
    ...[verified?.at, verified?.by, verified?.how, verified?.batch, verified?.row].map((cell) => cell ?? ''),
  ];
}

/** Behind which payee a page of the list begins, and which reading of the words it is a page of. */
export type PayeePlace = RowPlace & { readonly reading: number };

type PayeeOrder = {
  /** Words of the name or the end of an account; null for everybody. */
  readonly find: string | null;
  readonly after: PayeePlace | null;
  readonly limit: number;
  readonly signal: AbortSignal;
};

type PayeePage = {
  readonly payees: readonly Payee[];
  readonly next: PayeePlace | null;
  readonly isWhole: boolean;
};

/** @param verified null where nobody can have verified anything. */
export class Payees {
  readonly #search: Search;
  readonly #records: Records;
  readonly #verified: VerifiedAccounts | null;

  constructor(search: Search, verified: VerifiedAccounts | null) {
    this.#search = search;
    this.#records = search.records;
    this.#verified = verified;
  }

  /** Whoever was paid last stands first. Throws `ConfigUnusable` where the index has no place. */
  async list(order: PayeeOrder): Promise<PayeePage> {
    const found = await this.#search.look(order.signal, () => this.#list(order));
    return found ?? { payees: [], next: null, isWhole: false };
  }

  async #list({ find, after, limit, signal }: PayeeOrder): Promise<PayeePage> {
    const isWhole = await this.#search.isWhole();
    const readings = find === null ? [null] : readQueries(find);
    for (const [reading, query] of readings.entries()) {
      if (reading < (after?.reading ?? 0)) continue;
      const { found, isMore } = await lookedAt(
        (last: PayeeEntry<RowPlace> | null) =>
          this.#search.keeper.ask('payees', query, last?.last ?? after, PLACES_OF_PAGE),
        (entry) => this.#entry(entry, query),
        limit,
        signal,
      );
      const last = found.at(-1);
      const next = isMore && last !== undefined ? { ...last.place, reading } : null;
      if (last !== undefined) return { payees: found.map(({ payee }) => payee), next, isWhole };
    }
    return { payees: [], next: null, isWhole };
  }

  async #entry({ key, accounts, last, fitting }: PayeeEntry<RowPlace>, query: SearchQuery | null) {
    const [batch, row, other] = await Promise.all([
      this.#records.ledger.batch(last.batch),
      this.#row(last),
      query === null ? null : this.#row(fitting),
    ]);
    const meant = other?.payout ?? null;
    if (query !== null && (meant === null || !fits(query, wordsOfPayee(meant), accountsOf(meant))))
      return null;
    const payout = row?.payout ?? null;
    if (batch === null || payout === null) return null;
    const lastCurrency = requestedCurrency(payout);
    const lastAmount = formatAmount(payout.requested.amount, lastCurrency);
    const { receiver, account } = shownPayee(payout);
    const payee: Payee = {
      ...{ id: key, name: receiver ?? '', account, accounts, lastAt: batch.acceptedAt },
      ...{ lastAmount, lastCurrency },
      verified: this.#verifiedOf(key).get(accountKey(payout) ?? '')?.[0] ?? null,
    };
    return { payee, place: last };
  }

  /** The bytes of a table of them all, each with the account that was paid last and what was verified of it. */
  table(find: string | null, signal: AbortSignal): AsyncIterable<Uint8Array> {
    return writeCsv(TABLE_FORM, this.#lines(find, signal), new Set([COLUMNS.indexOf('amount')]));
  }

  async *#lines(find: string | null, signal: AbortSignal): AsyncGenerator<readonly (readonly string[])[]> {
    yield [COLUMNS];
    for (let page = await this.list({ find, after: null, limit: PAGE, signal }); ;) {
      yield page.payees.map((payee) => cellsOf(payee));
      if (page.next === null) return;
      page = await this.list({ find, after: page.next, limit: PAGE, signal });
    }
  }

  /** Null of whoever was never paid. */
  async history(id: string, reader: Reader, signal: AbortSignal): Promise<PayeeHistory | null> {
    const found = await this.#search.look(signal, () => this.#search.keeper.ask('payee', id, PAYMENTS_SHOWN));
    if (found === null) return null;
    const verified = this.#verifiedOf(id);
    const accounts = await Promise.all(
      found.accounts.map(async ({ account, payments, first, last }) => {
        const [begun, ended] = [await this.#payment(first, reader), await this.#payment(last, reader)];
        if (ended === null) return null;
        return { account, payments, begun: (begun ?? ended).payment, ended: ended.payment };
      }),
    );
    const paid = accounts.filter((each) => each !== null);
    const [newest] = paid;
    if (newest === undefined) return null;
    const payments = await Promise.all(found.payments.map((place) => this.#payment(place, reader)));
    const shown = payments.filter((payment) => payment !== null);
    const unpaid = [...verified].filter(([key]) => !paid.some(({ account }) => account === key));
    return {
      ...{ id, name: newest.ended.row.receiver ?? '' },
      firstAt: paid.map(({ begun }) => begun.acceptedAt).sort()[0] ?? newest.begun.acceptedAt,
      lastAt: newest.ended.acceptedAt,
      accounts: [
        ...paid.map((each) => paidAccount(each, verified.get(each.account) ?? [])),
        ...unpaid.flatMap(([, all]) => verifiedAccount(all)),
      ],
      sums: found.sums.map((sum) => ({ ...sum, amount: formatAmount(sum.amount, sum.currency) })),
      payments: shown.map(({ payment }) => payment),
      documents: shown.flatMap(({ payout, payment: { batch, row } }) => {
        const name = payout.document?.name ?? payout.documentReferenceNumber;
        return name === null ? [] : [{ name, batch, row: row.row }];
      }),
    };
  }

  /** What earlier payments have for cells that rows to fix lack, no more than so many. Throws `ConfigUnusable` where the index has no place. */
  async cellsFor(rows: RowsToFill, most: number, signal: AbortSignal): Promise<readonly PayeeCell[]> {
    const fill = new PayeeCells(this.#search, this.#verified, signal);
    return (await this.#search.look(signal, () => fill.of(rows, most))) ?? [];
  }

  /** The account of a row, and what is known of it; null where the row pays nobody who has a name. */
  async ofRow(batch: string, name: string): Promise<KeyedPayee | null> {
    const [row] = await rowsNamed(this.#records.ledger, batch, name);
    const payout = row?.payout ?? null;
    const payee = payout && payeeKey(payout);
    if (payout === null || payee === null) return null;
    const key = accountKey(payout);
    const { receiver, account } = shownPayee(payout);
    const verified = [...(this.#verifiedOf(payee).get(key ?? '') ?? [])];
    const isPaid = (await this.#records.ledger.paidTo(payee, 1)).length > 0;
    return { id: payee, name: receiver ?? '', account, key, isPaid, verified };
  }

  /** Puts on record that the account of a row is the payee's own, for whoever may let the row go. Null for a row that is not there, or names no account. */
  async verify(
    verified: VerifiedAccounts,
    payee: string,
    { batch: id, row, how, decider }: VerifyOrder,
  ): Promise<'verified' | DeciderFault | null> {
    const [batch, of] = [await this.#records.ledger.batch(id), await this.ofRow(id, row)];
    if (batch === null || of === null || of.key === null || of.id !== payee) return null;
    const order = { ...decider, reason: how, rows: null, skip: false };
    const may = await mayReleaseBy(this.#records, batch, order);
    if ('code' in may) return may;
    const { key: account, account: shown } = of;
    verified.add({ payee, account }, { by: may.by, how, shown, batch: id, row });
    return 'verified';
  }

  /** To forbid is everybody's. False for a row whose account nobody has verified. */
  async withdraw(
    verified: VerifiedAccounts,
    payee: string,
    { batch, row, how, by }: Pick<Verification, 'batch' | 'row' | 'how' | 'by'>,
  ): Promise<boolean> {
    const of = await this.ofRow(batch, row);
    if (of === null || of.key === null || of.id !== payee) return false;
    return verified.withdraw({ payee, account: of.key }, { by, how, batch, row });
  }

  /** Erases what the page knows of a payee, paid or not: what was said, and with the next making of the index the name and the accounts. False for what is no id of one. */
  erase(file: PeopleFile, payee: string, order: { readonly by: string; readonly reason: string }): boolean {
    if (!PAYEE_ID.test(payee)) return false;
    erasePayee(file, payee, order);
    return true;
  }

  /** False while the index is being made: a table would lack payees without a word. */
  isWhole(): Promise<boolean> {
    return this.#search.isWhole();
  }

  #verifiedOf(payee: string): ReadonlyMap<string, readonly Verification[]> {
    return this.#verified?.of(payee) ?? new Map<string, never>();
  }

  async #row({ batch, position }: RowPlace): Promise<RowRecord | null> {
    const [row] = await this.#records.ledger.rows(batch, position, 1);
    return row?.position === position ? row : null;
  }

  async #payment(place: RowPlace, reader: Reader) {
    const [batch, row] = await Promise.all([this.#records.ledger.batch(place.batch), this.#row(place)]);
    const payout = row?.payout ?? null;
    if (batch === null || row === null || payout === null) return null;
    return { payment: shownPayment(batch, row, reader), payout };
  }
}

type VerifyOrder = Pick<Verification, 'batch' | 'row' | 'how'> & { readonly decider: Decider };

/** `key`: of the account; null where no field names one. */
type KeyedPayee = RowPayee & { readonly key: string | null };

function shownPayment(batch: BatchRecord, row: RowRecord, reader: Reader): FoundPayment {
  const { id, fileName: file, acceptedAt } = batch;
  return { batch: id, file, acceptedAt, row: shownRow(batch, row, reader) };
}

function paidAccount(
  {
    payments,
    begun,
    ended,
  }: { readonly payments: number; readonly begun: FoundPayment; readonly ended: FoundPayment },
  verified: readonly Verification[],
): PayeeAccount {
  const { batch, row, acceptedAt } = ended;
  return {
    ...{ account: row.account, payments, firstAt: begun.acceptedAt, lastAt: acceptedAt },
    ...{ batch, row: row.row, verified: [...verified] },
  };
}

/** One that was not paid yet. */
function verifiedAccount(verified: readonly Verification[]): readonly PayeeAccount[] {
  const [last] = verified;
  if (last === undefined) return [];
  const { account, batch, row } = last;
  return [{ account, payments: 0, firstAt: null, lastAt: null, batch, row, verified: [...verified] }];
}
