// The state of a batch in a sentence, when its owner has nothing to do.
import { grouped } from '../../base/decimal.ts';
import { joinWords, sameWords, say, type Language, type Words } from '../../base/language.ts';
import type { Outcome } from '../../payouts/lifecycle.ts';
import type { HoldStatus, FileCheck, Summary, SummaryState } from '../../results/summary.ts';
import type { Wait } from '../../ledger/wait.ts';
import { sentence } from '../../messages/messages.ts';

type Standing = Pick<Summary, 'state' | 'outcomes' | 'file' | 'finishedAt'>;

/** Who works on a batch at this moment: a living process, or a daemon that will take it up. At the end of a command nobody does. */
export type Carrier = 'working' | 'watch' | 'nobody';

/** How a batch is told in a word: its state, and for one that is being paid whether somebody has to act. */
export type ShownState = SummaryState | 'waits-for-you' | 'decided' | 'interrupted';

export function shownStateOf(
  { state, outcomes, waitingFor }: Pick<Summary, 'state' | 'outcomes' | 'waitingFor'>,
  carrier: Carrier,
  wait: Pick<Wait, 'for'> | null = null,
): ShownState {
  if (state !== 'paying') return state;
  if (isDecided(outcomes, wait)) return carrier === 'working' ? state : 'decided';
  if (waitingFor === 'operator' || outcomes.held > 0) return 'waits-for-you';
  return carrier === 'nobody' && waitingFor === null ? 'interrupted' : state;
}

/** People have decided about every row that the batch waits for, and no run has gone on with it yet. */
export function isDecided({ held }: Summary['outcomes'], wait: Pick<Wait, 'for'> | null): boolean {
  return wait?.for === 'held-rows' && held === 0;
}

/** Waits during which any process can still send the batch's other rows; every other wait stops the whole file. */
const CARRIED: ReadonlySet<Wait['for']> = new Set(['held-rows', 'service'] as const);

export function standingWords(
  summary: Standing,
  carrier: Carrier = 'working',
  wait: Pick<Wait, 'for'> | null = null,
): Words {
  const { state, outcomes, file } = summary;
  const { pending } = outcomes;
  const decided = isDecided(outcomes, wait);
  const isStopped = wait !== null && !decided && (pending === 0 || !CARRIED.has(wait.for));
  if (state === 'paying' && isStopped)
    return sentence('standing.words.stopped', { pending, rowCountWords: rowCountWords(file.rows) });
  if (carrier === 'working' || (state !== 'paying' && state !== 'tracking')) return WORDS[state](summary);
  return joinWords([
    state === 'tracking' ? WORDS.tracking(summary) : leftWords(summary, decided),
    CARRIED_ON[carrier],
  ]);
}

function leftWords({ outcomes, file }: Standing, decided: boolean): Words {
  const { submitted, paid, failed, held, pending } = outcomes;
  const sent = submitted + paid + failed;
  const rows = rowCountWords(file.rows);
  return sentence('standing.left', { decided, sent, rows, held, pending });
}

const CARRIED_ON: Readonly<Record<Exclude<Carrier, 'working'>, Words>> = {
  watch: sentence('standing.watch'),
  nobody: sentence('standing.nobody'),
};

const WORDS: Readonly<Record<SummaryState, (summary: Standing) => Words>> = {
  checked: () => sentence('standing.words.checked'),
  'awaiting-approval': () => sentence('standing.words.awaitsApproval'),
  scheduled: () => sentence('standing.words.scheduled'),
  paying: ({ outcomes, file }) =>
    sentence('standing.words.beingReadPaid', { pending: outcomes.pending, rows: file.rows }),
  tracking: ({ outcomes }) =>
    sentence('standing.words.everythingSentService', { submitted: outcomes.submitted }),
  closed: ({ finishedAt }) => sentence('standing.words.finishedAnswersLie', { finishedAt }),
  refused: () => sentence('standing.words.refused'),
};

/** The groups of `status`, in their order. */
export const STATUS_PLACES = ['needs-you', 'under-way', 'scheduled', 'done'] as const;
export type StatusPlace = (typeof STATUS_PLACES)[number];

export const PLACE_WORDS: Readonly<Record<StatusPlace, Words>> = {
  'needs-you': sentence('standing.needs-you'),
  'under-way': sentence('standing.under-way'),
  scheduled: sentence('standing.scheduledTitle'),
  done: sentence('standing.doneTitle'),
};

/** Batches that need a person come first. */
export function placeOf(
  { state, outcomes, waitingFor }: Pick<Summary, 'state' | 'outcomes' | 'waitingFor'>,
  { isUnsound, carrier }: { readonly isUnsound: boolean; readonly carrier: Carrier },
): StatusPlace {
  if (state === 'refused') return 'done';
  const isWaiting = waitingFor !== null && !['service', 'schedule'].includes(waitingFor);
  if (isUnsound || isWaiting || outcomes.held > 0) return 'needs-you';
  if (state === 'closed') return 'done';
  if (state === 'scheduled') return 'scheduled';
  return carrier === 'nobody' ? 'needs-you' : 'under-way';
}

/** The command that brings a batch on, ready to copy; null where there is none. */
export function nextCommand(
  { batch, state, outcomes, waitingFor }: Pick<Summary, 'batch' | 'state' | 'outcomes' | 'waitingFor'>,
  place: StatusPlace,
  wait: Pick<Wait, 'for' | 'liftedBy'> | null,
): Words | null {
  if (place !== 'needs-you') return null;
  if (state === 'awaiting-approval' || waitingFor === 'approval')
    return sentence('standing.next.approve', { batch });
  // A stop of the whole file comes before its held rows.
  if (wait?.liftedBy === 'release' && wait.for !== 'held-rows')
    return sentence('standing.next.release', { batch });
  return sameWords(outcomes.held > 0 ? `paydrop status ${batch}` : `paydrop resume ${batch}`);
}

/** In a word or two. */
export const STATE_WORDS: Readonly<Record<ShownState, Words>> = {
  checked: sentence('standing.checked'),
  'awaiting-approval': sentence('standing.awaiting-approval'),
  scheduled: sentence('standing.scheduled'),
  paying: sentence('standing.paying'),
  'waits-for-you': sentence('standing.waits-for-you'),
  decided: sentence('standing.decided'),
  interrupted: sentence('standing.isInterrupted'),
  tracking: sentence('standing.tracking'),
  closed: sentence('standing.closed'),
  refused: sentence('standing.refused'),
};

/** The outcome of a row in a word; the answers keep the English one, for programs. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, Words>> = {
  paid: sentence('standing.paid'),
  failed: sentence('standing.failed'),
  submitted: sentence('standing.submitted'),
  rejected: sentence('standing.rejected'),
  duplicate: sentence('standing.duplicate'),
  held: sentence('standing.held'),
  pending: sentence('standing.pending'),
};

/** `12 payments, 5,025,000 XAF`, including rows that cannot be paid yet. More than two sums get their own lines. */
export function paymentsWords({ payments, sums }: Pick<FileCheck, 'payments' | 'sums'>): Words {
  const count =
    payments === 1
      ? sentence('standing.payments.payment')
      : sentence('standing.payments.payments', { payments });
  const unread = payments - sums.reduce((known, { rows }) => known + rows, 0);
  const head = joinWords([count, ...(sums.length > SUMS_INLINE ? [] : sums.map(sumWords))], ', ');
  return unread > 0 ? joinWords([head, sentence('standing.payments.unread', { unread })]) : head;
}

/** The sums that do not fit on the line of the number of payments. */
export function sumsWords({ sums }: Pick<FileCheck, 'sums'>): readonly Words[] {
  if (sums.length <= SUMS_INLINE) return [];
  return sums.map((sum) => joinWords([sumWords(sum), rowCountWords(sum.rows)], ', '));
}

const SUMS_INLINE = 2;

function sumWords({ currency, amount }: FileCheck['sums'][number]): Words {
  const shown = grouped(amount);
  return currency === null ? shown : sentence('standing.sum', { counted: shown, currency });
}

export function rowCountWords(rows: number): Words {
  return rows === 1 ? sentence('standing.rowCount.row') : sentence('standing.rowCount.rows', { rows });
}

/** A row that is neither paid nor on its way. */
type Unpaid = {
  readonly row: string;
  readonly outcome: Outcome;
  readonly errorCode: string;
  readonly reason: string;
  readonly hold: HoldStatus | null;
};

/** As many as fit on a screen. */
const GROUPS_MOST = 10;

/** Nobody types more rows than that. */
const ROWS_TYPED_MOST = 40;

/** The unpaid rows, grouped by reason; for held ones also the commands that pay or cancel them. */
export function unpaidLines(batch: string, rows: readonly Unpaid[], language: Language): readonly string[] {
  const groups = [...Map.groupBy(rows, groupOf).values()];
  const lines = groups.slice(0, GROUPS_MOST).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const reasons = new Set(group.map(({ reason }) => reason));
    const differ = reasons.size > 1 && first.hold !== null;
    const reason = differ ? first.hold.meaning : first.reason;
    const where = placesWords(group.map(({ row }) => row));
    const head = sentence('standing.unpaid', { where, outcome: OUTCOME_WORDS[first.outcome], reason });
    const commands = first.outcome === 'held' ? heldCommands(batch, group) : [];
    // Rows that equal one another are named by the group.
    const each = differ && first.errorCode !== 'equal_rows' ? group.slice(0, GROUPS_MOST).map(ownReason) : [];
    return [say(head, language), ...[...each, ...commands].map((line) => `    ${say(line, language)}`)];
  });
  const more = groups.length - GROUPS_MOST;
  return more > 0 ? [...lines, say(moreReasons(more), language)] : lines;
}

/** Which other row is meant, or which limit, only the reason of the row itself says. */
function ownReason({ row, reason: whole, hold }: Unpaid): Words {
  const { meaning = '' } = hold ?? {};
  const own = whole.startsWith(meaning) ? whole.slice(meaning.length).trim() : whole;
  return sentence('standing.ownReason', { where: placesWords([row]), reason: own === '' ? whole : own });
}

/** Held rows are grouped by code and by who lifts it, others by their reason. */
function groupOf({ outcome, errorCode, reason, hold }: Unpaid): string {
  return outcome === 'held' ? `held ${errorCode} ${hold?.lifts ?? ''}` : `${outcome} ${reason}`;
}

function placesWords(places: readonly string[]): Words {
  if (places.length === 1) return sentence('standing.places.row', { value: places[0] });
  const shown = places.slice(0, GROUPS_MOST).join(', ');
  const more = places.length - GROUPS_MOST;
  return more > 0
    ? sentence('standing.places.rowsMore', { shown, more })
    : sentence('standing.places.rows', { shown });
}

/** Ready to copy, with the rows, so that nobody decides about a row with another hold. */
function heldCommands(batch: string, group: readonly Unpaid[]): readonly Words[] {
  const [first] = group;
  const lifts = first?.hold?.lifts ?? 'release';
  if (lifts === 'itself') return [];
  const list = rowList(group);
  // To cancel all of equal rows would leave the payment itself unpaid. Of a single one, the others are decided.
  const extra =
    first?.errorCode !== 'equal_rows' ? list : group.length > 2 ? 'LIST' : rowList(group.slice(-1));
  const release = sentence('standing.release', { batch, list, flags: '' });
  if (lifts === 'service') return [joinWords([sentence('standing.heldCommands.accept'), release])];
  const pay = joinWords([sentence('standing.heldCommands.pay'), release]);
  const cancel = joinWords([
    sentence('standing.heldCommands.cancel'),
    sentence('standing.release', { batch, list: extra, flags: ' --skip' }),
  ]);
  return lifts === 'never' ? [cancel] : [pay, cancel];
}

function rowList(group: readonly Unpaid[]): string {
  return group.length > ROWS_TYPED_MOST ? 'LIST' : group.map(({ row }) => row.split('!').at(-1)).join(',');
}

function moreReasons(more: number): Words {
  return sentence('standing.moreReasons', { more });
}
