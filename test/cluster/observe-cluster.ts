// What an observer sees of a cluster at a moment: the progress of the rows, and which node has which files.
import type { Ledger } from '../../src/ledger/ledger.ts';
import { LedgerAway } from '../../src/ledger/ledger-unusable.ts';
import { livingNodes } from '../../src/app/parts/daemon-note.ts';

export type Seen = {
  readonly files: number;
  readonly closed: number;
  /** Rows that were paid or failed. */
  readonly ended: number;
  /** Grows with every record of any row. */
  readonly moved: number;
  /** Open files by the node that has them. */
  readonly carried: ReadonlyMap<string, number>;
};

/** How far each stage is on its way. */
const STEPS: Readonly<Record<string, number>> = {
  quoted: 1,
  created: 2,
  confirming: 3,
  confirmed: 4,
  paid: 5,
  failed: 5,
};

/** Null while the database is away. */
export async function observe(ledger: Ledger): Promise<Seen | null> {
  try {
    return await look(ledger);
  } catch (error) {
    if (error instanceof LedgerAway) return null;
    throw error;
  }
}

async function look(ledger: Ledger): Promise<Seen> {
  const batches = await ledger.batches();
  const names = new Map((await livingNodes(ledger)).map(({ run, node }) => [run, node]));
  const carried = new Map<string, number>();
  let [ended, moved] = [0, 0];
  for (const { id, owner, state } of batches) {
    for (const [stage, rows] of await ledger.stageCounts(id)) {
      moved += rows * (STEPS[stage] ?? 0);
      if (stage === 'paid' || stage === 'failed') ended += rows;
    }
    const node = owner === null || state === 'closed' ? undefined : names.get(owner);
    if (node !== undefined) carried.set(node, (carried.get(node) ?? 0) + 1);
  }
  const closed = batches.filter(({ state }) => state === 'closed').length;
  return { files: batches.length, closed, ended, moved, carried };
}
