// Keeps the index of the search level with the ledger: reads all batches once, the newest first, and then whatever the history tells of. Each step is one small
// commit with the place that it has reached, so that a kill at any moment leaves a whole file, and several processes may work on one.
import { hash } from 'node:crypto';
import { join } from 'node:path';

import { ENDED_BATCH } from '../../ledger/batch-states.ts';
import { type EventCursor, type EventRecord, FROM_END, FROM_START, toldOf } from '../../ledger/history.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import { nodeName } from '../config/ledger-config.ts';
import type { Records } from '../parts.ts';
import {
  discardSearchFile,
  type Entry,
  isBusy,
  isDamaged,
  type Leaving,
  SearchFile,
  type SearchState,
} from './search-file.ts';
import { idsOfRow, ownerWord, wordsOfFile, wordsOfRow } from './words.ts';

type Sources = Pick<Records, 'ledger' | 'workspace' | 'config' | 'clock'>;

/** Of one step: a few milliseconds. */
const ROWS_OF_STEP = 100;
const EVENTS_OF_STEP = 500;
/** Rows of one batch that lie no further apart are read together. */
const GAP_MOST = 20;
/** A history that is no longer than this is looked through for the end of a batch. */
const EVENTS_OF_PAGE = 500;

/** Whoever serves payments waits for nobody; a command may. */
type Pace = { readonly waitMs: number };

export class SearchKeeper {
  readonly #sources: Sources;
  readonly #path: string;
  readonly #waitMs: number;
  #file: SearchFile | null = null;

  constructor(sources: Sources, { waitMs }: Pace) {
    this.#sources = sources;
    this.#waitMs = waitMs;
    const { workspace, config } = sources;
    // Machines that share a ledger share the workspace too, and no file of SQLite bears two machines.
    const node =
      (config.sharedLedger ?? null) === null ? '' : `-${hash('sha256', nodeName(config)).slice(0, 8)}`;
    this.#path = join(workspace.root, `search${node}.sqlite`);
  }

  /** The file as it stands, of this ledger; made where there is none. */
  async file(): Promise<SearchFile> {
    if (this.#file?.isThere() === true) return this.#file;
    this.#file?.close();
    this.#file = null;
    const { ledger } = this.#sources;
    const { next } = await ledger.events(null, FROM_END, 1);
    const build = { before: null, from: null };
    const first = { ledger: ledger.id, place: next, witness: null, build, leaving: [] };
    for (;;) {
      const opened = SearchFile.open(this.#path, first, this.#waitMs);
      if (opened !== null && (await this.#isOfLedger(opened.state()))) return (this.#file = opened);
      if (opened === null) discardSearchFile(this.#path);
      else opened.discard();
    }
  }

  /** A file of another version has no state. An older copy of a ledger has the same id, and another event where the last one was read. */
  async #isOfLedger(state: SearchState | null): Promise<boolean> {
    const { ledger } = this.#sources;
    if (state?.ledger !== ledger.id) return false;
    if (state.witness === null) return true;
    const { events } = await ledger.events(null, state.witness.after, 1);
    return events[0] !== undefined && digestOfEvent(events[0]) === state.witness.event;
  }

  /** Does one step, unless another process was faster; false where nothing is left to do, or the file is being written. */
  async step(): Promise<boolean> {
    const file = await this.file();
    const state = file.state();
    if (state === null) return false;
    try {
      const [leaving] = state.leaving;
      if (leaving !== undefined) this.#leave(file, state, leaving);
      else if (state.build !== null) await this.#build(file, state, state.build);
      else return await this.#follow(file, state);
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      if (!isDamaged(error)) throw error;
      file.discard();
      this.#file = null;
      return true;
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }

  #leave(file: SearchFile, state: SearchState, batch: Leaving): void {
    const left = { isWhole: false };
    const isWritten = file.write(state, {}, () => {
      left.isWhole = file.remove(batch, ROWS_OF_STEP);
    });
    if (isWritten && left.isWhole) file.write(state, { leaving: state.leaving.slice(1) }, () => undefined);
  }

  async #build(
    file: SearchFile,
    state: SearchState,
    { before, from }: NonNullable<SearchState['build']>,
  ): Promise<void> {
    const { ledger } = this.#sources;
    const current = from === null || before === null ? null : await ledger.batch(before.id);
    if (current === null) {
      const [batch] = await ledger.batches({ before, limit: 1 });
      if (batch === undefined) {
        file.write(state, { build: null }, () => undefined);
        return;
      }
      const isGone = await this.#hasLeft(batch);
      const build = { before: { acceptedAt: batch.acceptedAt, id: batch.id }, from: isGone ? null : 0 };
      file.write(state, { build }, () => {
        if (!isGone) file.putBatch(batch.id, fileWords(batch), false);
      });
      return;
    }
    const rows = await ledger.rows(current.id, from ?? 0, ROWS_OF_STEP);
    const last = rows.length < ROWS_OF_STEP ? undefined : rows.at(-1);
    const entries = rows.map((row) => this.#entry(current, row));
    const build = { before, from: last === undefined ? null : last.position + 1 };
    file.write(state, { build }, () => entries.forEach((entry) => file.put(entry)));
  }

  /** Where its archive was removed by retention, nothing of it is looked for any more. */
  async #hasLeft({ id, state }: BatchRecord): Promise<boolean> {
    if (!ENDED_BATCH.has(state)) return false;
    for (let place: EventCursor = FROM_START; ;) {
      const { events, next } = await this.#sources.ledger.events(
        { batch: id, position: null },
        place,
        EVENTS_OF_PAGE,
      );
      if (events.some(({ event }) => ARCHIVE_REMOVED.test(event))) return true;
      if (events.length < EVENTS_OF_PAGE) return false;
      place = next;
    }
  }

  async #follow(file: SearchFile, state: SearchState): Promise<boolean> {
    const page = await this.#sources.ledger.events(null, state.place, EVENTS_OF_STEP);
    const end = page.events.findIndex((event) => leaves(event) !== null) + 1;
    // Rows that come behind are put in once those that leave have left.
    const events = end === 0 ? page.events : page.events.slice(0, end);
    const last = events.at(-1);
    if (last === undefined) return false;
    const witness = { after: events.at(-2)?.cursor ?? state.place, event: digestOfEvent(last) };
    const next = end === 0 ? page.next : last.cursor;
    const gone = leaves(last);
    const leaving = gone === null ? state.leaving : [...state.leaving, gone];
    const changed: { readonly batch: BatchRecord; readonly entries: readonly Entry[] }[] = [];
    for (const [id, told] of Map.groupBy(events, ({ batch }) => batch)) {
      const places = told.filter(changesWords).map(({ position }) => position ?? 0);
      if (places.length === 0 && !told.some(({ event }) => event === 'batch announced')) continue;
      const batch = await this.#sources.ledger.batch(id);
      if (batch === null) continue;
      const rows = await this.#rowsAt(id, places);
      changed.push({ batch, entries: rows.map((row) => this.#entry(batch, row)) });
    }
    file.write(state, { place: next, witness, leaving }, () => {
      for (const { batch, entries } of changed) {
        file.putBatch(batch.id, fileWords(batch), true);
        entries.forEach((entry) => file.put(entry));
      }
    });
    return true;
  }

  async #rowsAt(batch: string, positions: readonly number[]): Promise<readonly RowRecord[]> {
    const asked = new Set(positions);
    const sorted = [...asked].sort((one, other) => one - other);
    const rows: RowRecord[] = [];
    for (let at = 0; at < sorted.length;) {
      const from = sorted[at] ?? 0;
      let to = from;
      for (; at < sorted.length && (sorted[at] ?? 0) - to <= GAP_MOST; at += 1) to = sorted[at] ?? 0;
      rows.push(...(await this.#sources.ledger.rows(batch, from, to - from + 1)));
    }
    return rows.filter(({ position }) => asked.has(position));
  }

  #entry(batch: BatchRecord, row: RowRecord): Entry {
    const words = [...wordsOfRow(row), ...fileWords(batch)];
    const transfers = idsOfRow(row).map(digestOf);
    const digest = digestOf(JSON.stringify([words, transfers]));
    return { batch: batch.id, position: row.position, words, transfers, digest };
  }
}

/** Follows the ledger beside the payments, and takes no more than a small part of the time of the process. */
export function followForSearch(sources: Sources & Pick<Records, 'log'>): { close(): Promise<void> } {
  const { clock, log } = sources;
  const stop = new AbortController();
  const keeper = new SearchKeeper(sources, { waitMs: 0 });
  const follow = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const begun = clock.monotonic();
      const isMore = await keeper.step().catch((error: unknown) => {
        log.warn('search', { reason: error instanceof Error ? error.message : 'unknown' });
        return null;
      });
      const took = clock.monotonic() - begun;
      await clock.sleep(isMore === null ? AGAIN_MS : isMore ? took * REST_TIMES : LOOK_MS, stop.signal);
    }
  };
  const following = follow();
  return {
    close: async () => {
      stop.abort();
      await following;
      keeper.close();
    },
  };
}

const LOOK_MS = 500;
const REST_TIMES = 4;
/** A ledger that is away or a full disk: nothing depends on the index but the search. */
const AGAIN_MS = 30_000;

const ARCHIVE_REMOVED = /^removed by retention: archive\b/;
/** With these a batch has no rows any more, until it is read again. */
const ROWS_REMOVED: ReadonlySet<string> = new Set(['rows removed', 'batch dropped', 'batch replaced']);

function leaves({ batch, position, event, detail }: EventRecord): Leaving | null {
  if (position !== null) return null;
  if (ROWS_REMOVED.has(event) || ARCHIVE_REMOVED.test(event)) return { batch, isWhole: true };
  const isRefused = toldOf({ position, event, stage: null, detail }).some(({ state }) => state === 'refused');
  return isRefused ? { batch, isWhole: false } : null;
}

/** The steps that change what a row is found by: what it asks for, what its price is, its transfer, its end. */
const CHANGES: ReadonlySet<string | null> = new Set([
  'created',
  'confirmed',
  'paid',
  'failed',
  'rejected',
  'duplicate',
]);

function changesWords({ position, event, stage }: EventRecord): boolean {
  return position !== null && (event === 'registered' || CHANGES.has(stage));
}

function fileWords(batch: BatchRecord): readonly string[] {
  return [...wordsOfFile(batch), ...(batch.submittedBy ?? []).map(ownerWord)];
}

/** 48 bits, which a number holds. */
export function digestOf(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 12), 16);
}

function digestOfEvent({ at, batch, position, event, detail }: EventRecord): string {
  return String(digestOf(JSON.stringify([at, batch, position, event, detail])));
}
