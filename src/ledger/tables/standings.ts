// Who has a batch, and whether it is halted, asked with every write of its rows.
import { findAll, findLater, isTrue, type Plan, type Statement } from '../plan.ts';
import type { LeasedBatch } from '../records.ts';
import type { Found } from '../seals.ts';
import { IS_HALTED } from './orders.ts';

/** By one id: a statement over a list would be planned each time. */
const SHARED = `SELECT id, owner, is_free, token, ${IS_HALTED} AS is_halted FROM batches WHERE id = $1 FOR SHARE`;

export type Standings = {
  readonly halted: ReadonlySet<string>;
  readonly isLeasedAs: (leased: LeasedBatch) => boolean;
};

/** Nobody changes one of these batches before the commit ends: earlier decisions are seen here. */
export function* standingsOf(run: string, ids: readonly string[]): Plan<Standings> {
  return standingsIn(run, yield* findAll(asking(ids)));
}

/** The same, where nothing in the plan depends on it. */
export function* standingsLater(run: string, ids: readonly string[]): Plan<Promise<Standings>> {
  const standings = (yield* findLater(asking(ids))).then((found) => standingsIn(run, found));
  standings.catch(() => undefined);
  return standings;
}

function asking(ids: readonly string[]): readonly Statement[] {
  return [...new Set(ids)].sort().map((id) => ({ text: SHARED, values: [id] }));
}

function standingsIn(run: string, found: readonly (readonly Found[])[]): Standings {
  const all = found.flat();
  const own = all.filter((batch) => batch['owner'] === run && !isTrue(batch['is_free']));
  const tokens = new Map(own.map(({ id, token }) => [String(id), Number(token)]));
  return {
    halted: new Set(all.flatMap(({ id, is_halted }) => (isTrue(is_halted) ? [String(id)] : []))),
    isLeasedAs: ({ id, token }) => tokens.get(id) === token,
  };
}
