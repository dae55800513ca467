// The status messages (pain.002) of a batch: on arrival, when it is closed, at later changes, and in between when there is news. Each has a number and is
// never rewritten: it is put into the batch's folder when the manifest says so, and only then leaves. If a message names several days, the batch of each day
// reports the whole message, under numbers that they share.
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { isoTime } from '../../../base/clock.ts';
import { messageId, withoutDay } from '../../../inbox/answer-name.ts';
import { type KeptFacts, readManifest, type StatusTold } from '../../../inbox/manifest.ts';
import { waitOf } from '../../../ledger/batch-rules.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { inPages } from '../../../results/answer-table.ts';
import { MADE_ELSEWHERE, type RowStatus, statusOf, type TxStatus } from '../../../results/status-codes.ts';
import {
  type ReportDetail,
  type Reported,
  reportedOf,
  type ReportHead,
  type ReportVersion,
  statusReport,
  textsOf,
} from '../../../results/status-report.ts';
import { type AnswerPlace, publishKept } from '../../../results/write-results.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { Row } from '../../../rows/row.ts';
import { isMessage } from '../../../rows/formats.ts';
import type { Config } from '../../config/config.ts';
import type { Paydrop } from '../../parts.ts';
import { keepManifest } from '../epoch.ts';
import { dayOfRow, daysOfMessage, messageDay } from '../take/read-batch-file.ts';
import { ownAnswersOf } from './answers.ts';
import {
  assertNext,
  hashed,
  keepRejected,
  type KeptPlace,
  markPublished,
  Overtaken,
  Statuses,
  toldOf,
} from './told-status.ts';

/** @param closed the number of the answers of a closed batch; null while it is open. */
type Occasion = { readonly openFile: () => Promise<ReadFile>; readonly closed: number | null };

/** Sends what there is to report, and returns the names of all status messages of the batch; none for a batch that is no message. */
export async function tellStatus(
  paydrop: Paydrop,
  batch: BatchRecord,
  { openFile, closed }: Occasion,
): Promise<readonly string[]> {
  const place = await ownAnswersOf(paydrop, batch);
  const { folder } = place;
  if (!isMessage(batch.fileName) || folder === null) return [];
  const days = await daysOfMessage(paydrop.ledger, batch);
  for (;;) {
    const told = await toldOf(paydrop, batch, { ...place, folder }, days);
    if (!(await isDue(paydrop, batch, told, closed))) return namesOf(place, folder, told.number, days);
    const file = await openFile();
    try {
      await tellNext(paydrop, batch, { ...place, folder }, { told, closed, file, days });
      return await namesOf(place, folder, told.number + 1, days);
    } catch (error) {
      // The batch of another day of the message has used the next number meanwhile.
      if (!(error instanceof Overtaken)) throw error;
    }
  }
}

/** For a message with several days, those of its own day. */
async function namesOf(
  { nameOf }: AnswerPlace,
  folder: string,
  count: number,
  days: readonly BatchRecord[],
): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, index) => nameOf(`status-${String(index + 1)}`, 'xml'));
  if (days.length === 1) return names;
  const own = new Set(await readdir(folder));
  return names.filter((name) => own.has(name));
}

/** Always on arrival and at the close; otherwise when it lists something that was not reported. */
async function isDue(
  paydrop: Paydrop,
  batch: BatchRecord,
  told: StatusTold,
  closed: number | null,
): Promise<boolean> {
  const { ledger, config, clock } = paydrop;
  // Reads may still hide what a lost ledger had sent of the batch: nothing about it is certain.
  if (batch.state === 'resolving' || (batch.doubt !== undefined && closed === null)) return false;
  if (told.statuses === '' || (closed === 1 && told.closed === undefined)) return true;
  if (closed !== null && told.closed === closed) return false;
  const { detail, pause } = config.iso20022.statusReports;
  if (closed === null && clock.now() - Date.parse(told.at) < pause) return false;
  const before = Statuses.read(told.statuses);
  for await (const row of batchRows(ledger, batch.id)) {
    const was = before.at(Number(row.row) - 1);
    const { status } = await statusNow(paydrop, batch, row, was);
    const isNew = status !== was;
    if (isNew && (closed !== null || detail !== 'rejected' || status === 'RJCT')) return true;
  }
  return false;
}

/**
 * The status of a row for the program that wrote its message. A payment made under the same id in another batch is no rejection, whatever is wrong with
 * this row: a program that knows only the id would make the payment again. A row that was reported as rejected stays so.
 */
async function statusNow(
  { ledger }: Paydrop,
  batch: BatchRecord,
  row: RowRecord,
  was: TxStatus | undefined,
): Promise<RowStatus> {
  const now = statusOf(row, batch);
  if (now.status !== 'RJCT' || was === 'RJCT' || row.reference === null) return now;
  return (await isElsewhere({ ledger }, batch, row.reference)) ? MADE_ELSEWHERE : now;
}

/** Whether a payment with this reference is made, in progress or undecided in another batch. */
export async function isElsewhere(
  { ledger }: Pick<Paydrop, 'ledger'>,
  batch: BatchRecord,
  reference: string,
): Promise<boolean> {
  if (reference === '') return false;
  const met = await ledger.duplicateOf(reference, batch.acceptedAt);
  return met !== null && met.other.batch !== batch.id;
}

type Next = {
  readonly told: StatusTold;
  readonly closed: number | null;
  readonly file: ReadFile;
  readonly days: readonly BatchRecord[];
};

async function tellNext(
  paydrop: Paydrop,
  batch: BatchRecord,
  place: KeptPlace,
  { told, closed, file, days }: Next,
): Promise<void> {
  const { config, clock } = paydrop;
  const number = told.number + 1;
  const now = new Statuses();
  const before = Statuses.read(told.statuses);
  const pages = reportedPages(paydrop, days, { file: file.whole ?? file, place, before, now });
  const original = { msgId: await msgIdOf(file), name: file.table.message?.name ?? '' };
  const head: ReportHead = {
    version: versionFor(config, original.name),
    msgId: messageId('S', withoutDay(batch.id), number, (await readManifest(place.folder))?.rebuiltAt),
    createdAt: createdAt(batch, number, closed, isoTime(clock.now())),
    original,
    isSandbox: batch.sandbox,
  };
  const name = place.nameOf(`status-${String(number)}`, 'xml');
  const hash = createHash('sha256');
  const next = (): StatusTold => ({
    ...{ msgId: original.msgId, number, sha256: hash.copy().digest('hex'), at: head.createdAt },
    ...{ statuses: now.text(), before: told.statuses, isPublished: false },
    ...(closed === null ? (told.closed === undefined ? {} : { closed: told.closed }) : { closed }),
  });
  await publishFile(join(place.folder, name), hashed(statusReport(head, pages, place.folder), hash), {
    whileOwned: async (publish) => {
      // Behind the rows that it reports: none of them is rejected for the first time in between.
      for (const day of days) await keepRejected(paydrop, day);
      const told = (): KeptFacts => {
        assertNext(paydrop, batch, number, days);
        return { statusTold: next() };
      };
      await keepManifest(paydrop, batch, told, publish);
    },
  });
  await publishKept(place, name);
  await markPublished(paydrop, batch, next());
}

/** The moments that the ledger keeps, where it keeps them. */
function createdAt(batch: BatchRecord, number: number, closed: number | null, now: string): string {
  if (number === 1 && closed === null) return batch.acceptedAt;
  return closed === 1 ? (batch.finished?.at ?? now) : now;
}

export function versionFor({ iso20022 }: Pick<Config, 'iso20022'>, name: string): ReportVersion {
  const { version } = iso20022.statusReports;
  if (version !== 'auto') return version;
  return name.endsWith('.03') ? '03' : '10';
}

function isListed(detail: ReportDetail, status: TxStatus, before: TxStatus | undefined): boolean {
  if (detail === 'all') return true;
  return status !== before && (detail === 'changes' || status === 'RJCT');
}

async function msgIdOf({ table, rows }: ReadFile): Promise<string> {
  const index = table.columns.find(({ header }) => header === 'iso.msgId')?.index ?? -1;
  for await (const { cells } of rows()) return cells[index] ?? '';
  return '';
}

type OfMessage = {
  readonly row: Row;
  /** Null where no row of this place is registered. */
  readonly record: RowRecord | null;
  readonly batch: BatchRecord | null;
};

/** The payments of a message in its order, each with its state in the batch of its day. */
export async function* recordsOfMessage(
  ledger: Paydrop['ledger'],
  days: readonly BatchRecord[],
  message: Pick<ReadFile, 'table' | 'rows'>,
): AsyncGenerator<OfMessage> {
  const own = new Map(
    days.map((batch) => [messageDay(batch), { batch, records: batchRows(ledger, batch.id) }]),
  );
  for await (const row of message.rows()) {
    const found = own.get(null) ?? own.get(dayOfRow(message, row));
    const next = await found?.records.next();
    const record = next === undefined || next.done === true ? null : next.value;
    if (record !== null && record.row !== row.place) throw new Error(`Row ${row.place} has no record.`);
    yield { row, record, batch: found?.batch ?? null };
  }
}

type Reporting = {
  readonly file: ReadFile;
  readonly place: AnswerPlace;
  readonly before: Statuses;
  /** Receives the status of each payment, in their order. */
  readonly now: Statuses;
};

/** A day whose rows are not registered yet is accepted with its message, so its payments go on. */
const GOES_ON: RowStatus = { status: 'ACCP', reasons: [] };

async function* reportedPages(
  paydrop: Paydrop,
  days: readonly BatchRecord[],
  { file, place, before, now }: Reporting,
): AsyncGenerator<readonly Reported[]> {
  const { detail } = paydrop.config.iso20022.statusReports;
  for await (const page of inPages(recordsOfMessage(paydrop.ledger, days, file))) {
    const reported: Reported[] = [];
    for (const { row, record, batch } of page) {
      if (record === null && batch !== null && messageDay(batch) === null)
        throw new Error(`Row ${row.place} of batch ${batch.id} has no record.`);
      const was = before.at(row.position);
      const { status, reasons } =
        record === null || batch === null ? GOES_ON : await statusNow(paydrop, batch, record, was);
      now.add(status);
      const waiting = batch === null ? null : (waitOf(batch)?.words ?? null);
      const texts = textsOf(record, reasons, waiting, place.language);
      const transferId = record?.progress.transfer?.transferId ?? '';
      const isNamed = status === 'ACSC' || status === 'ACSP' || status === 'RJCT';
      reported.push({
        ...reportedOf(file.table, row),
        ...{ status, reasons, texts, transferId: isNamed ? transferId : '' },
        isListed: isListed(detail, status, was),
      });
    }
    yield reported;
  }
}
