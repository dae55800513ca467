// `npm run trial -- bench`: every figure that paydrop promises, measured side by side in one run on this machine, as a table and as JSON.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

import { InvalidArgumentError } from 'commander';

import { program, wholeNumber } from '../program.ts';
import type { Group } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { answers, atLatency, checkPeak, slope } from './goal-groups.ts';
import { bothLedgers, ledgerWork } from './ledger-group.ts';
import { durability, intake, memory, startUp } from './own-groups.ts';
import { heldLimit, roughDay } from './pace-groups.ts';
import { messages } from './message-group.ts';
import { page } from './page-group.ts';
import { calls, endToEnd, limit } from './pay-groups.ts';
import { clerk, configurations, years } from './real-groups.ts';
import { recovery, recoveryLarge } from './recovery-group.ts';
import { waiting } from './waiting-group.ts';
import { webhooks } from './webhook-group.ts';

const GROUPS: Readonly<Record<string, (options: BenchOptions) => Promise<Group>>> = {
  'end-to-end': endToEnd,
  limit,
  calls,
  intake,
  memory,
  durability,
  'start-up': startUp,
  recovery,
  'recovery-large': recoveryLarge,
  webhooks,
  'rough-day': roughDay,
  'held-limit': heldLimit,
  'at-latency': atLatency,
  slope,
  'check-peak': checkPeak,
  answers,
  waiting,
  'ledger-work': ledgerWork,
  'both-ledgers': bothLedgers,
  messages,
  page,
  configurations,
  clerk,
  years,
};

type Flags = {
  readonly only: readonly string[];
  readonly rows?: number;
  readonly runs?: number;
  readonly quick: boolean;
  readonly json: string;
};

const flags = program(
  'npm run trial -- bench',
  'Measures paydrop beside a bare script and a bare loop that make the same calls.',
)
  .option('--only <groups>', `of ${Object.keys(GROUPS).join(',')}`, groupsOf, Object.keys(GROUPS))
  .option('--rows <n>', 'rows of a usual run (10000, with --quick 500)', wholeNumber(1))
  .option('--runs <n>', 'runs of each by turns (5, with --quick 1)', wholeNumber(1))
  .option('--quick', 'one case of each group, to see that it works', false)
  .option('--json <file>', 'where the figures are written', 'bench.json')
  .parse()
  .opts<Flags>();

const options: BenchOptions = {
  rows: flags.rows ?? (flags.quick ? 500 : 10_000),
  runs: flags.runs ?? (flags.quick ? 1 : 5),
  isScaled: flags.rows !== undefined || flags.quick,
  isQuick: flags.quick,
};

function groupsOf(text: string): readonly string[] {
  const names = text.split(',');
  const unknown = names.find((name) => !(name in GROUPS));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no group ${unknown}.`);
  return names;
}

const load = (): string =>
  loadavg()
    .map((each) => each.toFixed(1))
    .join(', ');
const machine = {
  node: process.version,
  cores: availableParallelism(),
  processor: cpus()[0]?.model ?? '',
  loadBefore: load(),
};
process.stdout.write(
  `Node ${machine.node}, ${String(machine.cores)} cores (${machine.processor}), load ${machine.loadBefore}; ${String(options.runs)} runs by turns: median (least to most)\n`,
);

function barOf({ bar }: Group['lines'][number]): string {
  return bar === undefined ? '' : `; bar ${bar.text}: ${bar.isMet ? 'met' : 'MISSED'}`;
}

const groups: Group[] = [];
for (const [name, run] of Object.entries(GROUPS)) {
  if (!flags.only.includes(name)) continue;
  const group = await run(options);
  groups.push(group);
  process.stdout.write(
    `\n${group.title}\n${group.lines.map((line) => `  ${line.what.padEnd(46)} ${line.value}${barOf(line)}\n`).join('')}`,
  );
}

const loadAfter = load();
process.stdout.write(`\nLoad afterwards: ${loadAfter}. Written to ${flags.json}.\n`);
writeFileSync(
  flags.json,
  `${JSON.stringify({ machine: { ...machine, loadAfter }, options, groups }, null, 2)}\n`,
);
