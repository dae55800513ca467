// Who carries the next row when several batches are paid at once: the folder that has the fewest under way, and in it the batch that has the fewest. So ten
// rows never wait behind ten thousand, nor one file behind the sixty of another folder. Together they have no more rows under way than the service bears,
// and no row ages in a queue between two of its calls.

/** A batch, and the folder that it came from. */
export type Lane = { readonly batch: string; readonly folder: string };

type Queue = {
  readonly folder: string;
  most: number;
  underWay: number;
  aside: number;
  readonly waiting: (() => void)[];
};

export class FairLanes {
  readonly #most: () => number;
  readonly #full: () => number;
  /** Called as soon as a lane is not used. */
  readonly #onUnused = new Set<() => void>();
  /** Batches with rows that wait or are under way; who was served last stands last. */
  readonly #queues = new Map<string, Queue>();
  /** Rows under way, by folder; who was served last stands last. */
  readonly #ofFolder = new Map<string, number>();
  #underWay = 0;

  /**
   * @param most rows under way at the same time, of all batches together; asked again at each turn.
   * @param full as many as there could ever be; fewer are no reason to keep anybody aside.
   */
  constructor(most: () => number, full: () => number = most) {
    this.#most = most;
    this.#full = full;
  }

  /** Does the work when it is the batch's turn, which has no more than `most` under way. */
  async run<T>(lane: Lane, most: number, work: () => Promise<T>): Promise<T> {
    await this.#turn(lane, most);
    try {
      return await work();
    } finally {
      this.#leave(lane.batch);
    }
  }

  /** As many rows as a batch can have under way while the others have theirs. */
  share({ batch, folder }: Lane): number {
    const folders = new Set([folder]);
    let beside = 0;
    for (const [other, queue] of this.#queues) {
      folders.add(queue.folder);
      if (other !== batch && queue.folder === folder) beside += 1;
    }
    return Math.max(1, Math.ceil(this.#most() / folders.size / (beside + 1)));
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** True while a row could begin if there were another lane. */
  get isWaiting(): boolean {
    return this.#next() !== null;
  }

  #turn({ batch, folder }: Lane, most: number): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(batch) ?? { folder, most, underWay: 0, aside: 0, waiting: [] };
      queue.most = most;
      queue.waiting.push(resolve);
      this.#queues.set(batch, queue);
      this.serve();
    });
  }

  /**
   * A row that has nothing to ask for now leaves its lane to another, until `back`. What it waits for, others wait for too: `onUnused` is called once a lane
   * would stay unused.
   */
  aside(batch: string, onUnused: () => void): void {
    const queue = this.#of(batch);
    this.#count(queue, -1);
    queue.aside += 1;
    this.#onUnused.add(onUnused);
    this.serve();
  }

  /** It goes on even if another has its lane by now: the next to begin waits for both. */
  back(batch: string): void {
    const queue = this.#of(batch);
    this.#count(queue, 1);
    queue.aside -= 1;
  }

  #leave(batch: string): void {
    const queue = this.#of(batch);
    this.#count(queue, -1);
    if (queue.underWay + queue.aside + queue.waiting.length === 0) this.#queues.delete(batch);
    if (this.#queues.size === 0) this.#ofFolder.clear();
    this.serve();
  }

  #count(queue: Queue, by: 1 | -1): void {
    this.#underWay += by;
    queue.underWay += by;
    this.#ofFolder.set(queue.folder, (this.#ofFolder.get(queue.folder) ?? 0) + by);
  }

  #of(batch: string): Queue {
    const queue = this.#queues.get(batch);
    if (queue === undefined) throw new Error(`Batch ${batch} leaves a lane that it does not have.`);
    return queue;
  }

  /** Lets in as many as there is room for; call it when room may have been made. */
  serve(): void {
    while (this.#underWay < this.#most()) {
      const next = this.#next();
      const enter = next?.queue.waiting.shift();
      if (next === null || enter === undefined) break;
      this.#ofFolder.delete(next.queue.folder);
      this.#ofFolder.set(next.queue.folder, next.ofFolder);
      this.#count(next.queue, 1);
      this.#queues.delete(next.batch);
      this.#queues.set(next.batch, next.queue);
      enter();
    }
    if (this.#underWay >= this.#full()) return;
    const calls = [...this.#onUnused];
    this.#onUnused.clear();
    for (const call of calls) call();
  }

  /** Of the folders with rows that wait, the one with the fewest under way; in it the batch with the fewest; of equals the one that was served longest ago. */
  #next(): { readonly batch: string; readonly queue: Queue; readonly ofFolder: number } | null {
    const inTurn = [...this.#ofFolder.keys()];
    let next: { readonly batch: string; readonly queue: Queue; readonly ofFolder: number } | null = null;
    for (const [batch, queue] of this.#queues) {
      if (queue.waiting.length === 0 || queue.underWay >= queue.most) continue;
      const ofFolder = this.#ofFolder.get(queue.folder) ?? 0;
      const before =
        next === null
          ? -1
          : ofFolder - next.ofFolder ||
            inTurn.indexOf(queue.folder) - inTurn.indexOf(next.queue.folder) ||
            queue.underWay - next.queue.underWay;
      if (before < 0) next = { batch, queue, ofFolder };
    }
    return next;
  }
}
