// What a question is about besides its sums, made once from the rows as they were read: the digest of the payments, what is received and left out, what a
// person has released, and every warning with its row, changed accounts first. Question, page, print, mail and signature have it from here.
import { createHash } from 'node:crypto';

import { addDecimals } from '../../../base/decimal.ts';
import type { QuestionSubject, QuestionWarning, ReceivedSum } from '../../../ledger/approval.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import { shownPayee } from '../../../payouts/shown-payee.ts';
import type { FileProfile } from '../../config/profile-file.ts';
import type { Warning } from '../check/unusual.ts';

/** More than these nobody reads in a question; the preview has all of them, and the digest covers them. */
const WARNINGS_SHOWN = 200;

/** The order in which people read them: a changed account is how payrolls are stolen. */
const ORDER: Readonly<Record<QuestionWarning['kind'], number>> = {
  changed_account: 0,
  verified_account: 1,
  shared_account: 2,
  ten_times: 3,
};

type Subject = Omit<QuestionSubject, 'limits'>;

/** Takes the rows of a batch in their order, each with what looks unusual about it. */
export class SubjectRows {
  readonly #digest = startPayments();
  readonly #received = new Map<string, ReceivedSum>();
  readonly #fees = new Map<string, string>();
  readonly #leftOut = { rejected: 0, duplicate: 0, held: 0 };
  readonly #warnings: QuestionWarning[] = [];
  readonly #verifiedBy = new Set<string>();

  take(row: RowRecord, found: readonly Warning[]): void {
    this.#digest.take(row);
    const stage = stageOrHeld(row.progress);
    if (stage === 'rejected' || stage === 'duplicate' || stage === 'held') this.#leftOut[stage] += 1;
    const price = priceToSend(row);
    const { payout } = row;
    if (price === null || payout === null) return;
    const { sourceCurrency, targetCurrency } = payout;
    const sum = this.#received.get(targetCurrency) ?? { currency: targetCurrency, rows: 0, amount: '0' };
    const amount = addDecimals(sum.amount, price.receiveAmount);
    this.#received.set(targetCurrency, { ...sum, rows: sum.rows + 1, amount });
    this.#fees.set(sourceCurrency, addDecimals(this.#fees.get(sourceCurrency) ?? '0', price.feeAmount));
    const { receiver, account } = shownPayee(payout);
    for (const { kind, words, before = null, by } of found) {
      if (by !== undefined) this.#verifiedBy.add(by);
      this.#warnings.push({
        ...{ kind, words, before, row: row.row, name: receiver ?? '', after: account },
        ...{ currency: targetCurrency, amount: price.receiveAmount },
      });
    }
  }

  /** @param profile by which the file was read; null for none. */
  subject({ decisions, payAt }: BatchRecord, profile: FileProfile | null): Subject {
    const warnings = this.#warnings.toSorted((one, other) => ORDER[one.kind] - ORDER[other.kind]);
    return {
      payments: this.#digest.end(),
      payAt: payAt?.at ?? null,
      received: [...this.#received.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1)),
      fees: [...this.#fees]
        .map(([currency, amount]) => ({ currency, amount }))
        .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
      leftOut: this.#leftOut,
      released: decisions.flatMap((decision) =>
        decision.about === 'release'
          ? [{ by: decision.by, reason: decision.reason ?? '', rows: decision.rows }]
          : [],
      ),
      warned: {
        rows: new Set(warnings.map(({ row }) => row)).size,
        changedAccounts: warnings.filter(({ kind }) => kind === 'changed_account').length,
      },
      warnings: warnings.slice(0, WARNINGS_SHOWN),
      warningsDigest: createHash('sha256').update(JSON.stringify(warnings)).digest('hex'),
      verifiedBy: [...this.#verifiedBy].sort(),
      readBy: readByOf(profile),
    };
  }
}

function readByOf(profile: FileProfile | null): QuestionSubject['readBy'] {
  if (profile === null || profile.profile.name === '') return null;
  const { author, confirmed } = profile;
  return { profile: profile.profile.name, author, confirmedBy: confirmed?.by ?? null };
}

/** Of a row that would be sent: what the service has agreed to. */
export function priceToSend({ progress }: Pick<RowRecord, 'progress'>) {
  const { transfer, price } = progress;
  switch (stageOrHeld(progress)) {
    case 'ready':
    case 'quoted':
      return price;
    case 'created':
    case 'confirming':
      return transfer;
    case 'confirmed':
    case 'paid':
    case 'failed':
    case 'rejected':
    case 'duplicate':
    case 'held':
      return null;
  }
}

/** SHA-256 (hex) over every row as it was read, in order: the same as long as nobody would be paid otherwise, and nobody else. */
export async function paymentsDigest(ledger: Ledger, batch: string): Promise<string> {
  const digest = startPayments();
  for await (const row of batchRows(ledger, batch)) digest.take(row);
  return digest.end();
}

function startPayments() {
  const hash = createHash('sha256');
  return {
    take: ({ position, row, payout }: RowRecord): void => {
      hash.update(JSON.stringify([position, row, inOrder(payout)]));
    },
    end: (): string => hash.digest('hex'),
  };
}

/** The same text for the same payment, whatever the order in which its fields were kept. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, of]) => of !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, of]) => [name, inOrder(of)]);
}
