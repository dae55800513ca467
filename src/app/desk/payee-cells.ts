// What earlier payments have for the empty cells of rows to fix: each value out of a payment that was made to exactly the name and the account of its row.
import { setImmediate as turn } from 'node:timers/promises';

import type { Verification } from '../../contract/payees.ts';
import type { PayeeCell } from '../../contract/uploads.ts';
import type { RowRecord } from '../../ledger/records.ts';
import { payeeKey } from '../../payouts/payment-keys.ts';
import type { Payout } from '../../payouts/payout.ts';
import type { VerifiedAccounts } from '../people/verified-accounts.ts';
import type { RowToFill } from '../search/payee-tables.ts';
import type { RowPlace } from '../../payouts/progress.ts';
import { paidBy } from '../search/words.ts';
import { rowsNamed } from './file-views.ts';
import type { Search } from './find.ts';

/** Of one account: two years of monthly payments. */
const PAYMENTS_OF_ACCOUNT = 24;
/** The index is asked about so many rows at once. */
const ROWS_AT_ONCE = 200;
/** Of one request: about a second of the ledger. */
const PAYMENTS_LOOKED_AT = 2_000;
/** What an order of corrections has room for, with its places. */
const BYTES_MOST = 48 * 1024;
const BYTES_OF_PLACE = 48;

type Source = { readonly payout: Payout; readonly from: PayeeCell['from'] };

/** One request. */
export class PayeeCells {
  readonly #search: Search;
  readonly #verified: VerifiedAccounts | null;
  readonly #signal: AbortSignal;
  #looked = 0;
  #bytes = 0;

  constructor(search: Search, verified: VerifiedAccounts | null, signal: AbortSignal) {
    this.#search = search;
    this.#verified = verified;
    this.#signal = signal;
  }

  /** In the order of the rows. @param most cells. Throws `NoSearchFile`. */
  async of(rows: readonly RowToFill[], most: number): Promise<readonly PayeeCell[]> {
    const cells: PayeeCell[] = [];
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const some = rows.slice(from, from + ROWS_AT_ONCE);
      const places = await this.#search.keeper.ask('paymentsTo', some, PAYMENTS_OF_ACCOUNT);
      for (const [at, row] of some.entries()) {
        const paid = places[at] ?? [];
        if (paid.length === 0) continue;
        this.#signal.throwIfAborted();
        for (const cell of await this.#cellsOf(row, paid)) {
          this.#bytes += Buffer.byteLength(cell.text) + BYTES_OF_PLACE;
          if (cells.length >= most || this.#bytes > BYTES_MOST) return cells;
          cells.push(cell);
        }
        if (this.#looked > PAYMENTS_LOOKED_AT) return cells;
        await turn();
      }
    }
    return cells;
  }

  async #cellsOf(row: RowToFill, places: readonly RowPlace[]): Promise<readonly PayeeCell[]> {
    const verified = this.#verified?.of(row.payee).get(row.account)?.[0] ?? null;
    const found = new Map<number, PayeeCell>();
    for (const place of await this.#inOrder(places, verified)) {
      if (found.size === row.cells.length) break;
      const source = await this.#source(row, place, verified);
      if (source === null) continue;
      for (const { column: index, canonical } of row.cells) {
        const text = valueOf(source.payout, canonical, row.payee);
        const { row: name, position } = row;
        if (text !== '' && !found.has(index))
          found.set(index, { row: name, position, index, text, from: source.from });
      }
    }
    return [...found.values()];
  }

  /** The payment whose account somebody has verified, then the newest. */
  async #inOrder(places: readonly RowPlace[], verified: Verification | null): Promise<readonly RowPlace[]> {
    if (verified === null) return places;
    const [named] = await rowsNamed(this.#search.records.ledger, verified.batch, verified.row);
    const isVerified = ({ batch, position }: RowPlace): boolean =>
      batch === verified.batch && position === named?.position;
    return [...places.filter(isVerified), ...places.filter((place) => !isVerified(place))];
  }

  /** Null where it is not, or no longer, such a payment: the index follows the ledger. */
  async #source(
    { payee, account }: RowToFill,
    { batch: id, position }: RowPlace,
    verified: Verification | null,
  ): Promise<Source | null> {
    this.#looked += 1;
    const { ledger } = this.#search.records;
    const [batch, [row]] = await Promise.all([ledger.batch(id), ledger.rows(id, position, 1)]);
    if (batch === null || row?.position !== position || row.payout === null) return null;
    if (!isTo(row, payee, account) || this.#search.keeper.isErased(payee, batch.acceptedAt)) return null;
    const { fileName: file, acceptedAt } = batch;
    return { payout: row.payout, from: { batch: id, file, row: row.row, acceptedAt, verified } };
  }
}

function isTo(row: RowRecord, payee: string, account: string): boolean {
  const paid = paidBy(row);
  return paid?.payee === payee && paid.account === account;
}

/** Empty for nothing. The holder of the account only where that is the payee: no other name comes with it. */
function valueOf(payout: Payout, canonical: string, payee: string): string {
  const [party = ''] = canonical.split('.', 1);
  const field = canonical.slice(party.length + 1);
  const fields = party === 'receiver' ? payout.receivingParty : payout.deliveryMethodInfo;
  const text = Object.hasOwn(fields, field) ? (fields[field] ?? '') : '';
  const isName = /name$/i.test(field);
  const asName = { ...payout, receivingParty: { registeredName: text, name: text } };
  return isName && payeeKey(asName) !== payee ? '' : text;
}
