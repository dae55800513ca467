// Every row of a file against its corridor, one after the other, in the memory of one.
import type { DocumentList } from '../inbox/documents.ts';
import { say, type Language, type Words } from '../base/language.ts';
import type { Rejection } from '../payouts/rejection.ts';
import { RowReader } from '../payouts/row-reader.ts';
import { validateRow, type ValidatedRow, type ValidationContext } from '../payouts/validate-row.ts';
import type { PartyFields } from '../service/payout-service.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import type { ReadFile } from '../rows/read-file.ts';
import type { Row } from '../rows/row.ts';

export type CheckedRow = ValidatedRow & {
  readonly row: Row;
  /** As `Payout.reference`, also of a row that is rejected; empty when it has none. */
  readonly reference: string;
  /** Where it was before, `<batch>/<row>`, when it comes from an answer. */
  readonly lineage: string | null;
};

/** The rows in the file's order. Throws `FileRefused` for what only a row can show of the whole file. */
export async function* validateFile(
  file: ReadFile,
  corridors: readonly PayoutCorridor[],
  sender: PartyFields,
  documents: DocumentList,
  language: Language,
): AsyncGenerator<CheckedRow> {
  const context: ValidationContext = {
    table: file.table,
    corridors,
    sender,
    document: (name) => documents.get(name) ?? null,
    language,
  };
  const places = new Map<string, string>();
  for await (const row of file.rows()) {
    const checked = validateRow(row, context);
    const reader = new RowReader(file.table, row, language);
    const reference = reader.text('reference');
    yield {
      row,
      reference,
      lineage: lineageOf(reader),
      ...withUniqueReference(row, checked, { reference, places, language }),
    };
  }
}

function lineageOf(reader: RowReader): string | null {
  const batch = reader.text('payout.batch');
  const place = reader.text('payout.row');
  return batch === '' || place === '' ? null : `${batch}/${place}`;
}

/** A reference is one payment's: the second row that carries it is wrong. */
function withUniqueReference(
  row: Row,
  checked: ValidatedRow,
  {
    reference,
    places,
    language,
  }: { readonly reference: string; readonly places: Map<string, string>; readonly language: Language },
): ValidatedRow {
  if (reference === '') return checked;
  const earlier = places.get(reference);
  if (earlier === undefined) {
    places.set(reference, row.place);
    return checked;
  }
  const words: Words = {
    en: `The reference "${reference}" stands in row ${earlier} already. Give every row its own reference.`,
    fr: `La référence « ${reference} » figure déjà à la ligne ${earlier}. Donnez à chaque ligne sa propre référence.`,
  };
  const rejection: Rejection = {
    code: 'reference_repeated',
    column: 'reference',
    message: say(words, language),
  };
  return { ...checked, payout: null, rejections: [...checked.rejections, rejection] };
}
