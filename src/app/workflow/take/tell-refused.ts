// A message that is refused whole is told of once, at the door, unless nothing may be told of it: a bank may be paying it, it was not read, or its
// payments are there under another message.
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';

import { syncFolder } from '../../../base/atomic-file.ts';
import { say, type Words } from '../../../base/language.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { refusedFor, statusInRefused, type StatusReason } from '../../../results/status-codes.ts';
import { type Reported, reportedOf, type ReportHead, statusReport } from '../../../results/status-report.ts';
import { type AnswerPlace, publishKept } from '../../../results/write-results.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile, RefusedMessage } from '../../../rows/format.ts';
import { isMessage, refusedMessageOf } from '../../../rows/formats.ts';
import { cellOf } from '../../../rows/row.ts';
import type { Paydrop } from '../../parts.ts';
import { layDown, textsOf, toldBefore, versionFor } from '../close/tell-status.ts';
import { profileFor } from './profile-for.ts';
import { readOptions } from './read-batch-file.ts';

export type Refused = {
  /** Where the file lies, and where its owner put it; null where it was taken already. */
  readonly path: string;
  readonly origin: string | null;
  readonly place: AnswerPlace;
  readonly code: string;
  readonly iso: string | undefined;
  readonly reason: Words;
};

/** Gives the names of the status messages. To be called before the rows of the batch are gone, and before the answer that ends its refusal. */
export async function tellRefused(
  paydrop: Paydrop,
  batch: BatchRecord,
  { path, origin, place, code, iso, reason }: Refused,
): Promise<readonly string[]> {
  const whole = refusedFor(code, iso);
  const { folder } = place;
  if (whole === null || folder === null || !isMessage(batch.fileName)) return [];
  const name = place.nameOf('status-1', 'xml');
  const before = await toldBefore(paydrop, batch, place);
  // What the same bytes were refused for is told once, and the same after a kill.
  if (before.number > 0 || existsSync(join(folder, name))) {
    if (!existsSync(join(folder, place.nameOf('refused', 'json')))) await publishKept(place, name);
    return [name];
  }
  const message = await messageToRefuse(paydrop, path, origin);
  if (message === null) return [];
  const isInvalid = whole.own === 'message_invalid';
  if (isInvalid && (await isAnyElsewhere(paydrop, batch, message))) return [];
  const { config } = paydrop;
  const text = `${whole.own} ${say(reason, config.language)}`;
  const head: ReportHead = {
    version: versionFor(config, message.name),
    msgId: `${batch.id}-S1`,
    createdAt: batch.acceptedAt,
    original: { msgId: message.msgId, name: message.name },
    isSandbox: batch.sandbox,
    reason: { iso: whole.iso, text },
  };
  const pages = isInvalid ? null : refusedPages(paydrop, batch, message, whole);
  const { laid } = await layDown(folder, statusReport(head, pages, folder));
  await rename(laid, join(folder, name));
  await syncFolder(folder);
  await publishKept(place, name);
  return [name];
}

async function messageToRefuse(
  paydrop: Paydrop,
  path: string,
  origin: string | null,
): Promise<RefusedMessage | null> {
  const { config } = paydrop;
  try {
    const profile = profileFor(origin ?? path, config);
    return await refusedMessageOf(path, readOptions(config, profile?.profile ?? null, origin));
  } catch (error) {
    // Damaged, of several profiles, or changed meanwhile: then nothing is certain of it.
    if (error instanceof FileRefused) return null;
    throw error;
  }
}

/** Whether a payment of this reference is made, under way or undecided in another batch. */
async function isElsewhere({ ledger }: Paydrop, batch: BatchRecord, reference: string): Promise<boolean> {
  if (reference === '') return false;
  const met = await ledger.standing(reference, batch.acceptedAt);
  return met !== null && met.other.batch !== batch.id;
}

async function isAnyElsewhere(paydrop: Paydrop, batch: BatchRecord, { table, rows }: ReadFile) {
  for await (const row of rows())
    if (await isElsewhere(paydrop, batch, cellOf(table, row, 'reference'))) return true;
  return false;
}

const PAGE_ROWS = 512;

async function* refusedPages(
  paydrop: Paydrop,
  batch: BatchRecord,
  { table, rows }: ReadFile,
  whole: StatusReason,
): AsyncGenerator<readonly Reported[]> {
  const { ledger, config } = paydrop;
  const isEach = config.iso20022.statusReports.detail !== 'rejected';
  let records: readonly RowRecord[] = [];
  let page: Reported[] = [];
  for await (const row of rows()) {
    if (row.position % PAGE_ROWS === 0) {
      yield page;
      page = [];
      records = await ledger.rows(batch.id, row.position, PAGE_ROWS);
    }
    const record = records[row.position % PAGE_ROWS] ?? null;
    const there = await isElsewhere(paydrop, batch, cellOf(table, row, 'reference'));
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
