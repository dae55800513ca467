// What people run: notifications, limits, an approval, a document a row; the file of a clerk; and a ledger of years. Compared by turns, in processor and in calls.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { age } from './aged-ledger.ts';
import { fileNamed, openDesk, paydrop, type Desk } from './desk.ts';
import { atMost, byTurns, number, shown, spreadOf, type Group, type Line, type Spread } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { type FileKind, writeCsv } from './payment-files.ts';
import { MAIN, startService, take, type Taken } from './processes.ts';

const CONCURRENCY = 64;

const NOTIFIED = ', callbackUrl: "https://pay.example/hooks"';
const LIMITS =
  'limits: { perPayeePerDay: 900000000 XAF, perDay: 900000000000 XAF, perFile: 900000000000 XAF }\n';
const APPROVAL = 'policy: { approval: required }\n';

type Configuration = {
  readonly kind: FileKind;
  readonly service?: string;
  readonly rest?: string;
  /** Of the bare configuration's processor for a row; null where none is set. */
  readonly most: number | null;
};

const CONFIGURATIONS: Readonly<Record<string, Configuration>> = {
  bare: { kind: 'wallet', most: null },
  'notifications and limits': { kind: 'wallet', service: NOTIFIED, rest: LIMITS, most: 1.25 },
  'and an approval': { kind: 'wallet', service: NOTIFIED, rest: LIMITS + APPROVAL, most: null },
  'a document a row': { kind: 'bank', most: null },
  'all of it': { kind: 'bank', service: NOTIFIED, rest: LIMITS + APPROVAL, most: null },
};

type Paid = { readonly cpuS: number; readonly calls: number };

/** `run`, and where it asks for an approval `approve` and `resume`: three processes. */
async function payAs({ kind, service = '', rest = '' }: Configuration, rows: number): Promise<Paid> {
  const stub = await startService(0);
  const desk = openDesk({ baseUrl: stub.baseUrl, concurrency: CONCURRENCY, service, rest });
  const file = await ownDocuments(desk, kind, rows);
  const go = (...args: readonly string[]): Promise<Taken> =>
    take(MAIN, ['--config', desk.config, ...args], [0, 5]);
  let { cpuS } = await go('run', file, '--wait', '0');
  if (rest.includes(APPROVAL)) {
    const [batch = ''] = readdirSync(join(desk.folder, 'work', 'processing')).filter((name) =>
      /^2/.test(name),
    );
    cpuS += (await go('approve', batch, '--by', 'Marie Ngo')).cpuS + (await go('resume', '--wait', '0')).cpuS;
  }
  const { quote = 0, create = 0, attach = 0, confirm = 0 } = await stub.calls();
  await stub.stop();
  desk.close();
  if (confirm !== rows) throw new Error(`${String(confirm)} of ${String(rows)} rows were paid.`);
  return { cpuS, calls: quote + create + attach + confirm };
}

/** A file, and a PDF of its own for each row that names one. */
async function ownDocuments({ folder }: Desk, kind: FileKind, rows: number): Promise<string> {
  const file = join(folder, 'payments.csv');
  await writeCsv(file, rows, kind);
  if (kind === 'wallet') return file;
  let document = 0;
  const text = readFileSync(file, 'utf8').replaceAll('invoice.pdf', () => {
    document += 1;
    const name = `invoice-${String(document)}.pdf`;
    writeFileSync(join(folder, name), `%PDF-1.4\n% ${String(document)} ${'-'.repeat(590)}\n%%EOF\n`);
    return name;
  });
  writeFileSync(file, text);
  return file;
}

export async function configurations({ rows: wished, runs, isScaled }: BenchOptions): Promise<Group> {
  const rows = isScaled ? wished : 8_000;
  const taken = await byTurns(
    runs,
    Object.fromEntries(
      Object.entries(CONFIGURATIONS).map(([name, each]) => [name, () => payAs(each, rows)] as const),
    ),
  );
  const bare = taken['bare'] ?? [];
  const lines: Line[] = [];
  const data: object[] = [];
  for (const [name, { most }] of Object.entries(CONFIGURATIONS)) {
    const of = taken[name] ?? [];
    const cpu = spreadOf(of.map(({ cpuS }) => (cpuS / rows) * 1e6));
    const share = spreadOf(of.map(({ cpuS }, run) => cpuS / (bare[run]?.cpuS ?? NaN)));
    const calls = spreadOf(of.map((each) => each.calls / rows));
    lines.push({
      what: name,
      value: `${shown(cpu)} µs a row, ${shown(share, 2)} of the bare one; ${shown(calls, 2)} calls a row`,
      ...(most === null ? {} : { bar: atMost(most, share, 2) }),
    });
    data.push({ name, cpuMicrosecondsPerRow: cpu, share, calls });
  }
  return { name: 'configurations', title: `15. As people run it, ${number(rows)} rows`, lines, data };
}

/** Where the service takes this long for each call. */
const LATENCY_MS = 150;

/** The file of a clerk, by default settings: three calls a row, sixteen rows at a time at first. */
export async function clerk({ runs, isQuick }: BenchOptions): Promise<Group> {
  const lines: Line[] = [];
  const data: object[] = [];
  for (const rows of isQuick ? [36] : [36, 300, 10_000]) {
    const file = fileNamed(`clerk-${String(rows)}.csv`);
    await writeCsv(file, rows);
    const { taken } = await byTurns(rows > 1_000 ? 1 : runs, {
      taken: async () => {
        const service = await startService(LATENCY_MS);
        const run = await paydrop(['run', '--wait', '0'], file, { baseUrl: service.baseUrl });
        await service.stop();
        return run;
      },
    });
    const seconds = spreadOf(taken.map(({ wallS }) => wallS));
    // Sixteen at a time, one way for the corridors before them, and half a second of its own.
    const most = Math.min(100, ((3 * Math.ceil(rows / 16) + 1) * LATENCY_MS) / 1_000 + 0.5);
    lines.push({
      what: `${number(rows)} rows at ${String(LATENCY_MS)} ms`,
      value: `${shown(seconds, 1)} s`,
      bar: atMost(most, seconds, 1),
    });
    data.push({ rows, seconds });
  }
  return { name: 'clerk', title: '16. The file of a clerk, `run --wait 0` by default settings', lines, data };
}

const YEARS = { payees: 20_000, days: 730 };

/** A small file, payees who were paid before, and `status`, on a ledger of years and on an empty one. */
export async function years({ runs, isQuick }: BenchOptions): Promise<Group> {
  const lines: Line[] = [];
  const data: object[] = [];
  const sizes = [
    { batches: 10_000, rows: 5 },
    { batches: 2_000, rows: 1_000 },
  ];
  for (const size of isQuick ? [{ batches: 200, rows: 5 }] : sizes) {
    const stub = await startService(0);
    const rest = 'limits: { perPayeePerDay: 900000000 XAF }\n';
    const open = () => paidOnce(openDesk({ baseUrl: stub.baseUrl, concurrency: 16, rest }));
    const [empty, aged] = [await open(), await open()];
    age(join(aged.folder, 'work'), { ...size, ...YEARS });
    for (const [what, go] of Object.entries(WORK)) {
      const taken = await byTurns(runs, { empty: () => go(empty), aged: () => go(aged) });
      const share = spreadOf(taken.aged.map(({ cpuS }, run) => cpuS / (taken.empty[run]?.cpuS ?? NaN)));
      const cpu: Spread = spreadOf(taken.aged.map(({ cpuS }) => cpuS));
      lines.push({
        what: `${what}, ${number(size.batches)} batches of ${number(size.rows)}`,
        value: `${shown(cpu, 2)} s of processor, ${shown(share, 2)} of an empty ledger`,
        bar: atMost(1.2, share, 2),
      });
      data.push({ what, ...size, cpu, share });
    }
    await stub.stop();
    for (const desk of [empty, aged]) desk.close();
  }
  return { name: 'years', title: '17. A ledger of two years', lines, data };
}

const WORK: Readonly<Record<string, (desk: Desk) => Promise<Taken>>> = {
  'a file of 36 rows': (desk) => payNext(desk, 36, 30_000),
  '1,000 payees who were paid before': (desk) => payNext(desk, 1_000, 0),
  status: ({ config }) => take(MAIN, ['--config', config, 'status'], [0, 5]),
};

async function paidOnce(desk: Desk): Promise<Desk> {
  const file = join(desk.folder, 'first.csv');
  await writeCsv(file, 1);
  await take(MAIN, ['--config', desk.config, 'run', file, '--wait', '30s']);
  return desk;
}

let files = 0;

/** Under references of its own. @param from how many payees lie before its first one. */
async function payNext({ config, folder }: Desk, rows: number, from: number): Promise<Taken> {
  files += 1;
  const file = join(folder, `next-${String(files)}.csv`);
  await writeCsv(file, rows);
  const text = readFileSync(file, 'utf8')
    .replaceAll('PAY-', `PAY-${String(files)}-`)
    .replaceAll(/(?<=\b|\+86138)\d{7}(?=\b|9\b)/g, (id) => String(Number(id) + from).padStart(7, '0'));
  writeFileSync(file, text);
  return take(MAIN, ['--config', config, 'run', file, '--wait', '0'], [0, 5]);
}
