// Figures of paying: end to end against both opponents, against the limit that latency sets, and how many calls a row takes.
import { fileURLToPath } from 'node:url';

import { fileNamed, paydrop } from './desk.ts';
import { byTurns, number, shown, spreadOf, type Group, type Line } from './figures.ts';
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

/** Latencies, concurrencies and rows, each changed by itself around the usual case; a wider table is asked for by `--rows`. */
function casesOf({ rows, isQuick }: BenchOptions): readonly Case[] {
  const usual = { latencyMs: 0, concurrency: 32, rows };
  if (isQuick) return [usual];
  return [
    usual,
    ...[20, 100].map((latencyMs) => ({ ...usual, latencyMs })),
    ...[1, 8, 128].map((concurrency) => ({ ...usual, concurrency, rows: Math.min(rows, 2_000) })),
    ...[100, 1_000, 100_000].map((each) => ({ ...usual, rows: each })),
  ];
}

export async function endToEnd(options: BenchOptions): Promise<Group> {
  const lines: Line[] = [];
  const data: unknown[] = [];
  for (const each of casesOf(options)) {
    const taken = await contest(each, options.runs);
    const rate = (runs: readonly Taken[]) => spreadOf(runs.map(({ wallS }) => each.rows / wallS));
    const cpu = (runs: readonly Taken[]) => spreadOf(runs.map(({ cpuS }) => (cpuS / each.rows) * 1e6));
    const rates = { paydrop: rate(taken.paydrop), script: rate(taken.script), loop: rate(taken.loop) };
    const cpus = { paydrop: cpu(taken.paydrop), script: cpu(taken.script), loop: cpu(taken.loop) };
    const name = `${number(each.rows)} rows, ${String(each.latencyMs)} ms, concurrency ${String(each.concurrency)}`;
    const ratios = (of: Record<'paydrop' | 'script' | 'loop', { median: number }>) =>
      `${number(of.paydrop.median / of.script.median, 2)} of the script, ${number(of.paydrop.median / of.loop.median, 2)} of the loop`;
    lines.push(
      { what: name, value: ratios(rates) },
      {
        what: '  rows/s: paydrop, script, loop',
        value: Object.values(rates)
          .map((each) => shown(each))
          .join(', '),
      },
      {
        what: '  µs of processor a row',
        value: Object.values(cpus)
          .map((each) => shown(each))
          .join(', '),
      },
    );
    data.push({ ...each, rowsPerSecond: rates, cpuMicrosecondsPerRow: cpus });
  }
  return { name: 'end-to-end', title: '1. End to end, `run --wait 0`', lines, data };
}

/** Calls of a row that has no document. */
const CALLS = 3;

export async function limit({ runs, rows, isQuick }: BenchOptions): Promise<Group> {
  const lines: Line[] = [];
  const data: unknown[] = [];
  for (const latencyMs of isQuick ? [20] : [20, 100]) {
    const concurrency = 32;
    const taken = await contest({ latencyMs, concurrency, rows }, runs);
    const ideal = concurrency / (CALLS * (latencyMs / 1000));
    const share = (of: readonly Taken[]) => spreadOf(of.map(({ wallS }) => rows / wallS / ideal));
    const shares = { paydrop: share(taken.paydrop), loop: share(taken.loop) };
    lines.push({
      what: `${String(latencyMs)} ms, share of ${number(ideal)} rows/s`,
      value: `paydrop ${shown(shares.paydrop, 2)}, loop ${shown(shares.loop, 2)}`,
    });
    data.push({ latencyMs, concurrency, rows, idealRowsPerSecond: ideal, shares });
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
