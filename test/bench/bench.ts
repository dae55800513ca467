// `npm run bench`: every figure that paydrop promises, measured side by side in one run on this machine, as a table and as JSON.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import type { Group } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { durability, intake, memory, startUp } from './own-groups.ts';
import { calls, endToEnd, limit } from './pay-groups.ts';
import { recovery } from './recovery-group.ts';
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
  webhooks,
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rows: { type: 'string' },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string', default: 'bench.json' },
  },
});

const options: BenchOptions = {
  rows: Number(values.rows ?? (values.quick ? 500 : 10_000)),
  runs: Number(values.runs ?? (values.quick ? 1 : 5)),
  isQuick: values.quick,
};

const wanted = values.only?.split(',') ?? Object.keys(GROUPS);
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

const groups: Group[] = [];
for (const name of wanted) {
  const run = GROUPS[name];
  if (run === undefined) throw new Error(`There is no group ${name}: ${Object.keys(GROUPS).join(', ')}.`);
  const group = await run(options);
  groups.push(group);
  process.stdout.write(
    `\n${group.title}\n${group.lines.map(({ what, value }) => `  ${what.padEnd(46)} ${value}\n`).join('')}`,
  );
}

const loadAfter = load();
process.stdout.write(`\nLoad afterwards: ${loadAfter}. Written to ${values.json}.\n`);
writeFileSync(
  values.json,
  `${JSON.stringify({ machine: { ...machine, loadAfter }, options, groups }, null, 2)}\n`,
);
