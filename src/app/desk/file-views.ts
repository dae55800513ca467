// What programs and pages see of files: pages of summaries, of rows and of events, and the answers in the outbox. Nothing here writes. No page
// costs more than its own length, except the summary of a batch that is being paid.
import { createReadStream, type ReadStream } from 'node:fs';

import type { Reader } from '../../base/language.ts';
import type { HeldRow, HeldRowsQuery } from '../../contract/decisions.ts';
import type { AnswerFile, Row, RowsQuery } from '../../contract/files.ts';
import { type EventCursor, FROM_END, FROM_START } from '../../ledger/history.ts';
import { waitsForAnswer } from '../../ledger/approval.ts';
import { isAtRest, waitOf } from '../../ledger/batch-rules.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import type { Wait } from '../../ledger/wait.ts';
import { type Payout, requestedCurrency } from '../../payouts/payout.ts';
import { shownPayee } from '../../payouts/shown-payee.ts';
import { stageOrHeld } from '../../payouts/progress.ts';
import { stagesOf } from '../../payouts/lifecycle.ts';
import { SANDBOX_CELL } from '../../results/answer-table.ts';
import { payoutCells, RESULT_COLUMNS } from '../../results/payout-cells.ts';
import type { Summary, Tally } from '../../results/summary.ts';
import type { AnswerPlace } from '../../results/write-results.ts';
import { ENDED_BATCH } from '../../ledger/batch-states.ts';
import { type FileFilter, listedBatches, type ListPlace } from './batch-status.ts';
import { type FileStep, stepsOf } from './file-steps.ts';
import { differences, type MetPayment, paymentMet } from './met-payment.ts';
import { type FeedPage, HistoryFeed, RunningSums, shown, type TimelineEvent } from './watched.ts';
import { hashFile } from '../../inbox/take-file.ts';
import type { Records } from '../parts.ts';
import {
  answerNames,
  answersInOutbox,
  answersOf,
  type KeptSummary,
  lastSummary,
  openAnswer,
} from '../workflow/answers/answers.ts';

/** The sums of a batch in progress are computed again when its record has changed, or when they are older than this many times their cost. */
const COST_SHARE = 10;
/** However much they cost: the longer they are kept, the more rows the next caller waits for. A page looks this long after a change at the earliest, and sees it. */
const KEPT_MOST_MS = 250;

/** A summary, and of the batch as it is now: what it waits for, how far it is, who submitted it, and the debits about which an approver is asked. */
export type FileView = Summary & {
  readonly wait: Wait | null;
  readonly steps: readonly FileStep[];
  readonly submittedBy: readonly string[];
  readonly asked: readonly { readonly currency: string; readonly debit: string }[];
  /** Who sent it back to be corrected. */
  readonly sentBack: { readonly by: string; readonly at: string; readonly reason: string } | null;
};

type CachedView = { readonly record: string; readonly summary: Promise<FileView>; readonly until: number };
type Closed = { readonly place: AnswerPlace; readonly last: KeptSummary };
type Names = () => ReturnType<typeof answerNames>;

/** Some two kilobytes each. */
const CLOSED_KEPT = 2_000;

export class FileViews {
  readonly #records: Records;
  readonly #kept = new Map<string, CachedView>();
  readonly #closed = new Map<string, Closed>();
  readonly #feed: HistoryFeed;
  readonly #sums: RunningSums;

  constructor(records: Records) {
    this.#records = records;
    this.#feed = new HistoryFeed(records.ledger);
    this.#sums = new RunningSums(records.ledger, this.#feed);
  }

  /** Newest first. `last`: behind it there may be more. */
  async summaries(
    before: ListPlace,
    limit: number,
    filter: FileFilter = {},
  ): Promise<{ readonly summaries: readonly FileView[]; readonly last: BatchRecord | null }> {
    const names = this.#names();
    const isShown = ({ state }: FileView) =>
      filter.state === undefined || filter.state === 'open' || state === filter.state;
    const found: { readonly batch: BatchRecord; readonly view: FileView }[] = [];
    for await (const batches of listedBatches(this.#records, before, limit, filter)) {
      const views = await Promise.all(
        batches.map(async (batch) => ({ batch, view: await this.#summaryOf(batch, names) })),
      );
      found.push(...views.filter(({ view }) => isShown(view)));
      if (found.length >= limit) break;
    }
    const shown = found.slice(0, limit);
    const last = shown.length < limit ? null : (shown.at(-1)?.batch ?? null);
    return { summaries: shown.map(({ view }) => view), last };
  }

  /** Each batch that has not ended, the oldest first, with the sums over its rows. */
  async *open(): AsyncGenerator<{ readonly batch: BatchRecord; readonly tally: Tally }> {
    const { ledger, clock } = this.#records;
    for (const batch of await ledger.batches({ toLookAt: clock.now() }))
      if (!ENDED_BATCH.has(batch.state)) yield { batch, tally: await this.#sums.of(batch) };
  }

  /** Null where there is no such batch; the same holds for the methods below. */
  async summary(id: string): Promise<FileView | null> {
    const batch = await this.#records.ledger.batch(id);
    return batch === null ? null : this.#summaryOf(batch, this.#names());
  }

  /** The values of the columns `payout.*`, without that prefix, and who is paid; `next` is the position after the last row. */
  async rows(
    id: string,
    from: number,
    limit: number,
    {
      outcome,
      code,
      find,
      row: name,
      reader,
    }: Omit<RowsQuery, 'limit' | 'after'> & { readonly reader: Reader },
  ): Promise<{ readonly rows: readonly Row[]; readonly next: number | null } | null> {
    const { ledger } = this.#records;
    const batch = await ledger.batch(id);
    if (batch === null) return null;
    const stages = outcome === undefined ? undefined : stagesOf([outcome]);
    const found =
      name === undefined
        ? await ledger.rows(id, from, limit, { stages, code, text: find })
        : await rowsNamed(ledger, id, name);
    const rows = found.map((row) => shownRow(batch, row, reader));
    const last = found.at(-1);
    const isWhole = name !== undefined || found.length < limit;
    return { rows, next: isWhole || last === undefined ? null : last.position + 1 };
  }

  /** The held rows, each beside the payment that it meets. */
  async held(
    id: string,
    from: number,
    { limit, code }: Omit<HeldRowsQuery, 'after'>,
    reader: Reader,
  ): Promise<{ readonly rows: readonly HeldRow[]; readonly next: number | null } | null> {
    const { ledger } = this.#records;
    const batch = await ledger.batch(id);
    if (batch === null) return null;
    const found = await ledger.rows(id, from, limit, { stages: ['held'], code });
    const rows = await Promise.all(
      found.map(async (row) => {
        const met = await paymentMet(this.#records, batch, row);
        return { row: shownRow(batch, row, reader), met: met && shownMet(row, met, reader) };
      }),
    );
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
    const position = row === null ? null : (await rowsNamed(ledger, id, row))[0]?.position;
    if (position === undefined) return null;
    const page = await ledger.history.events({ batch: id, position }, after ?? FROM_START, limit);
    const broughtBy = batch.submittedBy?.join(', ');
    const told: TimelineEvent[] = [];
    let next = page.events.length < limit ? null : page.next;
    let last = after ?? FROM_START;
    for (const event of page.events) {
      const each = shown(event);
      // One event may tell several things, which stay together.
      if (told.length > 0 && told.length + each.length > limit) {
        next = last;
        break;
      }
      told.push(...each);
      last = event.cursor;
    }
    const events = told.map((each) =>
      each.code === 'batch_announced' && broughtBy !== undefined ? { ...each, by: broughtBy } : each,
    );
    return { events, next };
  }

  /** Everything that was committed after a place, for a reader who follows all of it. */
  feed(after: EventCursor): Promise<FeedPage> {
    return this.#feed.after(after);
  }

  async answers(id: string): Promise<readonly AnswerFile[] | null> {
    if ((await this.#records.ledger.batch(id)) === null) return null;
    const answers: AnswerFile[] = [];
    for (const { kind, name, path, bytes } of await answersInOutbox(this.#records, id))
      answers.push({ kind, name, bytes, sha256: await hashFile(path) });
    return answers;
  }

  /** The bytes from the outbox; null also where it has no such answer. */
  async answer(id: string, kind: string): Promise<(AnswerFile & { readonly content: ReadStream }) | null> {
    const batch = await this.#records.ledger.batch(id);
    const found = batch === null ? null : await openAnswer(this.#records, batch, kind);
    if (found === null) return null;
    const { path, ...view } = found;
    return { ...view, content: createReadStream(path) };
  }

  /** Undefined where there is no row of that name. */
  /** The outbox is read once for all batches of a list, if any of them asks. */
  #names(): Names {
    let names: ReturnType<Names> | null = null;
    return () => (names ??= answerNames(this.#records));
  }

  async #summaryOf(batch: BatchRecord, names: Names): Promise<FileView> {
    const { clock } = this.#records;
    const record = JSON.stringify(batch);
    const kept = this.#kept.get(batch.id);
    if (kept?.record === record && clock.monotonic() < kept.until) return kept.summary;
    const begun = clock.monotonic();
    const summary = this.#viewOf(batch, names);
    // Callers that come meanwhile wait for the same result.
    this.#kept.set(batch.id, { record, summary, until: Infinity });
    try {
      return await summary;
    } finally {
      const now = clock.monotonic();
      this.#kept.set(batch.id, {
        record,
        summary,
        until: now + Math.min(COST_SHARE * (now - begun), KEPT_MOST_MS),
      });
      for (const [id, { until }] of this.#kept) if (until < now) this.#kept.delete(id);
    }
  }

  async #viewOf(batch: BatchRecord, names: Names): Promise<FileView> {
    const wait = ENDED_BATCH.has(batch.state) ? null : waitOf(batch);
    const summary = await this.#summarize(batch, names);
    const { submittedBy = [], approval } = batch;
    const totals = approval?.kind === 'asked' && waitsForAnswer(batch) ? approval.totals : [];
    const asked = totals.map(({ currency, debit }) => ({ currency, debit }));
    const sentBack = sentBackBy(approval);
    return { ...summary, wait, steps: stepsOf(batch, summary.standing), submittedBy, asked, sentBack };
  }

  async #summarize(batch: BatchRecord, names: Names): Promise<Summary> {
    const { id } = batch;
    const closed = isAtRest(batch) ? await this.#closedSummary(batch) : null;
    if (closed !== null) {
      this.#sums.forget(id);
      return closed;
    }
    const [sums, named] = await Promise.all([this.#sums.of(batch), names()]);
    return sums.summary(batch, named.get(id) ?? []);
  }

  /** The last answer of a closed batch is still its state; null where it lies there no more. */
  async #closedSummary(batch: BatchRecord): Promise<Summary | null> {
    const known = this.#closed.get(batch.id);
    this.#closed.delete(batch.id);
    const place = known?.place ?? (await answersOf(this.#records, batch));
    const last = await lastSummary(place, known?.last).catch((error: unknown) => {
      if (known === undefined) throw error;
      return null;
    });
    if (last?.summary.state !== 'closed') return known === undefined ? null : this.#closedSummary(batch);
    this.#closed.set(batch.id, { place, last });
    for (const oldest of this.#closed.keys())
      if (this.#closed.size > CLOSED_KEPT) this.#closed.delete(oldest);
    return last.summary;
  }
}

/** The place after which only new events come. */
export const startOfFeed: EventCursor = FROM_END;

/** A text that is no row's name may occur in at most this many references. */
const SAME_TEXT_MOST = 10_000;

/** One, or none. */
export async function rowsNamed(
  ledger: Pick<Ledger, 'rows'>,
  batch: string,
  name: string,
): Promise<readonly RowRecord[]> {
  const found = await ledger.rows(batch, 0, SAME_TEXT_MOST, { text: name });
  return found.filter(({ row }) => row === name).slice(0, 1);
}

/** What the row asks for, in the currency in which it says so: a row that was not priced has no other amount. */
export function shownRow(batch: BatchRecord, row: RowRecord, reader: Reader): Row {
  const cells = payoutCells(row, '.', batch.wait?.words ?? null, reader);
  const named = RESULT_COLUMNS.map((column, at) => [column.slice('payout.'.length), cells[at] ?? '']);
  return {
    ...(Object.fromEntries(named) as Row),
    reference: row.reference,
    ...askedOf(row.payout),
    ...shownPayee(row.payout),
    stage: stageOrHeld(row.progress),
    ...(batch.sandbox ? { sandbox: SANDBOX_CELL } : {}),
  };
}

function shownMet(row: RowRecord, { batch, row: other }: MetPayment, reader: Reader): HeldRow['met'] {
  return {
    batch: batch.id,
    file: batch.fileName,
    acceptedAt: batch.acceptedAt,
    row: shownRow(batch, other, reader),
    differs: [...differences(row, other)],
  };
}

function askedOf(payout: Payout | null): {
  readonly askedAmount: string | null;
  readonly askedCurrency: string | null;
} {
  return payout === null
    ? { askedAmount: null, askedCurrency: null }
    : { askedAmount: payout.requested.amount, askedCurrency: requestedCurrency(payout) };
}

function sentBackBy(approval: BatchRecord['approval']): FileView['sentBack'] {
  const declined = approval?.kind === 'asked' ? approval.declined : null;
  if (declined?.sendsBack !== true) return null;
  const { by, at, reason } = declined;
  return { by, at, reason };
}
