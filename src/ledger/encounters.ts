// Which rows of a batch meet another row. A row that failed, was rejected or was itself a duplicate does not block a new one, unless a person
// cancelled it while a transfer of it may still pay, or its money had been paid before it came back.
import type { Stage, StageOrHeld } from '../payouts/lifecycle.ts';
import { referenceKey } from '../payouts/payment-keys.ts';
import { liftsItself } from '../payouts/hold.ts';
import type { Progress } from '../payouts/progress.ts';
import { acceptedAtOf, checkedTo, commitmentOf, isSameBytes } from './batch-rules.ts';
import type { BatchRecord, Encounter } from './records.ts';
import type { Found } from './seals.ts';
import { readProgress, textOrNull } from './stored-rows.ts';

/** A row as others may meet it. */
type OtherRow = {
  readonly batch: string;
  readonly position: number;
  readonly row: string;
  readonly reference: string | null;
  readonly fingerprint: string | null;
  readonly progress: Progress;
  /** Its document, where that is asked for. */
  readonly document: string | null;
};

/** The row that is checked. */
type OwnRow = {
  readonly position: number;
  readonly reference: string | null;
  readonly fingerprint: string | null;
  readonly document: string | null;
};

/** What two rows have in common according to the tables; whether they meet is decided here. `comes-from`: the own row names the other one. */
type Candidate = {
  readonly kind: Encounter['kind'] | 'comes-from';
  readonly own: OwnRow;
  readonly other: OtherRow;
};

export type Against = {
  /** Null for a row that is in no batch yet. */
  readonly own: BatchRecord | null;
  /** Start of the window for duplicates, ISO. */
  readonly since: string;
  readonly countsUnseen: boolean;
};

/** The batches of these ids that there are. */
export type KnownBatches = ReadonlyMap<string, BatchRecord>;

/** In SQL, the name of a batch, or a place in one, without the date on which its file was taken: bytes that were refused may be taken again on another. */
export const WITHOUT_DATE = (column: string): string => `substr(${column}, 9)`;

/** The batches that candidates are of. */
export function batchesAmong(found: readonly Found[]): readonly string[] {
  return [...new Set(found.map(({ batch }) => String(batch)))];
}

/** By the position of each own row that meets another. @param found what the tables give as candidates. */
export function encountersAmong(
  found: readonly Found[],
  known: KnownBatches,
  against: Against,
): ReadonlyMap<number, readonly Encounter[]> {
  const met = found.flatMap((each) => {
    const other = known.get(String(each['batch']));
    const encounter = other === undefined ? null : encounterOf(toCandidate(each), other, against);
    return encounter === null ? [] : [encounter];
  });
  return byPosition(inOrder(met));
}

/** The first of those that a row of no batch meets. @param as what it has in common with all of them. */
export function firstMet(
  found: readonly Found[],
  as: Pick<Candidate, 'kind' | 'own'>,
  known: KnownBatches,
  since: string,
): Encounter | null {
  const against: Against = { own: null, since, countsUnseen: false };
  const met = found.flatMap((each) => {
    const { other } = toCandidate(each);
    const otherBatch = known.get(other.batch);
    const encounter = otherBatch === undefined ? null : encounterOf({ ...as, other }, otherBatch, against);
    return encounter === null ? [] : [{ encounter, position: other.position }];
  });
  return foremost(met);
}

function toCandidate(found: Found): Candidate {
  return {
    kind: String(found['kind']) as Candidate['kind'],
    own: {
      position: Number(found['own_position']),
      reference: textOrNull(found['own_reference']),
      fingerprint: textOrNull(found['own_fingerprint']),
      document: textOrNull(found['own_document']),
    },
    other: {
      batch: String(found['batch']),
      position: Number(found['position']),
      row: String(found['row']),
      reference: textOrNull(found['reference']),
      fingerprint: textOrNull(found['fingerprint']),
      progress: readProgress(String(found['progress']), String(found['written_by'])),
      document: textOrNull(found['document']),
    },
  };
}

/** 100001, reversed after payout: why it came back is for a person to find out before it goes out again. */
const CAME_BACK = '100001';

const UNCONFIRMED: readonly Stage[] = ['ready', 'quoted', 'created', 'confirming'];

/** The encounter, or null where the other row does not stand in the way. */
function encounterOf(
  { kind, own, other }: Candidate,
  otherBatch: BatchRecord,
  against: Against,
): Encounter | null {
  const isOwnBatch = other.batch === against.own?.id;
  if (!isOwnBatch && against.own !== null && isSameBytes(against.own, otherBatch)) return null;
  const stands = isOwnBatch ? standsHere(other.progress) : standsElsewhere(other, otherBatch, against);
  if (!stands || !meetsAs(kind, own, other, otherBatch, against)) return null;
  return {
    position: own.position,
    kind: kind === 'comes-from' ? 'same-row' : kind,
    other: {
      batch: other.batch,
      position: other.position,
      row: other.row,
      fingerprint: other.fingerprint,
      stage: stageTold(other.progress, otherBatch),
      isHeld: other.progress.hold !== null,
      acceptedAt: otherBatch.acceptedAt,
      isRecent: isRecent(otherBatch, against),
      isUnseen: isUnseen(other, otherBatch),
    },
  };
}

/** A row that is paid, or certain to be tried, decides: with one, there is no question left for a person. */
function certainFirst(one: Encounter, two: Encounter): number {
  return Number(one.other.stage === 'held') - Number(two.other.stage === 'held');
}

/** Of a row all encounters at once, each kind in the order in which it is told. */
function inOrder(encounters: readonly Encounter[]): readonly Encounter[] {
  return [...encounters]
    .sort(
      (one, two) => one.position - two.position || (one.kind < two.kind ? 1 : one.kind > two.kind ? -1 : 0),
    )
    .sort(certainFirst);
}

/** Encounters come in one list; a row is judged by all of its own at once. */
function byPosition(encounters: readonly Encounter[]): ReadonlyMap<number, readonly Encounter[]> {
  const groups = new Map<number, Encounter[]>();
  for (const encounter of encounters) {
    const group = groups.get(encounter.position);
    if (group === undefined) groups.set(encounter.position, [encounter]);
    else group.push(encounter);
  }
  return groups;
}

function standsBesides({ stage, transfer, confirm }: Progress): boolean {
  const mayStillPay = stage === 'rejected' && transfer !== null && confirm !== 'none';
  return mayStillPay || (stage === 'failed' && transfer?.statusCode === CAME_BACK);
}

/** A row of the same file may have become a duplicate a moment ago, because of the rows before. It blocks as it would if all were judged at once. */
function standsHere(progress: Progress): boolean {
  return (progress.stage !== 'failed' && progress.stage !== 'rejected') || standsBesides(progress);
}

function standsElsewhere(other: OtherRow, otherBatch: BatchRecord, against: Against): boolean {
  return isStanding(other.progress) && counts(other, otherBatch, against);
}

/** Whether a row of another file is paid, may be, or came back after it was. */
export function isStanding(progress: Progress): boolean {
  const { stage } = progress;
  return (stage !== 'failed' && stage !== 'rejected' && stage !== 'duplicate') || standsBesides(progress);
}

/** Of two rows that are checked at the same moment, the one that was checked first counts for the other; a row with a transfer counts in any batch. */
function counts(other: OtherRow, otherBatch: BatchRecord, { countsUnseen }: Against): boolean {
  const { position, progress } = other;
  const hasTransfer = progress.transfer !== null || (progress.hold?.foreign ?? null) !== null;
  return (
    position < checkedTo(otherBatch) ||
    hasTransfer ||
    (countsUnseen && commitmentOf(otherBatch) === 'unseen' && isUnseen(other, otherBatch))
  );
}

/** While a batch is in doubt, reads may not show yet what was sent of a row, or of the row that it waits for. */
function isUnseen({ progress }: OtherRow, { doubt }: BatchRecord): boolean {
  const { hold, stage, transfer } = progress;
  // Nothing was created for it, and nobody is asked about it.
  const isUnsent = hold === null && (stage === 'ready' || stage === 'quoted');
  return doubt !== undefined && ((isUnsent && transfer === null) || liftsItself(hold));
}

function meetsAs(
  kind: Candidate['kind'],
  own: OwnRow,
  other: OtherRow,
  otherBatch: BatchRecord,
  against: Against,
): boolean {
  if (kind === 'same-row') return isNotForMine(other, otherBatch, against);
  if (kind === 'other-reference') return isRecent(otherBatch, against) && !isOtherDocument(own, other);
  // The reference is what tells two payments apart, or the document; what has the same one is met by it.
  if (kind === 'other-way')
    return isRecent(otherBatch, against) && (own.reference === null || !isOtherDocument(own, other));
  if (kind !== 'same-payment') return true;
  if (other.batch === against.own?.id)
    return other.reference === null && other.fingerprint === own.fingerprint;
  const { stage } = other.progress;
  return (isRecent(otherBatch, against) || stage !== 'paid') && isNotForMine(other, otherBatch, against);
}

/** A row that is held because it has my content does not block mine: of two batches that are checked at the same moment both would wait. */
function isNotForMine({ progress }: OtherRow, otherBatch: BatchRecord, { own }: Against): boolean {
  const fingerprint = own?.content?.fingerprint ?? null;
  const isSameContent = fingerprint !== null && otherBatch.content?.fingerprint === fingerprint;
  return !(progress.hold?.code === 'same_content' && isSameContent);
}

/** Both rows name a document, and not the same: two invoices of one amount are two payments. */
function isOtherDocument(own: OwnRow, other: OtherRow): boolean {
  if (own.document === null || other.document === null) return false;
  return referenceKey(own.document) !== referenceKey(other.document);
}

function isRecent(otherBatch: BatchRecord, { since }: Against): boolean {
  return acceptedAtOf(otherBatch) >= since;
}

/** An unconfirmed row of a batch that may still pay nothing is as uncertain as a held one. */
function stageTold({ stage, hold }: Progress, otherBatch: BatchRecord): StageOrHeld {
  if (hold !== null) return 'held';
  return commitmentOf(otherBatch) === 'tentative' && UNCONFIRMED.includes(stage) ? 'held' : stage;
}

/** The one that is told of several: certain before undecided, then the last accepted. */
function foremost(
  met: readonly { readonly encounter: Encounter; readonly position: number }[],
): Encounter | null {
  const [first] = [...met].sort(
    ({ encounter: one, position }, { encounter: two, position: other }) =>
      certainFirst(one, two) ||
      compare(two.other.acceptedAt, one.other.acceptedAt) ||
      compare(one.other.batch, two.other.batch) ||
      other - position,
  );
  return first?.encounter ?? null;
}

function compare(one: string, two: string): number {
  return one < two ? -1 : one > two ? 1 : 0;
}
