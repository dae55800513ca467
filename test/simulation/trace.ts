// The journal of a schedule in lines that a person can follow.
import type { Entry, Journal } from '../invariants/journal.ts';

export function traceOf(journal: Journal): readonly string[] {
  const start = journal[0]?.at ?? 0;
  return journal
    .filter(({ kind }) => kind !== 'moved')
    .map((entry) => `${((entry.at - start) / 1_000).toFixed(3).padStart(11)}  ${lineOf(entry)}`);
}

function lineOf(entry: Entry): string {
  const line = JSON.stringify(entry, (name, value: unknown) => {
    if (name === 'at' || name === 'kind') return undefined;
    return typeof value === 'bigint' ? String(value) : value;
  });
  return `${entry.kind.padEnd(9)} ${line.replace(/"/g, '')}`;
}
