// Keeps the index of the search level with the ledger: reads all batches once, the newest first, and then whatever the history tells of. Each step is one small
// commit with the place that it has reached, so that a kill at any moment leaves a whole file, and several processes may work on one.
import { hash, randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

import { ENDED_BATCH } from '../../ledger/batch-states.ts';
import { type EventCursor, type EventRecord, FROM_END, FROM_START, toldOf } from '../../ledger/history.ts';
import { assertLocalDisk } from '../../ledger/open-ledger.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';
import { payeeKey } from '../../payouts/payment-keys.ts';
import type { Config } from '../config/config.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import type { Records } from '../parts.ts';
import { FileThread } from '../parts/file-thread.ts';
import { ErasedPayees } from '../people/erased-payees.ts';
import { isArchiveRemoval } from '../parts/remove-old.ts';
import { type BatchEntry, type Entry, type Leaving, searchFileIn, type SearchState } from './search-file.ts';
import {
  SEARCH_WORK,
  type SearchAnswer,
  type SearchCall,
  type SearchCalls,
  type SearchJob,
} from './search-work.ts';
import { idsOfRow, ownerWord, paidBy, wordsOfFile, wordsOfRow } from './words.ts';

type Sources = Pick<Records, 'ledger' | 'workspace' | 'config' | 'clock'>;

/** Of one commit. */
const ROWS_OF_STEP = 200;
const EVENTS_OF_STEP = 100;
/** Of one look into the ledger, for which a payment waits: a millisecond or two. */
const ROWS_AT_ONCE = 25;
/** A history that is no longer than this is looked through for the end of a batch. */
const EVENTS_OF_PAGE = 100;

/** `busy`: the file is being written by another process, or was damaged; it is worth another try. */
type SearchStep = 'more' | 'done' | 'busy';

/** There is no index at this moment: another process makes it, or it was damaged and is made anew. */
export class NoSearchFile extends Error {
  override readonly name = 'NoSearchFile';
}

/** Where the index lies; null where machines share the ledger and no folder of this one is named: no file of SQLite bears two machines. */
export function searchPath(
  { search, sharedLedger = null }: Pick<Config, 'search' | 'sharedLedger'>,
  root: string,
): string | null {
  if (search.folder !== null) return searchFileIn(search.folder, `-${hash('sha256', root).slice(0, 8)}`);
  return sharedLedger === null ? searchFileIn(root) : null;
}

export class SearchKeeper {
  readonly #sources: Sources;
  readonly #thread: FileThread | null;
  readonly #path: string | null;
  readonly #name = randomUUID();
  readonly #erased: ErasedPayees;
  #isAsked = false;
  #isBuildNext = true;

  /** @param thread which does the work; null for a command, which does it itself. */
  constructor(sources: Sources, thread: FileThread | null) {
    this.#sources = sources;
    this.#thread = thread;
    this.#path = searchPath(sources.config, sources.workspace.root);
    this.#erased = new ErasedPayees(sources.workspace, sources.clock);
  }

  /** Asks the index, which is made where there is none. Throws `NoSearchFile`, and `ConfigUnusable` where it has no place. */
  async ask<Method extends keyof SearchCalls>(
    method: Method,
    ...args: Parameters<SearchCalls[Method]>
  ): Promise<ReturnType<SearchCalls[Method]>> {
    let answer = await this.#send({ method, args }, null);
    if ('fault' in answer && answer.fault === 'unopened')
      answer = await this.#send({ method, args }, await this.#first(this.#place()));
    if ('told' in answer) return answer.told as ReturnType<SearchCalls[Method]>;
    if (answer.fault !== 'unusable') throw new NoSearchFile(answer.fault);
    throw new ConfigUnusable(sentence('find.unusable', { reason: answer.reason }));
  }

  #place(): string {
    if (this.#path === null) throw new ConfigUnusable(sentence('find.noFolder'));
    return this.#path;
  }

  #send(call: SearchCall, first: SearchState | null): Promise<SearchAnswer> {
    const job: SearchJob = { bytes: null, keeper: this.#name, path: this.#place(), first, call };
    this.#isAsked = true;
    if (this.#thread === null) return SEARCH_WORK.does(job, () => undefined, NEVER);
    return this.#thread.run(SEARCH_WORK, job, NEVER);
  }

  async #first(path: string): Promise<SearchState> {
    const { ledger } = this.#sources;
    assertIsHere(path);
    const { next } = await ledger.history.events(null, FROM_END, 1);
    return {
      ledger: ledger.id,
      erased: this.#erased.last(),
      place: next,
      witness: null,
      build: { before: null, from: null },
      leaving: [],
    };
  }

  /** Does one step, unless another process was faster. */
  async step(): Promise<SearchStep> {
    try {
      const state = await this.ask('state');
      // The names of who was erased stay in the file until that is made anew.
      if (state.erased !== this.#erased.last()) return await this.#discard();
      if (state.leaving.length > 0) {
        await this.ask('leave', state, ROWS_OF_STEP);
        return 'more';
      }
      // What comes meanwhile is found before all that is old has been read.
      if (state.build === null || !this.#isBuildNext) {
        const step = await this.#follow(state);
        this.#isBuildNext = true;
        return state.build === null ? step : 'more';
      }
      this.#isBuildNext = state.build.before === null;
      return await this.#build(state, state.build);
    } catch (error) {
      if (error instanceof NoSearchFile) return 'busy';
      throw error;
    }
  }

  /** Whether somebody has erased the payee of a payment that came then (ISO), also while the index still has it. */
  isErased(payee: string, acceptedAt: string): boolean {
    return this.#erased.last() > 0 && this.#erased.has(payee, acceptedAt);
  }

  async close(): Promise<void> {
    if (this.#isAsked) await this.#send({ method: 'close' }, null);
    await this.#thread?.close();
    this.#erased.close();
  }

  async #build(state: SearchState, { before, from }: NonNullable<SearchState['build']>): Promise<SearchStep> {
    const { ledger } = this.#sources;
    const begun = from === null || before === null ? null : await ledger.batch(before.id);
    const [batch] = begun === null ? await ledger.batches({ before, limit: 1 }) : [begun];
    if (batch === undefined) {
      await this.ask('write', state, { build: null }, [], []);
      return 'more';
    }
    const hasLeft = begun === null ? await this.#hasLeft(batch) : false;
    if (hasLeft === null) return 'busy';
    const entries: Entry[] = [];
    let position = hasLeft ? null : begun === null ? 0 : from;
    while (position !== null && entries.length < ROWS_OF_STEP) {
      const page = await ledger.rows(batch.id, position, ROWS_AT_ONCE);
      entries.push(...page.map((row) => this.#entryOf(batch, row)));
      position = page.length < ROWS_AT_ONCE ? null : (page.at(-1)?.position ?? 0) + 1;
      await turn();
    }
    const build = { before: { acceptedAt: batch.acceptedAt, id: batch.id }, from: position };
    await this.ask('write', state, { build }, hasLeft ? [] : [batchEntryOf(batch, false)], entries);
    return 'more';
  }

  /** Where its archive was removed by retention, nothing of it is looked for any more. Null where its history cannot be read at this moment. */
  async #hasLeft({ id, state }: BatchRecord): Promise<boolean | null> {
    if (!ENDED_BATCH.has(state)) return false;
    for (let place: EventCursor = FROM_START; ;) {
      const page = await this.#sources.ledger.history.events(
        { batch: id, position: null },
        place,
        EVENTS_OF_PAGE,
      );
      // Each batch has been announced.
      if (place === FROM_START && page.events.length === 0) return null;
      if (page.events.some(isArchiveRemoval)) return true;
      if (page.events.length < EVENTS_OF_PAGE) return false;
      place = page.next;
      await turn();
    }
  }

  async #follow(state: SearchState): Promise<SearchStep> {
    const { witness, place } = state;
    const { events: read } = await this.#sources.ledger.history.events(
      null,
      witness?.after ?? place,
      EVENTS_OF_STEP,
    );
    const [seen] = read;
    // Where nothing is given, commits may be under way, and nothing is known of that place.
    if (seen === undefined) return 'done';
    // An older copy of a ledger has the same id, and another event where the last one was read.
    if (witness !== null && digestOf(seen) !== witness.event) return this.#discard();
    const behind = witness === null ? read : read.slice(1);
    const end = behind.findIndex((event) => leaves(event) !== null) + 1;
    // Rows that come behind are put in once those that leave have left.
    const events = end === 0 ? behind : behind.slice(0, end);
    const last = events.at(-1);
    if (last === undefined) return 'done';
    for (const { batch } of events.filter(isArchiveRemoval))
      // Its words stay in the file until that is made anew.
      if (await this.ask('hasBatch', batch)) return this.#discard();
    const gone = leaves(last);
    const next = {
      place: last.cursor,
      witness: { after: events.at(-2)?.cursor ?? place, event: digestOf(last) },
      leaving: gone === null ? state.leaving : [...state.leaving, gone],
    };
    const { batches, entries } = await this.#changed(events, state.build);
    await this.ask('write', state, next, batches, entries);
    return 'more';
  }

  async #discard(): Promise<SearchStep> {
    const answer = await this.#send({ method: 'discard' }, null);
    return 'fault' in answer ? 'busy' : 'more';
  }

  /** What the events have changed, as it stands now; but for the batches that are still to be read. */
  async #changed(
    events: readonly EventRecord[],
    build: SearchState['build'],
  ): Promise<{ readonly batches: readonly BatchEntry[]; readonly entries: readonly Entry[] }> {
    const batches: BatchEntry[] = [];
    const entries: Entry[] = [];
    for (const [id, told] of Map.groupBy(events.filter(changesWords), (event) => event.batch)) {
      const batch = await this.#sources.ledger.batch(id);
      if (batch === null || isToBuild(batch, build)) continue;
      batches.push(batchEntryOf(batch, true));
      const positions = told.flatMap(({ position }) => position ?? []);
      entries.push(...(await this.#entriesAt(batch, positions)));
    }
    return { batches, entries };
  }

  #entryOf(batch: BatchRecord, row: RowRecord): Entry {
    const payee = row.payout === null || !this.#erased.isAny() ? null : payeeKey(row.payout);
    const isErased = payee !== null && this.#erased.has(payee, batch.acceptedAt);
    const words = [...wordsOfRow(row, isErased), ...wordsOfBatch(batch)];
    const paid = isErased ? null : paidBy(row);
    return { batch: batch.id, position: row.position, words, transfers: idsOfRow(row), paid };
  }

  /** Neighbours are read together. */
  async #entriesAt(batch: BatchRecord, positions: readonly number[]): Promise<readonly Entry[]> {
    const sorted = [...new Set(positions)].sort((one, other) => one - other);
    const entries: Entry[] = [];
    for (let at = 0; at < sorted.length;) {
      const from = sorted[at] ?? 0;
      let most = 0;
      for (; sorted[at] === from + most && most < ROWS_AT_ONCE; at += 1) most += 1;
      const page = await this.#sources.ledger.rows(batch.id, from, most);
      const meant = page.filter(({ position }) => position < from + most);
      entries.push(...meant.map((row) => this.#entryOf(batch, row)));
      await turn();
    }
    return entries;
  }
}

const NEVER = new AbortController().signal;

/** Its log is shared memory of one machine, as that of a ledger is. Throws `ConfigUnusable`. */
function assertIsHere(path: string): void {
  try {
    assertLocalDisk(path);
  } catch (error) {
    throw new ConfigUnusable(sentence('find.noFolder'), { cause: error });
  }
}

/** Follows the ledger beside the payments, and takes no more than a part of the time of the process. */
export function followForSearch(sources: Sources & Pick<Records, 'log'>): { close(): Promise<void> } {
  const { clock, log, config, workspace } = sources;
  if (searchPath(config, workspace.root) === null) return { close: () => Promise.resolve() };
  const stop = new AbortController();
  const keeper = new SearchKeeper(sources, new FileThread());
  const follow = async (): Promise<void> => {
    // The start of the process has other work to do.
    for (let restMs = LOOK_MS; ;) {
      await clock.sleep(restMs, stop.signal);
      if (stop.signal.aborted) return;
      const begun = clock.monotonic();
      const step = await keeper.step().catch((error: unknown) => {
        log.warn('search', { reason: error instanceof Error ? error.message : 'unknown' });
        return null;
      });
      restMs =
        step === null ? AGAIN_MS : step === 'more' ? (clock.monotonic() - begun) * REST_TIMES : LOOK_MS;
    }
  };
  const following = follow();
  return {
    close: async () => {
      stop.abort();
      await following;
      await keeper.close();
    },
  };
}

const LOOK_MS = 500;
const REST_TIMES = 2;
/** A ledger that is away or a full disk: nothing depends on the index but the search. */
const AGAIN_MS = 30_000;

/** With these a batch has no rows any more, until it is read again. */
function leaves(event: EventRecord): Leaving | null {
  if (event.position !== null) return null;
  const codes = toldOf(event).map(({ code }) => code);
  if (codes.includes('batch_forgotten')) return { batch: event.batch, isWhole: true };
  return codes.includes('rows_removed') ? { batch: event.batch, isWhole: false } : null;
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

function changesWords(event: EventRecord): boolean {
  if (event.position !== null && CHANGES.has(event.stage)) return true;
  return toldOf(event).some(({ code }) => code === 'row_registered' || code === 'batch_announced');
}

/** Whether the batch is older than the one that has been read last. */
function isToBuild({ acceptedAt, id }: BatchRecord, build: SearchState['build']): boolean {
  const { before = null } = build ?? {};
  if (before === null) return false;
  return acceptedAt === before.acceptedAt ? id < before.id : acceptedAt < before.acceptedAt;
}

function batchEntryOf(batch: BatchRecord, isNew: boolean): BatchEntry {
  return { id: batch.id, words: wordsOfBatch(batch), isNew };
}

function wordsOfBatch(batch: BatchRecord): readonly string[] {
  return [...wordsOfFile(batch), ...(batch.submittedBy ?? []).map(ownerWord)];
}

function digestOf({ at, batch, position, event, detail }: EventRecord): string {
  return hash('sha256', JSON.stringify([at, batch, position, event, detail]));
}
