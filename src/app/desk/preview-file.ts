// `preview`: what `run` would send and what it would cost, row by row, without creating a transfer, moving the file or remembering anything.
import { dayOf, isoTime } from '../../base/clock.ts';
import {
  addDecimals,
  compareDecimals,
  type DecimalText,
  grouped,
  subtractDecimals,
} from '../../base/decimal.ts';
import { type Words, joinWords } from '../../base/language.ts';
import { hashFile } from '../../inbox/take-file.ts';
import type { BatchRecord, PayAt } from '../../ledger/records.ts';
import { rowsWords, sentence } from '../../messages/messages.ts';
import { describeHit, hitOf, type LimitHit, type Limits, priceHits } from '../../payouts/limits.ts';
import { keysOf } from '../../payouts/payment-keys.ts';
import type { Payout } from '../../payouts/payout.ts';
import { debitOf } from '../../service/wire.ts';
import { type PreviewRow, writePreview } from '../../results/preview.ts';
import type { FileCheck, PreviewLine } from '../../results/summary.ts';
import { policyOf } from '../config/policy.ts';
import type { Paydrop } from '../parts.ts';
import { type RunControl, SILENT_VIEW } from '../parts/run-options.ts';
import { describeFault, earliestNow, PATIENCE_MS, patientReads } from '../parts/wait-for-service.ts';
import type { BatchResult } from '../workflow/batch/work.ts';
import { FileExamination } from '../workflow/validate/examine-file.ts';
import { windowStart } from '../workflow/check/cross-check.ts';
import { PreviewTotals } from '../workflow/check/unusual.ts';
import { approvalStatus } from '../workflow/approval/decide-approval.ts';
import { answersOfUntaken } from '../workflow/answers/answers.ts';
import { profileFor } from '../workflow/batch/profile-for.ts';
import { EVERY_ROW_WORDS, type FileExamined, examineFile, takenAlready } from './check-file.ts';
import { standingOf } from './batch-status.ts';
import { takenBefore, whatItMeets } from './meets-ledger.ts';
import { PricingStopped, priceRows } from './price-rows.ts';

/** `outbox` as in `examineFile`. */
type PreviewControl = RunControl & {
  readonly outbox?: string | undefined;
  readonly reader?: string | undefined;
};

/** Checks, then prices. Throws a `Fault` when the service does not give the corridors, `FileRefused` when the file changes meanwhile. */
export async function previewFile(
  paydrop: Paydrop,
  path: string,
  control: PreviewControl,
): Promise<BatchResult> {
  const known = await takenAlready(paydrop, path);
  if (known !== null) return ownPreview(paydrop, known.batch, known.result);
  const {
    result: checked,
    wouldHold,
    read,
  } = await examineFile(paydrop, path, control.outbox, control.reader);
  if (read === null) return checked;
  const { batch } = read;
  const totals = new PreviewTotals(paydrop.service);
  const limits = startLimits(paydrop, read.payAt);
  control.view.start(batch.id, batch.rows, 0, batch.fileName);
  try {
    const answer = await writePriced({ paydrop, path, read, totals, limits, control, wouldHold });
    return await resultOf(checked, answer, { totals, overLimits: await limits.words() });
  } catch (error) {
    if (error instanceof PricingStopped) return stopped(checked, error);
    throw error;
  } finally {
    control.view.end();
  }
}

/** A file that is a batch has its evidence, or its state: nothing is priced or written. */
async function ownPreview(paydrop: Paydrop, batch: BatchRecord, repeated: BatchResult): Promise<BatchResult> {
  const { words, sentence: stands } = await standingOf(paydrop, batch);
  const approval = approvalStatus(batch);
  const answers = approval === null ? [] : [approval.preview];
  return {
    ...repeated,
    summary: { ...repeated.summary, answers },
    words: [...repeated.words, words ?? stands],
  };
}

async function writePriced({
  paydrop,
  path,
  read: { batch, file, rows },
  totals,
  limits,
  control,
  wouldHold,
}: {
  readonly paydrop: Paydrop;
  readonly path: string;
  readonly read: NonNullable<FileExamined['read']>;
  readonly totals: PreviewTotals;
  readonly limits: WatchedLimits;
  readonly control: RunControl;
  readonly wouldHold: FileExamined['wouldHold'];
}): Promise<string> {
  const asked = { fileId: batch.fileId, since: windowOf(paydrop, path), wouldHold };
  const priced = counted(priceRows(paydrop, asked, rows(), control), { totals, limits });
  return writePreview(answersOfUntaken(paydrop, batch), batch, file, priced, () => totals.lines());
}

async function* counted(
  rows: AsyncIterable<PreviewRow>,
  { totals, limits }: { readonly totals: PreviewTotals; readonly limits: WatchedLimits },
): AsyncGenerator<PreviewRow> {
  for await (const row of rows) {
    totals.add(row);
    const over = limits.take(row);
    yield over.length === 0 ? row : { ...row, warnings: [...row.warnings, ...over] };
  }
}

// What the limits would hold or stop, as far as the prices of now say, on the days on which the rows are paid.

type WatchedLimits = {
  /** Why a limit would hold the row; empty where none would. */
  readonly take: (row: PreviewRow) => readonly Words[];
  /** After the last row. */
  readonly words: () => Promise<readonly Words[]>;
};

function startLimits(paydrop: Paydrop, payAt: PayAt | null): WatchedLimits {
  const { limits } = paydrop.config;
  const today = dayOf(earliestNow(paydrop));
  const sums = new Sums();
  // Of a million rows they are some million sums, which nobody asks for without that limit.
  const payees = limits.perPayeePerDay === null ? null : new PaidTo(limits);
  let held = 0;
  const take = ({ payout, price, met }: PreviewRow): readonly Words[] => {
    if (payout === null || price === null || met !== null) return [];
    const { sourceCurrency: currency } = payout;
    const [debit, day] = [debitOf(price), payDayOf(payout, payAt, today)];
    const scope = `${day} ${currency}`;
    const paid = payees?.of(payout, scope, debit);
    const hit = hitOf('perRow', limits, currency, debit) ?? paid?.hit() ?? null;
    const ofPrice = priceHits(price, payout, limits).map(({ words }) => words);
    const over = [...(hit === null ? [] : [describeHit(hit, countedOn(hit, day, today))]), ...ofPrice];
    // A row that is held counts for nothing.
    if (over.length > 0) held += 1;
    else {
      sums.add(scope, debit);
      paid?.add();
    }
    return over;
  };
  const words = async (): Promise<readonly Words[]> => {
    const stops = await stopsOf(paydrop, sums, today);
    if (held === 0) return stops;
    return [sentence('preview.overLimits', { counted: rowsWords(held), count: held }), ...stops];
  };
  return { take, words };
}

/** The UTC day, `yyyy-mm-dd`, on which a row would count: its own of several, or that of the file; what is past is paid today. */
function payDayOf({ payOn }: Payout, payAt: PayAt | null, today: string): string {
  const at = payAt?.days?.find(({ day }) => day === payOn)?.at ?? payAt?.at;
  const day = at === undefined ? today : dayOf(Date.parse(at));
  return day > today ? day : today;
}

/** What a limit counts, where that is of a day to come. */
function countedOn({ name }: LimitHit, day: string, today: string): Words | undefined {
  if (day === today) return undefined;
  if (name === 'perDay') return sentence('preview.ofDay', { day });
  return name === 'perPayeePerDay' ? sentence('preview.ofPayee', { day }) : undefined;
}

async function stopsOf(
  { config: { limits }, ledger }: Paydrop,
  sums: Sums,
  today: string,
): Promise<readonly Words[]> {
  const stops: Words[] = [];
  const ofFile = new Sums();
  let arePaid = false;
  for (const [scope, debit] of [...sums].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [day = '', currency = ''] = scope.split(' ');
    ofFile.add(currency, debit);
    const spent = await ledger.spent('', currency, day);
    arePaid ||= compareDecimals(spent.day, '0') > 0;
    const hit = hitOf('perDay', limits, currency, addDecimals(spent.day, debit));
    if (hit !== null) stops.push(describeHit(hit, countedOn(hit, day, today)));
  }
  const whole = [...ofFile].flatMap(([currency, debit]) => hitOf('perFile', limits, currency, debit) ?? []);
  return [
    ...[...whole.map((hit) => describeHit(hit)), ...stops].map((limit) =>
      sentence('preview.fileStops', { limit }),
    ),
    ...(arePaid && limits.perPayeePerDay !== null ? [sentence('preview.otherFiles')] : []),
  ];
}

class Sums extends Map<string, DecimalText> {
  of(key: string): DecimalText {
    return this.get(key) ?? '0';
  }

  add(key: string, amount: DecimalText): void {
    this.set(key, addDecimals(this.of(key), amount));
  }
}

/** What earlier rows of the file bring to each payee and account, found by the keys by which a ledger finds them. */
class PaidTo {
  readonly #limits: Limits;
  readonly #sums = new Sums();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** @param scope the day and the currency. `hit`: the limit of a payee and a day that the row would exceed; `add`: it counts. */
  of(payout: Payout, scope: string, debit: DecimalText): { hit: () => LimitHit | null; add: () => void } {
    const { names, both, account } = keysIn(payout, scope);
    const sumOf = (keys: readonly string[]) => keys.map((key) => this.#sums.of(key)).reduce(addDecimals, '0');
    const check = (sum: DecimalText): LimitHit | null =>
      hitOf('perPayeePerDay', this.#limits, payout.sourceCurrency, addDecimals(sum, debit));
    return {
      hit: () =>
        // Rows that go by both names are in the sums of both.
        (names.length === 0 ? null : check(subtractDecimals(sumOf(names), sumOf(both)))) ??
        (account.length === 0 ? null : check(sumOf(account))),
      add: () => {
        for (const key of [...names, ...both, ...account]) this.#sums.add(key, debit);
      },
    };
  }
}

/** `names`: the whole one and the short one; `both`: the two together. */
function keysIn(payout: Payout, scope: string) {
  const { payee, shortPayee, account } = keysOf(payout);
  const names = [...new Set([payee, shortPayee].filter((key) => key !== null))].sort();
  return {
    names: names.map((name) => `${scope} payee ${name}`),
    both: names.length < 2 ? [] : [`${scope} both ${names.join(' ')}`],
    account: account === null ? [] : [`${scope} account ${account}`],
  };
}

async function resultOf(
  checked: BatchResult,
  answer: string,
  { totals, overLimits }: { readonly totals: PreviewTotals; readonly overLimits: readonly Words[] },
): Promise<BatchResult> {
  const { summary } = checked;
  const preview = await totals.lines();
  const rejected = totals.wrong;
  // A check may know more: a new account is priced, and held all the same where the policy says so.
  const duplicate = Math.max(totals.met.duplicate, summary.outcomes.duplicate);
  const held = Math.max(totals.met.held, summary.outcomes.held);
  const pending = summary.file.rows - rejected - duplicate - held;
  const outcomes = { ...summary.outcomes, rejected, duplicate, held, pending };
  return {
    ...checked,
    summary: { ...summary, outcomes, answers: [...summary.answers, answer], preview },
    words: previewWords(checked, totals, { lines: preview, overLimits }),
  };
}

const STOPPED: Words = sentence('previewFile.stopped');
const NOT_TOLD: Words = sentence('previewFile.notTold');
const NO_PREVIEW: Words = sentence('previewFile.noPreview');

/** The result of the check still holds; there is no preview. */
function stopped(checked: BatchResult, { fault }: PricingStopped): BatchResult {
  const { summary, words } = checked;
  const why = joinWords([fault === null ? STOPPED : NOT_TOLD, NO_PREVIEW]);
  return {
    ...checked,
    summary: { ...summary, waitingFor: fault === null ? null : describeFault(fault).for },
    words: [...words, why],
    isStopped: true,
  };
}

// Before real money leaves a terminal, a person is asked about what would be paid, and about nothing else of the file.

/** What a run would pay of a file, as far as no price decides, and how many rows it would leave. */
export type WouldPay = Pick<FileCheck, 'payments' | 'sums'> & {
  readonly name: string;
  readonly held: number;
  readonly duplicate: number;
  readonly rejected: number;
  /** The debit, the fees and the balance, in words; null where the service did not say the prices, or where there are too many to ask for. */
  readonly cost: readonly Words[] | null;
};

/** A person waits for the question: so many prices come within some seconds. */
const PRICED_MOST = 500;

/** The files as they are before somebody is asked about them; see `RunOrder`. */
export async function filesToAgreeOn(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const agreed = new Map<string, string>();
  for (const file of files) agreed.set(file, await hashFile(file));
  return agreed;
}

/** Files of which nothing would be paid are left out: the run says why. @param order `again` as in `RunOrder`. */
export async function wouldPay(
  paydrop: Paydrop,
  files: readonly string[],
  { signal, again }: Pick<RunControl, 'signal'> & { readonly again: boolean },
): Promise<readonly WouldPay[]> {
  const asking = patientReads(paydrop, signal);
  const found: WouldPay[] = [];
  for (const file of files) {
    const each = await wouldPayOf(asking, file, again, signal);
    if (each !== null) found.push(each);
  }
  return found;
}

async function wouldPayOf(
  paydrop: Paydrop,
  path: string,
  again: boolean,
  signal: AbortSignal,
): Promise<WouldPay | null> {
  const { result, wouldHold, read } = await examineFile(paydrop, path);
  const { rejected } = result.summary.outcomes;
  if (read === null || (rejected > 0 && read.batch.onInvalidRows === 'refuse-file')) return null;
  const { batch, file, rows } = read;
  if (!again && (await takenBefore(paydrop, batch)) !== null) return null;
  const since = windowOf(paydrop, path);
  const [paid, left] = [new FileExamination(file.table, batch.fileName), { held: 0, duplicate: 0 }];
  for await (const row of rows()) {
    if (row.payout === null) continue;
    const met = await whatItMeets({ paydrop, since, wouldHold }, row.row.place, row.payout, batch.sha256);
    if (met === null) paid.take(row);
    else left[met.outcome] += 1;
  }
  const { payments, sums } = paid.found();
  if (payments === 0) return null;
  const cost = payments > PRICED_MOST ? null : await costOf(paydrop, { since, wouldHold, read }, signal);
  return { name: batch.fileName, payments, sums, rejected, ...left, cost };
}

async function costOf(
  paydrop: Paydrop,
  {
    since,
    wouldHold,
    read,
  }: {
    readonly since: string;
    readonly wouldHold: FileExamined['wouldHold'];
    readonly read: NonNullable<FileExamined['read']>;
  },
  signal: AbortSignal,
): Promise<readonly Words[] | null> {
  const totals = new PreviewTotals(paydrop.service);
  const control = { waitMs: PATIENCE_MS, signal, view: SILENT_VIEW };
  const asked = { fileId: read.batch.fileId, since, wouldHold };
  try {
    for await (const row of priceRows(paydrop, asked, read.rows(), control)) totals.add(row);
  } catch (error) {
    if (error instanceof PricingStopped) return null;
    throw error;
  }
  return (await totals.lines()).map(costWords);
}

/** Payments since this time count as recent. */
function windowOf(paydrop: Paydrop, path: string): string {
  const policy = policyOf(paydrop.config.policy, profileFor(path, paydrop.config)?.policy);
  return windowStart({ acceptedAt: isoTime(earliestNow(paydrop)) }, policy);
}

// The words of a preview on the terminal: the cost in each currency, the missing balance, and what to check before the run.

function previewWords(
  { summary, words }: BatchResult,
  { wrong, warnings, met, within }: PreviewTotals,
  { lines, overLimits }: { readonly lines: readonly PreviewLine[]; readonly overLimits: readonly Words[] },
): readonly Words[] {
  const wrongByPrice = wrong - summary.outcomes.rejected;
  const held = met.held - within;
  const more = [
    ...(wrongByPrice === 0 ? [] : [wrongWords(wrongByPrice)]),
    ...(met.duplicate === 0 ? [] : [sentence('preview.duplicates', { count: met.duplicate })]),
    ...(held === 0 ? [] : [sentence('preview.held', { count: held })]),
    ...lines.map(costWords),
    ...overLimits,
    ...(warnings === 0 ? [] : [unusualWords(warnings)]),
    NOTHING_SENT,
  ];
  const others = wrongByPrice + met.duplicate + held + overLimits.length;
  return [...(others === 0 ? words : words.filter((each) => each !== EVERY_ROW_WORDS)), ...more];
}

const NOTHING_SENT: Words = sentence('preview.nothingSent');

function wrongWords(count: number): Words {
  return sentence('preview.wrong', { counted: rowsWords(count), count });
}

function unusualWords(count: number): Words {
  return sentence('preview.unusual', { counted: rowsWords(count), count });
}

function costWords(line: PreviewLine): Words {
  const { sourceCurrency } = line;
  const [send, fee, all] = [grouped(line.sendAmount), grouped(line.feeAmount), grouped(line.debit)];
  const balance = balanceWords(line);
  return sentence('preview.cost', { sourceCurrency, send, fee, all, balance });
}

function balanceWords({ sourceCurrency, availableAmount, shortfall }: PreviewLine): Words {
  if (availableAmount === null || shortfall === null) return sentence('preview.balance.balanceKnown');
  const [available, missing] = [grouped(availableAmount), grouped(shortfall)];
  const isEnough = compareDecimals(shortfall, '0') === 0;
  return sentence('preview.balance.available', { available, isEnough, missing, sourceCurrency });
}
