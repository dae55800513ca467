// Prepared statements by their text: each is compiled once, wherever it is used. A bound LIMIT stands as `+?` in all of them: SQLite looks at a
// bare one to plan with it, and would compile the statement anew for each value.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export type Sql = (text: string) => StatementSync;

export function statements(database: DatabaseSync): Sql {
  const known = new Map<string, StatementSync>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const statement = database.prepare(text);
    known.set(text, statement);
    return statement;
  };
}
