// The other process: drops files into an inbox in an order drawn from a seed, several at once, as slowly and as untidily as people and programs do.
// `node drop-files.ts <sources> <inbox> <plan.json> <seed>`.
import { readFileSync } from 'node:fs';
import { appendFile, chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { systemClock } from '../../../src/base/clock.ts';
import { seeded } from '../../crash/seeded.ts';
import type { Dropped } from './forty-files.ts';

const [sources = '', inbox = '', planPath = '', seed = '1'] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planPath, 'utf8')) as readonly Dropped[];
const dice = seeded(Number(seed));

/** Between two pieces; well below the time to settle. */
const PAUSE_MS = 25;

/** Hands that work at the same time. */
const HANDS = 6;

const done = new Set<string>();
const left = shuffled(plan);
await Promise.all(Array.from({ length: HANDS }, work));

async function work(): Promise<void> {
  while (left.length > 0) {
    const index = left.findIndex(({ after }) => after.every((name) => done.has(name)));
    const [next] = index < 0 ? [] : left.splice(index, 1);
    if (next === undefined) await systemClock.sleep(PAUSE_MS);
    else {
      await drop(next);
      done.add(next.name);
    }
  }
}

async function drop({ name, manner, source }: Dropped): Promise<void> {
  const path = join(inbox, name);
  const content = await readFile(join(sources, source));
  await mkdir(dirname(path), { recursive: true });
  switch (manner) {
    case 'slowly':
      return inPieces(path, content);
    case 'renamed':
      await inPieces(`${path}.part`, content);
      return rename(`${path}.part`, path);
    case 'replaced':
      await writeFile(path, content.subarray(0, content.length / 2));
      await systemClock.sleep(PAUSE_MS);
      await writeFile(`${path}.tmp`, content);
      return rename(`${path}.tmp`, path);
    case 'deleted':
      await inPieces(path, content.subarray(0, content.length / 2));
      return rm(path);
    case 'linked':
      return symlink(join(sources, source), path);
    case 'folder':
      await mkdir(path);
      return;
    case 'unreadable':
      await writeFile(`${path}.tmp`, content);
      await chmod(`${path}.tmp`, 0);
      return rename(`${path}.tmp`, path);
  }
}

/** Cut behind a comma, so that no piece looks like a whole file, however long this process has to wait for its turn. */
async function inPieces(path: string, content: Uint8Array): Promise<void> {
  const text = Buffer.from(content);
  const cuts = [...new Set([1, 2, 3].map(() => text.indexOf(0x2c, dice.below(text.length)) + 1))].sort(
    (a, b) => a - b,
  );
  let from = 0;
  await writeFile(path, '');
  for (const to of [...cuts.filter((cut) => cut > 0), text.length]) {
    await appendFile(path, text.subarray(from, to));
    from = to;
    await systemClock.sleep(dice.below(2 * PAUSE_MS));
  }
}

function shuffled(all: readonly Dropped[]): Dropped[] {
  const order = all.map((dropped) => ({ dropped, at: dice.roll() }));
  return order.sort((a, b) => a.at - b.at).map(({ dropped }) => dropped);
}
