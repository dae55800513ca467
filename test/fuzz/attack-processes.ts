// Attacks by many processes: at one moment, killed, frozen.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { lineTo } from '../app/desk.ts';
import {
  dice,
  jsonIn,
  must,
  mustBeOnce,
  range,
  sleep,
  withScene,
  type Running,
  type Scene,
} from './attack-scene.ts';

/** Four processes at one moment, and four files with the same payments. */
export async function oneMoment(): Promise<string> {
  const [rounds, files, rows] = [17, 4, 6];
  for (const round of range(rounds))
    await withScene(async ({ pd, file, transfers }) => {
      const amounts = range(rows).map((row) => 100 + row);
      const lines = amounts.map((amount) =>
        lineTo(`p${String(amount)}`, `R-${String(round)}-${String(amount)}`, String(amount)),
      );
      const paths = await Promise.all(
        range(files).map((each) => file(`f${String(each)}.csv`, each % 2 === 0 ? lines : lines.toReversed())),
      );
      await Promise.all(paths.map((path) => pd('run', '--wait', '10s', path)));
      await pd('resume', '--wait', '10s');
      mustBeOnce(await transfers(), amounts);
    });
  return `${String(rounds)} rounds, ${String(rounds * files)} processes: 0 paid twice, 0 paid by none`;
}

/** SIGKILL at any moment of runs and daemons over files that meet. */
export async function kills(): Promise<string> {
  let killed = 0;
  await withScene(async ({ pd, start, file, transfers }) => {
    const amounts = range(40).map((row) => 100 + row);
    const lines = amounts.map((amount) =>
      lineTo(`k${String(amount)}`, `K-${String(amount)}`, String(amount)),
    );
    const paths = [await file('k1.csv', lines), await file('k2.csv', lines.toReversed())];
    for (const round of range(16)) {
      const order = round < 2 ? ['run', paths[round] ?? ''] : round % 3 === 0 ? ['watch'] : ['resume'];
      const { child, ended } = start(...order);
      await sleep(700 + 97 * round);
      if (child.exitCode === null) killed += 1;
      child.kill('SIGKILL');
      await ended;
    }
    for (const path of paths) await pd('run', '--wait', '10s', path);
    await pd('resume', '--wait', '20s');
    mustBeOnce(await transfers(), amounts);
  });
  return `16 processes, ${String(killed)} kills, two files that meet: 0 paid twice, 0 lost`;
}

type Tally = { processes: number; kills: number; stops: number; payments: number; files: number };

const FAULTS = {
  seed: 5,
  rules: (['reset', 'drop-answer', 'cut', 'throttle'] as const).map((fault) => ({
    fault,
    probability: 0.02,
  })),
};

/**
 * `watch`, `run`, `resume`, `release`, `pause` and `reconcile` at once over files that meet, killed and frozen at random. Rows without a
 * reference that are there twice are held, and cancelled by the first command that comes. In every second round a file is paid whole or not at
 * all.
 */
export async function mixes(): Promise<string> {
  const [rounds, each, alive] = [6, 40, 5];
  const tally: Tally = { processes: 0, kills: 0, stops: 0, payments: 0, files: 0 };
  for (const round of range(rounds)) {
    const strategy = round % 2 === 0 ? 'row-by-row' : 'reserve-then-confirm';
    await withScene((scene) => mix(scene, round, { each, alive, tally }), {
      config: `policy: { strategy: ${strategy} }`,
      faults: { ...FAULTS, seed: round + 1 },
    });
  }
  const { processes, kills: killed, stops, payments, files } = tally;
  return `${String(processes)} processes, ${String(killed)} kills, ${String(stops)} stops, ${String(payments)} payments in ${String(files)} files: 0 paid twice, the answers agree with the books`;
}

async function mix(
  scene: Scene,
  round: number,
  { each, alive, tally }: { readonly each: number; readonly alive: number; readonly tally: Tally },
): Promise<void> {
  const random = dice(7_000 + round);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const { start, file, pd, inbox } = scene;
  await pd('status');
  const amounts = range(20).map((row) => 100 + row);
  const lines = amounts.map((amount) =>
    lineTo(`m${String(amount)}`, amount % 5 === 0 ? '' : `M-${String(amount)}`, String(amount)),
  );
  const orders = [lines, lines.toReversed(), lines.slice(5, 15), lines.slice(0, 12).toReversed()];
  const paths = await Promise.all(orders.map((order, at) => file(`m${String(at)}.csv`, order)));
  writeFileSync(join(inbox, 'dropped.csv'), readFileSync(paths[3] ?? ''));
  tally.payments += amounts.length * orders.length;
  tally.files += orders.length + 1;
  const running = new Set<Promise<unknown>>();
  for (const turn of range(each)) {
    const batches = readdirSync(join(scene.workspace, 'processing')).filter((name) => /^\d{8}-/.test(name));
    const batch = batches.length === 0 ? null : pick(batches);
    const by = ['--by', 'Marie', '--reason', 'tried'];
    const onBatch =
      batch === null
        ? ['resume']
        : pick([
            ['release', batch, '--skip', ...by],
            ['pause', batch, ...by],
            ['reconcile', batch],
          ]);
    const order =
      turn < paths.length
        ? ['run', '--wait', '5s', paths[turn] ?? '']
        : pick([
            ['watch'],
            ['resume', '--wait', '5s'],
            ['run', '--wait', '2s', pick(paths)],
            onBatch,
            onBatch,
          ]);
    const process = start(...order);
    tally.processes += 1;
    const over = torment(process, { random, tally, isDaemon: order[0] === 'watch' }).finally(() =>
      running.delete(over),
    );
    running.add(over);
    if (running.size >= alive) await Promise.race(running);
  }
  await Promise.all(running);
  await settled(scene);
  await agree(scene, amounts);
}

/** Killed, frozen for a while, or left alone. */
async function torment(
  { child, ended }: Running,
  {
    random,
    tally,
    isDaemon,
  }: { readonly random: () => number; readonly tally: Tally; readonly isDaemon: boolean },
): Promise<void> {
  await Promise.race([ended, sleep(300 + random() * 1_800)]);
  const fate = random();
  if (child.exitCode === null && fate < 0.35) {
    tally.stops += 1;
    child.kill('SIGSTOP');
    await sleep(300 + random() * 2_000);
    child.kill('SIGCONT');
    await Promise.race([ended, sleep(random() * 500)]);
  }
  if (child.exitCode === null && (fate > 0.55 || fate < 0.1)) {
    tally.kills += 1;
    child.kill('SIGKILL');
  } else if (isDaemon) {
    await Promise.race([ended, sleep(1_500)]);
    child.kill('SIGTERM');
  }
  await ended;
}

/** Rows that are held to the end are cancelled, and everything is carried to its end. */
async function settled({ pd, workspace }: Scene): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) {
    await pd('resume', '--wait', '20s');
    const { said } = await pd('status', '--json');
    const { batches } = jsonIn(said) as {
      readonly batches: readonly {
        readonly batch: string;
        readonly state: string;
        readonly outcomes: { readonly held: number };
      }[];
    };
    const open = batches.filter(({ state }) => state !== 'closed' && state !== 'refused');
    if (open.length === 0) return;
    for (const { batch, outcomes } of open)
      if (outcomes.held > 0) await pd('release', batch, '--skip', '--by', 'Marie', '--reason', 'the end');
  }
  must(false, `Some batch of ${workspace} does not end.`);
}

/** Each payment at most once, and as often as the answers say. */
async function agree({ workspace, transfers }: Scene, amounts: readonly number[]): Promise<void> {
  const outbox = join(workspace, 'outbox');
  const paid = new Map<string, number>();
  const others = new Map<string, string[]>();
  for (const name of readdirSync(outbox).filter((each) => each.endsWith('.result.csv'))) {
    const [header = '', ...rows] = readFileSync(join(outbox, name), 'utf8').trim().split('\n');
    const at = (column: string): number => header.trim().split(',').indexOf(column);
    for (const row of rows) {
      const cells = row.split(',');
      const amount = String(Number(cells[at('destinationAmount')]));
      const outcome = cells[at('payout.outcome')] ?? '';
      if (outcome === 'paid') paid.set(amount, (paid.get(amount) ?? 0) + 1);
      else others.set(amount, [...(others.get(amount) ?? []), outcome]);
    }
  }
  const found = await transfers();
  for (const amount of amounts.map(String)) {
    const made = found.get(amount) ?? 0;
    must(made <= 1, `The payment of ${amount} was made ${String(made)} times.`);
    must(
      made === (paid.get(amount) ?? 0),
      `The books have ${String(made)} payments of ${amount}, the answers ${String(paid.get(amount) ?? 0)}.`,
    );
    must(
      made > 0 || (others.get(amount) ?? []).every((outcome) => outcome === 'rejected'),
      `The payment of ${amount} was made by none: ${(others.get(amount) ?? []).join(', ')}.`,
    );
  }
}

/** Six processes at one moment, killed, under a limit of a day that holds the half of what they bring. */
export async function limits(): Promise<string> {
  const [rounds, processes, rows] = [3, 6, 20];
  let [killed, most] = [0, 0];
  const LIMIT = 400_000;
  for (const round of range(rounds))
    await withScene(
      async ({ file, start, pd, told }) => {
        const random = dice(99 + round);
        const paths = await Promise.all(
          range(processes).map((at) =>
            file(
              `l${String(at)}.csv`,
              range(rows).map((row) =>
                lineTo(`l${String(at)}-${String(row)}`, `L-${String(at)}-${String(row)}`, String(50 + row)),
              ),
            ),
          ),
        );
        await Promise.all(
          paths.map(async (path, at) => {
            const { child, ended } = start('run', '--wait', '3s', path);
            if (at % 3 === 2) {
              await Promise.race([ended, sleep(900 + random() * 1_500)]);
              if (child.exitCode === null) killed += 1;
              child.kill('SIGKILL');
            }
            await ended;
          }),
        );
        for (let turn = 0; turn < 2; turn += 1)
          await Promise.all(range(processes).map(() => pd('resume', '--wait', '3s')));
        const spent = (await told())
          .filter(({ status }) => status === 'paid' || status === 'submitted')
          .reduce((sum, { sendAmount, feeAmount }) => sum + Number(sendAmount) + Number(feeAmount), 0);
        must(spent <= LIMIT, `${String(spent)} XAF were spent under a limit of ${String(LIMIT)}.`);
        must(spent > LIMIT / 3, `Only ${String(spent)} XAF were spent under a limit of ${String(LIMIT)}.`);
        most = Math.max(most, spent);
      },
      // Calls take long enough that all processes ask before the first has ended.
      { config: `limits: { perDay: ${String(LIMIT)} XAF }`, latencyMs: 150 },
    );
  return `${String(rounds)} runs of ${String(processes)} processes, ${String(killed)} kills: at most ${String(most)} XAF of ${String(LIMIT)}`;
}
