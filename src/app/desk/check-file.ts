// `check`: what `run` would find in a file, without taking it, asking for a price or remembering anything.
import { say, type Words } from '../../base/language.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { noOutcomes, type Summary } from '../../results/summary.ts';
import { publishJson, writeRejected } from '../../results/write-results.ts';
import type { PayoutCorridor } from '../../service/wire.ts';
import { belowPaymentsWords } from '../../rows/totals-row.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import type { ReadFile } from '../../rows/read-file.ts';
import { join } from 'node:path';
import { answersOfUntaken } from '../workflow/close/answers.ts';
import type { BatchResult } from '../workflow/batch-result.ts';
import type { Paydrop } from '../parts.ts';
import { rulesFor } from '../workflow/check/check-rules.ts';
import { profileFor } from '../workflow/take/profile-for.ts';
import { documentsOf, readBatchFile } from '../workflow/take/read-batch-file.ts';
import { announced } from '../workflow/take/take-batch.ts';
import { validateFile, type CheckedRow } from '../workflow/check/validate-file.ts';

/** What a check says of a file without a fault; a price may show otherwise. */
export const EVERY_ROW_WORDS: Words = {
  en: 'Every row can be paid.',
  fr: 'Toutes les lignes peuvent être payées.',
};

/** Reads and validates one file. Throws a `Fault` when the corridors cannot be had. */
export async function checkFile(paydrop: Paydrop, path: string): Promise<BatchResult> {
  let batch = await announced(paydrop, path, null);
  try {
    const profile = profileFor(path, paydrop.config);
    batch = await announced(paydrop, path, profile);
    const read = await readBatchFile(path, paydrop.config, profile?.profile ?? null);
    const documents = await documentsOf(paydrop, path, read, null);
    const rules = await rulesFor(paydrop, read, documents);
    const check = (): AsyncIterable<CheckedRow> => validateFile(read, rules);
    return await checked(paydrop, { ...batch, rows: read.table.rowCount }, read, check, rules.corridors);
  } catch (error) {
    if (error instanceof FileRefused) return refused(paydrop, batch, error);
    throw error;
  }
}

async function checked(
  paydrop: Paydrop,
  batch: BatchRecord,
  read: ReadFile,
  check: () => AsyncIterable<CheckedRow>,
  corridors: readonly PayoutCorridor[],
): Promise<BatchResult> {
  let rejected = 0;
  const warnings = new Set<string>();
  for await (const { rejections, warnings: found } of check()) {
    if (rejections.length > 0) rejected += 1;
    for (const warning of found) warnings.add(warning);
  }
  const { language } = paydrop.config;
  const about = belowPaymentsWords(read.table).map((each) => say(each, language));
  const ignored = read.table.unknown.map(({ header }) => say(ignoredWords(header), language));
  const words = [...ignored, ...warnings, say(checkedWords(batch.rows, corridors.length), language)];
  if (rejected === 0)
    return { summary: summaryOf(batch, 0, []), words: [...words, say(EVERY_ROW_WORDS, language)], about };
  const rows = batch.onInvalidRows === 'refuse-file' ? check() : onlyRejected(check());
  const answer = await writeRejected(answersOfUntaken(paydrop, batch), batch, read, rows);
  const path = join(paydrop.workspace.outbox, answer);
  return {
    summary: summaryOf(batch, rejected, [answer]),
    words: [...words, say(toFixWords(rejected, path), language)],
    about,
  };
}

function ignoredWords(header: string): Words {
  return {
    en: `The column "${header}" is not known and is ignored.`,
    fr: `La colonne « ${header} » n'est pas connue et n'est pas lue.`,
  };
}

function checkedWords(rows: number, corridors: number): Words {
  const [en, fr] =
    rows === 1
      ? ['1 row checked', '1 ligne vérifiée']
      : [`${String(rows)} rows checked`, `${String(rows)} lignes vérifiées`];
  return {
    en: `${en} against ${String(corridors)} corridors.`,
    fr: `${fr} avec ${String(corridors)} corridors.`,
  };
}

function toFixWords(rejected: number, path: string): Words {
  return {
    en: `${String(rejected)} to fix: see ${path}, column payout.error.`,
    fr: `À corriger : ${String(rejected)}. Voyez ${path}, colonne payout.error.`,
  };
}

async function* onlyRejected(rows: AsyncIterable<CheckedRow>): AsyncGenerator<CheckedRow> {
  for await (const row of rows) if (row.rejections.length > 0) yield row;
}

async function refused(paydrop: Paydrop, batch: BatchRecord, error: FileRefused): Promise<BatchResult> {
  const place = answersOfUntaken(paydrop, batch);
  const name = place.nameOf('refused', 'json');
  const reason = say(error.words, paydrop.config.language);
  await publishJson(place, name, {
    batch: batch.id,
    file: { name: batch.fileName, sha256: batch.sha256, rows: 0 },
    code: error.code,
    reason,
  });
  return { summary: { ...summaryOf(batch, 0, [name]), state: 'refused' }, words: [reason] };
}

function summaryOf(batch: BatchRecord, rejected: number, answers: readonly string[]): Summary {
  return {
    batch: batch.id,
    state: 'checked',
    sandbox: batch.sandbox,
    file: { name: batch.fileName, sha256: batch.sha256, rows: batch.rows },
    outcomes: { ...noOutcomes(), rejected, pending: batch.rows - rejected },
    totals: [],
    received: [],
    waitingFor: null,
    startedAt: batch.acceptedAt,
    finishedAt: batch.acceptedAt,
    answers,
  };
}
