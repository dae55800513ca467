// Carries out plans by statements whose answers come in time.
import { carryOutInTime, type Plan, type Statement, type Value } from '../plan.ts';
import type { Found } from '../seals.ts';
import type { Query } from './connect.ts';

/** @param end see `carryOutInTime`. */
export function carryOutBy<T>(query: Query, plan: Plan<T>, end?: 'awaited' | 'left'): Promise<T> {
  return carryOutInTime(plan, (statement) => asked(query, statement), end);
}

function asked(query: Query, statement: Statement): Promise<readonly Found[]> {
  const { text, values, lines } = statement;
  if (lines === undefined) return query(text, values);
  const columns: readonly Value[] = lines.columns.map((_, at) =>
    lines.values.map((line) => line[at] ?? null),
  );
  const count = lines.isEachMet ? [lines.values.length] : [];
  return query(overLists(statement), [...values, ...columns, ...count]);
}

/** By the columns, of which each statement has its own. */
const known = new WeakMap<object, string>();

/** Each column of the lines is a list; and all are counted where each must be met. */
function overLists({ text, values, lines }: Statement): string {
  if (lines === undefined) return text;
  const { columns, isEachMet } = lines;
  const found = known.get(columns);
  if (found !== undefined) return found;
  const lists = columns.map(({ type }, at) => `$${String(values.length + at + 1)}::${type}[]`);
  const names = columns.map(({ name }) => name);
  const put = text.replace(/\blines l\b/, `unnest(${lists.join(', ')}) AS l (${names.join(', ')})`);
  const count = String(values.length + columns.length + 1);
  const whole = isEachMet
    ? `WITH met AS (${put} RETURNING 1) SELECT CASE WHEN (SELECT count(*) FROM met) = $${count} THEN 1 ELSE met_another() END AS is_met`
    : put;
  known.set(columns, whole);
  return whole;
}
