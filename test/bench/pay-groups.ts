// Figures of paying: end to end against both opponents, against the limit that latency sets, and how many calls a row takes.
import { fileURLToPath } from 'node:url';

import { fileNamed, paydrop } from './desk.ts';
import { byTurns, number, shown, spreadOf, type Group, type Line, type Spread } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { writeCsv } from './payment-files.ts';
import { startService, take, type Taken } from './processes.ts';

const opponent = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Each run has a service of its own, started before and stopped after it. */
async function against(latencyMs: number, run: (baseUrl: string) => Promise<Taken>): Promise<Taken> {
  const service = await startService(latencyMs);
  try {
    return await run(service.baseUrl);
  } finally {
    await service.stop();
  }
}

type Case = { readonly latencyMs: number; readonly concurrency: number; readonly rows: number };

async function contest({ latencyMs, concurrency, rows }: Case, runs: number) {
  const file = fileNamed(`wallets-${String(rows)}.csv`);
  await writeCsv(file, rows);
  const args = (baseUrl: string): readonly string[] => [baseUrl, file, String(concurrency)];
  return byTurns(runs, {
    // `--wait 0`: the opponents do not follow what they have sent either.
    paydrop: () =>
      against(latencyMs, (baseUrl) => paydrop(['run', '--wait', '0'], file, { baseUrl, concurrency })),
    script: () => against(latencyMs, (baseUrl) => take(opponent('bare-script.ts'), args(baseUrl))),
    loop: () => against(latencyMs, (baseUrl) => take(opponent('bare-loop.ts'), args(baseUrl))),
  });
}

/** Rows beyond which a case takes minutes for each of its runs. */
const ROWS_OF_A_LONG_RUN = 50_000;
const RUNS_OF_A_LONG_RUN = 3;

/** Concurrencies and rows, each changed by itself around the usual case. */
function casesOf({ rows, isQuick }: BenchOptions): readonly Case[] {
  const usual = { latencyMs: 0, concurrency: 32, rows };
  if (isQuick) return [usual];
  return [
    usual,
    ...[1, 8, 128].map((concurrency) => ({ ...usual, concurrency, rows: Math.min(rows, 2_000) })),
    ...[100, 1_000, 100_000].map((each) => ({ ...usual, rows: each })),
  ];
}

/** Where latency decides, a run is long enough when start and end no longer do. */
function slowCasesOf({ rows, isQuick }: BenchOptions): readonly Case[] {
  const concurrency = 32;
  const at20 = { latencyMs: 20, concurrency, rows: Math.min(rows, 5_000) };
  return isQuick ? [at20] : [at20, { latencyMs: 100, concurrency, rows: Math.min(rows, 2_000) }];
}

type Named<T> = Readonly<Record<'paydrop' | 'script' | 'loop', T>>;

function spreads(taken: Named<readonly Taken[]>, of: (taken: Taken) => number): Named<Spread> {
  const spread = (runs: readonly Taken[]) => spreadOf(runs.map(of));
  return { paydrop: spread(taken.paydrop), script: spread(taken.script), loop: spread(taken.loop) };
}

const side = (of: Named<Spread>, digits = 0): string =>
  [of.paydrop, of.script, of.loop].map((each) => shown(each, digits)).join(', ');

export async function measure(
  each: Case,
  runs: number,
): Promise<{ readonly lines: Line[]; readonly data: object }> {
  const taken = await contest(
    each,
    each.rows < ROWS_OF_A_LONG_RUN ? runs : Math.min(runs, RUNS_OF_A_LONG_RUN),
  );
  const rates = spreads(taken, ({ wallS }) => each.rows / wallS);
  const cpus = spreads(taken, ({ cpuS }) => (cpuS / each.rows) * 1e6);
  const { report } = largest(taken.paydrop);
  const { paydrop: ours, script, loop } = rates;
  const lines = [
    {
      what: `${number(each.rows)} rows, ${String(each.latencyMs)} ms, concurrency ${String(each.concurrency)}`,
      value: `${number(ours.median / script.median, 2)} of the script, ${number(ours.median / loop.median, 2)} of the loop`,
    },
    { what: '  rows/s: paydrop, script, loop', value: side(rates) },
    { what: '  µs of processor a row', value: side(cpus) },
    {
      what: '  paydrop at its most',
      value: `${number(report.rssMb)} MB; the event loop waits ${number(report.loopDelayP99Ms, 1)} ms (p99)`,
    },
  ];
  return {
    lines,
    data: { ...each, rowsPerSecond: rates, cpuMicrosecondsPerRow: cpus, most: report },
  };
}

function largest(runs: readonly Taken[]): Taken {
  return runs.reduce((most, each) => (each.rssMb > most.rssMb ? each : most));
}

export async function endToEnd(options: BenchOptions): Promise<Group> {
  const measured = [];
  for (const each of casesOf(options)) measured.push(await measure(each, options.runs));
  return {
    name: 'end-to-end',
    title: '1. End to end, `run --wait 0`',
    lines: measured.flatMap(({ lines }) => lines),
    data: measured.map(({ data }) => data),
  };
}

/** Calls of a row that has no document. */
const CALLS = 3;

export async function limit(options: BenchOptions): Promise<Group> {
  const lines: Line[] = [];
  const data: object[] = [];
  for (const each of slowCasesOf(options)) {
    const ideal = each.concurrency / (CALLS * (each.latencyMs / 1000));
    const taken = await contest(each, options.runs);
    const rates = spreads(taken, ({ wallS }) => each.rows / wallS);
    const shares = spreads(taken, ({ wallS }) => each.rows / wallS / ideal);
    lines.push(
      {
        what: `${String(each.latencyMs)} ms, ${number(each.rows)} rows, concurrency ${String(each.concurrency)}`,
        value: `${number(rates.paydrop.median / rates.loop.median, 2)} of the loop`,
      },
      { what: `  share of ${number(ideal)} rows/s: paydrop, script, loop`, value: side(shares, 2) },
    );
    data.push({ ...each, idealRowsPerSecond: ideal, rowsPerSecond: rates, shares });
  }
  return { name: 'limit', title: '2. Against the limit, concurrency / (calls × latency)', lines, data };
}

export async function calls({ rows: wished }: BenchOptions): Promise<Group> {
  // Counted, not timed: more rows say nothing more.
  const rows = Math.min(wished, 1_000);
  const data: unknown[] = [];
  const lines: Line[] = [];
  for (const kind of ['wallet', 'bank'] as const) {
    const file = fileNamed(`${kind}-calls.csv`);
    await writeCsv(file, rows, kind);
    const service = await startService(0);
    await paydrop(['run'], file, { baseUrl: service.baseUrl, concurrency: 32 });
    const counted = await service.calls();
    await service.stop();
    const { quote = 0, create = 0, attach = 0, confirm = 0, list = 0, read = 0 } = counted;
    lines.push({
      what: kind === 'wallet' ? 'without a document' : 'with a document',
      value: `${number((quote + create + attach + confirm) / rows, 3)} calls a row; followed by ${String(list)} lists and ${String(read)} single reads for ${number(rows)} rows`,
    });
    data.push({ kind, rows, calls: counted });
  }
  return { name: 'calls', title: '3. Calls, counted by the service', lines, data };
}
