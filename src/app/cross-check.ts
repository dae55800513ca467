// Rows that meet another row: the same reference, the same payment, the same content. What is certainly paid already is a duplicate, what may
// be is held; nothing is dropped in silence and nothing is paid on a guess.
import { isoTime } from '../base/clock.ts';
import type { BatchRecord, Encounter, RowRecord } from '../ledger/records.ts';
import { HELD_WORDS, type HeldCode } from '../payouts/held.ts';
import type { Progress } from '../payouts/progress.ts';
import { batchRows } from '../results/batch-rows.ts';
import type { Paydrop } from './compose.ts';

type Finding =
  | { readonly kind: 'duplicate'; readonly words: string }
  | { readonly kind: 'held'; readonly code: HeldCode; readonly words: string };

/** Marks every row of a registered batch that met another one. */
export async function crossCheck(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { ledger, clock, config } = paydrop;
  const since = isoTime(clock.now() - config.policy.duplicateWindow);
  const encounters = await ledger.encounters(batch.id, since);
  const sameContent = await earlierSameContent(paydrop, batch);
  if (encounters.length === 0 && sameContent === null) return;
  const met = groupByPosition(encounters);
  for await (const row of batchRows(ledger, batch.id)) {
    if (row.payout === null) continue;
    const finding = judgeEncounters(row, met.get(row.position) ?? []) ?? judgeContent(row, sameContent);
    if (finding !== null) await mark(paydrop, row, finding);
  }
}

async function earlierSameContent({ ledger }: Paydrop, batch: BatchRecord): Promise<BatchRecord | null> {
  if (batch.contentFingerprint === null) return null;
  const [earlier] = await ledger.batchesWithContent(batch.contentFingerprint, batch.id);
  return earlier ?? null;
}

function groupByPosition(encounters: readonly Encounter[]): ReadonlyMap<number, readonly Encounter[]> {
  const groups = new Map<number, Encounter[]>();
  for (const encounter of encounters) {
    const group = groups.get(encounter.position);
    if (group === undefined) groups.set(encounter.position, [encounter]);
    else group.push(encounter);
  }
  return groups;
}

function judgeEncounters(row: RowRecord, encounters: readonly Encounter[]): Finding | null {
  const byReference = encounters.find(({ kind }) => kind === 'same-reference');
  if (byReference !== undefined) return paidBefore(row, byReference);
  const byPayment = encounters.find(({ kind }) => kind === 'same-payment');
  if (byPayment === undefined) return null;
  return held(
    byPayment.other.batch === row.batch ? 'equal_rows' : 'same_payment_recently',
    placeOf(byPayment),
  );
}

function paidBefore(row: RowRecord, encounter: Encounter): Finding {
  const { reference, fingerprint } = row;
  if (encounter.other.fingerprint !== fingerprint)
    return held('reference_paid_differently', placeOf(encounter));
  const words = `The reference "${reference ?? ''}" is paid or under way already (${placeOf(encounter)}).`;
  return { kind: 'duplicate', words };
}

function judgeContent({ reference }: RowRecord, earlier: BatchRecord | null): Finding | null {
  if (earlier === null || reference !== null) return null;
  return held('same_content', `batch ${earlier.id} of ${earlier.acceptedAt.slice(0, 10)}`);
}

function held(code: HeldCode, where: string): Finding {
  return { kind: 'held', code, words: `${HELD_WORDS[code]} (${where})` };
}

function placeOf({ other }: Encounter): string {
  return `row ${other.row} of batch ${other.batch}, ${other.acceptedAt.slice(0, 10)}`;
}

async function mark({ ledger }: Paydrop, row: RowRecord, finding: Finding): Promise<void> {
  await ledger.record(row, {
    progress: progressAfter(row.progress, finding),
    dueAt: null,
    keepClaim: false,
    event: `cross-check: ${finding.kind}`,
  });
}

function progressAfter(progress: Progress, finding: Finding): Progress {
  switch (finding.kind) {
    case 'duplicate':
      return { ...progress, stage: 'duplicate', reason: finding.words, errorCode: 'duplicate_reference' };
    case 'held':
      return {
        ...progress,
        stage: 'held',
        heldCode: finding.code,
        errorCode: finding.code,
        reason: finding.words,
      };
  }
}
