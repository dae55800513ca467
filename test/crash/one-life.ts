// One process from its start to its end: it ends by itself, or is killed at the point that was chosen for it.
import { setTimeout as delay } from 'node:timers/promises';

import type { Scene } from './crash-scene.ts';
import type { KillPoint } from './kill-points.ts';
import { watchNewPaths } from './new-paths.ts';
import type { Ended, Started } from './processes.ts';
import type { Dice } from './seeded.ts';
import type { Watcher } from './watched-service.ts';

export type Life = {
  readonly ended: Ended;
  /** Where it was killed; null when it ended by itself. */
  readonly killedAt: string | null;
  /** From its start to its first call; null when it made none. */
  readonly firstCallMs: number | null;
  readonly tookMs: number;
};

/** A kill by chance falls into the start of a process, or behind its first call; there the spread lands in every phase. */
const IN_START_MS = 400;
const IN_WORK_MS = 180;
const IN_START_SHARE = 0.2;

/** A point that the work does not come to again is given up so long after the first call, and chance takes over. */
const PATIENCE_MS = 3_000;

/** How long after an answer was handed on the kill comes: before, while and after it is written down. */
const AFTER_ANSWER_MS = 12;

/** How long a late request travels; the next process is at work by then. */
const TRAVEL_MS = { least: 250, spread: 500 };

/** Runs a command; with `point` null it is left alone. @param inMidst called with the process at each of its calls. */
export async function live(
  scene: Scene,
  command: readonly string[],
  point: KillPoint | null,
  dice: Dice,
  inMidst: (child: Started) => void = () => undefined,
): Promise<Life> {
  const startedAt = performance.now();
  let firstCallMs: number | null = null;
  let killedAt: string | null = null;
  const child = scene.start(command);
  const gone = child.ended.then(() => {
    isOver = true;
  });
  let isOver = false;
  const kill = (name: string): void => {
    if (killedAt !== null || isOver) return;
    killedAt = name;
    child.kill();
  };
  const watcher = point?.kind === 'call' ? killingAt(point, kill, dice) : {};
  const patience = new AbortController();
  const killIn = (ms: number): void =>
    void delay(ms, true, { signal: patience.signal }).then(
      () => kill('by chance'),
      () => false,
    );
  const chance = point?.kind === 'time' ? timeOf(dice) : null;
  if (chance?.inStartMs !== undefined) killIn(chance.inStartMs);
  scene.watched.watch({
    ...watcher,
    received: (asked) => {
      if (!isOver && killedAt === null) inMidst(child);
      if (firstCallMs === null) {
        const inWorkMs = point?.kind === 'call' ? PATIENCE_MS : chance?.inWorkMs;
        if (inWorkMs !== undefined) killIn(inWorkMs);
        firstCallMs = performance.now() - startedAt;
      }
      return watcher.received?.(asked) ?? 'pass';
    },
  });
  const paths =
    point?.kind === 'file'
      ? watchNewPaths(scene.workspace, (path) => point.path.test(path) && kill(point.name))
      : null;
  const ended = await child.ended;
  await gone;
  patience.abort();
  paths?.close();
  scene.watched.watch({});
  // One that had ended before the kill reached it was not killed.
  const wasKilled = ended.signal === 'SIGKILL';
  return { ended, killedAt: wasKilled ? killedAt : null, firstCallMs, tookMs: performance.now() - startedAt };
}

function timeOf(dice: Dice): { readonly inStartMs?: number; readonly inWorkMs?: number } {
  const isInStart = dice.roll() < IN_START_SHARE;
  return isInStart ? { inStartMs: dice.roll() * IN_START_MS } : { inWorkMs: dice.roll() * IN_WORK_MS };
}

function killingAt(
  point: Extract<KillPoint, { kind: 'call' }>,
  kill: (name: string) => void,
  dice: Dice,
): Watcher {
  const { matches, moment, name, occasions, refused = false } = point;
  let left = 1 + dice.below(occasions);
  const isNow = (): boolean => --left === 0;
  if (moment === 'unsent' || moment === 'late')
    return {
      received: (asked) => {
        if (!matches(asked) || !isNow()) return 'pass';
        kill(name);
        return moment === 'unsent' ? 'lose' : { lateMs: TRAVEL_MS.least + dice.roll() * TRAVEL_MS.spread };
      },
    };
  return {
    answered: (asked, httpStatus) => {
      if (!matches(asked) || (refused && httpStatus < 400) || !isNow()) return 'pass';
      if (moment === 'unanswered') {
        kill(name);
        return 'lose';
      }
      void delay(dice.roll() * AFTER_ANSWER_MS).then(() => kill(name));
      return 'pass';
    },
  };
}
