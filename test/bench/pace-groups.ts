// How paydrop copes with a service in trouble: a rough day, an unknown limit of calls a second, and another client that uses a part of that
// limit from time to time.
import { fileNamed, paydrop } from './desk.ts';
import { atLeast, atMost, byTurns, number, shown, spreadOf, type Group, type Line } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { writeCsv } from './payment-files.ts';
import { startService, type Service } from './processes.ts';

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
      {
        what: `${number(rows)} rows, to the last final status`,
        value: `${shown(seconds, 1)} s`,
        bar: atMost(rows === 300 ? 20 : 90, seconds),
      },
      { what: '  calls that were carried out, a row', value: shown(calls, 2) },
      { what: '  µs of processor a row', value: shown(cpu) },
    );
    data.push({ rows, seconds, calls, cpuMicrosecondsPerRow: cpu });
  }
  return { name: 'rough-day', title: '8. A rough day (`rough-day.ts` has its mix)', lines, data };
}

/** Calls a second of the service that nobody has told its limit. */
const LIMIT = 50;

/** So many seconds after the start, or after a change, the limit has to be found. */
const FOUND_AFTER_S = 10;

/** So much of what is free is used, and so few calls in a hundred meet the limit. */
const FREE_LEAST = 0.9;
const REFUSED_MOST = 3;

type Held = { readonly kept: number; readonly refusedShare: number };

/** What was served and refused in these seconds of the service's life, as a share of what was free. */
function heldIn(
  { served, refused }: Awaited<ReturnType<Service['limited']>>,
  [from, to]: readonly [number, number],
  free: number,
): Held {
  const sum = (counts: readonly number[]): number =>
    counts.slice(from, to).reduce((all, count) => all + count, 0);
  return {
    kept: sum(served) / (to - from) / free,
    refusedShare: sum(refused) / (sum(served) + sum(refused)),
  };
}

/** Runs a payment through a service with a limit, until everything is sent. */
async function limitedRun(file: string, flags: readonly string[]) {
  const service = await startService(10, ['--limit', String(LIMIT), ...flags]);
  await paydrop(['run', '--wait', '0'], file, { baseUrl: service.baseUrl, concurrency: 24 });
  const limited = await service.limited();
  await service.stop();
  return limited;
}

/** A true limit, and the same with another client that takes half of it, coming and going. */
export async function heldLimit({ runs, isQuick }: BenchOptions): Promise<Group> {
  const rows = isQuick ? 500 : 1_000;
  const file = fileNamed(`limit-${String(rows)}.csv`);
  await writeCsv(file, rows);
  const { alone, shared } = await byTurns(runs, {
    alone: () => limitedRun(file, []),
    shared: () => limitedRun(file, ['--other', String(SHARED.takes), '--every', String(SHARED.everyS)]),
  });
  const whole = alone.map((each) => heldIn(each, [0, each.served.length], LIMIT));
  const found = alone.map((each) => heldIn(each, [FOUND_AFTER_S, each.served.length - 5], LIMIT));
  const kept = spreadOf(found.map((each) => each.kept * LIMIT));
  const refused = spreadOf(whole.map(({ refusedShare }) => refusedShare * 100));
  const parts = shared.flatMap((each) =>
    partsOf(each.served.length).map((part) => heldIn(each, part.seconds, part.free)),
  );
  const free = spreadOf(parts.map((each) => each.kept));
  return {
    name: 'held-limit',
    title: `9. A limit of ${String(LIMIT)} calls a second that paydrop has not been told`,
    lines: [
      {
        what: `calls a second, from ${String(FOUND_AFTER_S)} s on`,
        value: shown(kept, 1),
        bar: atLeast(LIMIT * FREE_LEAST, kept),
      },
      { what: 'share of 429, of all calls, %', value: shown(refused, 1), bar: atMost(REFUSED_MOST, refused) },
      {
        what: 'another client takes half, coming and going',
        value: `${shown(free, 2)} of what is free, from ${String(FOUND_AFTER_S)} s after each change on`,
        bar: atLeast(FREE_LEAST, free, 2),
      },
    ],
    data: { rows, limit: LIMIT, kept, refused, shareOfFree: free },
  };
}

/** The other client takes so many of the calls for so many seconds, and then none for as many. */
const SHARED = { takes: LIMIT / 2, everyS: 20 };

/** The settled seconds of each part in which the other client is there, or not; the last part is cut off by the end of the file. */
function partsOf(seconds: number) {
  const whole = Math.floor((seconds - 1) / SHARED.everyS);
  return Array.from({ length: whole }, (_none, part) => ({
    seconds: [part * SHARED.everyS + FOUND_AFTER_S, (part + 1) * SHARED.everyS] as const,
    free: part % 2 === 1 ? LIMIT - SHARED.takes : LIMIT,
  }));
}
