// The power goes. What the program had waited for is there, at whatever moment it went; and the program goes on from what is left and pays each row
// once. The trace of its calls to the system is real, the disk that forgets is a model: it loses nothing that was synced, and no disk does less. What a
// disk does that lies about having synced, no test shows.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { verifyHistory } from '../../src/ledger/sqlite/verify-history.ts';
import { openScene, type Scene } from '../crash/crash-scene.ts';
import { expectEveryRowPaidOnce } from '../crash/judged-scene.ts';
import { newSeed, seeded } from '../crash/seeded.ts';
import { Disk, LOSSES, type Loss } from './disk.ts';
import { type Call, callsIn, canTrace, textsOf, tracedTo } from './trace.ts';

const ROWS = 12;
/** Lives of one workspace, each of which ends in a power cut. */
const LIVES = 3;
const SEED = newSeed();

/** Several traced processes, one after another, on a busy machine. */
const LIMIT_MS = 240_000;

if (!canTrace) process.stderr.write('strace cannot be used here: no power cut is tried.\n');

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-power-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.skipIf(!canTrace)('at each moment of a run', () => {
  it('what was awaited is on the disk', { timeout: LIMIT_MS }, async () => {
    const scene = await openScene({ rows: ROWS });
    const trace = join(folder, 'whole');
    const disk = new Disk(scene.workspace);
    await scene.startUnder(tracedTo(trace), ['run', ...scene.files]).ended;
    const outbox = join(scene.workspace, 'outbox');
    const answers = (await readdir(outbox)).sort();
    expect(answers.length).toBeGreaterThan(3);

    const seen = { confirmed: 0, created: 0, priced: 0, cuts: 0, answers: 0 };
    for await (const call of callsIn(trace)) {
      disk.follow(call);
      const asked = askedBy(call, disk);
      if (asked !== null || call.name === 'fsync' || call.name === 'fdatasync') {
        const left = await afterCut(disk, 'synced');
        seen.cuts += 1;
        if (asked?.confirms !== undefined) {
          seen.confirmed += 1;
          expect(left.intended, `the confirm of ${asked.confirms} is intended`).toContain(asked.confirms);
        }
        if (asked !== null && asked.confirms === undefined) {
          seen[asked.kind] += 1;
          expect(left, 'every row is registered before a first call').toMatchObject({ rows: ROWS });
          expect(left.manifests, 'a manifest is there before a first call').toBeGreaterThan(0);
        }
        for (const { name, now, synced } of disk.filesIn(outbox)) {
          if (name.startsWith('.')) continue;
          seen.answers += 1;
          const isWhole = synced.length > 0 && synced.equals(now);
          expect(isWhole, `${name} is on the disk as soon as it has its name`).toBe(true);
        }
      }
      if (
        call.name === 'write' &&
        /^1, /.test(call.words) &&
        String(textsOf(call.words)[0]).includes('summary')
      )
        expect([...disk.filesIn(outbox)].map(({ name }) => name).sort()).toEqual(answers);
    }
    await scene.close();
    expect(seen.confirmed).toBeGreaterThanOrEqual(ROWS);
    expect(seen.created).toBeGreaterThanOrEqual(ROWS);
    expect(seen.priced).toBeGreaterThanOrEqual(ROWS);
    expect(seen.answers).toBeGreaterThan(answers.length);
    process.stdout.write(`power cuts at ${String(seen.cuts)} moments of one run\n`);
  });
});

describe.skipIf(!canTrace)('a run that goes on after power cuts', () => {
  it.each(LOSSES)(
    'pays each row once where the disk keeps %s (seed ' + String(SEED) + ')',
    { timeout: LIMIT_MS },
    async (loss) => {
      const scene = await openScene({ rows: ROWS, sandboxArgs: ['--latency', '10ms'] });
      const dice = seeded(SEED + LOSSES.indexOf(loss));
      for (let life = 0; life < LIVES; life += 1) {
        const kinds = dice.oneOf(['fsync', 'pwrite64', 'write,writev', 'rename,unlink,mkdir']);
        await cutInLife(scene, loss, { kinds, when: 1 + dice.below(kinds === 'pwrite64' ? 400 : 60) }, dice);
      }
      await expectEveryRowPaidOnce(scene);
      await scene.close();
    },
  );
});

/** A life that ends with the power, or by itself before: then the power goes behind its end. */
async function cutInLife(
  scene: Scene,
  loss: Loss,
  killAt: { readonly kinds: string; readonly when: number },
  dice: ReturnType<typeof seeded>,
): Promise<void> {
  const trace = join(folder, `${loss}-${String(dice.below(1_000_000))}`);
  const disk = new Disk(scene.workspace);
  await scene.startUnder(tracedTo(trace, killAt), ['run', ...scene.files]).ended;
  for await (const call of callsIn(trace)) disk.follow(call);
  await rm(scene.workspace, { recursive: true });
  disk.writeTo(scene.workspace, loss, dice);
}

type Asked = { readonly kind: 'priced' | 'created' | 'confirmed'; readonly confirms?: string };

/** What of the service is asked with this call. */
function askedBy({ name, words }: Call, disk: Disk): Asked | null {
  if ((name !== 'write' && name !== 'writev') || disk.has(Number.parseInt(words))) return null;
  const [, path = ''] = /^POST (\S+) HTTP/.exec(String(textsOf(words)[0] ?? '').slice(0, 200)) ?? [];
  const confirms = /^\/transfers\/([^/]+)\/confirm$/.exec(path)?.[1];
  if (confirms !== undefined) return { kind: 'confirmed', confirms };
  if (path === '/transfers') return { kind: 'created' };
  return path === '/rates' ? { kind: 'priced' } : null;
}

type Left = { readonly rows: number; readonly intended: readonly string[]; readonly manifests: number };

/** What is found once the power is back. The ledger has to open, to be sound, and to have a history without a fault. */
async function afterCut(disk: Disk, loss: Loss): Promise<Left> {
  const target = await mkdtemp(join(folder, 'cut-'));
  disk.writeTo(target, loss, seeded(SEED));
  const left = { ...(await ledgerIn(target)), manifests: await manifestsIn(target) };
  await rm(target, { recursive: true });
  return left;
}

async function ledgerIn(target: string): Promise<Omit<Left, 'manifests'>> {
  const path = join(target, 'ledger.sqlite');
  const none = { rows: 0, intended: [] };
  if (!(await readdir(target)).includes('ledger.sqlite')) return none;
  const database = new DatabaseSync(path);
  try {
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'row_states'").all();
    if (tables.length === 0) return none;
    const { batchFault, fault, rowFault, sumFault } = await verifyHistory(path);
    expect({ batchFault, fault, rowFault, sumFault }).toEqual({
      ...{ batchFault: null, fault: null, rowFault: null, sumFault: null },
    });
    const intended = database.prepare(
      "SELECT progress ->> '$.transfer.transferId' AS id FROM row_states WHERE stage NOT IN ('ready', 'quoted', 'created')",
    );
    const rows = database.prepare('SELECT count(*) AS rows FROM row_states').get()?.['rows'];
    return { rows: Number(rows), intended: intended.all().map(({ id }) => String(id)) };
  } finally {
    database.close();
  }
}

/** In the folder of a batch: one that is still being put together is thrown away. */
async function manifestsIn(target: string): Promise<number> {
  const names = await readdir(join(target, 'processing'), { recursive: true }).catch(() => []);
  return names.filter((name) => /^[\w-]+\/batch\.\d+\.json$/.test(name)).length;
}
