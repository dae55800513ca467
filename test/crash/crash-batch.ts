// One scene from the first drop of its files to the last answer: killed again and again, its ledger lost now and then, gone on with as the
// terminal says, and judged at the end.
import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { checkAnswers } from '../invariants/check-answers.ts';
import type { Violation } from '../invariants/evidence.ts';
import { collectBatches, collectService } from './collect-evidence.ts';
import type { Scene } from './crash-scene.ts';
import { BY_CHANCE, CALL_POINTS, ENDING_POINTS, TAKING_POINTS, type KillPoint } from './kill-points.ts';
import { copyInMidst, copyLedger, loseLedger, moveLedgerAside, LOSSES, type Loss } from './lose-ledger.ts';
import { live, type Life } from './one-life.ts';
import type { Ended, Started } from './processes.ts';
import type { Dice } from './seeded.ts';

export type CrashPlan = {
  readonly dice: Dice;
  readonly killsMost: number;
  readonly lossesMost: number;
  /** How a ledger gets lost; in every way where absent. */
  readonly lossKinds?: readonly Loss[];
  /** The point of every second kill; those between fall by chance, so that there is something to recover from. */
  readonly point?: KillPoint;
};

export type BatchReport = {
  readonly rows: number;
  /** Where each kill fell. */
  readonly kills: readonly string[];
  readonly losses: readonly Loss[];
  readonly calls: number;
  readonly violations: readonly Violation[];
  /** Words on the terminal that no person should have to read. */
  readonly oddWords: readonly string[];
  /** From the start of a process after a kill to its first call. */
  readonly firstCallMs: readonly number[];
  /** From the start of the first process that nobody killed to the last answer. */
  readonly finishedMs: number;
};

/** Each round is a process; more of them without an end means that there is none. */
const ROUNDS_MOST = 60;

/** A copy in the midst of a go is made within so many calls. */
const MIDST_CALLS = 120;

const WAIT = ['--json', '--wait', '60s'] as const;

export async function crashBatch(scene: Scene, plan: CrashPlan): Promise<BatchReport> {
  const crash = new Crash(scene, plan);
  await crash.killRepeatedly();
  const startedAt = performance.now();
  const isFinished = await crash.finish();
  const finishedMs = performance.now() - startedAt;
  await crash.dropAgain();
  await scene.watched.idle();
  const { violations, rows } = await judge(scene, isFinished);
  return { ...crash.report(), rows, calls: scene.watched.calls(), violations, finishedMs };
}

class Crash {
  readonly #scene: Scene;
  readonly #plan: CrashPlan;
  readonly #kills: string[] = [];
  readonly #losses: Loss[] = [];
  readonly #oddWords: string[] = [];
  readonly #firstCallMs: number[] = [];
  #ran = false;

  constructor(scene: Scene, plan: CrashPlan) {
    this.#scene = scene;
    this.#plan = plan;
  }

  report(): Pick<BatchReport, 'kills' | 'losses' | 'oddWords' | 'firstCallMs'> {
    return {
      kills: this.#kills,
      losses: this.#losses,
      oddWords: this.#oddWords,
      firstCallMs: this.#firstCallMs,
    };
  }

  async killRepeatedly(): Promise<void> {
    const { killsMost } = this.#plan;
    for (let round = 0; round < ROUNDS_MOST && this.#kills.length < killsMost; round += 1) {
      const isTaken = await this.#isTaken();
      const life = await this.#live(this.#nextCommand(isTaken), this.#choosePoint(isTaken, round));
      if (life.killedAt !== null) await this.#afterKill();
      else if (!(await this.#obey(life.ended, true)) && (await this.#isFinished())) return;
    }
  }

  #choosePoint(isTaken: boolean, round: number): KillPoint {
    const { dice, point } = this.#plan;
    if (point === undefined) return anyPoint(isTaken, dice);
    const isRecovery = point.kind === 'call' && point.isRecovery === true;
    return (round % 2 === 0) === isRecovery ? BY_CHANCE : point;
  }

  /** Goes on without a kill; false when it came to no end. */
  async finish(): Promise<boolean> {
    for (let round = 0; round < ROUNDS_MOST; round += 1) {
      if (round === 0 && (await this.#isFinished())) return true;
      const life = await this.#live(this.#nextCommand(await this.#isTaken()), null);
      if (!(await this.#obey(life.ended, false)) && (await this.#isFinished())) return true;
    }
    return false;
  }

  /** The same files once more: nothing may be sent for them. */
  async dropAgain(): Promise<void> {
    await this.#live(['run', ...this.#scene.files, ...WAIT], null);
  }

  /** What was not taken is run; whether it was, only the next command tells, so the two take turns. */
  #nextCommand(isTaken: boolean): readonly string[] {
    this.#ran = !isTaken && !this.#ran;
    return this.#ran ? ['run', ...this.#scene.files, ...WAIT] : ['resume', ...WAIT];
  }

  async #live(command: readonly string[], point: KillPoint | null): Promise<Life> {
    const life = await live(this.#scene, command, point, this.#plan.dice, this.#copying(point));
    if (life.killedAt !== null) this.#kills.push(life.killedAt);
    if (life.firstCallMs !== null && this.#kills.length > 0) this.#firstCallMs.push(life.firstCallMs);
    if (life.killedAt === null && isOdd(life.ended))
      this.#oddWords.push(`${command[0] ?? ''} ended with ${String(life.ended.code)}: ${life.ended.stderr}`);
    return life;
  }

  /** Half of the older copies are made in the midst of a go: no number that rises with each go tells them from the latest. */
  #copying(point: KillPoint | null): (child: Started) => void {
    const { dice, lossKinds } = this.#plan;
    if (point === null || lossKinds?.includes('older copy') !== true || dice.roll() < 0.5)
      return () => undefined;
    let left = 1 + dice.below(MIDST_CALLS);
    return (child) => {
      left -= 1;
      if (left === 0) copyInMidst(child, this.#scene.workspace, this.#copies());
    };
  }

  #copies(): string {
    const copies = join(this.#scene.folder, 'copies');
    mkdirSync(copies, { recursive: true });
    return copies;
  }

  async #afterKill(): Promise<void> {
    const { dice, killsMost, lossesMost, lossKinds = LOSSES } = this.#plan;
    const copies = this.#copies();
    const isDue = this.#losses.length < (lossesMost * this.#kills.length) / killsMost;
    const hasCopy = (await readdir(copies)).length > 0;
    const kinds = lossKinds.filter((kind) => kind !== 'older copy' || hasCopy);
    if (!isDue || kinds.length === 0) {
      if (!hasCopy || dice.roll() < 0.4) await copyLedger(this.#scene.workspace, copies);
      return;
    }
    const loss = dice.oneOf(kinds);
    await loseLedger(this.#scene.workspace, loss, copies, dice);
    this.#losses.push(loss);
  }

  /** Does what the terminal asks for; false when it asks for nothing. */
  async #obey({ stderr }: Ended, mayKill: boolean): Promise<boolean> {
    if (!stderr.includes('paydrop rebuild')) return false;
    if (/Move (it|ledger\.sqlite) aside/.test(stderr)) await moveLedgerAside(this.#scene.workspace);
    const { dice } = this.#plan;
    const point = mayKill && dice.roll() < 0.5 ? dice.oneOf([BY_CHANCE, ...CALL_POINTS]) : null;
    await this.#live(['rebuild', ...this.#scene.files], point);
    return true;
  }

  /** Every file has been acknowledged. */
  async #isTaken(): Promise<boolean> {
    const names = await readdir(join(this.#scene.workspace, 'outbox')).catch(() => []);
    return names.filter((name) => name.endsWith('.ack.json')).length >= this.#scene.files.length;
  }

  async #isFinished(): Promise<boolean> {
    const { batches, missing } = await collectBatches(this.#scene);
    const isClosed = ({ summary }: { readonly summary: string }): boolean =>
      (JSON.parse(summary) as { state: string }).state === 'closed';
    return missing.length === 0 && batches.every(isClosed);
  }
}

/** Something unexpected, or what only a programmer understands. */
function isOdd({ code, signal, stderr }: Ended): boolean {
  return (
    signal !== null ||
    code === null ||
    code === 1 ||
    code === 2 ||
    /^\s+at .+[):]\d*|node:internal/m.test(stderr)
  );
}

function anyPoint(isTaken: boolean, dice: Dice): KillPoint {
  const roll = dice.roll();
  if (roll < 0.3) return BY_CHANCE;
  if (!isTaken && roll < 0.6) return dice.oneOf(TAKING_POINTS);
  if (isTaken && roll < 0.42) return dice.oneOf(ENDING_POINTS);
  return dice.oneOf(CALL_POINTS);
}

type Judgement = { readonly violations: readonly Violation[]; readonly rows: number };

async function judge(scene: Scene, isFinished: boolean): Promise<Judgement> {
  const { batches, missing } = await collectBatches(scene);
  const unanswered = missing.map((name) => ({ kind: 'lost', words: `${name} was never answered` }) as const);
  const endless = isFinished ? [] : [{ kind: 'lost', words: 'it came to no end' } as const];
  const found = checkAnswers(batches, await collectService(scene));
  return { violations: [...unanswered, ...endless, ...found], rows: scene.rows };
}
