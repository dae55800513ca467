// Checks one row against the requirements of its corridor, before anything is sent: a payout, or every reason why not. Pure.
import { DELIVERY_INFO_FIELDS } from '../rows/known-columns.ts';
import type { Row, Table } from '../rows/row.ts';
import { isSum, isSumLabel } from '../rows/totals-row.ts';
import { LISTED_PURPOSES, type PayoutCorridor } from '../service/wire.ts';
import type { PartyFields } from '../service/payout-service.ts';
import { askWhatAllRequire } from './ask-what-all-require.ts';
import type { Rejection, RejectionCode } from './rejection.ts';
import { checkText, RowReader } from './row-reader.ts';
import { findCorridor, namesSupplier, PURPOSE_WORDS, PURPOSES, toPurpose } from './corridor.ts';
import { requestedCurrency, type Payout, type PayoutDocument } from './payout.ts';
import { callingCode, foreignCountryOf, internationalOf } from './payment-keys.ts';
import { readDelivery, readReceiver, readSender, toAlpha2Code } from './read-parties.ts';
import { readRequestedAmount, statedAmount, type StatedAmount } from './requested-amount.ts';
import { joinWords, type Words } from '../base/language.ts';
import { documentName, nearestWord, plainSigns, remembering } from '../base/plain-text.ts';
import { sentence } from '../messages/messages.ts';

/** The document found under a name, or its fault. */
export type FoundDocument = PayoutDocument | { readonly name: string; readonly fault: DocumentFault };

type DocumentFault = 'path' | 'not_found' | 'not_a_file' | 'too_large' | 'kind';

type ValidationContext = {
  readonly table: Table;
  readonly corridors: readonly PayoutCorridor[];
  /** The default sending party. */
  readonly sender: PartyFields;
  /** The document under a name that a row gives, or under the spreadsheet's own name for the empty text; null when there is none. */
  readonly document: (name: string) => FoundDocument | null;
};

export type ValidatedRow = {
  /** Null when there are rejections. */
  readonly payout: Payout | null;
  readonly rejections: readonly Rejection[];
  /** The amount that the row states, if it can be read, also for a rejected row. */
  readonly stated: StatedAmount | null;
  /** What a person should know, but what stops nothing. */
  readonly warnings: readonly Words[];
  /** What a person has to decide before the row is paid. */
  readonly questions: readonly { readonly code: 'telephone_elsewhere'; readonly words: Words }[];
};

export function validateRow(row: Row, context: ValidationContext): ValidatedRow {
  const noPayment = noPaymentOf(row, context);
  if (noPayment !== null)
    return { payout: null, rejections: [noPayment], stated: null, warnings: [], questions: [] };
  const reader = new RowReader(context.table, row);
  checkText(reader, row);
  for (const { code, column, words } of row.faults ?? [])
    if (!isTold(reader, code, words)) reader.reject(code, column, words);
  const purposeOfRemittance = readPurpose(reader);
  const { corridor, left } = findCorridor(reader, context.corridors);
  const payout = readPayout(reader, corridor, purposeOfRemittance, context);
  askWhatAllRequire(reader, row, left);
  const { rejections, warnings, questions } = reader;
  const stated =
    payout === null
      ? statedAmount(reader, corridor)
      : { currency: requestedCurrency(payout), amount: payout.requested.amount };
  return { payout: rejections.length === 0 ? payout : null, rejections, stated, warnings, questions };
}

/** Whether the check of the cells found the same that the reader of the file did. */
function isTold({ rejections }: RowReader, code: RejectionCode, words: Words): boolean {
  return rejections.some((each) => each.code === code && each.words.en === words.en);
}

/** In a row that is no payment, this is the only fault reported: a list of missing fields would lead away from it. */
function noPaymentOf({ place, cells }: Row, { table }: ValidationContext): Rejection | null {
  const { totals, columns } = table;
  const label = isSum(cells, columns) ? columns.find((column) => isSumLabel(cells, column)) : undefined;
  if (label !== undefined) {
    const text = (cells[label.index] ?? '').trim();
    const words: Words = sentence('validateRow.noPaymentOf.rowTotalPayment', { text });
    return { code: 'row_is_total', column: label.header.trim(), words };
  }
  if (totals === null || numberOf(place) < numberOf(totals.place)) return null;
  const filled = columns.find(({ index }) => (cells[index] ?? '').trim() !== '');
  const cell = totals.sums[0]?.cell ?? totals.place;
  const words: Words = sentence('validateRow.noPaymentOf.rowStandsBelow', { cell });
  return { code: 'row_below_total', column: filled?.header.trim() ?? '', words };
}

/** The rows of a table are all in one sheet, so their numbers tell their order. */
function numberOf(place: string): number {
  return Number(/\d+$/.exec(place)?.[0] ?? 0);
}

function readPayout(
  reader: RowReader,
  corridor: PayoutCorridor | null,
  purposeOfRemittance: string,
  context: ValidationContext,
): Payout | null {
  const sum = readRequestedAmount(reader, corridor);
  // Which fields a row needs, only its corridor tells.
  if (corridor === null) return null;
  const sendingParty = readSender(reader, corridor, reader.sender ?? context.sender);
  const receivingParty = readReceiver(reader, corridor);
  const deliveryMethodInfo = readDelivery(reader, corridor);
  checkWallet(reader, corridor, deliveryMethodInfo['msisdn'] ?? '');
  const document = readDocument(reader, corridor, context);
  if (sum === null) return null;
  return {
    reference: reader.text('reference') || null,
    payoutCorridorId: corridor.id,
    transactionMode: corridor.transactionMode,
    deliveryMethod: corridor.deliveryMethod,
    sourceCurrency: sum.sourceCurrency,
    targetCurrency: corridor.targetCurrency,
    requested: sum.requested,
    bounds: { least: corridor.minimumTransactionAmount, most: corridor.maximumTransactionAmount },
    purposeOfRemittance,
    documentReferenceNumber: reader.text('documentReferenceNumber') || null,
    sendingParty,
    receivingParty,
    deliveryMethodInfo,
    ...askedFields(corridor),
    document,
  };
}

/** The service takes numbers in international format: it may read a number without country code as that of another country. */
function checkWallet(reader: RowReader, corridor: PayoutCorridor, number: string): void {
  if (number === '' || !paysToTelephone(corridor)) return;
  const here = toAlpha2Code(corridor.destinationCountryIsoCode) ?? '';
  const code = callingCode(here);
  if (code === null) return;
  const header = reader.header('delivery.msisdn');
  const digits = plainSigns(number).replace(/^00/, '');
  if (digits.startsWith(code)) return;
  // What is no telephone number at all is told as that.
  if (reader.rejections.some(({ canonical }) => canonical === 'delivery.msisdn')) return;
  const there = foreignCountryOf(number, here);
  if (there !== null) {
    const words = sentence('validateRow.telephoneElsewhere', { header, number, there, here });
    reader.questions.push({ code: 'telephone_elsewhere', words });
    return;
  }
  const whole = internationalOf(number, here) ?? `+${code}…`;
  const words = sentence('validateRow.countryCode', { number, whole });
  reader.reject('telephone_malformed', 'delivery.msisdn', words);
}

/** Whether money of the corridor goes to a telephone: in other rows the column says something else, or nothing. */
function paysToTelephone({ requiredDeliveryMethodFields, deliveryMethod }: PayoutCorridor): boolean {
  const fields = requiredDeliveryMethodFields.flat();
  return fields.length === 0 ? /^(?:alipay|wechat)$/.test(deliveryMethod) : fields.includes('msisdn');
}

type AskedFields = Pick<Payout, 'corridorFields'>;

const fieldsAsked = new WeakMap<PayoutCorridor, AskedFields>();

/** The fields that this corridor asks for besides those that every corridor may. */
export function askedFields(corridor: PayoutCorridor): AskedFields {
  const known = fieldsAsked.get(corridor);
  if (known !== undefined) return known;
  const asked = new Set(
    corridor.requiredDeliveryMethodFields
      .flat()
      .filter((field) => !DELIVERY_INFO_FIELDS.some((named) => named === field)),
  );
  const fields: AskedFields = asked.size === 0 ? {} : { corridorFields: [...asked].sort() };
  fieldsAsked.set(corridor, fields);
  return fields;
}

const LISTED = LISTED_PURPOSES.join(', ');
const IN_WORDS = joinWords(Object.values(PURPOSE_WORDS), ', ');
const LISTED_SET: ReadonlySet<string> = new Set(LISTED_PURPOSES);

function readPurpose(reader: RowReader): string {
  const written = reader.text('purposeOfRemittance');
  if (LISTED_SET.has(written)) return written;
  const purpose = toPurpose(written) ?? written;
  if (namesSupplier(written))
    reader.warn(sentence('validateRow.readPurpose.purposeSentWrite', { written, purpose }));
  if (purpose === '')
    reader.reject(
      'purpose_missing',
      'purposeOfRemittance',
      sentence('validateRow.readPurpose.sayWhatPayment', { words: IN_WORDS }),
    );
  else if (!/^[A-Z]+(_[A-Z]+)*$/.test(purpose)) {
    reader.reject(
      'purpose_malformed',
      'purposeOfRemittance',
      sentence('validateRow.readPurpose.purposeWriteOne', {
        purpose,
        near: nearestPurpose(purpose),
        words: IN_WORDS,
        listed: LISTED,
      }),
    );
  } else if (!LISTED_SET.has(purpose)) {
    reader.warn(sentence('validateRow.readPurpose.purposePassedService', { purpose }));
  }
  return purpose;
}

/** What a text probably means that names one purpose among other words, or misspells it; null where that is not certain. */
export const nearestPurpose = remembering((text: string): Words | null => {
  const known = Object.values(PURPOSES).flat();
  const words = text.split(/[^\p{L}]+/u).filter(({ length }) => length >= NAME_LEAST);
  const purposes = words.flatMap((word) => toPurpose(nearestWord(word, known) ?? word) ?? []);
  const [only, ...others] = Object.entries(PURPOSE_WORDS).filter(([purpose]) => purposes.includes(purpose));
  return only === undefined || others.length > 0 ? null : only[1];
});

/** A shorter word is near to too many others. */
const NAME_LEAST = 4;

const DOCUMENT_WORDS: Readonly<
  Record<DocumentFault, readonly [RejectionCode, Words | ((name: string) => Words)]>
> = {
  // The document of that name beside the file may be another, so the row is to be mended.
  path: ['attachment_path', (path) => sentence('validateRow.document.path', { name: documentName(path) })],
  not_found: ['attachment_not_found', sentence('validateRow.document.foundFolderSpreadsheet')],
  not_a_file: ['attachment_not_a_file', sentence('validateRow.document.linkFolderFile')],
  too_large: ['attachment_too_large', sentence('validateRow.document.largerThanMb')],
  kind: ['attachment_kind', sentence('validateRow.document.pdfImagePng')],
};

function readDocument(
  reader: RowReader,
  corridor: PayoutCorridor,
  { document }: ValidationContext,
): PayoutDocument | null {
  const name = reader.text('attachment');
  const found = document(name);
  if (found === null) {
    // The interface asks for a document for bank transfers; we read that as all of them, salaries too.
    if (corridor.deliveryMethod !== 'bankTransfer') return null;
    return reader.reject('attachment_missing', 'attachment', missingWords(reader));
  }
  if (!('fault' in found)) return found;
  const { name: written, fault } = found;
  const [code, said] = DOCUMENT_WORDS[fault];
  const words = typeof said === 'function' ? said(written) : said;
  return reader.reject(
    code,
    'attachment',
    sentence('validateRow.readDocument.text', { name: written, words }),
  );
}

/** Of a message, as what a document lies beside it: it has no cell for a name. */
function missingWords({ table, documentStems }: RowReader): Words {
  if (table.message === undefined) return sentence('validateRow.readDocument.bankTransferNeeds');
  const own = table.fileName?.replace(/\.[^.]*$/, '') ?? '';
  const stems = documentStems.length > 0 ? documentStems : [own];
  const names = stems.slice(0, NAMES_MOST).map((stem) => `${stem}.pdf`);
  return sentence('validateRow.readDocument.messageNeeds', { names });
}

/** A payment may be for many invoices; any one of them will do. */
const NAMES_MOST = 2;
