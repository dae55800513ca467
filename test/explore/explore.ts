// `npm run trial -- explore`: looks at every schedule of the row machine within the bounds of each configuration, and prints the shortest that breaks a property.
// With `--plant` a known bug is in the machine, which its configuration has to find.
import { program, wholeNumber, WRONG_USAGE } from '../program.ts';
import { CONFIGURATIONS, FINE, type Configuration } from './configurations.ts';
import { plant } from './plant.ts';
import { PLANTED_BUGS, type PlantedBug } from './planted-bugs.ts';
import type { Searched } from './search.ts';

type Asked = {
  readonly only: string;
  readonly worlds: number;
  readonly fine: boolean;
  readonly plant?: string;
  readonly json: boolean;
};

const asked = program('npm run trial -- explore', 'Explores every schedule of the row machine within bounds.')
  .option('--only <text>', 'only configurations whose name contains it', '')
  .option('--worlds <n>', 'the most worlds of each', wholeNumber(1), 3_000_000)
  .option('--fine', 'reads are older in more ways: several times as many worlds', false)
  .option('--plant <name>', 'with this bug, in its configuration')
  .option('--json', 'one line of JSON for each, without schedules', false)
  .parse()
  .opts<Asked>();

const bug = asked.plant === undefined ? null : bugOf(asked.plant);
if (bug !== null) plant(bug);
// The machine is loaded with the bug in it.
const { search } = await import('./search.ts');

for (const configuration of CONFIGURATIONS.filter(isAsked)) tell(configuration, bug);

function bugOf(name: string): PlantedBug {
  const found = PLANTED_BUGS.find((each) => each.name === name);
  if (found !== undefined) return found;
  process.stderr.write(`No planted bug is called "${name}".\n`);
  process.exit(WRONG_USAGE);
}

function isAsked({ name }: Configuration): boolean {
  return bug === null ? name.includes(asked.only) : name === bug.configuration;
}

function tell({ name, options, allows }: Configuration, planted: PlantedBug | null): void {
  const more = planted !== null && 'options' in planted ? planted.options : {};
  const startedAt = process.cpuUsage();
  const searched = search({ ...options, ...(asked.fine ? FINE : {}), ...more }, asked.worlds);
  const { user, system } = process.cpuUsage(startedAt);
  const seconds = (user + system) / 1e6;
  const { found, ...rest } = searched;
  const broken = found?.broken ?? null;
  const steps = found?.schedule.length ?? null;
  const isAsExpected = broken === null ? allows === undefined : (allows?.test(broken) ?? false);
  if (planted === null && !isAsExpected) process.exitCode = 1;
  say(
    asked.json ? JSON.stringify({ name, broken, steps, seconds, ...rest }) : inWords(name, searched, seconds),
  );
}

function inWords(
  name: string,
  { found, isWhole, worlds, depth, fairRuns, standings }: Searched,
  seconds: number,
): string {
  const broken = found === null ? '' : `${found.broken} after ${String(found.schedule.length)} steps`;
  const result = broken || (isWhole ? 'holds, all of it' : 'holds as far as it went');
  const size = `${String(worlds)} worlds, ${String(depth)} steps deep, ${String(fairRuns)} fair runs, ${seconds.toFixed(1)} s of processor`;
  const rows = Object.entries(standings).map(([standing, times]) => `${standing} ${String(times)}`);
  const schedule = (found?.schedule ?? []).map((step) => `\n    ${step}`).join('');
  return `${name}: ${result}\n  ${size}; ${rows.join(', ')}${schedule}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
