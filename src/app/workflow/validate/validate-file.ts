// Checks every row of a file against its corridor, one after the other, in the memory of one.
import { hash } from 'node:crypto';

import type { Words } from '../../../base/language.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { documentOf } from '../../../inbox/documents.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import type { Rejection, RejectionCode } from '../../../payouts/rejection.ts';
import { RowReader } from '../../../payouts/row-reader.ts';
import { type ValidatedRow, validateRow } from '../../../payouts/validate-row.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { Row } from '../../../rows/row.ts';
import { type PolicyOverrides, policyOf } from '../../config/policy.ts';
import type { Paydrop } from '../../parts.ts';
import { takenProfile } from '../batch/profile-for.ts';
import { dayOfRow } from '../batch/read-batch-file.ts';
import type { CheckRules } from './check-rules.ts';

export type CheckedRow = ValidatedRow & {
  readonly row: Row;
  /** Like `Payout.reference`, also for a rejected row; empty when it has none. */
  readonly reference: string;
  /** Its earlier place, `<batch>/<row>`, when it comes from an answer. */
  readonly lineage: string | null;
};

const NO_PAYMENT: ReadonlySet<RejectionCode> = new Set(['row_is_total', 'row_below_total']);

/** The rows in the file's order. Throws `FileRefused` for a fault of the whole file that only a row shows. */
export async function* validateFile(
  file: ReadFile,
  { corridors, sender, documents, earlier }: CheckRules,
): AsyncGenerator<CheckedRow> {
  const context = { table: file.table, corridors, sender };
  const seen = new SeenReferences(file.table.rowCount);
  for await (const row of file.rows()) {
    const reader = new RowReader(file.table, row);
    const document = () => documentOf(documents, row.place);
    const validated = validateRow(row, { ...context, document });
    // `Sous-total` in the column of references is no reference, and may occur twice.
    const isPayment = !validated.rejections.some(({ code }) => NO_PAYMENT.has(code));
    const reference = isPayment ? reader.text('reference') : '';
    const lineage = lineageOf(reader);
    const checked = withEarlierDigits(validated, reader, earlier.get(lineage ?? ''));
    const unique = withUniqueReference(row, checked, { reference, seen });
    yield { row, reference, lineage, ...onItsDay(unique, dayOfRow(file, row)) };
  }
}

/** @param day null where the file names no more than one. */
function onItsDay(checked: ValidatedRow, day: string | null): ValidatedRow {
  if (checked.payout === null || day === null) return checked;
  return { ...checked, payout: { ...checked.payout, payOn: day } };
}

function lineageOf(reader: RowReader): string | null {
  const batch = reader.text('payout.batch');
  const place = reader.text('payout.row');
  return batch === '' || place === '' ? null : `${batch}/${place}`;
}

/** Digits that had leading zeros when the row first came, and have none now. */
function withEarlierDigits(
  checked: ValidatedRow,
  reader: RowReader,
  earlier: ReadonlyMap<string, string> = new Map(),
): ValidatedRow {
  for (const [canonical, before] of earlier) {
    const now = reader.text(canonical);
    if (now === before || now !== before.replace(/^0+/, '')) continue;
    reader.reject('number_destroyed', canonical, sentence('validateFile.withEarlierDigits', { now, before }));
  }
  if (reader.rejections.length === 0) return checked;
  return { ...checked, payout: null, rejections: [...checked.rejections, ...reader.rejections] };
}

/** A reference belongs to one payment: the second row with it is wrong. */
function withUniqueReference(
  row: Row,
  checked: ValidatedRow,
  { reference, seen }: { readonly reference: string; readonly seen: SeenReferences },
): ValidatedRow {
  // A reader that sees the whole file has already reported each of its rows.
  const isTold = checked.rejections.some(({ code }) => code === 'reference_repeated');
  if (reference === '' || isTold) return checked;
  const [number = ''] = /\d+$/.exec(row.place) ?? [];
  const before = seen.meet(reference, Number(number));
  if (before === null) return checked;
  // All rows of a table are in one sheet.
  const earlier = row.place.slice(0, -number.length) + String(before);
  const words: Words = sentence('validateFile.withUniqueReference', { reference, earlier });
  const rejection: Rejection = { code: 'reference_repeated', column: 'reference', words };
  return { ...checked, payout: null, rejections: [...checked.rejections, rejection] };
}

// The row in which each reference of a file first occurred, in fifteen bytes for each row: the texts themselves would keep the whole file in memory.

/** A fifth of the table stays empty, so that a search ends after a few steps. */
const ROOM_PER_REFERENCE = 1.25;

export class SeenReferences {
  /** 64 bits of each reference's hash: two of a million agree by chance once in forty million files. */
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;
  /** The row numbers; 0 for an empty place, because rows are counted from 1. */
  readonly #rows: Uint32Array;
  #free: number;

  /** @param most how many references there can be. */
  constructor(most: number) {
    const room = Math.ceil(most * ROOM_PER_REFERENCE) + 1;
    this.#high = new Uint32Array(room);
    this.#low = new Uint32Array(room);
    this.#rows = new Uint32Array(room);
    this.#free = room - 1;
  }

  /** The number of the row in which the reference occurred before; null when it is new, and is now recorded for this row. */
  meet(reference: string, row: number): number | null {
    const bytes = hash('sha256', reference, 'binary');
    const [high, low] = [wordAt(bytes, 0), wordAt(bytes, 4)];
    const room = this.#rows.length;
    for (let at = low % room; ; at = (at + 1) % room) {
      const known = this.#rows[at] ?? 0;
      if (known === 0) return this.#keep(at, { high, low, row });
      if (this.#high[at] === high && this.#low[at] === low) return known;
    }
  }

  #keep(
    at: number,
    { high, low, row }: { readonly high: number; readonly low: number; readonly row: number },
  ): null {
    // One place stays empty, so that a search for a missing reference ends.
    if (this.#free === 0) throw new Error('There are more references than the file has rows.');
    this.#free -= 1;
    this.#high[at] = high;
    this.#low[at] = low;
    this.#rows[at] = row;
    return null;
  }
}

/** Four bytes of a text with one byte for each character. */
function wordAt(bytes: string, at: number): number {
  const [a, b] = [bytes.charCodeAt(at), bytes.charCodeAt(at + 1)];
  const [c, d] = [bytes.charCodeAt(at + 2), bytes.charCodeAt(at + 3)];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

// The policy under which the rows of a taken file are compared with others. If its folder does not tell, every row is held that any policy could
// hold: the batch itself then goes no further, and what other batches may do must not depend on it.

export async function policyFor(
  { config, workspace }: Pick<Paydrop, 'config' | 'workspace'>,
  batch: BatchRecord,
): Promise<Paydrop['config']['policy']> {
  const overrides = takenProfile(workspace, batch).then(
    (profile): PolicyOverrides => profile?.policy ?? {},
    (error: unknown): PolicyOverrides => {
      if (!(error instanceof BatchFolderFault)) throw error;
      return { duplicateWindow: Date.parse(batch.acceptedAt), newAccount: 'hold' };
    },
  );
  return policyOf(config.policy, await overrides);
}
