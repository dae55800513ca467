// Files of the same bytes are taken one after the other, whatever they are called: each finds the one before it as a batch, or gone without a
// trace, and never half taken. Between processes the ledger sees to that; within one it cannot tell a kill from a neighbour.

export class TakesInTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Works once all who came before with the same bytes are done, however they ended. */
  async run<Result>(sha256: string, work: () => Promise<Result>): Promise<Result> {
    const own = (this.#last.get(sha256) ?? Promise.resolve()).then(work, work);
    this.#last.set(sha256, own);
    try {
      return await own;
    } finally {
      // Whoever came meanwhile waits for us already.
      if (this.#last.get(sha256) === own) this.#last.delete(sha256);
    }
  }
}
