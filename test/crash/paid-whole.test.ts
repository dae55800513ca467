// A file that is paid whole or not at all, killed at random moments and its ledger deleted in the middle: nothing is confirmed before every
// transfer stands, and in the end every row is paid exactly once. PAYDROP_TEST_KILLS and PAYDROP_TEST_KILL_ROWS make it longer or larger.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { httpPayoutService } from '../../src/service/http-payout-service.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import type { Transfer } from '../../src/service/wire.ts';
import type { Summary } from '../../src/results/summary.ts';
import { startPaydrop, startSandboxProcess, type Ended, type SandboxProcess } from './processes.ts';
import { newSeed } from './seeded.ts';

const KILLS = Number(process.env['PAYDROP_TEST_KILLS'] ?? '4');
const ROWS = Number(process.env['PAYDROP_TEST_KILL_ROWS'] ?? '80');
const SEED = Number(process.env['PAYDROP_TEST_KILL_SEED'] ?? String(newSeed()));

/** Slow enough that the work is still going on when the last kill comes. */
const LATENCY = `${String(5 + KILLS * 4)}ms`;

/** A process needs about 0.4 s to its first call; the spread behind it lands in every phase. */
const KILL_AFTER_MS = { least: 350, spread: 900 };

const SENDER =
  'sender: { registeredName: Wouri SARL, registrationNumber: RC1, address: Rue Joss, city: Douala, countryIsoCode: CMR }\n';

type Scene = {
  readonly folder: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly sandbox: SandboxProcess;
};

test(
  `${String(ROWS)} rows, paid whole or not at all, killed ${String(KILLS)} times, the ledger deleted in the middle: each is paid once (seed ${String(SEED)})`,
  async () => {
    await withScene(async (scene) => {
      await killRepeatedly(scene, seeded(SEED + 2), async (kill) => {
        const { transfers } = await askSandbox(scene.sandbox);
        // Nothing is confirmed before everything stands.
        if (transfers.some(({ status }) => status !== 'created')) expect(transfers).toHaveLength(ROWS);
        if (kill === Math.ceil(KILLS / 2)) await loseLedger(scene);
      });
      await expectAllPaidOnce(scene);
    }, 'policy: { strategy: reserve-then-confirm }\n');
  },
  30_000 + KILLS * 10_000,
);

async function withScene(work: (scene: Scene) => Promise<void>, more = ''): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-crash-'));
  const sandbox = await startSandboxProcess(['--latency', LATENCY]);
  try {
    const config = join(folder, 'paydrop.yaml');
    await writeFile(config, SENDER + more);
    const file = join(folder, 'payroll.csv');
    await writeFile(file, payroll(ROWS));
    await work({ folder, file, args: ['--config', config, '--workspace', join(folder, 'ws')], sandbox });
  } finally {
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts `run`, and after each kill `resume`; gives how many kills met a living process. */
async function killRepeatedly(
  scene: Scene,
  random: () => number,
  after: (kill: number) => Promise<void>,
): Promise<number> {
  let kills = 0;
  for (let command = ['run', scene.file]; kills < KILLS; command = ['resume']) {
    const started = startPaydrop([...scene.args, ...command, '--json', '--wait', '30s'], scene.sandbox);
    const ended = started.ended.then(() => 'ended');
    const first = await Promise.race([
      ended,
      delay(KILL_AFTER_MS.least + random() * KILL_AFTER_MS.spread, 'kill'),
    ]);
    started.kill();
    await started.ended;
    // One that had ended by itself was not killed; it has nothing left to be killed in.
    if (first === 'ended') break;
    kills += 1;
    await after(kills);
  }
  return kills;
}

/** The ledger is deleted, and rebuilt from the file and the service. */
async function loseLedger(scene: Scene): Promise<void> {
  for (const suffix of ['', '-wal', '-shm'])
    await rm(join(scene.folder, 'ws', `ledger.sqlite${suffix}`), { force: true });
  const { code, stderr } = await run(scene, ['rebuild', scene.file]);
  expect(code, stderr).toBe(0);
}

function run(scene: Scene, command: readonly string[]): Promise<Ended> {
  return startPaydrop([...scene.args, ...command], scene.sandbox).ended;
}

async function expectAllPaidOnce(scene: Scene): Promise<void> {
  // A kill while the file was being taken leaves nothing behind, and the file is simply run again.
  await run(scene, ['run', scene.file, '--json', '--wait', '30s']);
  const { code, stderr } = await run(scene, ['resume', '--json', '--wait', '30s']);
  expect(code, stderr).toBe(0);
  const status = await run(scene, ['status', '--json']);
  const { batches } = JSON.parse(status.stdout) as { batches: readonly Summary[] };
  expect(batches).toHaveLength(1);
  const [summary] = batches;
  expect(summary?.outcomes).toEqual({
    paid: ROWS,
    failed: 0,
    submitted: 0,
    rejected: 0,
    duplicate: 0,
    held: 0,
    pending: 0,
  });
  const { transfers, books } = await askSandbox(scene.sandbox);
  expect(transfers.filter(({ status: at }) => at === 'paid')).toHaveLength(ROWS);
  expect(new Set(transfers.map(({ externalId }) => externalId)).size).toBe(transfers.length);
  expect(summary?.totals.map(({ debited }) => debited)).toEqual([books]);
}

async function askSandbox({
  baseUrl,
  apiKey,
}: SandboxProcess): Promise<{ transfers: readonly Transfer[]; books: string | undefined }> {
  const { transport, close } = undiciTransport(new URL(baseUrl), 1);
  const service = httpPayoutService({ transport, apiKey, timeoutMs: 5_000, clock: systemClock });
  const transfers: Transfer[] = [];
  for (let nextKey: string | null | undefined; nextKey !== null;) {
    const { value } = await service.transfers({ limit: 200, ...(nextKey === undefined ? {} : { nextKey }) });
    transfers.push(...value.transfers);
    nextKey = value.nextKey;
  }
  const answer = await transport({
    method: 'GET',
    path: '/sandbox/books',
    headers: { 'x-api-key': apiKey },
    body: null,
    timeoutMs: 5_000,
  });
  const books = JSON.parse(Buffer.from(answer.body).toString()) as readonly {
    currency: string;
    debitedAmount: number;
  }[];
  await close();
  return { transfers, books: books.find(({ currency }) => currency === 'XAF')?.debitedAmount.toString() };
}

function payroll(rows: number): string {
  const header =
    'reference,destinationCountryIsoCode,transactionMode,deliveryMethod,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.firstName,receiver.lastName,receiver.countryIsoCode,delivery.msisdn';
  const lines = Array.from({ length: rows }, (_none, index) => {
    const number = String(index).padStart(5, '0');
    return `P-${number},CHN,B2C,wechat,XAF,${String(100 + (index % 400))}.50,SALARY_PAYMENT,Li,Wei${number},CHN,+86138${number}500`;
  });
  return `${[header, ...lines].join('\n')}\n`;
}

/** A small generator (mulberry32): the same seed kills at the same moments, as far as a machine repeats itself. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
