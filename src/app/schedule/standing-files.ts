// Files that stand in the folder of a schedule: each becomes a batch of its own for every time that comes, made when the time before it has
// passed, so that its owner sees what is going to be paid. The ledger remembers how far each has come.
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { hashFile } from '../../inbox/hash-file.ts';
import { inPlace } from '../../inbox/dropped-file.ts';
import type { PayAt } from '../../ledger/pay-at.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import type { Paydrop } from '../compose.ts';
import { describeError } from '../describe-error.ts';
import { carryTaken, type TakenOrRefused } from '../process-batch.ts';
import type { FileProfile } from '../profiles/profile-file.ts';
import { profileFor } from '../profiles/profile-for.ts';
import { readBatchFile } from '../read-batch-file.ts';
import { announced, atOccurrence, isNothing, takeAs } from '../take-batch.ts';
import type { ReadyFile } from '../watch/inbox-watch.ts';
import type { TakenDrop } from '../watch/take-dropped.ts';
import { assertNoDay, standingPayAt } from './decide-pay-at.ts';
import { folderRuleFor } from './folder-rules.ts';
import { dayIn, nextTime } from './occurrences.ts';
import type { Schedule } from './schedule-config.ts';

/** Times of a series that were missed and are made good or held, one batch each; older ones are past any use. */
const MISSED_MOST = 12;

/** One that could not be taken is tried again after this. */
const AGAIN_MS = 30_000;

type Seen = {
  readonly signature: string;
  readonly sha256: string;
  /** Until then there is nothing to do, unless the file changes. */
  readonly untilMs: number;
};

export class StandingFiles {
  #paydrop: Paydrop;
  #seen = new Map<string, Seen>();
  readonly #notBefore = new Map<string, number>();

  constructor(paydrop: Paydrop) {
    this.#paydrop = paydrop;
  }

  /** Goes on under another config. */
  use(paydrop: Paydrop): void {
    this.#paydrop = paydrop;
    // A time that was changed, or a folder that was added, is another time to wait for.
    this.#seen = new Map();
  }

  /** False for a batch whose file is not known to have gone, or to have changed. */
  hasLeft({ payAt, sha256 }: BatchRecord): boolean {
    if (payAt?.standing === undefined) return false;
    const path = join(this.#paydrop.workspace.inbox, payAt.standing.series);
    const seen = this.#seen.get(path);
    return seen === undefined ? !existsSync(path) : seen.sha256 !== sha256;
  }

  /** The batches that have come due to be made; a file that has gone is forgotten. */
  async look(files: readonly ReadyFile[], onTrouble: (words: string) => void): Promise<readonly TakenDrop[]> {
    const present = new Set(files.map(({ path }) => path));
    this.#seen = new Map([...this.#seen].filter(([path]) => present.has(path)));
    const drops: TakenDrop[] = [];
    for (const file of files)
      drops.push(
        ...(await this.#lookAt(file).catch((error: unknown) => this.#troubled(file, error, onTrouble))),
      );
    return drops;
  }

  /** A full disk, or a file that was taken away under our hands: the others go on, and this one is tried again. */
  #troubled({ path }: ReadyFile, error: unknown, onTrouble: (words: string) => void): readonly TakenDrop[] {
    this.#notBefore.set(path, this.#paydrop.clock.monotonic() + AGAIN_MS);
    onTrouble(describeError(error).words);
    return [];
  }

  async #lookAt({ path, signature }: ReadyFile): Promise<readonly TakenDrop[]> {
    const { clock, config } = this.#paydrop;
    if ((this.#notBefore.get(path) ?? 0) > clock.monotonic()) return [];
    const schedule = folderRuleFor(path, config)?.schedule ?? null;
    const known = this.#seen.get(path);
    if (schedule === null || (known?.signature === signature && clock.now() < known.untilMs)) return [];
    const sha256 = known?.signature === signature ? known.sha256 : await hashFile(path);
    const drops: TakenDrop[] = [];
    const series = await this.#series(path);
    const times = timesToMake(series, sha256, schedule, clock.now());
    if (series.some((batch) => batch.sha256 !== sha256 && isToWithdraw(batch))) {
      // What stood here before is withdrawn first: the same payments in both would be taken for each other's duplicates.
      this.#seen.set(path, { signature, sha256, untilMs: -Infinity });
      return [];
    }
    for (const at of times.make) {
      const drop = await this.#take(path, standingPayAt(schedule, this.#seriesOf(path), at));
      if (drop !== null) drops.push(drop);
    }
    this.#seen.set(path, { signature, sha256, untilMs: times.untilMs });
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

  /** Null when another process makes this batch, or has. */
  async #take(path: string, payAt: PayAt): Promise<TakenDrop | null> {
    const paydrop = this.#paydrop;
    const taken = await takeStanding(paydrop, path, payAt).catch((error: unknown) => {
      if (error instanceof FileRefused) return { kind: 'refused', refusal: error } as const;
      throw error;
    });
    if (taken === null) return null;
    if (taken.kind === 'refused' && taken.refusal.code === 'file_changed') return null;
    return {
      batch: taken.kind === 'taken' ? taken.batch.id : null,
      carry: (control) => carryTaken(paydrop, path, taken, control),
    };
  }
}

/** Not begun: it is withdrawn once it is seen that its file has changed. */
function isToWithdraw({ state }: BatchRecord): boolean {
  return state === 'reading' || state === 'checking' || state === 'pricing' || state === 'accepted';
}

/** The times that passed unmade since the last one that was, and the next one. */
function timesToMake(series: readonly BatchRecord[], sha256: string, schedule: Schedule, now: number) {
  const make: number[] = [];
  let last = startOf(series, sha256, now);
  while (last <= now) {
    const next = nextTime(schedule, last);
    if (next === null) break;
    make.push(next);
    last = next;
    // Of a file that stood for years only the last times count.
    if (make.length > MISSED_MOST + 1) make.shift();
  }
  return { make, untilMs: last };
}

/** From when on the times of a standing file are its own. What is new in the folder, or comes back, begins with the next one. */
function startOf(series: readonly BatchRecord[], sha256: string, now: number): number {
  const last = (batches: readonly BatchRecord[]): number =>
    Math.max(-Infinity, ...batches.map(({ payAt }) => Date.parse(payAt?.at ?? '')));
  const begun = last(series.filter(({ state }) => state === 'paying' || state === 'closed'));
  const withdrawn = last(series.filter(({ payAt }) => payAt?.standing?.withdrawn === true));
  const same = last(
    series.filter((batch) => batch.sha256 === sha256 && batch.payAt?.standing?.withdrawn !== true),
  );
  // A time that was paid is never made again, also when the clock has gone back behind it.
  return same >= withdrawn && same > -Infinity ? Math.max(same, begun) : Math.max(now, begun);
}

/** Null when the batch is there already, or another process was faster. Throws `FileRefused`. */
async function takeStanding(paydrop: Paydrop, path: string, payAt: PayAt): Promise<TakenOrRefused | null> {
  const profile = profileFor(path, paydrop.config);
  const first = await announced(paydrop, path, profile);
  return paydrop.turns.take(first.sha256, () => takeInTurn(paydrop, path, profile, first, payAt));
}

async function takeInTurn(
  paydrop: Paydrop,
  path: string,
  profile: FileProfile | null,
  first: BatchRecord,
  payAt: PayAt,
): Promise<TakenOrRefused | null> {
  const { config, ledger } = paydrop;
  const batch = { ...atOccurrence(first, dayIn(payAt.timeZone, Date.parse(payAt.at))), payAt };
  const earlier = await ledger.batchOfFile(batch.fileId);
  if (earlier !== null && !isNothing(paydrop, earlier)) return null;
  const read = await readBatchFile(path, config, profile?.profile ?? null);
  await assertNoDay(paydrop, path, read);
  const taken = await takeAs(paydrop, inPlace(path), profile, batch, read);
  return 'winner' in taken ? null : taken;
}
