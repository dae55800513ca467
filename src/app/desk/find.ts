// `find`: files and payments by anything that a person may know of them. The index says where to look; what is found is compared with the ledger as it is now, and shown from it.
import type { Reader } from '../../base/language.ts';
import type { Found, FoundPayment, SearchOrder } from '../../contract/search.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import type { Records } from '../parts.ts';
import { digestOf, SearchKeeper } from '../search/keep-search.ts';
import type { Place, SearchFile } from '../search/search-file.ts';
import {
  accountsOf,
  fits,
  idsOfRow,
  ownerWord,
  readQuery,
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
};

/** Where the index only says where something may be, this many payments are looked at. */
const LOOKED_AT_MOST = 500;
const LOOKED_AT_ONCE = 50;

/** Longer than a person waits without a word. */
const BUILDING_MS = 2_000;

/** Over one workspace; what is found is what the index has at that moment. */
export class Search {
  readonly records: Records;
  readonly keeper: SearchKeeper;

  /** @param waitMs for another process that writes the index; beside payments nobody waits. */
  constructor(records: Records, waitMs = 0) {
    this.records = records;
    this.keeper = new SearchKeeper(records, { waitMs });
  }

  /** @param onBuilding called once where much has to be read. */
  async catchUp(signal: AbortSignal, onBuilding: () => void): Promise<void> {
    const { clock } = this.records;
    const begun = clock.monotonic();
    let isTold = false;
    while (!signal.aborted && (await this.keeper.step())) {
      if (!isTold && clock.monotonic() - begun > BUILDING_MS) onBuilding();
      isTold ||= clock.monotonic() - begun > BUILDING_MS;
    }
  }

  async find({ words, limit }: SearchOrder, asking: Asking): Promise<Found> {
    const file = await this.keeper.file();
    const isWhole = file.state()?.build === null;
    const nothing = { files: [], payments: [], isMore: false, isWhole };
    for (const isBegun of [false, true]) {
      const query = readQuery(words, isBegun);
      if (query === null) return nothing;
      const look = new OneSearch(this, file, query, asking);
      const known = await look.byId();
      if (known.length > 0) return { ...nothing, payments: known };
      const files = await look.files(limit);
      const { found: payments, isMore } = await look.payments(limit);
      if (files.length + payments.length > 0) return { files, payments, isMore, isWhole };
    }
    return nothing;
  }

  close(): void {
    this.keeper.close();
  }
}

/** One query, which reads each batch once. */
class OneSearch {
  readonly #search: Search;
  readonly #asking: Asking;
  readonly #file: SearchFile;
  readonly #query: SearchQuery;
  readonly #owner: string | null;
  readonly #batches = new Map<string, Promise<BatchRecord | null>>();

  constructor(search: Search, file: SearchFile, query: SearchQuery, asking: Asking) {
    this.#search = search;
    this.#file = file;
    this.#query = query;
    this.#asking = asking;
    this.#owner = asking.own === null ? null : ownerWord(asking.own);
  }

  async byId(): Promise<readonly FoundPayment[]> {
    const { id } = this.#query;
    if (id === null) return [];
    const places = this.#file.rowsOfTransfer(digestOf(id));
    const isMeant = (row: RowRecord): boolean => idsOfRow(row).includes(id);
    const payments = await Promise.all(places.map((place) => this.#payment(place, isMeant)));
    return payments.filter((payment) => payment !== null);
  }

  async files(limit: number): Promise<Found['files']> {
    const found: Found['files'][number][] = [];
    for (const id of this.#file.files(this.#query, this.#owner, limit)) {
      const batch = await this.#batch(id);
      if (batch === null || !fits(this.#query, wordsOfFile(batch), [])) continue;
      const { fileName, acceptedAt, rows } = batch;
      found.push({ batch: id, file: fileName, acceptedAt, rows });
    }
    return found;
  }

  async payments(
    limit: number,
  ): Promise<{ readonly found: readonly FoundPayment[]; readonly isMore: boolean }> {
    const found: FoundPayment[] = [];
    let after: Place | null = null;
    for (let looked = 0; looked < LOOKED_AT_MOST; looked += LOOKED_AT_ONCE) {
      const places: readonly Place[] = this.#file.payments(this.#query, this.#owner, after, LOOKED_AT_ONCE);
      const payments = await Promise.all(places.map((place) => this.#payment(place, this.#fits)));
      found.push(...payments.filter((payment) => payment !== null));
      if (found.length > limit) return { found: found.slice(0, limit), isMore: true };
      if (places.length < LOOKED_AT_ONCE) return { found, isMore: false };
      after = places.at(-1) ?? null;
    }
    return { found, isMore: true };
  }

  readonly #fits = (row: RowRecord, batch: BatchRecord): boolean => {
    const words = wordsOfRow(row).union(wordsOfFile(batch));
    return fits(this.#query, words, row.payout === null ? [] : accountsOf(row.payout));
  };

  /** Null where it is not what is meant, or not there any more. */
  async #payment(
    { batch: id, position }: Place,
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
