// Every row of a file against its corridor, one after the other, in the memory of one.
import { hash } from 'node:crypto';

import { type Language, type Words, say } from '../../../base/language.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { documentOf } from '../../../inbox/documents.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { type Rejection, type RejectionCode, RowReader } from '../../../payouts/row-reader.ts';
import { type ValidatedRow, validateRow } from '../../../payouts/validate-row.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { Row } from '../../../rows/row.ts';
import { type PolicyOverrides, policyOf } from '../../config/policy.ts';
import type { Paydrop } from '../../parts.ts';
import { takenProfile } from '../take/profile-for.ts';
import type { CheckRules } from './check-rules.ts';

export type CheckedRow = ValidatedRow & {
  readonly row: Row;
  /** As `Payout.reference`, also of a row that is rejected; empty when it has none. */
  readonly reference: string;
  /** Where it was before, `<batch>/<row>`, when it comes from an answer. */
  readonly lineage: string | null;
};

const NO_PAYMENT: ReadonlySet<RejectionCode> = new Set(['row_is_total', 'row_below_total']);

/** The rows in the file's order. Throws `FileRefused` for what only a row can show of the whole file. */
export async function* validateFile(
  file: ReadFile,
  { corridors, sender, documents, earlier, language }: CheckRules,
): AsyncGenerator<CheckedRow> {
  const context = { table: file.table, corridors, sender, language };
  const seen = new SeenReferences(file.table.rowCount);
  for await (const row of file.rows()) {
    const reader = new RowReader(file.table, row, language);
    const document = () => documentOf(documents, row.place);
    const validated = validateRow(row, { ...context, document });
    // `Sous-total` under the references is none, and may well stand there twice.
    const isPayment = !validated.rejections.some(({ code }) => NO_PAYMENT.has(code));
    const reference = isPayment ? reader.text('reference') : '';
    const lineage = lineageOf(reader);
    const checked = withEarlierDigits(validated, reader, earlier.get(lineage ?? ''));
    yield { row, reference, lineage, ...withUniqueReference(row, checked, { reference, seen, language }) };
  }
}

function lineageOf(reader: RowReader): string | null {
  const batch = reader.text('payout.batch');
  const place = reader.text('payout.row');
  return batch === '' || place === '' ? null : `${batch}/${place}`;
}

/** Digits that had zeros in front when the row came first, and have none now. */
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

/** A reference is one payment's: the second row that carries it is wrong. */
function withUniqueReference(
  row: Row,
  checked: ValidatedRow,
  {
    reference,
    seen,
    language,
  }: { readonly reference: string; readonly seen: SeenReferences; readonly language: Language },
): ValidatedRow {
  // A reader that knows the whole file has told each of its rows already.
  const isTold = checked.rejections.some(({ code }) => code === 'reference_repeated');
  if (reference === '' || isTold) return checked;
  const [number = ''] = /\d+$/.exec(row.place) ?? [];
  const before = seen.meet(reference, Number(number));
  if (before === null) return checked;
  // All rows of a table stand in one sheet.
  const earlier = row.place.slice(0, -number.length) + String(before);
  const words: Words = sentence('validateFile.withUniqueReference', { reference, earlier });
  const rejection: Rejection = {
    code: 'reference_repeated',
    column: 'reference',
    message: say(words, language),
  };
  return { ...checked, payout: null, rejections: [...checked.rejections, rejection] };
}

// In which row each reference of a file stood first, in fifteen bytes a row: the texts themselves would keep the whole file in memory.

/** A fifth of the table stays empty, so that a search ends after a few steps. */
const ROOM_PER_REFERENCE = 1.25;

export class SeenReferences {
  /** 64 bits of each reference's hash: that two of a million agree by chance happens once in forty million files. */
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;
  /** The row numbers; 0 where nothing stands, because rows are counted from 1. */
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

  /** The number of the row in which the reference stood before; null when it comes for the first time, and stands in this one now. */
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
    // One place stays empty, where a search for what is not there ends.
    if (this.#free === 0) throw new Error('There are more references than the file has rows.');
    this.#free -= 1;
    this.#high[at] = high;
    this.#low[at] = low;
    this.#rows[at] = row;
    return null;
  }
}

/** Four bytes of a text of one character a byte. */
function wordAt(bytes: string, at: number): number {
  const [a, b] = [bytes.charCodeAt(at), bytes.charCodeAt(at + 1)];
  const [c, d] = [bytes.charCodeAt(at + 2), bytes.charCodeAt(at + 3)];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

// By which policy the rows of a taken file are held against others. Where its folder does not tell, all is held that any policy could hold: the batch
// itself goes no further then, and what the others may do must not depend on it.

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
