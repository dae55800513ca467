// `find`: files and payments by anything that a person may know of them. The index says where to look; what is found is compared with the ledger as it is now, and shown from it.
import { setImmediate as turn } from 'node:timers/promises';

import pLimit from 'p-limit';

import type { Reader } from '../../base/language.ts';
import type { FoundPayments, FoundPayment, SearchOrder } from '../../contract/search.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import type { Records } from '../parts.ts';
import { FileThread } from '../parts/file-thread.ts';
import { NoSearchFile, SearchKeeper } from '../search/keep-search.ts';
import type { RowPlace } from '../../payouts/progress.ts';
import {
  accountsOf,
  fits,
  idsOfRow,
  ownerWord,
  readQueries,
  type SearchQuery,
  wordsOfFile,
  wordsOfRow,
} from '../search/words.ts';
import { isOfProgram } from './batch-status.ts';
import { shownRow } from './file-views.ts';

/** Who asks. */
type Asking = {
  /** The name of the program whose files alone are found; null for those of everybody. */
  readonly own: string | null;
  readonly reader: Reader;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

/** Where the index only says where something may be, so many places are looked at. */
const LOOKED_AT_MOST = 500;
export const PLACES_OF_PAGE = 50;
/** Payments need the ledger too. */
const LOOKED_AT_ONCE = 5;

/** Longer than a person waits without a word. */
const BUILDING_MS = 2_000;
/** For another process that makes or writes the index. */
const BUSY_MS = 5_000;
const LOOK_AGAIN_MS = 20;

type Hits<Item> = { readonly found: readonly Item[]; readonly isMore: boolean };

/** Over one workspace; what is found is what the index has at that moment. */
export class Search {
  readonly records: Records;
  readonly keeper: SearchKeeper;
  /** A mutex: one search reads, while the others wait for their turn. */
  readonly #inTurn = pLimit(1);

  /** @param isBeside beside payments: a thread looks into the index. */
  constructor(records: Records, isBeside: boolean) {
    this.records = records;
    this.keeper = new SearchKeeper(records, isBeside ? new FileThread() : null);
  }

  /** Brings the index level with the ledger, as far as others let it. @param onBuilding called once where much has to be read. */
  async catchUp(signal: AbortSignal, onBuilding: () => void): Promise<void> {
    const { clock } = this.records;
    const begun = clock.monotonic();
    let isTold = false;
    let movedAt = begun;
    while (!signal.aborted) {
      const step = await this.keeper.step();
      const now = clock.monotonic();
      if (step === 'done' || (step === 'busy' && now - movedAt > BUSY_MS)) return;
      if (step === 'busy') await clock.sleep(LOOK_AGAIN_MS, signal);
      else movedAt = now;
      if (!isTold && now - begun > BUILDING_MS) onBuilding();
      isTold ||= now - begun > BUILDING_MS;
    }
  }

  /** Throws `ConfigUnusable` where the index has no place. */
  async find({ words, limit }: SearchOrder, asking: Asking): Promise<FoundPayments> {
    const found = await this.look(asking.signal, () => this.#find(readQueries(words), limit, asking));
    return found ?? { files: [], payments: [], isMore: false, isWhole: false };
  }

  /** Looks into the index when its turn comes; null while there is none. Throws `ConfigUnusable` where the index has no place. */
  look<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
    return this.#inTurn(async () => {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        if (error instanceof NoSearchFile) return null;
        throw error;
      }
    });
  }

  async isWhole(): Promise<boolean> {
    return (await this.keeper.ask('state')).build === null;
  }

  async #find(queries: readonly SearchQuery[], limit: number, asking: Asking): Promise<FoundPayments> {
    const isWhole = await this.isWhole();
    let isMore = false;
    for (const [at, query] of queries.entries()) {
      const look = new OneSearch(this, query, asking);
      const known = at === 0 ? await look.byId() : [];
      if (known.length > 0) return { files: [], payments: known, isMore, isWhole };
      const [files, payments] = [await look.files(limit), await look.payments(limit)];
      isMore ||= files.isMore || payments.isMore;
      if (files.found.length + payments.found.length > 0)
        return { files: files.found, payments: payments.found, isMore, isWhole };
    }
    return { files: [], payments: [], isMore, isWhole };
  }

  close(): Promise<void> {
    return this.keeper.close();
  }
}

/** One query, which reads each batch once. */
class OneSearch {
  readonly #search: Search;
  readonly #asking: Asking;
  readonly #query: SearchQuery;
  readonly #owner: string | null;
  readonly #batches = new Map<string, Promise<BatchRecord | null>>();

  constructor(search: Search, query: SearchQuery, asking: Asking) {
    this.#search = search;
    this.#query = query;
    this.#asking = asking;
    this.#owner = asking.own === null ? null : ownerWord(asking.own);
  }

  async byId(): Promise<readonly FoundPayment[]> {
    const { id } = this.#query;
    if (id === null) return [];
    const places = await this.#search.keeper.ask('rowsOfTransfer', id);
    const isMeant = (row: RowRecord): boolean => idsOfRow(row).includes(id);
    const payments = await Promise.all(places.map((place) => this.#payment(place, isMeant)));
    return payments.filter((payment) => payment !== null);
  }

  files(limit: number): Promise<Hits<FoundPayments['files'][number]>> {
    const { keeper } = this.#search;
    return lookedAt(
      (after: string | null) => keeper.ask('files', this.#query, this.#owner, after, PLACES_OF_PAGE),
      async (id) => {
        const batch = await this.#batch(id);
        if (batch === null || !fits(this.#query, wordsOfFile(batch), [])) return null;
        const { fileName, acceptedAt, rows } = batch;
        return { batch: id, file: fileName, acceptedAt, rows };
      },
      limit,
      this.#asking.signal,
    );
  }

  payments(limit: number): Promise<Hits<FoundPayment>> {
    const { keeper } = this.#search;
    return lookedAt(
      (after: RowPlace | null) => keeper.ask('payments', this.#query, this.#owner, after, PLACES_OF_PAGE),
      (place) => this.#payment(place, this.#fits),
      limit,
      this.#asking.signal,
    );
  }

  readonly #fits = (row: RowRecord, batch: BatchRecord): boolean => {
    const words = wordsOfRow(row).union(wordsOfFile(batch));
    return fits(this.#query, words, row.payout === null ? [] : accountsOf(row.payout));
  };

  /** Null where it is not what is meant, or not there any more. */
  async #payment(
    { batch: id, position }: RowPlace,
    isMeant: (row: RowRecord, batch: BatchRecord) => boolean,
  ): Promise<FoundPayment | null> {
    const { records } = this.#search;
    const [batch, [row]] = await Promise.all([this.#batch(id), records.ledger.rows(id, position, 1)]);
    if (batch === null || row?.position !== position) return null;
    if (!isMeant(row, batch)) return null;
    const { fileName: file, acceptedAt } = batch;
    return { batch: id, file, acceptedAt, row: shownRow(batch, row, this.#asking.reader) };
  }

  /** Null also for one that is not the caller's to see: nobody finds more than they may open. */
  #batch(id: string): Promise<BatchRecord | null> {
    const { own } = this.#asking;
    const known =
      this.#batches.get(id) ??
      this.#search.records.ledger
        .batch(id)
        .then((batch) => (batch !== null && own !== null && !isOfProgram(batch, own) ? null : batch));
    this.#batches.set(id, known);
    return known;
  }
}

/** What stands in the places that the index gives page by page, a few at a time. @param lookAt null for what is not meant. */
export async function lookedAt<At, Item>(
  pageBehind: (after: At | null) => Promise<readonly At[]>,
  lookAt: (place: At) => Promise<Item | null>,
  limit: number,
  signal: AbortSignal,
): Promise<Hits<Item>> {
  const found: Item[] = [];
  let after: At | null = null;
  for (let looked = 0; looked < LOOKED_AT_MOST; looked += PLACES_OF_PAGE) {
    const page: readonly At[] = await pageBehind(after);
    for (let from = 0; from < page.length; from += LOOKED_AT_ONCE) {
      signal.throwIfAborted();
      const items = await Promise.all(page.slice(from, from + LOOKED_AT_ONCE).map(lookAt));
      found.push(...items.filter((item) => item !== null));
      if (found.length > limit) return { found: found.slice(0, limit), isMore: true };
      await turn();
    }
    if (page.length < PLACES_OF_PAGE) return { found, isMore: false };
    after = page.at(-1) ?? null;
  }
  return { found, isMore: true };
}
