// How paydrop bears a service that is not well: a rough day, a limit of calls a second that nobody has told it, and another client that takes a
// part of that limit, coming and going.
import { fileNamed, paydrop } from './desk.ts';
import { byTurns, number, shown, spreadOf, type Group, type Line } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { writeCsv } from './payment-files.ts';
import { startService } from './processes.ts';

/** As a business would set it against such a service. */
const ROUGH = { concurrency: 24, service: ', timeout: 2s ', rest: 'tracking: { pollEvery: 1s }\n' };

/** `run` to the last final status. */
export async function roughDay({ runs, isQuick }: BenchOptions): Promise<Group> {
  const lines: Line[] = [];
  const data: object[] = [];
  for (const rows of isQuick ? [300] : [300, 3_000]) {
    const file = fileNamed(`rough-${String(rows)}.csv`);
    await writeCsv(file, rows);
    const { taken } = await byTurns(runs, {
      taken: async () => {
        const service = await startService(0, ['--day', 'rough']);
        const run = await paydrop(['run', '--wait', '10m'], file, { ...ROUGH, baseUrl: service.baseUrl });
        const calls = Object.values(await service.calls()).reduce((sum, each) => sum + each, 0);
        await service.stop();
        return { ...run, calls };
      },
    });
    const seconds = spreadOf(taken.map(({ wallS }) => wallS));
    const cpu = spreadOf(taken.map(({ cpuS }) => (cpuS / rows) * 1e6));
    const calls = spreadOf(taken.map((each) => each.calls / rows));
    lines.push(
      { what: `${number(rows)} rows, to the last final status`, value: `${shown(seconds, 1)} s` },
      { what: '  calls that were carried out, a row', value: shown(calls, 2) },
      { what: '  µs of processor a row', value: shown(cpu) },
    );
    data.push({ rows, seconds, calls, cpuMicrosecondsPerRow: cpu });
  }
  return { name: 'rough-day', title: '8. A rough day (`rough-day.ts` has its mix)', lines, data };
}
