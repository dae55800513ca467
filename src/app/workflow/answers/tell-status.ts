// The status messages (pain.002) of a batch: on arrival, when it is closed, at later changes, and in between when there is news. Each has a number and is
// never rewritten: it is put into the batch's folder when the manifest says so, and only then leaves.
import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { isoTime } from '../../../base/clock.ts';
import { messageId } from '../../../inbox/answer-name.ts';
import { readManifest, type StatusTold } from '../../../inbox/manifest.ts';
import { waitOf } from '../../../ledger/batch-rules.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { recordedPages } from '../../../results/answer-table.ts';
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
import { isMessage } from '../../../rows/formats.ts';
import type { Config } from '../../config/config.ts';
import type { Paydrop } from '../../parts.ts';
import { keepManifest } from '../batch/epoch.ts';
import { ownAnswersOf } from './answers.ts';
import { hashed, keepRejected, type KeptPlace, markPublished, Statuses, toldOf } from './told-status.ts';

/** @param closed the number of the answers of a closed batch; null while it is open. @param isDayOver all payments of a day have ended, and later ones wait. */
type Occasion = {
  readonly openFile: () => Promise<ReadFile>;
  readonly closed: number | null;
  readonly isDayOver?: boolean;
};

/** Sends what there is to report, and returns the names of all status messages of the batch; none for a batch that is no message. */
export async function tellStatus(
  paydrop: Paydrop,
  batch: BatchRecord,
  { openFile, ...end }: Occasion,
): Promise<readonly string[]> {
  const place = await ownAnswersOf(paydrop, batch);
  const { folder, nameOf } = place;
  if (!isMessage(batch.fileName) || folder === null) return [];
  const told = await toldOf(paydrop, batch, { ...place, folder });
  const isToTell = await isDue(paydrop, batch, told, end);
  if (isToTell)
    await tellNext(
      paydrop,
      batch,
      { ...place, folder },
      { told, closed: end.closed, file: await openFile() },
    );
  const count = isToTell ? told.number + 1 : told.number;
  return Array.from({ length: count }, (_, index) => nameOf(`status-${String(index + 1)}`, 'xml'));
}

/** Always on arrival and at the close; otherwise when it lists something that was not reported. */
async function isDue(
  paydrop: Paydrop,
  batch: BatchRecord,
  told: StatusTold,
  { closed, isDayOver = false }: Omit<Occasion, 'openFile'>,
): Promise<boolean> {
  const { ledger, config, clock } = paydrop;
  // Reads may still hide what a lost ledger had sent of the batch: nothing about it is certain.
  if (batch.state === 'resolving' || (batch.doubt !== undefined && closed === null)) return false;
  if (told.statuses === '' || (closed === 1 && told.closed === undefined)) return true;
  if (closed !== null && told.closed === closed) return false;
  const { detail, pause } = config.iso20022.statusReports;
  const isEnd = closed !== null || isDayOver;
  if (!isEnd && clock.now() - Date.parse(told.at) < pause) return false;
  const before = statusesTold(told, batch);
  for await (const row of batchRows(ledger, batch.id)) {
    const was = before.at(row.position);
    const { status } = await statusNow(paydrop, batch, row, was);
    const isNew = status !== was;
    if (isNew && (isEnd || detail !== 'rejected' || status === 'RJCT')) return true;
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

/** What an earlier release told of one day of a message counts the payments of all its days: of those of the batch it says nothing. */
function statusesTold({ statuses }: StatusTold, { rows }: BatchRecord): Statuses {
  const told = Statuses.read(statuses);
  return told.count === rows ? told : new Statuses();
}

type Next = {
  readonly told: StatusTold;
  readonly closed: number | null;
  readonly file: ReadFile;
};

async function tellNext(
  paydrop: Paydrop,
  batch: BatchRecord,
  place: KeptPlace,
  { told, closed, file }: Next,
): Promise<void> {
  const { config, clock } = paydrop;
  const number = told.number + 1;
  const now = new Statuses();
  const before = statusesTold(told, batch);
  const pages = reportedPages(paydrop, batch, { file, place, before, now });
  const original = { msgId: await msgIdOf(file), name: file.table.message?.name ?? '' };
  const head: ReportHead = {
    version: versionFor(config, original.name),
    msgId: messageId('S', batch.id, number, (await readManifest(place.folder))?.rebuiltAt),
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
      await keepRejected(paydrop, batch);
      await keepManifest(paydrop, batch, () => ({ statusTold: next() }), publish);
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

type Reporting = {
  readonly file: ReadFile;
  readonly place: AnswerPlace;
  readonly before: Statuses;
  /** Receives the status of each payment, in their order. */
  readonly now: Statuses;
};

async function* reportedPages(
  paydrop: Paydrop,
  batch: BatchRecord,
  { file, place, before, now }: Reporting,
): AsyncGenerator<readonly Reported[]> {
  const { detail } = paydrop.config.iso20022.statusReports;
  const waiting = waitOf(batch)?.words ?? null;
  for await (const page of recordedPages(file, paydrop.ledger, batch.id)) {
    const reported: Reported[] = [];
    for (const { row, record } of page) {
      const was = before.at(row.position);
      const { status, reasons } = await statusNow(paydrop, batch, record, was);
      now.add(status);
      const texts = textsOf(record, reasons, waiting, place.language);
      const isNamed = status === 'ACSC' || status === 'ACSP' || status === 'RJCT';
      reported.push({
        ...reportedOf(file.table, row),
        ...{
          status,
          reasons,
          texts,
          transferId: isNamed ? (record.progress.transfer?.transferId ?? '') : '',
        },
        isListed: isListed(detail, status, was),
      });
    }
    yield reported;
  }
}
