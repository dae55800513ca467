// Who has a batch, and whether it is halted, asked with every write of its rows.
import type { LeasedBatch } from '../records.ts';
import { isTrue } from '../plan.ts';
import { IS_HALTED } from '../tables/orders.ts';
import type { Query } from './connect.ts';

/** By one id: a statement over a list would be planned each time. */
const SHARED = `SELECT id, owner, is_free, token, ${IS_HALTED} AS is_halted FROM batches WHERE id = $1 FOR SHARE`;

export type Standings = {
  readonly halted: ReadonlySet<string>;
  readonly isLeasedAs: (leased: LeasedBatch) => boolean;
};

/** Nobody changes one of these batches before the commit ends: earlier decisions are seen here. */
export async function standingsOf(query: Query, run: string, ids: readonly string[]): Promise<Standings> {
  const asked = [...new Set(ids)].sort().map((id) => query(SHARED, [id]));
  const found = (await Promise.all(asked)).flat();
  const own = found.filter((batch) => batch['owner'] === run && batch['is_free'] === 0);
  const tokens = new Map(own.map(({ id, token }) => [String(id), Number(token)]));
  return {
    halted: new Set(found.flatMap(({ id, is_halted }) => (isTrue(is_halted) ? [String(id)] : []))),
    isLeasedAs: ({ id, token }) => tokens.get(id) === token,
  };
}
