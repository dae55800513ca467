// How long a large batch takes to go on after a kill: from the start of `resume` to its first call, and to its first payment.
import { openScene, type Scene } from './crash-scene.ts';
import type { Asked, Watcher } from './watched-service.ts';

export type Recovery = {
  readonly rows: number;
  /** Of the process that is killed: from its start to the kill. */
  readonly killedAfterMs: number;
  readonly firstCallMs: number;
  readonly firstConfirmMs: number;
};

/** So many payments in, the process is killed: hundreds of rows have ended, dozens are under way. */
const CONFIRMS_BEFORE_KILL = 300;

const isConfirm = ({ path }: Asked): boolean => path.endsWith('/confirm');

export async function measureRecovery(rows: number, seed: number): Promise<Recovery> {
  const scene = await openScene({ rows, seed });
  try {
    const killedAfterMs = await killedAt(scene, ['run', ...scene.files], CONFIRMS_BEFORE_KILL);
    const startedAt = performance.now();
    const callsMs: number[] = [];
    const firstConfirmMs = await killedAt(scene, ['resume'], 1, () => {
      callsMs.push(performance.now() - startedAt);
    });
    return { rows, killedAfterMs, firstCallMs: callsMs[0] ?? firstConfirmMs, firstConfirmMs };
  } finally {
    await scene.close();
  }
}

/** Kills a command at its n-th confirm; gives how long it had run. */
async function killedAt(
  scene: Scene,
  command: readonly string[],
  confirms: number,
  onCall: () => void = () => undefined,
): Promise<number> {
  const startedAt = performance.now();
  const confirmsMs: number[] = [];
  const child = scene.start(command);
  const received: Watcher['received'] = (asked) => {
    onCall();
    if (isConfirm(asked)) confirmsMs.push(performance.now() - startedAt);
    if (confirmsMs.length === confirms) child.kill();
    return 'pass';
  };
  scene.watched.watch({ received });
  const { stderr } = await child.ended;
  await scene.watched.idle();
  const killedAfterMs = confirmsMs[confirms - 1];
  if (killedAfterMs === undefined) throw new Error(`it ended before confirm ${String(confirms)}: ${stderr}`);
  return killedAfterMs;
}

export function describeRecovery({ rows, killedAfterMs, firstCallMs, firstConfirmMs }: Recovery): string {
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  return `${String(rows)} rows, killed after ${seconds(killedAfterMs)} s: first call ${seconds(firstCallMs)} s after the restart, first payment ${seconds(firstConfirmMs)} s after it\n`;
}
