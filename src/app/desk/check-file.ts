// `check`: reports what `run` would find in a file, without taking it, asking for a price or remembering anything.
import {
  FILE_READERS,
  joinWords,
  listWords,
  mapWords,
  say,
  type Language,
  type Words,
} from '../../base/language.ts';
import type { BatchRecord, PayAt } from '../../ledger/records.ts';
import { noOutcomes, type Summary } from '../../results/summary.ts';
import { publishJson, writeRejected } from '../../results/write-results.ts';
import { startContentFingerprint } from '../../rows/content-fingerprint.ts';
import { tableWords } from '../../rows/totals-row.ts';
import { FileRefused, withFileName } from '../../rows/file-refused.ts';
import type { ReadFile } from '../../rows/format.ts';
import { isMessage } from '../../rows/formats.ts';
import { basename, join } from 'node:path';
import { hashFile } from '../../inbox/take-file.ts';
import { answersOfUntaken } from '../workflow/answers/answers.ts';
import type { BatchResult } from '../workflow/batch/work.ts';
import type { Paydrop } from '../parts.ts';
import { asRefusal } from '../parts/describe-error.ts';
import { earliestNow } from '../parts/wait-for-service.ts';
import { withBug } from '../workflow/process-batch.ts';
import {
  faultLines,
  FileExamination,
  GROUPS_MOST,
  type HeldTogether,
  heldTogetherWords,
} from '../workflow/validate/examine-file.ts';
import { type CheckRules, rulesFor } from '../workflow/validate/check-rules.ts';
import { dueWords, payAtOf } from '../workflow/batch/decide-pay-at.ts';
import { profileFor } from '../workflow/batch/profile-for.ts';
import { documentsOf, readBatchFile } from '../workflow/batch/read-batch-file.ts';
import { isoTime } from '../../base/clock.ts';
import { policyOf } from '../config/policy.ts';
import { windowStart } from '../workflow/check/cross-check.ts';
import { repeated } from '../workflow/tell.ts';
import { Meetings, takenBefore } from './meets-ledger.ts';
import { announced, announcedRefused, assertMessageIsNew, isNothing } from '../workflow/take/same-bytes.ts';
import { validateFile, type CheckedRow } from '../workflow/validate/validate-file.ts';
import { sentence } from '../../messages/messages.ts';
import { nearColumn, plainHeader } from '../../rows/known-columns.ts';
import { isSaid, type Table } from '../../rows/row.ts';
import { askedOnce } from './asked-once.ts';
import { ignoredWords } from '../workflow/validate/ignored-columns.ts';

/** The result for a file without a fault; a price may still show one. */
export const EVERY_ROW_WORDS: Words = sentence('checkFile.everyRow');

/** Reads and validates one file. Throws a `Fault` when the service does not give its corridors. */
export async function checkFile(paydrop: Paydrop, path: string): Promise<BatchResult> {
  return (await takenAlready(paydrop, path))?.result ?? (await examineFile(paydrop, path)).result;
}

/** The batch that has the bytes of a file already, and what a run would say of it; null for a new file. Writes nothing. */
export async function takenAlready(
  paydrop: Paydrop,
  path: string,
): Promise<{ readonly batch: BatchRecord; readonly result: BatchResult } | null> {
  try {
    const batch = await takenBefore(
      paydrop,
      await announced(paydrop, path, profileFor(path, paydrop.config)),
    );
    return batch === null ? null : { batch, result: await repeated(paydrop, batch, basename(path)) };
  } catch (error) {
    // What is wrong with it, the examination says.
    if (error instanceof FileRefused) return null;
    throw error;
  }
}

/** The result of a check, and why a run would hold a row because of another row of the file. */
export type FileExamined = {
  readonly result: BatchResult;
  readonly wouldHold: (place: string) => Words | null;
  /** Null for a file that is refused. */
  readonly read: {
    readonly batch: BatchRecord;
    readonly file: ReadFile;
    /** Its rows once more, without another survey of the file. */
    readonly rows: () => AsyncIterable<CheckedRow>;
    /** Null: a run would pay it at once. */
    readonly payAt: PayAt | null;
  } | null;
};

/** Like `checkFile`. @param outbox the folder of the answers as the reader knows it; empty for a reader without access, who gets only names. */
export async function examineFile(
  paydrop: Paydrop,
  path: string,
  outbox = paydrop.workspace.outbox,
  reader: string | null = null,
): Promise<FileExamined> {
  try {
    const profile = profileFor(path, paydrop.config, reader);
    const submittedBy = reader === null ? [] : [reader];
    const batch = { ...(await announced(paydrop, path, profile)), submittedBy };
    const read = await readBatchFile(path, paydrop.config, profile?.profile ?? null);
    await assertMessageIsNew(paydrop, path, batch);
    const now = earliestNow(paydrop);
    const payAt = await payAtOf(paydrop.config, path, read, () => now);
    const documents = await documentsOf(paydrop, path, read, null);
    const rules = await rulesFor(paydrop, read, documents);
    const check = (): AsyncIterable<CheckedRow> => validateFile(read, rules);
    const counted = { ...batch, rows: read.table.rowCount };
    const isExplained = profile !== null || (read.table.layout ?? null) !== null;
    const policy = policyOf(paydrop.config.policy, profile?.policy);
    const examined = await checked(paydrop, counted, read, { check, outbox, isExplained, policy, payAt });
    const { language } = paydrop.config;
    const told = withDue(profile === null ? withSaidOnce(examined, rules) : examined, dueWords(payAt, now));
    return withProfile(told, profile?.profile.name ?? '', language);
  } catch (error) {
    const refusal = error instanceof FileRefused ? error : asRefusal(error);
    if (refusal === null) throw error;
    const batch = await announcedRefused(paydrop, path);
    const result = withBug(await refused(paydrop, batch, refusal), refusal);
    return { result, wouldHold: () => null, read: null };
  }
}

function withDue(examined: FileExamined, due: Words | null): FileExamined {
  if (due === null) return examined;
  const { result } = examined;
  return { ...examined, result: { ...result, words: [...result.words, due] } };
}

function withSaidOnce(examined: FileExamined, { corridors }: CheckRules): FileExamined {
  const { result, read } = examined;
  if (read === null) return examined;
  const codes = new Set((result.summary.check?.faults ?? []).map(({ code }) => code));
  const words = saidOnceWords(codes, read.file.table, { corridors, fileName: result.summary.file.name });
  return { ...examined, result: { ...result, words: [...result.words, ...words] } };
}

/** What no column says may be the same in every row, and is then said once by a profile. */
function saidOnceWords(
  codes: ReadonlySet<string>,
  table: Table,
  { corridors, fileName }: Pick<CheckRules, 'corridors'> & { readonly fileName: string },
): readonly Words[] {
  if (table.message !== undefined) return [];
  // A header that is nearly one of ours has been told as that.
  const near = table.unknown.map(({ header }) => nearColumn(header));
  const asks = askedOnce(codes, table, corridors);
  const absent = asks.filter(({ column }) => !isSaid(table, column) && !near.includes(column));
  if (absent.length === 0) return [];
  const headers = absent.map(({ column }) => plainHeader(column));
  const constants = headers.map((header) => mapWords(header, (text) => `--constant "${text}=…"`));
  const options = joinWords(constants);
  const columns = listWords(headers, 'conjunction');
  return [withFileName(sentence('checkFile.sameInEveryRow', { columns, options }), fileName)];
}

/** The result of a run of the file at `path`, with what a check says once of rows of which none can be paid. */
export async function withSaidOnceOfRun(
  paydrop: Paydrop,
  path: string,
  result: BatchResult,
): Promise<BatchResult> {
  const { outcomes, file, state } = result.summary;
  const isOfRows = outcomes.rejected > 0 && (state === 'refused' || outcomes.rejected === file.rows);
  if (!isOfRows || profileFor(path, paydrop.config) !== null || (await hashFile(path)) !== file.sha256)
    return result;
  const read = await readBatchFile(path, paydrop.config, null);
  const rules = await rulesFor(paydrop, read, await documentsOf(paydrop, path, read, null));
  const codes = new Set<string>();
  for await (const { rejections } of validateFile(read, rules))
    for (const { code } of rejections) codes.add(code);
  const { corridors } = rules;
  const words = saidOnceWords(codes, read.table, { corridors, fileName: file.name });
  return { ...result, words: [...result.words, ...words] };
}

/** A person who wonders why a column is read as it is must know the profile. */
function withProfile(examined: FileExamined, name: string, language: Language): FileExamined {
  if (name === '') return examined;
  const about = [say(sentence('checkFile.profile', { name }), language), ...(examined.result.about ?? [])];
  return { ...examined, result: { ...examined.result, about } };
}

async function checked(
  paydrop: Paydrop,
  batch: BatchRecord,
  read: ReadFile,
  {
    check,
    outbox,
    isExplained,
    policy,
    payAt,
  }: {
    readonly check: () => AsyncIterable<CheckedRow>;
    readonly outbox: string;
    readonly isExplained: boolean;
    readonly policy: Policy;
    readonly payAt: PayAt | null;
  },
): Promise<FileExamined> {
  const { language } = paydrop.config;
  const examination = new FileExamination(read.table, batch.fileName);
  for await (const row of check()) examination.take(row);
  await examination.lookAgain(read.rows);
  const found = examination.found();
  const meetings = await meetingsOf(paydrop, batch, read, { check, policy, examination });
  const answer = await writeToFix(paydrop, batch, read, check, found.rejected);
  const { rejected, faults, wouldHold } = found;
  const met = meetings.words();
  const isClean = rejected + wouldHold.length + met.length === 0;
  const words = [
    ...ignoredWords(read.table, isExplained ? null : batch.fileName),
    ...wouldHold.slice(0, GROUPS_MOST).map(heldTogetherWords),
    ...met,
    ...(answer === null ? [] : [correctWords(batch.fileName, join(outbox, answer))]),
    ...(isClean ? [EVERY_ROW_WORDS] : []),
  ];
  const about = tableWords(read.table).map((each) => say(each, language));
  const told = faults.map(({ words: why, ...fault }) => ({ ...fault, message: say(why, language) }));
  const result: BatchResult = {
    summary: summaryOf(
      batch,
      {
        ...found,
        faults: told,
        wouldHold: [...wouldHold.map(counted), ...meetings.held()],
      },
      answer === null ? [] : [answer],
      meetings.duplicates,
    ),
    words: [...examination.advice(), ...words],
    about: [...about, ...faultLines(rejected, faults, language)],
  };
  return {
    result,
    wouldHold: (place) => examination.held.wordsOf(place),
    read: { batch, file: read, rows: check, payAt },
  };
}

/** Without the words, which may quote the file. */
function counted({ code, count, rows }: HeldTogether): Omit<HeldTogether, 'why'> {
  return { code, count, rows };
}

type Policy = Pick<Paydrop['config']['policy'], 'duplicateWindow' | 'newAccount'>;

/** In the order of the file, once all rows are known that hold each other. */
async function meetingsOf(
  paydrop: Paydrop,
  batch: BatchRecord,
  { table }: ReadFile,
  {
    check,
    policy,
    examination: { held },
  }: {
    readonly check: () => AsyncIterable<CheckedRow>;
    readonly policy: Policy;
    readonly examination: FileExamination;
  },
): Promise<Meetings> {
  const since = windowStart({ acceptedAt: isoTime(earliestNow(paydrop)) }, policy);
  const meetings = new Meetings({ paydrop, since }, batch, policy.newAccount === 'hold');
  const { ledger } = paydrop;
  if ((await ledger.batches({ before: null, limit: 1 })).length === 0) return meetings;
  const content = startContentFingerprint(table);
  for await (const { row, payout } of check()) {
    content.take(row);
    if (payout !== null) await meetings.take(row.place, payout, held.wordsOf(row.place) !== null);
  }
  const fingerprint = await content.digest();
  const same = (await ledger.batches({ content: fingerprint })).find(
    (other) => !isNothing(paydrop, other) && other.sha256 !== batch.sha256,
  );
  if (same !== undefined) meetings.takeContent(same);
  return meetings;
}

/** The name of the file to correct, as `run` would write it; null when there is nothing to correct. */
async function writeToFix(
  paydrop: Paydrop,
  batch: BatchRecord,
  read: ReadFile,
  check: () => AsyncIterable<CheckedRow>,
  rejected: number,
): Promise<string | null> {
  if (rejected === 0) return null;
  const rows = batch.onInvalidRows === 'refuse-file' ? check() : onlyRejected(check());
  return writeRejected(answersOfUntaken(paydrop, batch), batch, read, rows);
}

function correctWords(fileName: string, path: string): Words {
  return sentence(isMessage(fileName) ? 'checkFile.correctMessage' : 'checkFile.correct', { path });
}

async function* onlyRejected(rows: AsyncIterable<CheckedRow>): AsyncGenerator<CheckedRow> {
  for await (const row of rows) if (row.rejections.length > 0) yield row;
}

async function refused(paydrop: Paydrop, batch: BatchRecord, error: FileRefused): Promise<BatchResult> {
  const place = answersOfUntaken(paydrop, batch);
  const name = place.nameOf('refused', 'json');
  const words = withFileName(error.words, batch.fileName);
  await publishJson(place, name, {
    batch: batch.id,
    file: { name: batch.fileName, sha256: batch.sha256, rows: 0 },
    code: error.code,
    reason: say(words, FILE_READERS[paydrop.config.language]),
  });
  return {
    summary: { ...summaryOf(batch, null, [name]), state: 'refused', standing: 'refused' },
    words: [words],
  };
}

function summaryOf(
  batch: BatchRecord,
  found: NonNullable<Summary['check']> | null,
  answers: readonly string[],
  duplicate = 0,
): Summary {
  const rejected = found?.rejected ?? 0;
  const held = (found?.wouldHold ?? []).reduce((sum, { count }) => sum + count, 0);
  return {
    batch: batch.id,
    state: 'checked',
    standing: 'checked',
    sandbox: batch.sandbox,
    file: { name: batch.fileName, sha256: batch.sha256, rows: batch.rows },
    outcomes: {
      ...noOutcomes(),
      rejected,
      held,
      duplicate,
      pending: batch.rows - rejected - held - duplicate,
    },
    totals: [],
    received: [],
    waitingFor: null,
    startedAt: batch.acceptedAt,
    finishedAt: batch.acceptedAt,
    answers,
    ...(found === null ? {} : { check: found }),
  };
}
