// The payout network behind the model service: it refuses at once, or pays, or fails later, and sometimes takes a payment back.
import type { What } from '../invariants/journal.ts';
import type { Books } from './model-books.ts';
import type { Transfer } from './model-records.ts';
import { Refusal } from './model-refusal.ts';
import type { Plan } from './plan.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import type { Write } from './witness.ts';

const FAILED_CODES = [
  '100000',
  '100002',
  '100003',
  '100004',
  '100005',
  '100006',
  '100007',
  '100008',
] as const;

/** How long the network may think about a refused confirm: well within the time for which a dead attempt is watched. */
const UNDECIDED_MOST_MS = 240_000;

const REVERSED_WITHIN_MS = 600_000;

export type By = Extract<What, { kind: 'status' }>['by'];

export type PayoutNetworkOptions = {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly plan: Plan;
  readonly write: Write;
};

export class PayoutNetwork {
  readonly #options: PayoutNetworkOptions;
  readonly #books: Books;

  constructor(options: PayoutNetworkOptions, books: Books) {
    this.#options = options;
    this.#books = books;
  }

  /** Moves a transfer and its funds to another status. */
  change(transfer: Transfer, to: string, statusCode: string, by: By): void {
    const { scheduler, write } = this.#options;
    const from = transfer.status;
    this.#moveFunds(transfer, from, to);
    transfer.status = to;
    transfer.statusCode = statusCode;
    transfer.past.push({ at: scheduler.now, state: { status: to, statusCode } });
    write({ kind: 'status', transferId: transfer.id, from, to, statusCode, by });
  }

  /** Takes a confirmed transfer, or throws 10027. */
  take(transfer: Transfer, by: By): void {
    const { random, plan } = this.#options;
    if (transfer.isUndecided || random.chance(plan.networkRefuses)) this.#refuse(transfer);
    this.#submit(transfer, by);
  }

  /** What becomes of a refused transfer is not shown by the interface. */
  #refuse(transfer: Transfer): never {
    const { plan, scheduler, random } = this.#options;
    const { refusedConfirm } = plan.holes;
    if (refusedConfirm === 'fails') this.change(transfer, 'failed', '100002', 'confirm');
    else if (!transfer.isUndecided) {
      transfer.isUndecided = true;
      const ms = random.between(1_000, UNDECIDED_MOST_MS);
      if (refusedConfirm !== 'stays-created') scheduler.after(ms, () => this.#decide(transfer));
    }
    throw new Refusal(10027);
  }

  #decide(transfer: Transfer): void {
    if (transfer.status !== 'created') return;
    if (this.#options.plan.holes.refusedConfirm === 'pays-later') this.#submit(transfer, 'network');
    else this.change(transfer, 'failed', '100006', 'network');
  }

  #submit(transfer: Transfer, by: By): void {
    const { scheduler, random, plan } = this.#options;
    this.change(transfer, 'submitted', '10001', by);
    scheduler.after(random.between(100, plan.payoutMsMost), () => this.#end(transfer));
  }

  #end(transfer: Transfer): void {
    const { random, plan, scheduler } = this.#options;
    if (transfer.status !== 'submitted') return;
    if (random.chance(plan.payoutFails)) {
      this.change(transfer, 'failed', random.pick(FAILED_CODES), 'network');
      return;
    }
    this.change(transfer, 'paid', '20000', 'network');
    if (!random.chance(plan.reversals)) return;
    scheduler.after(random.between(100, REVERSED_WITHIN_MS), () => {
      if (transfer.status === 'paid') this.change(transfer, 'failed', '100001', 'network');
    });
  }

  #moveFunds({ sendAmount, feeAmount, sourceCurrency }: Transfer, from: string, to: string): void {
    const [source, target] = [accountOf(from), accountOf(to)];
    if (source !== target) this.#books.move(sourceCurrency, source, target, sendAmount + feeAmount);
  }
}

function accountOf(status: string): 'paidOut' | 'available' | 'pending' {
  if (status === 'paid') return 'paidOut';
  return status === 'failed' ? 'available' : 'pending';
}
