// Every row of a file against its corridor, one after the other, in the memory of one.
import { documentOf } from '../../../inbox/documents.ts';
import { say, type Language, type Words } from '../../../base/language.ts';
import type { Rejection, RejectionCode } from '../../../payouts/rejection.ts';
import { RowReader } from '../../../payouts/row-reader.ts';
import { validateRow, type ValidatedRow } from '../../../payouts/validate-row.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { Row } from '../../../rows/row.ts';
import type { CheckRules } from './check-rules.ts';
import { SeenReferences } from './seen-references.ts';
import { sentence } from '../../../messages/messages.ts';

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
