// Figures of paydrop alone: how much it reads in a second, how much memory it uses, what its ledger costs, how fast it starts.
import { fileURLToPath } from 'node:url';

import { fileNamed, openDesk, paydrop } from './desk.ts';
import { atLeast, atMost, byTurns, number, shown, spreadOf, type Group, type Line } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { writeCsv, writeXlsx } from './payment-files.ts';
import { firstCallMs, startService, startUpMs, take, type Taken } from './processes.ts';

const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A service that answers nothing but corridors: paydrop reads, checks and registers, and stops at the first price. */
async function intakeOf(file: string): Promise<Taken> {
  const service = await startService(0);
  try {
    return await take(program('intake.ts'), [
      file,
      openDesk({ baseUrl: service.baseUrl, concurrency: 1 }).config,
    ]);
  } finally {
    await service.stop();
  }
}

/** Of the rows that the library alone reads in the same time. */
const SHARE_LEAST = { csv: 0.4, xlsx: 0.5 } as const;

export async function intake({ runs, rows: wished, isQuick }: BenchOptions): Promise<Group> {
  const rows = isQuick ? wished : 100_000;
  const lines: Line[] = [];
  const data: unknown[] = [];
  for (const kind of ['csv', 'xlsx'] as const) {
    const file = fileNamed(`intake-${String(rows)}.${kind}`);
    await (kind === 'csv' ? writeCsv : writeXlsx)(file, rows);
    const taken = await byTurns(runs, {
      paydrop: () => intakeOf(file),
      bare: () => take(program('bare-reader.ts'), [file]),
    });
    const rate = (of: readonly Taken[]) => spreadOf(of.map(({ wallS }) => rows / wallS));
    const [ours, bare] = [rate(taken.paydrop), rate(taken.bare)];
    const share = spreadOf(taken.paydrop.map(({ wallS }, run) => (taken.bare[run]?.wallS ?? NaN) / wallS));
    lines.push({
      what: `${kind.toUpperCase()}, ${number(rows)} rows: read, checked, registered, compared`,
      value: `${shown(ours)} rows/s, ${shown(share, 2)} of bare ${kind === 'csv' ? 'csv-parse' : 'exceljs'} (${shown(bare)})`,
      bar: atLeast(SHARE_LEAST[kind], share, 2),
    });
    data.push({ kind, rows, share, rowsPerSecond: { paydrop: ours, bare } });
  }
  return { name: 'intake', title: '4. Intake', lines, data };
}

export async function memory({ isQuick, rows }: BenchOptions): Promise<Group> {
  const cases = isQuick
    ? ([['csv', rows]] as const)
    : ([
        ['csv', 1_000],
        ['csv', 10_000],
        ['csv', 100_000],
        ['csv', 1_000_000],
        ['xlsx', 100_000],
      ] as const);
  const lines: Line[] = [];
  const data: unknown[] = [];
  for (const [kind, count] of cases) {
    const file = fileNamed(`memory-${String(count)}.${kind}`);
    await (kind === 'csv' ? writeCsv : writeXlsx)(file, count);
    const { rssMb } = await intakeOf(file);
    lines.push({
      what: `${kind.toUpperCase()}, ${number(count)} rows, intake`,
      value: `${number(rssMb)} MB at the peak`,
    });
    data.push({ kind, rows: count, peakMb: rssMb });
  }
  return { name: 'memory', title: '5. Memory', lines, data };
}

export async function durability({ runs, rows }: BenchOptions): Promise<Group> {
  const file = fileNamed('durability.csv');
  await writeCsv(file, rows);
  const { paid } = await byTurns(runs, {
    paid: async () => {
      const service = await startService(0);
      const taken = await paydrop(['run', '--wait', '0'], file, {
        baseUrl: service.baseUrl,
        concurrency: 32,
      });
      await service.stop();
      return taken;
    },
  });
  const of = (pick: (taken: Taken) => number) => spreadOf(paid.map(pick));
  const perRow = of(({ report }) => report.commits / rows);
  const p50 = of(({ report }) => report.commitP50Ms);
  const p99 = of(({ report }) => report.commitP99Ms);
  const delay = of(({ report }) => report.loopDelayP99Ms);
  return {
    name: 'durability',
    title: `6. Durability, ${number(rows)} rows`,
    lines: [
      { what: 'commits a row', value: shown(perRow, 3) },
      { what: 'a commit takes, p50', value: `${shown(p50, 2)} ms` },
      { what: 'a commit takes, p99', value: `${shown(p99, 2)} ms` },
      { what: 'the event loop waits, p99', value: `${shown(delay, 1)} ms` },
    ],
    data: { rows, commitsPerRow: perRow, commitP50Ms: p50, commitP99Ms: p99, loopDelayP99Ms: delay },
  };
}

export async function startUp({ runs }: BenchOptions): Promise<Group> {
  const service = await startService(0);
  const file = fileNamed('one.csv');
  await writeCsv(file, 1);
  const ten = fileNamed('ten.csv');
  await writeCsv(ten, 10);
  const { config } = openDesk({ baseUrl: service.baseUrl, concurrency: 8 });
  // Once before, so that the folder stands and the program lies compiled.
  await startUpMs(['--config', config, 'status']);
  const taken = await byTurns(runs, {
    help: () => startUpMs(['--help']),
    status: () => startUpMs(['--config', config, 'status']),
    first: async () => {
      const other = await startService(0);
      const desk = openDesk({ baseUrl: other.baseUrl, concurrency: 8 });
      const ms = await firstCallMs(['--config', desk.config, 'run', ten], other);
      await other.stop();
      desk.close();
      return ms;
    },
    run: async () =>
      (await paydrop(['run'], file, { baseUrl: service.baseUrl, concurrency: 8 })).wallS * 1000,
  });
  await service.stop();
  const spreads = {
    help: spreadOf(taken.help),
    status: spreadOf(taken.status),
    first: spreadOf(taken.first),
    run: spreadOf(taken.run),
  };
  return {
    name: 'start-up',
    title: '7. Start-up',
    lines: [
      { what: '--help', value: `${shown(spreads.help)} ms` },
      { what: 'status', value: `${shown(spreads.status)} ms` },
      {
        what: 'run of ten rows, to the first call',
        value: `${shown(spreads.first)} ms`,
        bar: atMost(300, spreads.first),
      },
      { what: 'run of one row, to its final status', value: `${shown(spreads.run)} ms` },
    ],
    data: { milliseconds: spreads },
  };
}
