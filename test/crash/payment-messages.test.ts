// Payment messages of two days are killed again and again while they are taken, paid and answered, and once more while payments come back hours later. In the
// end every payment is made once, and the accounting programs that read our messages hold what the service holds: an invoice is open where its payment ended
// unpaid, and nowhere else; what was debited is booked with its fee, and what was given back is taken off again. `CRASH_RUNS` has more scenes, and
// `CRASH_MESSAGES` more and smaller messages in each: a process is killed in the midst of all of them. `TABLE=1` prints what was read.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'csv-parse/sync';
import { afterAll, expect, test } from 'vitest';

import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { leapClock, type LeapClock } from '../app/leap-clock.ts';
import {
  booksDiffer,
  missingForDynamics,
  returnedByOdoo,
  returnedByStatus,
  setByTryton,
} from '../invariants/accounting-readers.ts';
import { expectedTransferId } from '../invariants/expected-id.ts';
import { checkStatusMessages, readStatus, returnsOfOdoo, type Ended } from '../invariants/status-messages.ts';
import { blocks, payment } from '../rows/pain001/messages.ts';
import { collectService } from './collect-evidence.ts';
import { openScene, type Scene } from './crash-scene.ts';
import { BY_CHANCE, CALL_POINTS, ENDING_POINTS, TAKING_POINTS } from './kill-points.ts';
import { live } from './one-life.ts';
import type { SandboxProcess } from './processes.ts';
import { newSeed, seeded, type Dice } from './seeded.ts';

const CONFIG = [
  'policy: { onInvalidRows: skip-rows }',
  'executionDate: { past: pay }',
  'iso20022: { camt054: true, debtors: [{ account: PAYDROP-XAF, currency: XAF }] }\n',
].join('\n');

const RUNS = Number(process.env['CRASH_RUNS'] ?? 1);
const MESSAGES = Number(process.env['CRASH_MESSAGES'] ?? 2);
const KILLS = 5 + Math.ceil(MESSAGES / 2);
/** While payments come back. */
const LATE_KILLS = 2 + Math.ceil(MESSAGES / 5);
const SEED = newSeed();
/** Of one message alone, and of many; some are unlucky on both days. */
const [ROWS_MOST, ROWS_LEAST] = [40, 12];
const LIMIT_MS = 180_000 * Math.max(1, MESSAGES / 4);
/** Rounds without a kill are few. */
const ROUNDS_MOST = 25 + KILLS;
const WAIT = ['--json', '--wait', '60s'] as const;

const DAYS = ['2026-01-05', '2026-01-06'] as const;
/** Paid, and given back later. */
const REVERSED = '0100001';
/** Each ends otherwise: given back, at the network, at its confirm, by the staff's hand; and one amount that nobody can pay. */
const UNLUCKY = [REVERSED, '0100002', '0010027', '0100005', '0077002'] as const;

const HOUR_MS = 3_600_000;
/** When payments come back, a quarter more or less; they are looked at again by then. */
const REVERSAL_MS = 2 * HOUR_MS;
const LATER_MS = 3 * HOUR_MS;

/** Who reads what: the version of a message, and of the advice to it. */
const VERSIONS = [
  ['09', '08'],
  ['03', '02'],
] as const;

/** What the readers of accounting programs were given and hold, by kind. */
const read: Record<string, number> = {};
const count = (kind: string, by = 1): void => void (read[kind] = (read[kind] ?? 0) + by);
afterAll(() => {
  if (process.env['TABLE'] === undefined) return;
  for (const [kind, number] of Object.entries(read).sort())
    process.stdout.write(`${String(number).padStart(7)}  ${kind}\n`);
});

/** @param mark tells the payments of one message from those of the others. */
function paymentOf(index: number, mark: number): string {
  const number = String(index).padStart(3, '0');
  const unlucky = index % 7 === 3 ? UNLUCKY[(Math.floor(index / 7) + 4 * mark) % UNLUCKY.length] : undefined;
  const value = index % 11 === 5 ? '0' : `${String(100 + index)}.50`;
  return payment({
    reference: `R-${String(mark)}-${number}`,
    amount: `<InstdAmt Ccy="CNY">${value}</InstdAmt>`,
    name: `Li, Wei ${String(mark)} ${number}`,
    account: `<Id><Othr><Id>+861${String(30 + mark)}${unlucky ?? `5${number}000`}</Id><SchmeNm><Prtry>WECHAT</Prtry></SchmeNm></Othr></Id>`,
  });
}

type Message = {
  readonly stem: string;
  readonly text: string;
  /** Of the advices to it. */
  readonly advised: string;
  /** The EndToEndIds of the payments that come back. */
  readonly reversed: readonly string[];
};

/** The days take turns in the message, in three blocks. */
function messageOf(rows: number, mark: number): Message {
  const parts = [DAYS[1], DAYS[0], DAYS[1]].map((day, part) => {
    const own = Array.from({ length: rows }, (_none, index) => index).filter((index) => index % 3 === part);
    return { day, payments: own.map((index) => paymentOf(index, mark)) };
  });
  const [version, advised] = VERSIONS[mark % VERSIONS.length] ?? VERSIONS[0];
  const all = parts.flatMap(({ payments }) => payments);
  return {
    stem: `salaries-${String(mark)}`,
    text: blocks(
      parts.map(({ day, payments }) => [day, payments] as const),
      { msgId: `M-${String(mark)}`, version },
    ),
    advised,
    reversed: all
      .filter((each) => each.includes(`${REVERSED}</Id>`))
      .map((each) => /<EndToEndId>([^<]*)/.exec(each)?.[1] ?? ''),
  };
}

async function answers(scene: Scene, kind: RegExp, stem = ''): Promise<readonly string[]> {
  const outbox = join(scene.workspace, 'outbox');
  const names = (await readdir(outbox).catch(() => [])).filter(
    (name) => name.startsWith(stem) && kind.test(name),
  );
  const inOrder = names.toSorted((a, b) => versionOf(a) - versionOf(b));
  return Promise.all(inOrder.map((name) => readFile(join(outbox, name), 'utf8')));
}

const versionOf = (name: string) => Number(/-(\d+)\.[a-z]+$/.exec(name)?.[1] ?? 0);

async function isFinished(scene: Scene): Promise<boolean> {
  const summaries = await answers(scene, /\.summary\.json$/);
  const states = summaries.map((text) => (JSON.parse(text) as { readonly state: string }).state);
  return states.length === MESSAGES && states.every((state) => state === 'closed');
}

async function crash(scene: Scene, paths: readonly string[], dice: Dice): Promise<void> {
  let kills = 0;
  for (let round = 0; round < ROUNDS_MOST && !(await isFinished(scene)); round += 1) {
    const isTaken = (await answers(scene, /\.ack\.json$/)).length === MESSAGES;
    // All of them may be killed before they have taken the last message.
    const isRun = round % 2 === 0 && (round < KILLS || !isTaken);
    const command = [...(isRun ? ['run', ...paths] : ['resume']), ...WAIT];
    const points = [BY_CHANCE, ...CALL_POINTS, ...(isTaken ? ENDING_POINTS : TAKING_POINTS)];
    const point = kills < KILLS ? dice.oneOf(points) : null;
    const { killedAt, ended } = await live(scene, command, point, dice);
    if (killedAt !== null) kills += 1;
    else expect(ended.code, ended.stderr).not.toBe(1);
  }
  count('kills until all was paid', kills);
}

const AHEAD = fileURLToPath(new URL('clock-ahead.ts', import.meta.url));

/** The same answer, written again under the next number. */
const again = (path: RegExp) =>
  new RegExp(path.source.replace(/\\\.(result|reconciliation|summary)\\\./, '\\.$1-2\\.'));

/** Where a look at what was paid before, and the answers to what it shows, can be cut off. */
const LATE_POINTS = [
  ...CALL_POINTS.filter(({ name }) => name.startsWith('status read')),
  ...ENDING_POINTS.flatMap((point) =>
    point.kind === 'file' && point.path.source.startsWith('^outbox')
      ? [{ ...point, path: again(point.path) }]
      : [],
  ),
];

/** Hours later, with the same kills: payments come back, and each batch that has one is answered again. */
async function crashLater(scene: Scene, stems: readonly string[], dice: Dice): Promise<Scene> {
  const prelude = `export PAYDROP_TEST_AHEAD_MS=${String(LATER_MS)} NODE_OPTIONS=--import=${AHEAD};`;
  const later: Scene = { ...scene, start: (command) => scene.startUnder(prelude, command) };
  const points = [BY_CHANCE, ...LATE_POINTS];
  const isTold = async () => {
    const told = await Promise.all(stems.map((stem) => answers(scene, /\.summary-\d+\.json$/, `${stem}.`)));
    return told.every((each) => each.length > 0);
  };
  let kills = 0;
  for (let round = 0; round < ROUNDS_MOST && !(await isTold()); round += 1) {
    const point = kills < LATE_KILLS ? dice.oneOf(points) : null;
    const { killedAt, ended } = await live(later, ['resume', ...WAIT], point, dice);
    if (killedAt !== null) kills += 1;
    else expect(ended.code, ended.stderr).not.toBe(1);
  }
  count('kills while payments came back', kills);
  expect(await isTold()).toBe(true);
  return later;
}

/** The newest. */
async function results(scene: Scene, stem: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const texts = await answers(scene, /\.result(?:-\d+)?\.csv$/, `${stem}.`);
  return parse<Record<string, string>>(texts.at(-1) ?? '', { columns: true });
}

/** Gives how many transfers are those of its payments. */
async function judge(scene: Scene, byId: ReadonlyMap<string, string>, message: Message): Promise<number> {
  const { stem, text, reversed } = message;
  const rows = await results(scene, stem);
  expect(rows).toHaveLength([...text.matchAll(/<EndToEndId>/g)].length);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const attempts = Array.from({ length: 12 }, (_none, index) => index + 1);
  let known = 0;
  for (const row of rows) {
    const place = row['payout.row'] ?? '';
    const made = attempts.flatMap((each) => byId.get(expectedTransferId(sha256, place, each)) ?? []);
    known += made.length;
    const paid = made.filter((status) => status === 'paid').length;
    expect([place, paid], row['payout.reason']).toEqual([place, row['payout.outcome'] === 'paid' ? 1 : 0]);
  }
  const ended: readonly Ended[] = rows.map((row) => ({
    endToEndId: row['iso.endToEndId'] ?? '',
    outcome: row['payout.outcome'] ?? '',
  }));
  const outcomeOf = new Map(ended.map(({ endToEndId, outcome }) => [endToEndId, outcome]));
  expect(reversed.map((id) => outcomeOf.get(id))).toEqual(reversed.map(() => 'failed'));
  const told = await answers(scene, /\.status-\d+\.xml$/, `${stem}.`);
  judgeStatuses(told, ended);
  const cost = rows.map((row) => {
    const sum = Number(row['payout.sendAmount']) + Number(row['payout.feeAmount']);
    return [row['iso.endToEndId'] ?? '', row['payout.outcome'] === 'paid' ? sum : 0] as const;
  });
  judgeAdvices(await answers(scene, /\.camt054(?:-\d+)?\.xml$/, `${stem}.`), new Map(cost), message, ended);
  return known;
}

/** An invoice is open again where its payment ended unpaid, once, and nowhere else. */
function judgeStatuses(told: readonly string[], ended: readonly Ended[]): void {
  expect(checkStatusMessages(told, ended, 'rejected')).toEqual([]);
  const unpaid = ended.filter(({ outcome }) => outcome === 'failed' || outcome === 'rejected');
  const opened = unpaid.map(({ endToEndId }) => endToEndId).sort();
  expect([...returnsOfOdoo(told)].sort()).toEqual(opened);
  // By its own rule the reader of version 03 books a number: none of a foreign currency may stand there.
  const returned = told.flatMap(returnedByStatus);
  expect(returned.filter(({ amount }) => amount !== null)).toEqual([]);
  for (const each of told) {
    const { version, group, transactions } = readStatus(each);
    count(`pain.002.001.${version}, group ${group === '' ? 'without status' : group}`);
    count('payments told rejected', transactions.length);
  }
  count('status messages', told.length);
  count('payments', ended.length);
  for (const { outcome } of ended) count(`payments ${outcome}`);
}

/** What was debited is booked with its fee, once, and what was given back is taken off again; nothing is set to succeeded by it. */
function judgeAdvices(
  advices: readonly string[],
  cost: ReadonlyMap<string, number>,
  { advised, reversed }: Message,
  ended: readonly Ended[],
): void {
  expect(booksDiffer(advices, cost)).toEqual([]);
  const set = advices.flatMap(setByTryton).filter(({ kind }) => kind === 'payable');
  expect(set.map(({ id, state }) => [id, state]).sort()).toEqual(reversed.map((id) => [id, 'failed']).sort());
  for (const each of advices) expect(missingForDynamics(each, advised)).toEqual([]);
  expect(
    advices
      .flatMap(returnedByOdoo)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(advised === '02' ? reversed.toSorted() : []);
  const debited = ended.filter(({ outcome }) => outcome === 'paid').map(({ endToEndId }) => endToEndId);
  const ids = advices.flatMap((each) => [...each.matchAll(/<EndToEndId>([^<]*)</g)].map(([, id = '']) => id));
  expect(ids.sort()).toEqual([...debited, ...reversed, ...reversed].sort());
  for (const each of advices) {
    const side = each.includes('<RtrInf>') ? 'of what came back' : 'of debits';
    count(`camt.054.001.${advised} ${side}`);
    count('fees told', [...each.matchAll(/<TtlChrgsAndTaxAmt Ccy="[A-Z]+">(?!0+(?:\.0+)?<)/g)].length);
  }
  count('advices', advices.length);
  count('payments given back', reversed.length);
}

async function judgeAll(scene: Scene, messages: readonly Message[]): Promise<void> {
  const { transfers } = await collectService(scene);
  const byId = new Map(transfers.map(({ externalId, status }) => [externalId, status]));
  let known = 0;
  for (const message of messages) known += await judge(scene, byId, message);
  expect(known).toBe(transfers.length);
}

/** In this process, so that hours can pass there. */
function sandboxOn(clock: LeapClock): (journal: string) => Promise<SandboxProcess> {
  return async (journal) => {
    const faultsPath = join(dirname(journal), 'faults.json');
    const options = { statePath: journal, faultsPath, latencyMs: 10, reversalMs: REVERSAL_MS, clock };
    const { baseUrl, apiKey, close } = await startSandbox(options);
    return { baseUrl, apiKey, stop: close };
  };
}

test.each(Array.from({ length: RUNS }, (_none, index) => SEED + index))(
  'messages of two days that are killed are paid once and told once, what comes back too (seed %i)',
  { timeout: LIMIT_MS },
  async (seed) => {
    const clock = leapClock();
    const scene = await openScene({
      ...{ rows: 0, files: 0, seed: seed % 1_000_000, faultsPercent: 2, config: CONFIG },
      sandbox: sandboxOn(clock),
    });
    try {
      const dice = seeded(seed);
      const rows = Math.max(ROWS_LEAST, Math.round(ROWS_MOST / MESSAGES));
      const messages = Array.from({ length: MESSAGES }, (_none, mark) => messageOf(rows, mark));
      const paths = messages.map(({ stem }) => join(scene.folder, `${stem}.xml`));
      for (const [index, { text }] of messages.entries()) await writeFile(paths[index] ?? '', text);
      await crash(scene, paths, dice);
      expect(await isFinished(scene)).toBe(true);
      clock.leap(LATER_MS);
      const again = messages.filter(({ reversed }) => reversed.length > 0).map(({ stem }) => stem);
      const later = await crashLater(scene, again, dice);
      // Once more: nothing is sent for it, and nothing is told again.
      await live(later, ['run', ...paths, ...WAIT], null, dice);
      await live(later, ['resume', ...WAIT], null, dice);
      await judgeAll(scene, messages);
    } finally {
      await scene.close();
    }
  },
);
