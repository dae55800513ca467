// What the rows of a file that is only looked at would meet in the ledger, once they are registered: payments that were made or asked for before. What a
// run would hold or leave out, a check says too.
import type { Words } from '../../base/language.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';
import { HOLDS, type HoldCode } from '../../payouts/hold.ts';
import { accountKey, keysOf, payeeKey } from '../../payouts/payment-keys.ts';
import type { Payout } from '../../payouts/payout.ts';
import type { FileCheck } from '../../results/summary.ts';
import type { PreviewRow } from '../../results/preview.ts';
import type { Paydrop } from '../parts.ts';
import { held, judgeEncounters } from '../workflow/check/cross-check.ts';
import { rowsInWords, Stretches } from '../workflow/validate/examine-file.ts';
import { isUnverified, LastPayments } from '../workflow/check/unusual.ts';
import { verifiedFor } from '../people/verified-accounts.ts';
import { afterSendBack, isNothing } from '../workflow/take/same-bytes.ts';
import { messageDay } from '../workflow/batch/read-batch-file.ts';

/** The batch that already has these bytes; one that was refused, or sent back unpaid, does not count. */
export async function takenBefore(paydrop: Paydrop, own: BatchRecord): Promise<BatchRecord | null> {
  if ((await afterSendBack(paydrop, own)) !== null) return null;
  const known = await paydrop.ledger.batch({ fileId: own.fileId });
  const same = await paydrop.ledger.batches({ sha256: own.sha256 });
  const days = same.filter((batch) => messageDay(batch) !== null);
  return (known === null ? days : [known, ...days]).find((batch) => !isNothing(paydrop, batch)) ?? null;
}

type LookContext = {
  readonly paydrop: Paydrop;
  /** Payments since this time count as recent; see `CrossCheck`. */
  readonly since: string;
  /** Why a run would hold the row because of another row of its file. */
  readonly wouldHold: (place: string) => Words | null;
};

/** What the row would meet in other files, once it is registered, or in its own. @param ownBytes rows of these bytes are not met: they are paid again on purpose. */
export async function whatItMeets(
  { paydrop, since, wouldHold }: LookContext,
  place: string,
  payout: Payout,
  ownBytes: string | null = null,
): Promise<PreviewRow['met']> {
  const met = await metBefore({ paydrop, since }, payout, ownBytes);
  if (met !== null) return { outcome: met.outcome, words: met.words };
  const words = wouldHold(place);
  return words === null ? null : { outcome: 'held', words, isWithin: true };
}

type Met =
  | { readonly outcome: 'duplicate'; readonly code: 'duplicate'; readonly words: Words }
  | { readonly outcome: 'held'; readonly code: HoldCode; readonly words: Words };

async function metBefore(
  { paydrop: { ledger }, since }: Omit<LookContext, 'wouldHold'>,
  payout: Payout,
  ownBytes: string | null,
): Promise<Met | null> {
  const met = await ledger.duplicateOf(payout, since);
  if (met === null || (ownBytes !== null && (await ledger.batch(met.other.batch))?.sha256 === ownBytes))
    return null;
  const row = { reference: payout.reference, fingerprint: keysOf(payout).fingerprint, batch: '' };
  const finding = judgeEncounters(row, [met]);
  if (finding === null) return null;
  const { words } = finding;
  return finding.kind === 'duplicate'
    ? { outcome: 'duplicate', code: 'duplicate', words }
    : { outcome: 'held', code: finding.code, words };
}

type MetGroup = { readonly met: Met; readonly rows: Stretches };

/** The rows of a file that meet payments of other files, by what a run would do with them. */
export class Meetings {
  readonly #look: Omit<LookContext, 'wouldHold'>;
  readonly #ownBytes: string;
  /** Null where a new account is only worth a warning. */
  readonly #paid: LastPayments | null;
  readonly #groups = new Map<Met['code'], MetGroup>();
  /** Rows without a reference that meet no other row. */
  readonly #unmet: string[] = [];

  constructor(
    look: Omit<LookContext, 'wouldHold'>,
    file: Pick<BatchRecord, 'sha256' | 'submittedBy'>,
    holdsNewAccount: boolean,
  ) {
    const { paydrop } = look;
    this.#look = look;
    this.#ownBytes = file.sha256;
    this.#paid = holdsNewAccount ? new LastPayments(paydrop.ledger, verifiedFor(paydrop, file)) : null;
  }

  /** @param isHeld the row is counted already, because of another row of its file. */
  async take(place: string, payout: Payout, isHeld: boolean): Promise<void> {
    const met = (await metBefore(this.#look, payout, this.#ownBytes)) ?? (await this.#newAccount(payout));
    if (met === null && !isHeld && payout.reference === null) this.#unmet.push(place);
    if (met === null || (isHeld && met.outcome === 'held')) return;
    const group = this.#groups.get(met.code) ?? { met, rows: new Stretches() };
    this.#groups.set(met.code, group);
    group.rows.add(place);
  }

  /** Another file says the same: without references nobody knows whether its rows are the same payments. */
  takeContent({ id, acceptedAt }: BatchRecord): void {
    if (this.#unmet.length === 0) return;
    const date = acceptedAt.slice(0, 10);
    const { code, words } = held('same_content', sentence('crossCheck.judgeContent', { id, date }));
    const rows = new Stretches();
    for (const place of this.#unmet) rows.add(place);
    this.#groups.set(code, { met: { outcome: 'held', code, words }, rows });
  }

  async #newAccount(payout: Payout): Promise<Met | null> {
    const change = await this.#paid?.changeOf(payeeKey(payout), accountKey(payout));
    return isUnverified(change ?? null)
      ? { outcome: 'held', code: 'new_account', words: HOLDS.new_account.words }
      : null;
  }

  get duplicates(): number {
    return this.#groups.get('duplicate')?.rows.count ?? 0;
  }

  held(): FileCheck['wouldHold'] {
    return [...this.#groups].flatMap(([code, { met, rows }]) =>
      met.outcome === 'held' ? [{ code, count: rows.count, rows: rows.list() }] : [],
    );
  }

  words(): readonly Words[] {
    return [...this.#groups.values()].map(({ met, rows }) => {
      const about = { counted: rowsInWords(rows.list(), rows.count), count: rows.count, words: met.words };
      return met.outcome === 'held'
        ? sentence('meetsLedger.held', about)
        : sentence('meetsLedger.duplicate', about);
    });
  }
}
