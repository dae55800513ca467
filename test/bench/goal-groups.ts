// The figures that docs/fast.md promises and the other groups do not measure, each with the rows and the concurrency of its goal. `--rows N` makes
// all of them smaller or larger in proportion: it stands for 100,000 rows.
import { fileURLToPath } from 'node:url';

import { fileNamed, openDesk, paydrop } from './desk.ts';
import { atLeast, atMost, byTurns, number, shown, spreadOf, type Group, type Line } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { measure } from './pay-groups.ts';
import { writeCsv } from './payment-files.ts';
import { startService, told, type Taken } from './processes.ts';

const ROWS = 100_000;
const CONCURRENCY = 64;

/** Of so many rows of the goal; one that is asked for by `--rows` or `--quick` counts as the hundred thousand. */
function scaled(goal: number, { rows, isScaled }: BenchOptions): number {
  return isScaled ? Math.max(1, Math.round((goal * rows) / ROWS)) : goal;
}

/** Rows a second at three latencies, of the bare script and of the tuned loop. */
export async function atLatency(options: BenchOptions): Promise<Group> {
  const cases = [
    { latencyMs: 0, rows: scaled(30_000, options) },
    { latencyMs: 20, rows: scaled(20_000, options) },
    { latencyMs: 100, rows: scaled(10_000, options) },
  ];
  const measured = [];
  for (const each of cases) measured.push(await measure({ ...each, concurrency: CONCURRENCY }, options.runs));
  return {
    name: 'at-latency',
    title: `8. Rows a second at 0, 20 and 100 ms, ${String(CONCURRENCY)} at a time`,
    lines: measured.flatMap(({ lines }) => lines),
    data: measured.map(({ data }) => data),
  };
}

async function pay(file: string): Promise<Taken> {
  const service = await startService(0);
  try {
    return await paydrop(['run', '--wait', '0'], file, {
      baseUrl: service.baseUrl,
      concurrency: CONCURRENCY,
    });
  } finally {
    await service.stop();
  }
}

/** What one more row costs: the start and the compiling of the program are in neither figure. */
export async function slope(options: BenchOptions): Promise<Group> {
  const few = scaled(ROWS, options);
  const many = few * 10;
  const [fewFile, manyFile] = [fileNamed(`slope-${String(few)}.csv`), fileNamed(`slope-${String(many)}.csv`)];
  await writeCsv(fewFile, few);
  await writeCsv(manyFile, many);
  const taken = await byTurns(options.runs, { few: () => pay(fewFile), many: () => pay(manyFile) });
  const slopes = spreadOf(
    taken.many.map(({ cpuS }, run) => ((cpuS - (taken.few[run]?.cpuS ?? 0)) / (many - few)) * 1e6),
  );
  const own = spreadOf(taken.few.map(({ cpuS }) => (cpuS / few) * 1e6));
  const peaks = spreadOf(taken.few.map(({ rssMb }) => rssMb));
  return {
    name: 'slope',
    title: `9. Processor of a row, all threads, from ${number(few)} to ${number(many)} rows`,
    lines: [
      { what: 'the slope', value: `${shown(slopes)} µs a row`, bar: atMost(200, slopes) },
      { what: `of ${number(few)} rows, start included`, value: `${shown(own)} µs a row` },
      {
        what: `memory at the peak, ${number(few)} rows`,
        value: `${shown(peaks)} MB`,
        bar: atMost(300, peaks),
      },
    ],
    data: { few, many, slope: slopes, own, peakMb: peaks },
  };
}

/** `check` of a million rows. */
export async function checkPeak(options: BenchOptions): Promise<Group> {
  const rows = scaled(1_000_000, options);
  const file = fileNamed(`check-${String(rows)}.csv`);
  await writeCsv(file, rows);
  const { checked } = await byTurns(options.runs, {
    checked: async () => {
      const service = await startService(0);
      const taken = await paydrop(['check'], file, { baseUrl: service.baseUrl, concurrency: CONCURRENCY });
      await service.stop();
      return taken;
    },
  });
  const peaks = spreadOf(checked.map(({ rssMb }) => rssMb));
  return {
    name: 'check-peak',
    title: `10. Memory at the peak, \`check\` of ${number(rows)} rows`,
    lines: [{ what: 'at its most', value: `${shown(peaks)} MB`, bar: atMost(250, peaks) }],
    data: { rows, peakMb: peaks },
  };
}

type Closed = { readonly ms: number; readonly userMs: number; readonly systemMs: number };

/** The answers of a batch of which every row is paid: result, reconciliation and summary, on disk in both places. */
export async function answers(options: BenchOptions): Promise<Group> {
  const rows = scaled(ROWS, options);
  const file = fileNamed(`answers-${String(rows)}.csv`);
  await writeCsv(file, rows);
  const { closed } = await byTurns(options.runs, {
    closed: async () => {
      const service = await startService(0);
      const desk = openDesk({ baseUrl: service.baseUrl, concurrency: 1 });
      const program = fileURLToPath(new URL('answers.ts', import.meta.url));
      const text = await told(program, [file, desk.config]);
      await service.stop();
      desk.close();
      return JSON.parse(text) as Closed;
    },
  });
  const rate = spreadOf(closed.map(({ ms }) => (rows / ms) * 1000));
  const cpu = spreadOf(closed.map(({ userMs, systemMs }) => ((userMs + systemMs) / rows) * 1000));
  const lines: Line[] = [
    { what: 'written', value: `${shown(rate)} rows/s`, bar: atLeast(60_000, rate) },
    { what: 'processor', value: `${shown(cpu, 1)} µs a row` },
  ];
  return { name: 'answers', title: `11. Answers of ${number(rows)} rows`, lines, data: { rows, rate, cpu } };
}
