// A message that is refused as a whole is reported once, on arrival, unless nothing may be reported: a bank may be paying it, it was not read, or
// its payments exist under another message.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { FILE_READERS, say, type Words } from '../../../base/language.ts';
import { messageId } from '../../../inbox/answer-name.ts';
import { standingFolder } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { addTold, asCompared } from '../../../results/told-rejected.ts';
import { refusedFor, statusInRefused, type StatusReason } from '../../../results/status-codes.ts';
import {
  type Reported,
  reportedOf,
  type ReportHead,
  statusReport,
  textsOf,
} from '../../../results/status-report.ts';
import { type AnswerPlace, publishKept } from '../../../results/write-results.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile, RefusedMessage } from '../../../rows/format.ts';
import { isMessage, refusedMessageOf } from '../../../rows/formats.ts';
import { cellOf } from '../../../rows/row.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { isElsewhere, versionFor } from './tell-status.ts';
import { toldBefore } from './told-status.ts';
import { profileFor } from '../batch/profile-for.ts';
import { readOptions } from '../batch/read-batch-file.ts';

export type Refused = {
  /** Where the file lies, and where its owner put it; null where it was taken already. */
  readonly path: string;
  readonly origin: string | null;
  readonly place: AnswerPlace;
  readonly code: string;
  readonly iso: string | undefined;
  readonly reason: Words;
};

/** Returns the names of the status messages. Call it before the rows of the batch are gone, and before the answer that ends its refusal. */
export async function tellRefused(
  records: Records,
  batch: BatchRecord,
  { path, origin, place, code, iso, reason }: Refused,
): Promise<readonly string[]> {
  const whole = refusedFor(code, iso);
  const { folder } = place;
  if (whole === null || folder === null || !isMessage(batch.fileName)) return [];
  const name = place.nameOf('status-1', 'xml');
  // A refusal of the same bytes is reported once, also after a kill.
  if (existsSync(join(folder, name))) {
    if (!existsSync(join(folder, place.nameOf('refused', 'json')))) await publishKept(place, name);
    return [name];
  }
  // Under another name of the file, or collected since.
  if ((await toldBefore(records, batch)).number > 0) return [];
  const message = await messageToRefuse(records, path, origin);
  if (message === null) return [];
  if (whole.own === 'message_invalid' && (await isAnyElsewhere(records, batch, message))) return [];
  const { config } = records;
  const text = `${whole.own} ${say(reason, FILE_READERS[config.language])}`;
  const head: ReportHead = {
    version: versionFor(config, message.name),
    msgId: messageId('S', batch.id, 1),
    createdAt: batch.acceptedAt,
    original: { msgId: message.msgId, name: message.name },
    isSandbox: batch.sandbox,
    reason: { iso: whole.iso, text },
  };
  const pages = refusedPages(records, batch, message, whole);
  await publishFile(join(folder, name), statusReport(head, pages, folder));
  await publishKept(place, name);
  return [name];
}

async function messageToRefuse(
  records: Records,
  path: string,
  origin: string | null,
): Promise<RefusedMessage | null> {
  const { config } = records;
  try {
    const profile = profileFor(origin ?? path, config);
    return await refusedMessageOf(path, readOptions(config, profile?.profile ?? null, origin));
  } catch (error) {
    // Damaged, claimed by several profiles, or changed meanwhile: then nothing about it is certain.
    if (error instanceof FileRefused) return null;
    throw error;
  }
}

async function isAnyElsewhere(records: Records, batch: BatchRecord, { table, rows }: ReadFile) {
  for await (const row of rows())
    if (await isElsewhere(records, batch, cellOf(table, row, 'reference'))) return true;
  return false;
}

const PAGE_ROWS = 512;

async function* refusedPages(
  records: Records,
  batch: BatchRecord,
  { table, rows }: ReadFile,
  whole: StatusReason,
): AsyncGenerator<readonly Reported[]> {
  const { ledger, config } = records;
  const isEach = config.iso20022.statusReports.detail !== 'rejected';
  let page: Reported[] = [];
  const kept = batchRows(ledger, batch.id);
  for await (const row of rows()) {
    const next = await kept.next();
    const record = next.done === true ? null : next.value;
    if (record !== null && record.row !== row.place) throw new Error(`Row ${row.place} has no record.`);
    if (row.position % PAGE_ROWS === 0) {
      yield page;
      page = [];
    }
    const there = await isElsewhere(records, batch, cellOf(table, row, 'reference'));
    const { status, reasons } = statusInRefused(record, batch, { isElsewhere: there, whole });
    const texts = textsOf(record, reasons, null, config.language);
    page.push({
      ...reportedOf(table, row),
      ...{ status, reasons, texts, transferId: '' },
      isListed: isEach || status === 'RJCT',
    });
  }
  yield page;
}

// A program that was told that a payment is rejected opens the invoice again, and pays it under another id. A spreadsheet with the same payment would then
// pay it twice, and no rule about references sees it.

/** How long reported rejections are compared with spreadsheets; as long as a message keeps its id. */
const REMEMBERED_MS = 90 * 86_400_000;

/** Positions of the rows of a registered batch that an accounting program was told are rejected; empty for a message, which its own program sends. */
export async function rowsToldRejected(paydrop: Paydrop, batch: BatchRecord): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  if (isMessage(batch.fileName)) return found;
  const told = await toldRejected(paydrop, batch);
  if (told.batches.size === 0) return found;
  for await (const { position, reference, lineage } of batchRows(paydrop.ledger, batch.id)) {
    const isFromThere = lineage !== null && told.batches.has(lineage.split('/')[0] ?? '');
    if (isFromThere || (reference !== null && told.references.has(asCompared(reference))))
      found.add(position);
  }
  return found;
}

type Told = { readonly batches: ReadonlySet<string>; readonly references: ReadonlySet<string> };

/** The batches that reported a rejection, and the last reported ids of the payments. */
async function toldRejected({ workspace, ledger }: Paydrop, { acceptedAt }: BatchRecord): Promise<Told> {
  const from = new Date(Date.parse(acceptedAt) - REMEMBERED_MS).toISOString();
  const known = await ledger.batches({ messagesSince: from });
  const standing = await Promise.all(known.map(({ id }) => standingFolder(workspace, id)));
  const day = from.slice(0, 10).replaceAll('-', '');
  const refused = (await readdir(workspace.refused).catch(() => [])).filter((id) => id >= day);
  const told = { batches: new Set<string>(), references: new Set<string>() };
  for (const folder of [...standing, ...refused.map((id) => join(workspace.refused, id))])
    if (folder !== null) await addTold(folder, told);
  return told;
}
