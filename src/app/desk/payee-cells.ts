// What earlier payments have for the empty cells of rows to fix: all values of a row out of one payment, made to exactly its name and account through its corridor.
import { setImmediate as turn } from 'node:timers/promises';

import type { Verification } from '../../contract/payees.ts';
import type { PayeeCell } from '../../contract/uploads.ts';
import type { RowRecord } from '../../ledger/records.ts';
import { plainWords } from '../../base/plain-text.ts';
import { accountKey, payeeKey } from '../../payouts/payment-keys.ts';
import type { Payout } from '../../payouts/payout.ts';
import { isAccount } from '../../payouts/shown-payee.ts';
import type { PartyFields } from '../../service/payout-service.ts';
import type { VerifiedAccounts } from '../people/verified-accounts.ts';
import type { RowsToFill, RowToFill } from '../search/payee-tables.ts';
import type { RowPlace } from '../../payouts/progress.ts';
import { paidBy } from '../search/words.ts';
import { rowsNamed } from './file-views.ts';
import type { Search } from './find.ts';

/** Of one account: two years of monthly payments. */
const PAYMENTS_OF_ACCOUNT = 24;
/** Of one request: about a second of the ledger. */
const PAYMENTS_LOOKED_AT = 2_000;
/** What an order of corrections has room for, with its places. */
const BYTES_MOST = 48 * 1024;
const BYTES_OF_PLACE = 48;

/** Finding a row by its name among a thousand takes up to fourteen milliseconds, as long as reading so many by their places. */
const LOOKS_OF_NAME = 500;

type VerifiedAt = RowPlace & { readonly said: Verification };
type Source = { readonly payout: Payout; readonly from: PayeeCell['from'] };

/** One request. */
export class PayeeCells {
  readonly #search: Search;
  readonly #verified: VerifiedAccounts | null;
  readonly #signal: AbortSignal;
  readonly #named = new Map<string, RowRecord | null>();
  #looked = 0;
  #bytes = 0;

  constructor(search: Search, verified: VerifiedAccounts | null, signal: AbortSignal) {
    this.#search = search;
    this.#verified = verified;
    this.#signal = signal;
  }

  /** In the order of the rows. @param most cells. Throws `NoSearchFile`. */
  async of(rows: RowsToFill, most: number): Promise<readonly PayeeCell[]> {
    const cells: PayeeCell[] = [];
    for await (const some of rows) {
      if (some.length === 0) continue;
      const asked = some.map(({ payee, account }) => ({ payee, account }));
      const places = await this.#search.keeper.ask('paymentsTo', asked, PAYMENTS_OF_ACCOUNT);
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
    const verified = await this.#verifiedOf(row, places);
    for (const place of inOrder(places, verified)) {
      const source = await this.#source(row, place, verified?.said ?? null);
      if (source === null) continue;
      const cells = row.cells.flatMap(({ column: index, canonical }) => {
        const text = valueOf(source.payout, canonical, row.payee);
        return text === '' ? [] : [{ row: row.row, position: row.position, index, text, from: source.from }];
      });
      if (cells.length > 0) return cells;
    }
    return [];
  }

  /** Of the account at the bank that the row means: a number is verified for no other country and no other bank. */
  async #verifiedOf(row: RowToFill, places: readonly RowPlace[]): Promise<VerifiedAt | null> {
    const said = this.#verified?.of(row.payee).get(row.account)?.[0];
    if (said === undefined) return null;
    const named = (await this.#paidRow(said, places)) ?? (await this.#rowNamed(said));
    const payout = named?.payout ?? null;
    if (named === null || payout === null || !fits(row, payout)) return null;
    return { said, batch: said.batch, position: named.position };
  }

  /** Most rows from which an account was verified are among the payments to it. */
  async #paidRow({ batch, row: name }: Verification, places: readonly RowPlace[]): Promise<RowRecord | null> {
    for (const { position } of places.filter((place) => place.batch === batch)) {
      this.#looked += 1;
      const [row] = await this.#search.records.ledger.rows(batch, position, 1);
      if (row?.row === name) return row;
    }
    return null;
  }

  /** One may stand behind many rows. */
  async #rowNamed({ batch, row: name }: Verification): Promise<RowRecord | null> {
    const key = `${batch} ${name}`;
    const known = this.#named.get(key);
    if (known !== undefined) return known;
    this.#looked += LOOKS_OF_NAME;
    const [row = null] = await rowsNamed(this.#search.records.ledger, batch, name);
    this.#named.set(key, row);
    return row;
  }

  /** Null where it is not, or no longer, such a payment: the index follows the ledger. */
  async #source(
    wanted: RowToFill,
    { batch: id, position }: RowPlace,
    verified: Verification | null,
  ): Promise<Source | null> {
    this.#looked += 1;
    const { ledger } = this.#search.records;
    const [batch, [row]] = await Promise.all([ledger.batch(id), ledger.rows(id, position, 1)]);
    if (batch === null || row?.position !== position || row.payout === null) return null;
    const { payee, account } = wanted;
    if (!isTo(row, payee, account) || !fits(wanted, row.payout)) return null;
    if (this.#search.keeper.isErased(payee, batch.acceptedAt)) return null;
    const { fileName: file, acceptedAt } = batch;
    return { payout: row.payout, from: { batch: id, file, row: row.row, acceptedAt, verified } };
  }
}

function isTo(row: RowRecord, payee: string, account: string): boolean {
  const paid = paidBy(row);
  return paid?.payee === payee && paid.account === account;
}

/** The payment whose account somebody has verified, then the newest. */
function inOrder(places: readonly RowPlace[], verified: RowPlace | null): readonly RowPlace[] {
  const isVerified = ({ batch, position }: RowPlace): boolean =>
    batch === verified?.batch && position === verified.position;
  return [...places.filter(isVerified), ...places.filter((place) => !isVerified(place))];
}

const SAME_CORRIDOR = ['payoutCorridorId', 'transactionMode', 'deliveryMethod', 'targetCurrency'] as const;

/** Whether it went the way that the row will go, and nothing that both say differs: one name with one number may be another account in another country, or at another bank. */
function fits({ said }: RowToFill, payout: Payout): boolean {
  return (
    SAME_CORRIDOR.every((field) => said[field] === payout[field]) &&
    agrees(said.receivingParty, payout.receivingParty, payout) &&
    agrees(said.deliveryMethodInfo, payout.deliveryMethodInfo, payout)
  );
}

function agrees(said: PartyFields, paid: PartyFields, payout: Payout): boolean {
  return Object.entries(said).every(([field, text]) => {
    const other = Object.hasOwn(paid, field) ? (paid[field] ?? '') : '';
    return (
      other === '' ||
      NAMES_OF_PAYEE.has(field) ||
      comparable(field, text, payout) === comparable(field, other, payout)
    );
  });
}

/** The key of the payee compares them, as one name. */
const NAMES_OF_PAYEE: ReadonlySet<string> = new Set([
  ...['registeredName', 'firstName', 'lastName', 'fullName', 'name'],
]);

function comparable(field: string, text: string, payout: Payout): string {
  const asAccount = { ...payout, corridorFields: [], deliveryMethodInfo: { [field]: text } };
  if (isAccount(`delivery.${field}`)) return accountKey(asAccount) ?? '';
  const words = plainWords(text);
  return (/name$/i.test(field) ? words.toSorted() : words).join(' ');
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
