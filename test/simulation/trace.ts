// The journal of a schedule in lines that a person can follow.
import type { Entry, Journal } from '../invariants/journal.ts';

export function traceOf(journal: Journal): readonly string[] {
  const start = journal[0]?.at ?? 0;
  return journal
    .filter(({ kind }) => kind !== 'moved')
    .map((entry) => `${((entry.at - start) / 1_000).toFixed(3).padStart(11)}  ${lineOf(entry)}`);
}

function lineOf(entry: Entry): string {
  const { at, kind, ...rest } = entry;
  void at;
  const line = JSON.stringify(rest, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return `${kind.padEnd(9)} ${line.replace(/"/g, '')}`;
}
