// The money of the model service as double entry: every movement has two sides and stands in the journal, so that nothing can appear or vanish.
import type { Account, Minor } from '../invariants/journal.ts';
import type { Write } from './witness.ts';

export class Books {
  readonly #balances = new Map<string, Minor>();
  readonly #write: Write;

  constructor(write: Write) {
    this.#write = write;
  }

  of(currency: string, account: Account): Minor {
    return this.#balances.get(`${currency} ${account}`) ?? 0n;
  }

  move(currency: string, from: Account, to: Account, amount: Minor): void {
    this.#balances.set(`${currency} ${from}`, this.of(currency, from) - amount);
    this.#balances.set(`${currency} ${to}`, this.of(currency, to) + amount);
    this.#write({ kind: 'moved', currency, from, to, amount });
  }
}
