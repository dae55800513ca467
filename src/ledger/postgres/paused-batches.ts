// Which batches a person has paused, asked with every write of their rows.
import type { Query } from './connect.ts';

/** By one id: a statement over a list would be planned each time. */
const SHARED = 'SELECT id, paused FROM batches WHERE id = $1 FOR SHARE';

/** The paused ones among these batches. Nobody changes one of them before the commit ends: earlier decisions are seen here. */
export async function pausedAmong(query: Query, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const asked = [...ids].sort().map((id) => query(SHARED, [id]));
  const found = (await Promise.all(asked)).flat();
  return new Set(found.flatMap(({ id, paused }) => (paused === 1 ? [String(id)] : [])));
}
