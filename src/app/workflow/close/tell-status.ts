// The status messages (pain.002) of a batch: at the door, when it is closed, at later changes, and in between where something is new. Each has a number and
// is never written again: it is laid in the folder of the batch when the manifest says so, and only then it leaves.
import { createHash, type Hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { isoTime } from '../../../base/clock.ts';
import { readAnswerName, statusMessageId } from '../../../inbox/answer-name.ts';
import { readManifest, type StatusTold } from '../../../inbox/manifest.ts';
import { hashFile } from '../../../inbox/take-file.ts';
import { waitOf } from '../../../ledger/batch-rules.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { recordedPages } from '../../../results/answer-table.ts';
import {
  MADE_ELSEWHERE,
  type RowStatus,
  statusOf,
  TX_STATUSES,
  type TxStatus,
} from '../../../results/status-codes.ts';
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
import { keepManifest } from '../epoch.ts';
import { ownAnswersOf } from './answers.ts';

/** Letters of the statuses, in the order of `TX_STATUSES`. */
const LETTERS = 'APSCR';

/** The statuses of many payments, by their positions. */
class Statuses {
  readonly #letters: string[] = [];

  static read(text: string): Statuses {
    const statuses = new Statuses();
    for (const [, letter = '', count = ''] of text.matchAll(/([A-Z])(\d+)/g))
      for (let left = Number(count); left > 0; left -= 1) statuses.#letters.push(letter);
    return statuses;
  }

  add(status: TxStatus): void {
    this.#letters.push(LETTERS.charAt(TX_STATUSES.indexOf(status)));
  }

  at(position: number): TxStatus | undefined {
    return TX_STATUSES[LETTERS.indexOf(this.#letters[position] ?? '-')];
  }

  /** As the manifest keeps them. */
  text(): string {
    return this.#letters.join('').replace(/(.)\1*/g, (run, letter: string) => letter + String(run.length));
  }
}

const NOTHING: StatusTold = {
  msgId: '',
  number: 0,
  statuses: '',
  before: '',
  at: '',
  sha256: '',
  isPublished: true,
};

/** @param closed the number of the answers of a closed batch; null while it is open. */
type Occasion = { readonly openFile: () => Promise<ReadFile>; readonly closed: number | null };

/** Tells what there is to tell, and gives the names of all status messages of the batch; none of a batch that is no message. */
export async function tellStatus(
  paydrop: Paydrop,
  batch: BatchRecord,
  { openFile, closed }: Occasion,
): Promise<readonly string[]> {
  const place = await ownAnswersOf(paydrop, batch);
  const { folder } = place;
  if (!isMessage(batch.fileName) || folder === null) return [];
  const found = (await readManifest(folder))?.statusTold ?? (await toldBefore(paydrop, batch));
  const told = await finishLast(paydrop, batch, { ...place, folder }, found);
  if (!(await isDue(paydrop, batch, told, closed))) return namesOf(place, told.number);
  await tellNext(paydrop, batch, { ...place, folder }, { told, closed, file: await openFile() });
  return namesOf(place, (await readManifest(folder))?.statusTold?.number ?? told.number);
}

function namesOf({ nameOf }: AnswerPlace, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => nameOf(`status-${String(index + 1)}`, 'xml'));
}

/** The same bytes may have been refused before, and the folder of a batch may have been lost: a number that can be seen to be told is not used again. */
export async function toldBefore(
  { workspace }: Pick<Paydrop, 'workspace'>,
  { id }: Pick<BatchRecord, 'id'>,
): Promise<StatusTold> {
  const folders = [join(workspace.refused, id), workspace.outbox];
  const names = (await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))).flat();
  const numbers = names.flatMap((name) => {
    const answer = readAnswerName(name);
    return answer?.batch === id && answer.kind === 'status' ? [answer.version] : [];
  });
  return { ...NOTHING, number: Math.max(0, ...numbers) };
}

type KeptPlace = AnswerPlace & { readonly folder: string };

/** What a kill left of the last message: laid down, it leaves now; not laid down, it was never told. */
async function finishLast(
  paydrop: Paydrop,
  batch: BatchRecord,
  place: KeptPlace,
  told: StatusTold,
): Promise<StatusTold> {
  if (told.isPublished) return told;
  const name = place.nameOf(`status-${String(told.number)}`, 'xml');
  const hash = await hashFile(join(place.folder, name)).catch(() => null);
  if (hash !== told.sha256) {
    return { ...NOTHING, number: told.number - 1, statuses: told.before };
  }
  await publishKept(place, name);
  return markPublished(paydrop, batch, told);
}

async function markPublished(paydrop: Paydrop, batch: BatchRecord, told: StatusTold): Promise<StatusTold> {
  const published = { ...told, isPublished: true };
  await keepManifest(paydrop, batch, { statusTold: published });
  return published;
}

/** At the door and at the close always; otherwise where it lists something that it has not told. */
async function isDue(
  paydrop: Paydrop,
  batch: BatchRecord,
  told: StatusTold,
  closed: number | null,
): Promise<boolean> {
  const { ledger, config, clock } = paydrop;
  // Reads may still hide what was sent of a batch that a lost ledger had: nothing is certain of it.
  if (batch.state === 'resolving' || (batch.doubtSince !== undefined && closed === null)) return false;
  if (told.statuses === '' || (closed === 1 && told.closed === undefined)) return true;
  if (closed !== null && told.closed === closed) return false;
  const { detail, pause } = config.iso20022.statusReports;
  if (closed === null && clock.now() - Date.parse(told.at) < pause) return false;
  const before = Statuses.read(told.statuses);
  for await (const row of batchRows(ledger, batch.id)) {
    const was = before.at(row.position);
    const { status } = await statusNow(paydrop, batch, row, was);
    const isNew = status !== was;
    if (isNew && (closed !== null || detail !== 'rejected' || status === 'RJCT')) return true;
  }
  return false;
}

/**
 * How a row stands for the program that wrote its message. What is made under the same id in another batch is no rejection, whatever is wrong with this one:
 * a program that knows the id alone would make the payment anew. What was told as rejected stays so.
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

/** Whether a payment of this reference is made, under way or undecided in another batch. */
export async function isElsewhere(
  { ledger }: Pick<Paydrop, 'ledger'>,
  batch: BatchRecord,
  reference: string,
): Promise<boolean> {
  if (reference === '') return false;
  const met = await ledger.standing(reference, batch.acceptedAt);
  return met !== null && met.other.batch !== batch.id;
}

type Next = { readonly told: StatusTold; readonly closed: number | null; readonly file: ReadFile };

async function tellNext(
  paydrop: Paydrop,
  batch: BatchRecord,
  place: KeptPlace,
  { told, closed, file }: Next,
): Promise<void> {
  const { config, clock } = paydrop;
  const number = told.number + 1;
  const now = new Statuses();
  const before = Statuses.read(told.statuses);
  const pages = reportedPages(paydrop, batch, { file, place, before, now });
  const original = { msgId: await msgIdOf(file), name: file.table.message?.name ?? '' };
  const head: ReportHead = {
    version: versionFor(config, original.name),
    msgId: statusMessageId(batch.id, number, (await readManifest(place.folder))?.rebuiltAt),
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
    whileOwned: (publish) => keepManifest(paydrop, batch, () => ({ statusTold: next() }), publish),
  });
  await publishKept(place, name);
  await markPublished(paydrop, batch, next());
}

async function* hashed(chunks: AsyncIterable<string | Uint8Array>, hash: Hash) {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The moments that the ledger keeps, where it keeps them. */
function createdAt(batch: BatchRecord, number: number, closed: number | null, now: string): string {
  if (number === 1 && closed === null) return batch.acceptedAt;
  return closed === 1 ? (batch.finishedAt ?? now) : now;
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
  /** Takes the status of each payment, in their order. */
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
      const was = before.at(record.position);
      const { status, reasons } = await statusNow(paydrop, batch, record, was);
      now.add(status);
      const texts = textsOf(record, reasons, waiting, place.language);
      const transferId = record.progress.transfer?.transferId ?? '';
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
