// What programs and pages see of files: pages of summaries, of rows and of events, and the answers in the outbox. Nothing here writes. No page
// costs more than its own length, except the summary of a batch that is being paid.
import { createReadStream, type ReadStream } from 'node:fs';

import type { Language } from '../../base/language.ts';
import type { WhichBatches } from '../../ledger/ledger.ts';
import {
  type EventCursor,
  type EventPage,
  FROM_END,
  FROM_START,
  type Told,
  toldOf,
} from '../../ledger/history.ts';
import { waitOf } from '../../ledger/batch-rules.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { Wait } from '../../ledger/wait.ts';
import { stageOrHeld } from '../../payouts/progress.ts';
import { STAGES, type StageOrHeld, OUTCOMES, type Outcome, outcomeOf } from '../../payouts/lifecycle.ts';
import { SANDBOX_CELL } from '../../results/answer-table.ts';
import { payoutCells, RESULT_COLUMNS } from '../../results/payout-cells.ts';
import { summarize, type Summary } from '../../results/summary.ts';
import { CHECKED, ENDED_BATCH } from '../../ledger/batch-states.ts';
import { RunningSums } from './running-sums.ts';
import { hashFile } from '../../inbox/take-file.ts';
import type { Records } from '../parts.ts';
import { answersInOutbox, answersOf, lastSummary, openAnswer } from '../workflow/close/answers.ts';

/** The sums of a batch in progress are computed again when its record has changed, or when they are older than this many times their cost. */
const COST_SHARE = 10;

/** A summary, and what the batch waits for now: its kind, in words, and what lifts it. */
export type FileView = Summary & { readonly wait: Wait | null };

type Kept = { readonly record: string; readonly summary: Promise<FileView>; readonly until: number };

export class FileViews {
  readonly #records: Records;
  readonly #kept = new Map<string, Kept>();
  readonly #sums: RunningSums;

  constructor(records: Records) {
    this.#records = records;
    this.#sums = new RunningSums(records.ledger);
  }

  /** Newest first. */
  async summaries(
    before: Extract<WhichBatches, { readonly limit: number }>['before'],
    limit: number,
  ): Promise<{ readonly summaries: readonly FileView[]; readonly last: BatchRecord | null }> {
    const batches = await this.#records.ledger.batches({ before, limit });
    const summaries: FileView[] = [];
    for (const batch of batches) summaries.push(await this.#summaryOf(batch));
    return { summaries, last: batches.length < limit ? null : (batches.at(-1) ?? null) };
  }

  /** Null where there is no such batch; the same holds for the methods below. */
  async summary(id: string): Promise<FileView | null> {
    const batch = await this.#records.ledger.batch(id);
    return batch === null ? null : this.#summaryOf(batch);
  }

  /** The values of the columns `payout.*`, without that prefix; `next` is the position after the last row. */
  async rows(
    id: string,
    from: number,
    limit: number,
    {
      outcome,
      code,
      find,
      language,
    }: {
      readonly language: Language;
      readonly outcome?: Outcome | undefined;
      readonly code?: string | undefined;
      readonly find?: string | undefined;
    },
  ): Promise<{ readonly rows: readonly RowView[]; readonly next: number | null } | null> {
    const { ledger } = this.#records;
    const batch = await ledger.batch(id);
    if (batch === null) return null;
    const stages =
      outcome === undefined ? undefined : STAGES_OR_HELD.filter((stage) => outcomeOf(stage) === outcome);
    const found = await ledger.rows(id, from, limit, { stages, code, text: find });
    const words = batch.wait?.words ?? null;
    const rows = found.map((row) => {
      const cells = payoutCells(row, '.', words, language);
      const named = RESULT_COLUMNS.map((column, at) => [column.slice('payout.'.length), cells[at] ?? '']);
      return {
        ...(Object.fromEntries(named) as RowView),
        reference: row.reference,
        stage: stageOrHeld(row.progress),
        ...(batch.sandbox ? { sandbox: SANDBOX_CELL } : {}),
      };
    });
    const last = found.at(-1);
    return { rows, next: found.length < limit || last === undefined ? null : last.position + 1 };
  }

  /** The events of the batch itself, or of one of its rows by name, oldest first. */
  async timeline(
    id: string,
    row: string | null,
    after: EventCursor | null,
    limit: number,
  ): Promise<{ readonly events: readonly TimelineEvent[]; readonly next: EventCursor | null } | null> {
    const { ledger } = this.#records;
    const batch = await ledger.batch(id);
    if (batch === null) return null;
    const position = row === null ? null : await this.#positionOf(id, row);
    if (position === undefined) return null;
    const page = await ledger.events({ batch: id, position }, after ?? FROM_START, limit);
    const broughtBy = batch.submittedBy?.join(', ');
    const told = page.events
      .flatMap(shown)
      .map((event) =>
        event.code === 'batch_announced' && broughtBy !== undefined ? { ...event, by: broughtBy } : event,
      );
    return { events: told, next: page.events.length < limit ? null : page.next };
  }

  /** Everything that was committed after a place, for a reader who follows all of it. */
  async feed(after: EventCursor, limit: number): Promise<FeedPage> {
    const { events, next } = await this.#records.ledger.events(null, after, limit);
    return {
      events: events.flatMap((event) => shown(event).map((each) => ({ ...each, batch: event.batch }))),
      next,
    };
  }

  async answers(id: string): Promise<readonly AnswerView[] | null> {
    if ((await this.#records.ledger.batch(id)) === null) return null;
    const answers: AnswerView[] = [];
    for (const { kind, name, path, bytes } of await answersInOutbox(this.#records, id))
      answers.push({ kind, name, bytes, sha256: await hashFile(path) });
    return answers;
  }

  /** The bytes from the outbox; null also where it has no such answer. */
  async answer(id: string, kind: string): Promise<(AnswerView & { readonly content: ReadStream }) | null> {
    const batch = await this.#records.ledger.batch(id);
    const found = batch === null ? null : await openAnswer(this.#records, batch, kind);
    if (found === null) return null;
    const { path, ...view } = found;
    return { ...view, content: createReadStream(path) };
  }

  /** Undefined where there is no row of that name. */
  async #positionOf(id: string, name: string): Promise<number | undefined> {
    const found = await this.#records.ledger.rows(id, 0, SAME_TEXT_MOST, { text: name });
    return found.find(({ row }) => row === name)?.position;
  }

  async #summaryOf(batch: BatchRecord): Promise<FileView> {
    const { clock } = this.#records;
    const record = JSON.stringify(batch);
    const kept = this.#kept.get(batch.id);
    if (kept?.record === record && clock.monotonic() < kept.until) return kept.summary;
    const begun = clock.monotonic();
    const summary = this.#viewOf(batch);
    // Callers that come meanwhile wait for the same result.
    this.#kept.set(batch.id, { record, summary, until: Infinity });
    try {
      return await summary;
    } finally {
      const now = clock.monotonic();
      this.#kept.set(batch.id, { record, summary, until: now + COST_SHARE * (now - begun) });
      for (const [id, { until }] of this.#kept) if (until < now) this.#kept.delete(id);
    }
  }

  async #viewOf(batch: BatchRecord): Promise<FileView> {
    return { ...(await this.#summarize(batch)), wait: ENDED_BATCH.has(batch.state) ? null : waitOf(batch) };
  }

  /** The last answer of a closed batch is still its state. */
  async #summarize(batch: BatchRecord): Promise<Summary> {
    const isKept = batch.state === 'closed' && (batch.answersDue ?? null) === null && batch.wait === null;
    const last = isKept ? await lastSummary(await answersOf(this.#records, batch)) : null;
    if (last?.summary.state === 'closed') {
      this.#sums.forget(batch.id);
      return last.summary;
    }
    const answers = (await answersInOutbox(this.#records, batch.id)).map(({ name }) => name);
    // Until all its rows are there, they are counted as they come.
    if (!CHECKED.includes(batch.state)) return summarize(this.#records.ledger, batch, answers);
    return (await this.#sums.of(batch)).summary(batch, answers);
  }
}

/** The place after which only new events come. */
export const startOfFeed: EventCursor = FROM_END;
export type FeedPage = {
  readonly events: readonly (TimelineEvent & { readonly batch: string })[];
  readonly next: EventCursor;
};

/** The possible outcomes of a row. */
export const ROW_OUTCOMES = OUTCOMES;

export type RowView = Readonly<Record<string, string | null>>;
export type AnswerView = {
  readonly kind: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
};

export type TimelineEvent = Told & { readonly at: string; readonly row: string | null };

/** A text that is no row's name may occur in at most this many references. */
const SAME_TEXT_MOST = 10_000;

const STAGES_OR_HELD: readonly StageOrHeld[] = [...STAGES, 'held'];

function shown(event: EventPage['events'][number]): readonly TimelineEvent[] {
  return toldOf(event).map((told) => ({ at: event.at, row: event.row, ...told }));
}
