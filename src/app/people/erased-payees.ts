// Payees whose data somebody has erased (right to erasure): each by the key of the name alone, so that whoever builds something out of the ledger leaves them out.
// The books stay as the law wants them, and a payment that comes later counts as everybody's.
import { type Clock, isoTime } from '../../base/clock.ts';
import type { Workspace } from '../../inbox/workspace.ts';
import { inOneCommit, logAccess, openedPeople, type PeopleFile } from './people-file.ts';

/** What people have said of the payee goes in the same commit. The log keeps who did it and why, under a key that names nobody. */
export function erasePayee(
  file: PeopleFile,
  payee: string,
  { by, reason }: { readonly by: string; readonly reason: string },
): void {
  inOneCommit(file, () => {
    file.database.prepare('DELETE FROM verified_accounts WHERE payee = ?').run(payee);
    file.database
      .prepare('INSERT INTO erased_payees (payee, at) VALUES (?, ?)')
      .run(payee, isoTime(file.clock.now()));
    logAccess(file, by, 'payee_erased', `${payee}: ${reason}`);
  });
}

/** Who was erased, for a reader that looks again and again. */
export class ErasedPayees {
  readonly #workspace: Pick<Workspace, 'root'>;
  readonly #clock: Clock;
  #file: PeopleFile | null = null;
  #seen: { readonly last: number; readonly at: ReadonlyMap<string, string> } = { last: 0, at: new Map() };

  constructor(workspace: Pick<Workspace, 'root'>, clock: Clock) {
    this.#workspace = workspace;
    this.#clock = clock;
  }

  /** The number of the last one; 0 where there is none. */
  last(): number {
    this.#file ??= openedPeople(this.#workspace, this.#clock);
    if (this.#file === null) return 0;
    const { database } = this.#file;
    const last = Number(
      database.prepare('SELECT coalesce(max(seq), 0) AS last FROM erased_payees').get()?.['last'],
    );
    if (last !== this.#seen.last) {
      const all = database.prepare('SELECT payee, at FROM erased_payees ORDER BY seq').all();
      this.#seen = { last, at: new Map(all.map(({ payee, at }) => [String(payee), String(at)])) };
    }
    return last;
  }

  /** As of the last look. @param since when the payment came (ISO). */
  has(payee: string, since: string): boolean {
    const at = this.#seen.at.get(payee);
    return at !== undefined && since <= at;
  }

  isAny(): boolean {
    return this.#seen.last > 0;
  }

  close(): void {
    this.#file?.database.close();
    this.#file = null;
  }
}
