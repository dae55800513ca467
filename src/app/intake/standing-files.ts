// Files that stay in the folder of a schedule: each becomes a batch for every time of the schedule, created once the time before it has passed,
// so that its owner sees what is going to be paid. The ledger remembers how far each file has come.
import { existsSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';

import { FILE_READERS, type Words, say } from '../../base/language.ts';
import { answerName } from '../../inbox/answer-name.ts';
import { hashFile, inPlace } from '../../inbox/take-file.ts';
import type { BatchRecord, PayAt } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';
import { summarize } from '../../results/summary.ts';
import { publishJson } from '../../results/write-results.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import type { FileProfile } from '../config/profile-file.ts';
import { type Schedule, dayIn, nextTime, timeWords } from '../config/schedule-config.ts';
import { notifyDuplicate } from '../notify/notify-batch.ts';
import type { Paydrop } from '../parts.ts';
import { describeError } from '../parts/describe-error.ts';
import { clockDifference } from '../parts/wait-for-service.ts';
import type { BatchResult } from '../workflow/batch/work.ts';
import { type TakenOrRefused, carryTaken } from '../workflow/process-batch.ts';
import { hasBegun } from '../workflow/decisions/withdraw-standing.ts';
import { assertNoDay, standingPayAt } from '../workflow/batch/decide-pay-at.ts';
import { profileFor } from '../workflow/batch/profile-for.ts';
import { folderRuleFor, readBatchFile } from '../workflow/batch/read-batch-file.ts';
import type { ReadyFile } from '../workflow/ready-files.ts';
import { announcedBy, atOccurrence, isNothing } from '../workflow/take/same-bytes.ts';
import { takeAs } from '../workflow/take/take-batch.ts';
import type { TakenDrop } from './take-dropped.ts';

/** How many missed times of a series are paid late or held, one batch each; older ones are of no use. */
const MISSED_MOST = 12;

/** The pause before a failed file, or a time that another batch blocks, is tried again. */
const AGAIN_MS = 30_000;

type FileMark = {
  readonly signature: string;
  readonly sha256: string;
  /** Nothing to do before this time, unless the file changes. */
  readonly untilMs: number;
  /** The first time whose batch could not be created yet comes after this moment, so that it is not lost when it passes; null when all were created. */
  readonly unmadeAfterMs: number | null;
};

/** The result for one time: its batch exists, created here or elsewhere, or it is still to be created. */
type Made = { readonly drops: readonly TakenDrop[]; readonly isMade: boolean };

export class StandingFiles {
  #paydrop: Paydrop;
  #seen = new Map<string, FileMark>();
  readonly #notBefore = new Map<string, number>();
  /** By path, the batch under another name that the owner was told about, so that it is reported once. */
  readonly #told = new Map<string, string>();

  constructor(paydrop: Paydrop) {
    this.#paydrop = paydrop;
  }

  /** Continues under another config. */
  use(paydrop: Paydrop): void {
    this.#paydrop = paydrop;
    // A changed time, or a new folder, gives another time to wait for.
    this.#seen = new Map();
  }

  /** False for a batch whose file is not known to be gone or changed. */
  hasLeft({ payAt, sha256 }: BatchRecord): boolean {
    if (payAt?.standing === undefined) return false;
    const path = join(this.#paydrop.workspace.inbox, payAt.standing.series);
    const seen = this.#seen.get(path);
    return seen === undefined ? !existsSync(path) : seen.sha256 !== sha256;
  }

  /** The batches that have become due to be created; a file that is gone is forgotten. */
  async look(files: readonly ReadyFile[], onTrouble: (words: string) => void): Promise<readonly TakenDrop[]> {
    // Batches for times of a wrong clock would have to be withdrawn.
    if (clockDifference(this.#paydrop) !== null) return [];
    const present = new Set(files.map(({ path }) => path));
    this.#seen = new Map([...this.#seen].filter(([path]) => present.has(path)));
    const drops: TakenDrop[] = [];
    for (const file of files)
      drops.push(
        ...(await this.#lookAt(file).catch((error: unknown) => this.#troubled(file, error, onTrouble))),
      );
    return drops;
  }

  /** The disk is full, or the file was removed meanwhile: the others continue, and this one is tried again. */
  #troubled({ path }: ReadyFile, error: unknown, onTrouble: (words: string) => void): readonly TakenDrop[] {
    this.#notBefore.set(path, this.#paydrop.clock.monotonic() + AGAIN_MS);
    onTrouble(say(describeError(error).words, this.#paydrop.config.language));
    return [];
  }

  async #lookAt({ path, signature }: ReadyFile): Promise<readonly TakenDrop[]> {
    const { clock, config } = this.#paydrop;
    if ((this.#notBefore.get(path) ?? 0) > clock.monotonic()) return [];
    const schedule = folderRuleFor(path, config)?.schedule ?? null;
    const known = this.#seen.get(path);
    if (schedule === null || (known?.signature === signature && clock.now() < known.untilMs)) return [];
    const sha256 = known?.signature === signature ? known.sha256 : await hashFile(path);
    const series = await this.#series(path);
    if (series.some((batch) => batch.sha256 !== sha256 && isToWithdraw(batch))) {
      // The batches of the previous content are withdrawn first: the same payments in both would count as each other's duplicates.
      this.#seen.set(path, { signature, sha256, untilMs: -Infinity, unmadeAfterMs: null });
      return [];
    }
    const unmade = known?.sha256 === sha256 ? known.unmadeAfterMs : null;
    const { ctimeMs } = await lstat(path);
    const after = Math.min(startOf(series, sha256, clock.now(), ctimeMs), unmade ?? Infinity);
    const times = timesToMake(after, schedule, clock.now());
    // A batch that was refused since also counts as created. While an earlier time is still open, these times come up again.
    const own = new Set(ownTimes(series, sha256));
    return this.#makeAll(path, { signature, sha256 }, schedule, { ...times, after, own });
  }

  async #makeAll(
    path: string,
    seen: Pick<FileMark, 'signature' | 'sha256'>,
    schedule: Schedule,
    times: ReturnType<typeof timesToMake> & { readonly after: number; readonly own: ReadonlySet<number> },
  ): Promise<readonly TakenDrop[]> {
    const { clock } = this.#paydrop;
    const drops: TakenDrop[] = [];
    let unmadeAfterMs: number | null = null;
    for (const [index, at] of times.make.entries()) {
      if (times.own.has(at)) continue;
      const made = await this.#take(path, standingPayAt(schedule, this.#seriesOf(path), at));
      drops.push(...made.drops);
      if (!made.isMade) unmadeAfterMs ??= times.make[index - 1] ?? times.after;
    }
    if (unmadeAfterMs !== null) this.#notBefore.set(path, clock.monotonic() + AGAIN_MS);
    const untilMs = unmadeAfterMs === null ? times.untilMs : -Infinity;
    this.#seen.set(path, { ...seen, untilMs, unmadeAfterMs });
    return drops;
  }

  async #series(path: string): Promise<readonly BatchRecord[]> {
    const series = this.#seriesOf(path);
    const batches = await this.#paydrop.ledger.batches();
    return batches.filter(({ payAt, state }) => payAt?.standing?.series === series && state !== 'taking');
  }

  #seriesOf(path: string): string {
    return relative(this.#paydrop.workspace.inbox, path).split(sep).join('/');
  }

  async #take(path: string, payAt: PayAt): Promise<Made> {
    const paydrop = this.#paydrop;
    const taken = await takeStanding(paydrop, path, payAt).catch((error: unknown) => {
      if (error instanceof FileRefused) return { kind: 'refused', refusal: error } as const;
      throw error;
    });
    if (taken.kind === 'there') return this.#there(path, taken.batch);
    if (taken.kind === 'refused' && taken.refusal.code === 'file_changed') return UNMADE;
    const drop: TakenDrop = {
      batch: taken.kind === 'taken' ? taken.batch.id : null,
      carry: (control) => carryTaken(paydrop, path, taken, control),
    };
    return { drops: [drop], isMade: true };
  }

  /** Another process creates this batch, or has created it; or the same bytes are there under another name, to which the day belongs while that file stays. */
  async #there(path: string, other: BatchRecord): Promise<Made> {
    // The process that takes it may still be killed, and then nobody has it.
    if (other.state === 'taking') return UNMADE;
    if (other.payAt?.standing?.series === this.#seriesOf(path)) return MADE;
    const drops = await this.#tellOther(path, other);
    return { drops, isMade: hasBegun(other) };
  }

  async #tellOther(path: string, other: BatchRecord): Promise<readonly TakenDrop[]> {
    if (this.#told.get(path) === other.id || !isToTell(this.#paydrop, other)) return [];
    const result = await tellOtherSeries(this.#paydrop, path, other);
    this.#told.set(path, other.id);
    return [{ batch: null, carry: () => Promise.resolve(result) }];
  }
}

const MADE: Made = { drops: [], isMade: true };
const UNMADE: Made = { drops: [], isMade: false };

/** Not begun: it is withdrawn once its file is seen to have changed. */
function isToWithdraw({ state }: BatchRecord): boolean {
  return state === 'checking' || state === 'pricing' || state === 'accepted';
}

/** The times that passed since then without a batch, and the next one. */
function timesToMake(afterMs: number, schedule: Schedule, now: number) {
  const make: number[] = [];
  let last = afterMs;
  while (last <= now) {
    const next = nextTime(schedule, last);
    if (next === null) break;
    make.push(next);
    last = next;
    // For a file that stood for years, only the last times count.
    if (make.length > MISSED_MOST + 1) make.shift();
  }
  return { make, untilMs: last };
}

/**
 * The start of a standing file's own times. A file that is new in the folder, or comes back, starts with the next time; one that took the place of another
 * before its time, with that time, also where paydrop sees it only later.
 * @param laidAt when the file was last changed or renamed, in ms.
 */
function startOf(series: readonly BatchRecord[], sha256: string, now: number, laidAt: number): number {
  const last = (batches: readonly BatchRecord[]): number =>
    Math.max(-Infinity, ...batches.map(({ payAt }) => Date.parse(payAt?.at ?? '')));
  const begun = last(series.filter(hasBegun));
  const gone = series.filter(({ payAt }) => payAt?.standing?.withdrawn === true);
  const withdrawn = last(gone);
  const same = Math.max(-Infinity, ...ownTimes(series, sha256));
  // A time that was paid never gets another batch, even if the clock was set back to before it.
  if (same >= withdrawn && same > -Infinity) return Math.max(same, begun);
  const replaced = last(gone.filter((batch) => batch.sha256 !== sha256));
  return Math.max(laidAt < replaced ? Math.min(now, replaced - 1) : now, begun);
}

/** The times for which these bytes have a batch that was not withdrawn. */
function ownTimes(series: readonly BatchRecord[], sha256: string): readonly number[] {
  return series
    .filter((batch) => batch.sha256 === sha256 && batch.payAt?.standing?.withdrawn !== true)
    .map(({ payAt }) => Date.parse(payAt?.at ?? ''));
}

/** `there`: these bytes already have a batch for this day, or another process was faster. */
type TakenOrThere = TakenOrRefused | { readonly kind: 'there'; readonly batch: BatchRecord };

/** Throws `FileRefused`. */
async function takeStanding(paydrop: Paydrop, path: string, payAt: PayAt): Promise<TakenOrThere> {
  const profile = profileFor(path, paydrop.config);
  const first = await announcedBy(paydrop, inPlace(path), profile);
  return paydrop.takes.run(first.sha256, () => takeInTurn(paydrop, path, profile, first, payAt));
}

async function takeInTurn(
  paydrop: Paydrop,
  path: string,
  profile: FileProfile | null,
  first: BatchRecord,
  payAt: PayAt,
): Promise<TakenOrThere> {
  const { config, ledger } = paydrop;
  const batch = { ...atOccurrence(first, dayIn(payAt.timeZone, Date.parse(payAt.at))), payAt };
  const earlier = await ledger.batch({ fileId: batch.fileId });
  if (earlier !== null && !isNothing(paydrop, earlier)) return { kind: 'there', batch: earlier };
  const read = await readBatchFile(path, config, profile?.profile ?? null);
  await assertNoDay(paydrop, path, read);
  const taken = await takeAs(paydrop, inPlace(path), profile, batch, read);
  return 'winner' in taken ? { kind: 'there', batch: taken.winner } : taken;
}

// Two standing files with the same bytes: a day is paid once, so one of the two waits, and its owner learns under which name the day is paid.

/** Whether to report it: after a rename, the batch under the old name is withdrawn in a moment, and the file is nowhere else. */
function isToTell({ workspace }: Pick<Paydrop, 'workspace'>, other: BatchRecord): boolean {
  const series = other.payAt?.standing?.series;
  return series !== undefined && (hasBegun(other) || existsSync(join(workspace.inbox, series)));
}

/** @param path the file that waits; `other` is the batch that has its bytes under another name. */
async function tellOtherSeries(paydrop: Paydrop, path: string, other: BatchRecord): Promise<BatchResult> {
  const { workspace, config, ledger } = paydrop;
  const name = basename(path);
  const answer = answerName(name, other.id, 'duplicate', 'json');
  const words = otherSeriesWords(other);
  await publishJson({ outbox: workspace.outbox, folder: null }, answer, {
    batch: other.id,
    file: { name, sha256: other.sha256 },
    code: 'same_bytes',
    reason: say(words, FILE_READERS[config.language]),
    earlier: { batch: other.id, acceptedAt: other.acceptedAt, file: other.fileName },
  });
  await notifyDuplicate(paydrop, name, other, answer);
  return { summary: await summarize(ledger, other), words: [words], isRepeated: true, brought: name };
}

function otherSeriesWords({ id, payAt }: BatchRecord): Words {
  if (payAt?.standing === undefined) throw new Error(`Batch ${id} is of no standing file.`);
  const { at, timeZone, standing } = payAt;
  const time = timeWords(Date.parse(at), timeZone);
  return sentence('tellOtherSeries.otherSeries', { series: standing.series, time, id });
}
