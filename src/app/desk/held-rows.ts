// Held rows as people decide about them: grouped by what holds them, across files; chosen by that or by name; and what an order would do, before it is given.
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

import { ENDED_BATCH } from '../../ledger/batch-states.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import { type HoldCode, HOLDS, liftsItself } from '../../payouts/hold.ts';
import type { Words } from '../../base/language.ts';
import { isBroughtBy } from '../workflow/approval/decide-approval.ts';

export { isBroughtBy };
import { decide, isServicesWord, tryAgainAt } from '../workflow/decisions/look-before-closing.ts';
import type { Records } from '../parts.ts';

export type HeldGroup = {
  readonly code: string;
  readonly words: Words;
  readonly liftsItself: boolean;
  readonly rows: number;
  readonly files: readonly {
    readonly batch: string;
    readonly file: string;
    readonly rows: number;
    readonly isOwn: boolean;
  }[];
};

/** Most rows first. @param by who asks. */
export async function heldGroups(records: Records, by: string): Promise<readonly HeldGroup[]> {
  const groups = new Map<HoldCode, HeldGroup['files']>();
  for (const batch of await records.ledger.batches()) {
    if (ENDED_BATCH.has(batch.state)) continue;
    const counts = new Map<HoldCode, number>();
    for await (const { progress } of heldRows(records, batch.id))
      if (progress.hold !== null) counts.set(progress.hold.code, (counts.get(progress.hold.code) ?? 0) + 1);
    for (const [code, rows] of counts) {
      const files = groups.get(code) ?? [];
      groups.set(code, [
        ...files,
        { batch: batch.id, file: batch.fileName, rows, isOwn: isBroughtBy(batch, by) },
      ]);
    }
  }
  return [...groups]
    .map(([code, files]) => {
      const rows = files.reduce((sum, file) => sum + file.rows, 0);
      return { code, words: HOLDS[code].words, liftsItself: liftsItself({ code }), rows, files };
    })
    .sort((a, b) => b.rows - a.rows);
}

async function* heldRows({ ledger }: Pick<Records, 'ledger'>, batch: string): AsyncGenerator<RowRecord> {
  for (let from = 0; ;) {
    const page = await ledger.rows(batch, from, PAGE_ROWS, { stages: ['held'] });
    const last = page.at(-1);
    if (last === undefined) return;
    yield* page;
    // Reading a page waits for nothing: without this, all pages together would hold up everybody else.
    await turn();
    from = last.position + 1;
  }
}

const PAGE_ROWS = 200;

/** Which held rows are meant: those that one of these codes holds, or that are named; all, where neither is said. */
export type Chosen = {
  readonly codes: readonly string[] | null;
  readonly rows: readonly string[] | null;
  /** Close them unpaid instead. */
  readonly skip: boolean;
};

/** What an order would come to as the rows stand now. Of what is to be closed the service still has to be asked. */
export type Trial = {
  readonly matching: number;
  readonly released: number;
  readonly onlySkip: number;
  readonly followed: number;
  readonly left: readonly { readonly row: string; readonly tryAgainAt: string | null }[];
  /** Stands for exactly these rows as they are now: an order that bears it is about nothing else. */
  readonly seen: string;
};

/** Of the rows that have to wait. */
const LEFT_MOST = 200;

export async function tryRelease(records: Records, batch: BatchRecord, chosen: Chosen): Promise<Trial> {
  const { rows, seen } = await chosenRows(records, batch, chosen);
  const ends = { released: 0, onlySkip: 0, followed: 0 };
  const left: Trial['left'][number][] = [];
  for (const { row, payout, progress } of rows) {
    if (isServicesWord(progress, chosen.skip)) ends.followed += 1;
    else if (!chosen.skip && liftsItself(progress.hold)) left.push({ row, tryAgainAt: tryAgainAt(progress) });
    else if (chosen.skip || (payout !== null && mayRelease(records, progress))) ends.released += 1;
    else ends.onlySkip += 1;
  }
  return { matching: rows.length, ...ends, left: left.slice(0, LEFT_MOST), seen };
}

function mayRelease({ clock }: Records, progress: RowRecord['progress']): boolean {
  return decide(progress, { by: '', reason: '', skip: false }, clock.now()) !== null;
}

/** `own`: who releases brought the file; `changed`: other rows are meant now than were seen. */
export type ReleaseRefused = 'own' | 'changed';

/** The rows of an order, or why it is none: nobody lets rows of a file of one's own go, and nobody decides about what was not seen. */
export async function rowsToRelease(
  records: Records,
  batch: BatchRecord,
  chosen: Chosen & { readonly seen: string | null; readonly by: string },
): Promise<ReadonlySet<string> | null | ReleaseRefused> {
  if (!chosen.skip && isBroughtBy(batch, chosen.by)) return 'own';
  const { rows, seen } = await chosenRows(records, batch, chosen);
  if (chosen.seen !== null && chosen.seen !== seen) return 'changed';
  // The file as a whole is decided about only where neither a code nor a row is named.
  return chosen.codes === null && chosen.rows === null ? null : new Set(rows.map(({ row }) => row));
}

async function chosenRows(
  records: Records,
  batch: BatchRecord,
  { codes, rows: named }: Chosen,
): Promise<{ readonly rows: readonly RowRecord[]; readonly seen: string }> {
  const [names, holds] = [named === null ? null : new Set(named), codes === null ? null : new Set(codes)];
  const rows: RowRecord[] = [];
  const hash = createHash('sha256');
  for await (const row of heldRows(records, batch.id)) {
    const isMeant = holds === null || (row.progress.hold !== null && holds.has(row.progress.hold.code));
    if (!isMeant || (names !== null && !names.has(row.row))) continue;
    hash.update(`${String(row.position)}:${String(row.version)} `);
    rows.push(row);
  }
  return { rows, seen: hash.update(JSON.stringify(batch.wait?.for ?? null)).digest('base64url') };
}
