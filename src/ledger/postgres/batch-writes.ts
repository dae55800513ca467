// Every write of a batch, each told in the history by the commit that makes it. To be called inside one commit, of which there is one at a time.
import type { Asked } from '../approval.ts';
import { repeatsOf } from '../batch-rows.ts';
import { mayTakeOver, pauseOf, sameContentAmong, standsAs } from '../batch-rules.ts';
import { isBeingRead, isBeingRebuilt, PAYING } from '../batch-states.ts';
import {
  afterJudging,
  afterWaiting,
  assertComplete,
  beginningOf,
  isToBegin,
  nextRange,
  type Step,
} from '../cross-check.ts';
import type {
  Announced,
  BatchesNow,
  BatchRevision,
  CrossCheck,
  Ledger,
  SeenBatch,
  WhichBatches,
  WholeDecision,
} from '../ledger.ts';
import { LeaseLost } from '../ledger-unusable.ts';
import type { BatchRecord, Checked, LeasedBatch, NewRow, WholeState } from '../records.ts';
import { ROWS_REMOVED } from '../seals.ts';
import { waitFor } from '../wait.ts';
import {
  type BatchesTable,
  carriersBeside,
  changeBatch,
  deleteBatch,
  digestOfBatch,
  forgetCarriers,
  giveTo,
  insertBatch,
  lockBatches,
  lockRowsOf,
  setApproved,
} from './batches-table.ts';
import { endClaimsOf } from './claims-table.ts';
import { encountersOf } from './encounters-query.ts';
import type { Tx } from './group-commit.ts';
import type { RowWrites } from './row-writes.ts';
import { arePricesOpen, endOf, linesBetween, totalOf, versionsOf } from './rows-table.ts';
import type { RunsTable } from './runs-table.ts';

type Parts = {
  readonly batches: BatchesTable;
  readonly rowWrites: RowWrites;
  readonly run: string;
  readonly runs: Pick<RunsTable, 'isElsewhere' | 'endIfDead'>;
};

/** New rows of a batch that is being read. */
export type Registration = { readonly leased: LeasedBatch; readonly rows: readonly NewRow[] };

/** Rows that are written by one statement where all of a batch are. */
const WRITTEN_ROWS = 1_000;

export class BatchWrites {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async announce(tx: Tx, batch: BatchRecord, replaces?: BatchRecord): Promise<Announced> {
    lockBatches(tx);
    const { batches, run } = this.#parts;
    const earlier = await batches.where(tx.query, 'file_id', batch.fileId);
    if (earlier !== null && (replaces === undefined || !standsAs(earlier, replaces))) return { earlier };
    // A name belongs to the file that had it first, be that refused: somebody may have looked at it under that name.
    const named = await batches.where(tx.query, 'id', batch.id);
    if (named !== null && named.fileId !== batch.fileId) return { earlier: named };
    if (earlier !== null) await this.#delete(tx, earlier.id, 'batch replaced');
    await insertBatch(tx.query, batch, run);
    await this.#tellOf(tx, batch.id, 'batch announced');
    return { added: await this.#known(tx, batch.id) };
  }

  async revise(
    tx: Tx,
    of: string | LeasedBatch,
    decide: Parameters<Ledger['revise']>[1],
  ): Promise<BatchRecord | null> {
    lockBatches(tx);
    const { batches } = this.#parts;
    const batch =
      typeof of === 'string' ? await batches.where(tx.query, 'id', of) : await this.#assertLeased(tx, of);
    if (batch === null) return null;
    // Locked before the decision: it either sees the writes of rows in progress, or they see the decision.
    lockRowsOf(tx, batch.id);
    const revision = await decided(
      (others) => decide(batch, others),
      (which) => batches.which(tx.query, which),
    );
    if (revision !== null) await this.#change(tx, batch, revision);
    return batch;
  }

  async #change(tx: Tx, batch: BatchRecord, { change, event }: BatchRevision): Promise<void> {
    await changeBatch(tx.query, batch, change);
    await this.#tellOf(tx, batch.id, event, JSON.stringify(change));
    if (change.state === 'refused') await this.#clear(tx, batch.id);
  }

  async askApproval(
    tx: Tx,
    leased: LeasedBatch,
    asked: Omit<Asked, 'coverage'>,
    positions: readonly number[],
  ): Promise<boolean> {
    lockBatches(tx);
    const batch = await this.#assertLeased(tx, leased);
    const { id, approval: known } = batch;
    // Numbers only grow; a preview that outlived an earlier ledger may have taken some.
    if (asked.round <= (known?.kind === 'asked' ? known.round : 0)) return false;
    lockRowsOf(tx, id);
    const approval: Asked = { ...asked, coverage: await setApproved(tx.query, id, positions) };
    await changeBatch(tx.query, batch, { approval, wait: waitFor('approval', asked.words) });
    await this.#tellOf(tx, id, 'approval asked', JSON.stringify(approval));
    return true;
  }

  async takeOver(tx: Tx, seen: SeenBatch): Promise<BatchRecord | null> {
    lockBatches(tx);
    const { batches, run, runs } = this.#parts;
    const batch = await batches.where(tx.query, 'id', seen.id);
    if (batch === null || !standsAs(batch, seen)) return null;
    const dead: string[] = [];
    for (const each of await carriersBeside(tx.query, batch.id, run))
      if (await runs.endIfDead(tx.query, each)) dead.push(each);
    if (!mayTakeOver(batch, seen, runs.isElsewhere(batch.owner))) return null;
    lockRowsOf(tx, batch.id);
    await giveTo(tx.query, batch.id, run);
    // Rows that an earlier carrier of the same run left behind a fault are free.
    await endClaimsOf(tx.query, run, batch.id);
    // Nobody gave it back, or a run that had it before was killed since: this ledger may be an older copy, from before that run's last work.
    const isLeft = (batch.owner !== null && batch.owner !== run) || dead.length > 0;
    if (isLeft && PAYING.has(batch.state))
      await this.#change(tx, batch, { change: { doubt: { since: null } }, event: 'batch changed' });
    await forgetCarriers(tx.query, batch.id, dead);
    await this.#tellOf(tx, batch.id, 'batch taken over', run);
    return this.#known(tx, batch.id);
  }

  async drop(tx: Tx, leased: LeasedBatch): Promise<void> {
    lockBatches(tx);
    const { id, state } = await this.#assertLeased(tx, leased);
    if (state !== 'taking') throw new Error(`Batch ${id} is ${state}, and is not forgotten.`);
    await this.#delete(tx, id, 'batch dropped');
  }

  /** Those that wait for one batch are registered together. */
  async addRows(tx: Tx, items: readonly Registration[]): Promise<readonly undefined[]> {
    for (const of of Map.groupBy(items, ({ leased }) => `${leased.id} ${String(leased.token)}`).values()) {
      const [first] = of;
      if (first === undefined) continue;
      const batch = await this.#registered(tx, first.leased);
      const rows = of.flatMap((each) => each.rows);
      for (let from = 0; from < rows.length; from += WRITTEN_ROWS)
        await this.#parts.rowWrites.register(tx, batch, rows.slice(from, from + WRITTEN_ROWS));
    }
    return items.map(() => undefined);
  }

  async clear(tx: Tx, leased: LeasedBatch): Promise<void> {
    lockBatches(tx);
    await this.#clear(tx, (await this.#registered(tx, leased)).id);
  }

  /** The batch whose rows are being registered. */
  async #registered(tx: Tx, leased: LeasedBatch): Promise<BatchRecord> {
    lockRowsOf(tx, leased.id);
    const batch = await this.#assertLeased(tx, leased);
    if (isBeingRead(batch) || isBeingRebuilt(batch)) return batch;
    throw new Error(`Batch ${batch.id} is ${batch.state}, and its rows are not to be registered.`);
  }

  async #clear(tx: Tx, id: string): Promise<void> {
    await this.#parts.rowWrites.clear(tx, id);
    await this.#tellOf(tx, id, ROWS_REMOVED);
  }

  /** Holds the next rows of a batch against all others: every commit sees each row that was checked before it, and is seen by each that is checked after it. */
  async crossCheck(tx: Tx, leased: LeasedBatch, check: CrossCheck): Promise<boolean> {
    lockBatches(tx);
    lockRowsOf(tx, leased.id);
    const own = await this.#assertLeased(tx, leased);
    const { change, isDone } = await this.#checkNext(tx, own, check);
    await this.#change(tx, await this.#known(tx, own.id), { change, event: 'batch changed' });
    return isDone;
  }

  async #checkNext(tx: Tx, own: BatchRecord, check: CrossCheck): Promise<Step> {
    const { rowWrites, batches } = this.#parts;
    const done =
      own.checked === undefined || isToBegin(own) ? await this.#begin(tx, own, check) : own.checked;
    const range = nextRange(done, check);
    const isLast = range.to >= (await endOf(tx.query, own.id));
    if (done.waitingTo !== undefined) {
      const repeats = repeatsOf(own, done);
      if (repeats !== null)
        await rowWrites.judgeEach(
          tx,
          await linesBetween(tx.query, own.id, range),
          (row) => check.judgeRest?.(row, repeats) ?? null,
        );
      return afterWaiting(done, range, isLast, check);
    }
    const { since, countsUnseen = false } = check;
    const begun = { ...own, checked: done };
    const met = await encountersOf(tx.query, batches, begun, range, { since, countsUnseen });
    const same = done.sameContent === null ? null : await batches.where(tx.query, 'id', done.sameContent);
    const repeats = new Map(Object.entries(done.repeats ?? {}));
    if (check.everyRow || same !== null || met.size > 0)
      await rowWrites.judgeEach(tx, await linesBetween(tx.query, own.id, range), (row) => {
        const judged = check.judge(row, { encounters: met.get(row.position) ?? [], sameContent: same });
        if (judged?.repeats !== undefined)
          repeats.set(judged.repeats, (repeats.get(judged.repeats) ?? 0) + 1);
        return judged;
      });
    if (isBeingRead(own) || isLast) assertComplete(own, await totalOf(tx.query, own.id));
    return afterJudging(own, { done, repeats }, range, isLast, check);
  }

  async #begin(tx: Tx, own: BatchRecord, check: CrossCheck): Promise<Checked> {
    const { id, content } = own;
    const fingerprint = content?.fingerprint ?? null;
    const same =
      fingerprint === null
        ? null
        : sameContentAmong(await this.#parts.batches.which(tx.query, { content: fingerprint }), own);
    const checked = beginningOf(own, same, await arePricesOpen(tx.query, id), check);
    await changeBatch(tx.query, own, { checked });
    return checked;
  }

  async decideWhole(
    tx: Tx,
    leased: LeasedBatch,
    { to, versions, judged }: WholeDecision,
  ): Promise<WholeState | 'moved' | null> {
    lockBatches(tx);
    lockRowsOf(tx, leased.id);
    const known = await this.#assertLeased(tx, leased);
    if (known.whole !== 'reserving' || pauseOf(known) !== null) return known.whole;
    if ((await versionsOf(tx.query, known.id)) !== versions) return 'moved';
    const items = judged.map(({ row, ...mark }) => ({
      row,
      change: { ...mark, dueAt: null, keepClaim: false },
    }));
    for (let from = 0; from < items.length; from += WRITTEN_ROWS)
      await this.#parts.rowWrites.write(tx, items.slice(from, from + WRITTEN_ROWS));
    const epoch = (known.epoch ?? 0) + 1;
    const moved = known.state === 'reserving' ? ({ state: 'sending' } as const) : {};
    await this.#change(tx, known, { change: { whole: to, epoch, ...moved }, event: 'batch changed' });
    return to;
  }

  async #known(tx: Tx, id: string): Promise<BatchRecord> {
    const batch = await this.#parts.batches.where(tx.query, 'id', id);
    if (batch === null) throw new Error(`There is no batch ${id} to change.`);
    return batch;
  }

  /** The batch as it stands. Throws `LeaseLost` where this run has it no more, or another carrier of this run has taken it over. */
  async #assertLeased(tx: Tx, { id, token }: LeasedBatch): Promise<BatchRecord> {
    const batch = await this.#known(tx, id);
    if (batch.owner !== this.#parts.run || batch.token !== token) throw new LeaseLost(id);
    return batch;
  }

  async #delete(tx: Tx, id: string, event: string): Promise<void> {
    await this.#clear(tx, id);
    await deleteBatch(tx.query, id);
    await this.#tellOf(tx, id, event);
  }

  async #tellOf(tx: Tx, batch: string, event: string, detail: string | null = null): Promise<void> {
    const digest = await digestOfBatch(tx.query, batch);
    tx.tell({ batch, position: null, event, detail, digest });
  }
}

/** A decision is pure: where it turns out to need other batches they are read, and it is asked once more. */
async function decided<T>(
  decide: (others: BatchesNow) => T,
  read: (which: WhichBatches) => Promise<readonly BatchRecord[]>,
): Promise<T> {
  const asked: WhichBatches[] = [];
  try {
    return decide((which) => {
      asked.push(which);
      throw new Error('They are not read yet.');
    });
  } catch (error) {
    const [which] = asked;
    if (which === undefined) throw error;
    const others = await read(which);
    return decide(() => others);
  }
}
