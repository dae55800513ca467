// The two ledgers by turns: their own work for a row, with one process and with several, and the whole product over each.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { fileNamed, paydrop } from './desk.ts';
import { atLeast, byTurns, number, shown, spreadOf, type Group, type Line } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { writeCsv } from './payment-files.ts';
import { startService, type Taken } from './processes.ts';

const WORK = fileURLToPath(new URL('ledger-work.ts', import.meta.url));
const LANES = 64;

/** Rows a second of ledger work that one process is to reach over PostgreSQL. */
const RATE_LEAST = 8_000;

type Worked = {
  readonly rowsPerSecond: number;
  readonly registeredPerSecond: number;
  /** Microseconds of processor a row, of all processes and of the database. */
  readonly nodeUs: number;
  readonly databaseUs: number;
};

/** Both as durable as they are meant to be: a server that syncs. */
async function overPostgres<T>(use: (server: PostgresServer) => Promise<T>): Promise<T> {
  const server = await startPostgres({ fsync: true });
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** Ticks are of 10 ms. */
const TICK_MS = 10;

/** Processor of a server with all that it started, also what has ended. */
function processorMs(server: PostgresServer | null): number {
  if (server === null) return 0;
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [, parent, ...rest] = statOf(pid);
    const [user, system, ofEndedUser, ofEndedSystem] = rest.slice(9, 13).map(Number);
    if (Number(parent) === server.pid()) ticks += (user ?? 0) + (system ?? 0);
    if (Number(pid) === server.pid())
      ticks += (user ?? 0) + (system ?? 0) + (ofEndedUser ?? 0) + (ofEndedSystem ?? 0);
  }
  return ticks * TICK_MS;
}

/** The fields behind the name of the program. */
function statOf(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

/** So many processes, each with a batch of its own, that begin at the same moment. */
async function work(
  at: string,
  processes: number,
  rows: number,
  server: PostgresServer | null,
): Promise<Worked> {
  const workers = [];
  for (let index = 1; index <= processes; index++) workers.push(await startWorker(at, index, rows));
  const before = processorMs(server);
  const reports = await Promise.all(workers.map((each) => each.go()));
  const databaseMs = processorMs(server) - before;
  const all = rows * processes;
  const sum = (pick: (report: Report) => number): number =>
    reports.reduce((total, report) => total + pick(report), 0);
  await Promise.all(workers.map(({ ended }) => ended));
  return {
    rowsPerSecond: (all / Math.max(...reports.map(({ workedMs }) => workedMs))) * 1_000,
    registeredPerSecond: (all / sum(({ registeredMs }) => registeredMs)) * 1_000,
    nodeUs: (sum(({ cpuMs }) => cpuMs) / all) * 1_000,
    databaseUs: (databaseMs / all) * 1_000,
  };
}

type Report = { readonly registeredMs: number; readonly workedMs: number; readonly cpuMs: number };

async function startWorker(at: string, index: number, rows: number) {
  const child = spawn(process.execPath, [WORK, at, String(index), String(rows), String(LANES)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('A process of the ledger ended before its work was done.');
    return value;
  };
  await next();
  const go = async (): Promise<Report> => {
    child.stdin.write('go\n');
    return JSON.parse(await next()) as Report;
  };
  return { go, ended };
}

async function workOnFile(processes: number, rows: number): Promise<Worked> {
  const folder = mkdtempSync(join(tmpdir(), 'paydrop-ledger-'));
  try {
    return await work(join(folder, 'ledger.sqlite'), processes, rows, null);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const workOnServer = (processes: number, rows: number): Promise<Worked> =>
  overPostgres((server) => work(`${server.url}?schema=bench`, processes, rows, server));

/** Claim and three records of a row, without a service. */
export async function ledgerWork({ runs, rows: wished, isScaled, isQuick }: BenchOptions): Promise<Group> {
  const rows = isScaled ? wished : 20_000;
  const lines: Line[] = [];
  const data: unknown[] = [];
  for (const processes of isQuick ? [1] : [1, 2, 4]) {
    const each = Math.ceil(rows / processes);
    const worked = await byTurns(runs, {
      sqlite: () => workOnFile(processes, each),
      postgres: () => workOnServer(processes, each),
    });
    for (const [ledger, of] of Object.entries(worked)) {
      const spread = (pick: (one: Worked) => number) => spreadOf(of.map(pick));
      const rate = spread(({ rowsPerSecond }) => rowsPerSecond);
      const [node, database] = [spread(({ nodeUs }) => nodeUs), spread(({ databaseUs }) => databaseUs)];
      const registered = spread(({ registeredPerSecond }) => registeredPerSecond);
      const isBound = ledger === 'postgres' && processes === 1;
      lines.push({
        what: `${ledger}, ${String(processes)} ${processes === 1 ? 'process' : 'processes'}`,
        value: `${shown(rate)} rows/s; ${shown(node)} µs of node, ${shown(database)} µs of the database a row; ${shown(registered)} registered/s`,
        ...(isBound ? { bar: atLeast(RATE_LEAST, rate) } : {}),
      });
      data.push({ ledger, processes, rows: each, rate, node, database, registered });
    }
  }
  return { name: 'ledger-work', title: `13. The ledger's work, ${number(rows)} rows`, lines, data };
}

/** Of what the product pays over SQLite, by latency of the service in ms. */
const SHARES = [
  { latencyMs: 0, least: 0.7, goal: 10_000 },
  { latencyMs: 20, least: 0.95, goal: 5_000 },
] as const;

async function pay(file: string, latencyMs: number, ledger: string | null): Promise<Taken> {
  const service = await startService(latencyMs);
  try {
    return await paydrop(['run', '--wait', '0'], file, {
      baseUrl: service.baseUrl,
      concurrency: LANES,
      rest: ledger === null ? '' : `ledger: ${ledger}\n`,
    });
  } finally {
    await service.stop();
  }
}

/** Which schema a run works in: none finds what another one left. */
let schemas = 0;

/** `run` of a file over both. */
export function bothLedgers({ runs, rows: wished, isScaled, isQuick }: BenchOptions): Promise<Group> {
  return overPostgres(async ({ url }) => {
    const lines: Line[] = [];
    const data: unknown[] = [];
    for (const { latencyMs, least, goal } of isQuick ? SHARES.slice(0, 1) : SHARES) {
      const rows = isScaled ? wished : goal;
      const file = fileNamed(`both-${String(rows)}.csv`);
      await writeCsv(file, rows);
      const taken = await byTurns(runs, {
        sqlite: () => pay(file, latencyMs, null),
        postgres: () => pay(file, latencyMs, `${url}?schema=run_${String((schemas += 1))}`),
      });
      const share = spreadOf(
        taken.sqlite.map(({ wallS }, run) => wallS / (taken.postgres[run]?.wallS ?? NaN)),
      );
      const rate = (of: readonly Taken[]) => spreadOf(of.map(({ wallS }) => rows / wallS));
      const processor = (of: readonly Taken[]) => spreadOf(of.map(({ cpuS }) => (cpuS / rows) * 1e6));
      const [sqlite, postgres] = [rate(taken.sqlite), rate(taken.postgres)];
      const [ofSqlite, ofPostgres] = [processor(taken.sqlite), processor(taken.postgres)];
      lines.push({
        what: `${number(rows)} rows, ${String(latencyMs)} ms, ${String(LANES)} at a time`,
        value: `PostgreSQL ${shown(postgres)} rows/s, ${shown(share, 2)} of SQLite (${shown(sqlite)}); ${shown(ofPostgres)} and ${shown(ofSqlite)} µs of node a row`,
        bar: atLeast(least, share, 2),
      });
      data.push({
        latencyMs,
        rows,
        share,
        rowsPerSecond: { sqlite, postgres },
        nodeUs: { ofSqlite, ofPostgres },
      });
    }
    return { name: 'both-ledgers', title: '14. The product over both ledgers', lines, data };
  });
}
