// The page in a real Chromium, against the bars that it was built to: one run of `page.ts` for each round. All rounds are written down, and each has to meet
// the bar.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { hasBrowser } from '../page/with-browser.ts';
import { number, type Group, type Line } from './figures.ts';
import type { BenchOptions } from './options.ts';

const PAGE = fileURLToPath(new URL('page.ts', import.meta.url));
const ROUNDS = ['--rounds', '3'];
/** One small case of each, to see that it works. */
const QUICK = [
  ...['--rounds', '1', '--rows', '2000', '--most', '4000', '--pay', '200'],
  ...['--viewers', '2', '--files', '5'],
];

/** What `page.ts` tells of a round: figures, by groups. */
type Round = { readonly [name: string]: number | Round };

type Bar = readonly [what: string, path: string, unit: string, most: number, sign?: '<' | '≥'];

const KB = 1_024;
const BARS: readonly Bar[] = [
  ['first faulty cell, CSV of 100,000 rows', 'csv.firstFaultMs', 'ms', 2_000],
  ['first faulty cell, XLSX of 100,000 rows', 'workbook.firstFaultMs', 'ms', 6_000],
  ['first faulty cell, CSV of 1,000,000 rows', 'largest.firstFaultMs', 'ms', 6_000],
  ['largest paint of the first screen', 'lcpMs', 'ms', 600],
  ['first screen, as it is sent', 'firstBytes', 'bytes', 60 * KB],
  ['scroll through 100,000 rows, frame p95', 'csv.frameP95', 'ms', 33],
  ['its DOM nodes', 'csv.nodes', '', 1_500],
  ['its heap', 'csv.heapMB', 'MB', 100],
  ['scroll through 1,000,000 rows, frame p95', 'largest.frameP95', 'ms', 33],
  ['its DOM nodes', 'largest.nodes', '', 1_500],
  ['its heap', 'largest.heapMB', 'MB', 100],
  ['rows and faults of an upload, p95', 'csv.readP95', 'ms', 200],
  ['filter, search and page of a paid file, p95', 'listP95', 'ms', 200],
  ['event to screen, p95', 'eventToScreenP95', 'ms', 1_000],
  ['payments with viewers, of those without', 'watchedPercent', '%', 97, '≥'],
  ['others wait meanwhile, p99', 'watchedOtherP99', 'ms', 50],
];

export async function page({ isQuick }: BenchOptions): Promise<Group> {
  const rounds = hasBrowser ? await roundsOf(isQuick ? QUICK : ROUNDS) : [];
  const front = [...new Set(rounds.flatMap((round) => Object.keys(round['frontP95'] ?? {})))];
  return {
    name: 'page',
    title: 'The page',
    lines: [
      ...BARS.map((bar) => lineOf(bar, rounds)),
      ...front.map((path) =>
        lineOf([`beside 200 files: ${path}, p95`, `frontP95.${path}`, 'ms', 100], rounds),
      ),
    ],
    data: rounds,
  };
}

async function roundsOf(args: readonly string[]): Promise<readonly Round[]> {
  const child = spawn(process.execPath, [PAGE, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`page.ts ended with ${String(code)}.`);
  return said
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Round);
}

function lineOf([what, path, unit, most, sign = '<']: Bar, rounds: readonly Round[]): Line {
  const values = rounds.map((round) => figureAt(round, path));
  const isMet = values.length > 0 && values.every((value) => (sign === '<' ? value < most : value >= most));
  const value = `${values.map((each) => number(each)).join(' / ')} ${unit}`.trimEnd();
  return { what, value, bar: { text: `${sign} ${number(most)}`, isMet } };
}

/** Not a number where the round has no such figure, which meets no bar. */
function figureAt(round: Round, path: string): number {
  const at = path.indexOf('.');
  const [name, rest] = at < 0 ? [path, null] : [path.slice(0, at), path.slice(at + 1)];
  const found = round[name];
  if (typeof found === 'number') return rest === null ? found : NaN;
  return found === undefined || rest === null ? NaN : figureAt(found, rest);
}
