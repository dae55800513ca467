// A ledger that lets a test act between the decision to change a batch and its commit, as another process might.
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { BatchChange } from '../../src/ledger/records.ts';

/** Awaits `meet` before each change of a batch is written; the batch is decided on once more then. */
export function beforeRevision(ledger: Ledger, meet: (change: BatchChange) => Promise<void>): Ledger {
  const revise: Ledger['revise'] = async (of, decide) => {
    const changes: BatchChange[] = [];
    const seen = await ledger.revise(of, (batch, all) => {
      const revision = decide(batch, all);
      if (revision !== null) changes.push(revision.change);
      return null;
    });
    for (const change of changes) await meet(change);
    return changes.length === 0 ? seen : ledger.revise(of, decide);
  };
  return new Proxy(ledger, {
    get: (target, name) => {
      if (name === 'revise') return revise;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
