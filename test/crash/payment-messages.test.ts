// Payment messages of two days are killed again and again while they are taken, paid and answered. In the end every payment is made once, and an accounting
// program that takes each listed payment for one that came back opens exactly the invoices that ended unpaid, each once. `CRASH_RUNS` has more scenes, and
// `CRASH_MESSAGES` more and smaller messages in each: a process is killed in the midst of all of them.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'csv-parse/sync';
import { afterAll, expect, test } from 'vitest';

import { expectedTransferId } from '../invariants/expected-id.ts';
import { booksDiffer, setByTryton } from '../invariants/accounting-readers.ts';
import { checkStatusMessages, returnsOfOdoo, type Ended } from '../invariants/status-messages.ts';
import { blocks, payment } from '../rows/pain001/messages.ts';
import { collectService } from './collect-evidence.ts';
import { openScene, type Scene } from './crash-scene.ts';
import { BY_CHANCE, CALL_POINTS, ENDING_POINTS, TAKING_POINTS } from './kill-points.ts';
import { live } from './one-life.ts';
import { newSeed, seeded } from './seeded.ts';

const CONFIG = [
  'policy: { onInvalidRows: skip-rows }',
  'executionDate: { past: pay }',
  'iso20022: { camt054: true, debtors: [{ account: PAYDROP-XAF, currency: XAF }] }\n',
].join('\n');

const ROWS = 40;
const RUNS = Number(process.env['CRASH_RUNS'] ?? 1);
const MESSAGES = Number(process.env['CRASH_MESSAGES'] ?? 1);
const KILLS = 5 + MESSAGES;
const SEED = newSeed();
/** Some of them unlucky, on both days. */
const ROWS_LEAST = 12;
const LIMIT_MS = 180_000 * Math.max(1, MESSAGES / 4);
/** Rounds without a kill are few. */
const ROUNDS_MOST = 25 + KILLS;
const WAIT = ['--json', '--wait', '60s'] as const;

const DAYS = ['2026-01-05', '2026-01-06'] as const;
/** Each ends otherwise: at the network, at its confirm, by the staff's hand; and one amount that nobody can pay. */
const UNLUCKY = ['0100002', '0010027', '0100005', '0077002'] as const;

/** @param mark tells the payments of one message from those of the others. */
function paymentOf(index: number, mark: number): string {
  const number = String(index).padStart(3, '0');
  const unlucky = index % 7 === 3 ? UNLUCKY[Math.floor(index / 7) % UNLUCKY.length] : undefined;
  const value = index % 11 === 5 ? '0' : `${String(100 + index)}.50`;
  return payment({
    reference: `R-${String(mark)}-${number}`,
    amount: `<InstdAmt Ccy="CNY">${value}</InstdAmt>`,
    name: `Li, Wei ${String(mark)} ${number}`,
    account: `<Id><Othr><Id>+861${String(30 + mark)}${unlucky ?? `5${number}000`}</Id><SchmeNm><Prtry>WECHAT</Prtry></SchmeNm></Othr></Id>`,
  });
}

/** What the readers of accounting programs were given; `TABLE=1` prints it. */
const read = { status: 0, advices: 0 };
afterAll(() => {
  if (process.env['TABLE'] !== undefined) process.stdout.write(`\n${JSON.stringify(read)}\n`);
});

type Message = { readonly stem: string; readonly text: string; readonly days: readonly string[] };

/** The days take turns in the message, in three blocks. */
function messageOf(rows: number, mark: number): Message {
  const parts = [DAYS[1], DAYS[0], DAYS[1]].map((day, part) => {
    const own = Array.from({ length: rows }, (_none, index) => index).filter((index) => index % 3 === part);
    return { day, payments: own.map((index) => paymentOf(index, mark)) };
  });
  return {
    stem: `salaries-${String(mark)}`,
    text: blocks(
      parts.map(({ day, payments }) => [day, payments] as const),
      { msgId: `M-${String(mark)}` },
    ),
    days: parts.flatMap(({ day, payments }) => payments.map(() => day)),
  };
}

async function answers(scene: Scene, kind: RegExp, stem = ''): Promise<readonly string[]> {
  const outbox = join(scene.workspace, 'outbox');
  const names = (await readdir(outbox).catch(() => [])).filter(
    (name) => name.startsWith(stem) && kind.test(name),
  );
  const numberOf = (name: string) => Number(/-(\d+)\.xml$/.exec(name)?.[1] ?? 0);
  const inOrder = names.toSorted((a, b) => numberOf(a) - numberOf(b));
  return Promise.all(inOrder.map((name) => readFile(join(outbox, name), 'utf8')));
}

async function isFinished(scene: Scene): Promise<boolean> {
  const summaries = await answers(scene, /\.summary\.json$/);
  const states = summaries.map((text) => (JSON.parse(text) as { readonly state: string }).state);
  return states.length === DAYS.length * MESSAGES && states.every((state) => state === 'closed');
}

async function crash(scene: Scene, paths: readonly string[], seed: number): Promise<void> {
  const dice = seeded(seed);
  let kills = 0;
  for (let round = 0; round < ROUNDS_MOST && !(await isFinished(scene)); round += 1) {
    const isTaken = (await answers(scene, /\.ack\.json$/)).length === DAYS.length * MESSAGES;
    // All of them may be killed before they have taken the last message.
    const isRun = round % 2 === 0 && (round < KILLS || !isTaken);
    const command = [...(isRun ? ['run', ...paths] : ['resume']), ...WAIT];
    const points = [BY_CHANCE, ...CALL_POINTS, ...(isTaken ? ENDING_POINTS : TAKING_POINTS)];
    const point = kills < KILLS ? dice.oneOf(points) : null;
    const { killedAt, ended } = await live(scene, command, point, dice);
    if (killedAt !== null) kills += 1;
    else expect(ended.code, ended.stderr).not.toBe(1);
  }
}

/** Gives how many transfers are those of its payments. */
async function judge(
  scene: Scene,
  byId: ReadonlyMap<string, string>,
  { stem, text, days }: Message,
): Promise<number> {
  const own = (kind: RegExp) => answers(scene, kind, `${stem}.`);
  const results = await own(/\.result\.csv$/);
  const rows = results.flatMap((each) => parse<Record<string, string>>(each, { columns: true }));
  expect(rows).toHaveLength(days.length);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const attempts = Array.from({ length: 12 }, (_none, index) => index + 1);
  let known = 0;
  for (const row of rows) {
    const place = row['payout.row'] ?? '';
    const day = days[Number(place) - 1] ?? '';
    const made = attempts.flatMap(
      (each) => byId.get(expectedTransferId(`${sha256}#${day}`, place, each)) ?? [],
    );
    known += made.length;
    const paid = made.filter((status) => status === 'paid').length;
    expect([place, paid], row['payout.reason']).toEqual([place, row['payout.outcome'] === 'paid' ? 1 : 0]);
  }
  const ended: readonly Ended[] = rows.map((row) => ({
    endToEndId: row['iso.endToEndId'] ?? '',
    outcome: row['payout.outcome'] ?? '',
  }));
  const told = await own(/\.status-\d+\.xml$/);
  expect(checkStatusMessages(told, ended, 'rejected')).toEqual([]);
  const unpaid = ended.filter(({ outcome }) => outcome === 'failed' || outcome === 'rejected');
  expect([...returnsOfOdoo(told)].sort()).toEqual(unpaid.map(({ endToEndId }) => endToEndId).sort());
  const advices = await own(/\.camt054(?:-\d+)?\.xml$/);
  const cost = rows.map((row) => {
    const sum = Number(row['payout.sendAmount']) + Number(row['payout.feeAmount']);
    return [row['iso.endToEndId'] ?? '', row['payout.outcome'] === 'paid' ? sum : 0] as const;
  });
  expect(booksDiffer(advices, new Map(cost))).toEqual([]);
  const succeeded = advices.flatMap(setByTryton).filter(({ kind }) => kind === 'payable');
  expect(succeeded.filter(({ state }) => state !== 'failed')).toEqual([]);
  const advised = advices.flatMap((each) =>
    [...each.matchAll(/<EndToEndId>([^<]*)</g)].map(([, id = '']) => id),
  );
  const debited = ended.filter(({ outcome }) => outcome === 'paid').map(({ endToEndId }) => endToEndId);
  expect(advised.sort()).toEqual(debited.sort());
  read.status += told.length;
  read.advices += advices.length;
  return known;
}

async function judgeAll(scene: Scene, messages: readonly Message[]): Promise<void> {
  const { transfers } = await collectService(scene);
  const byId = new Map(transfers.map(({ externalId, status }) => [externalId, status]));
  let known = 0;
  for (const message of messages) known += await judge(scene, byId, message);
  expect(known).toBe(transfers.length);
}

test.each(Array.from({ length: RUNS }, (_none, index) => SEED + index))(
  'messages of two days that are killed are paid once and told once (seed %i)',
  { timeout: LIMIT_MS },
  async (seed) => {
    const scene = await openScene({
      ...{ rows: 0, files: 0, seed: seed % 1_000_000, faultsPercent: 2, config: CONFIG },
      sandboxArgs: ['--latency', '10ms'],
    });
    try {
      const rows = Math.max(ROWS_LEAST, Math.round(ROWS / MESSAGES));
      const messages = Array.from({ length: MESSAGES }, (_none, mark) => messageOf(rows, mark));
      const paths = messages.map(({ stem }) => join(scene.folder, `${stem}.xml`));
      for (const [index, { text }] of messages.entries()) await writeFile(paths[index] ?? '', text);
      await crash(scene, paths, seed);
      expect(await isFinished(scene)).toBe(true);
      // Once more: nothing is sent for it.
      await live(scene, ['run', ...paths, ...WAIT], null, seeded(seed));
      await judgeAll(scene, messages);
    } finally {
      await scene.close();
    }
  },
);
