// The state of a batch in a sentence, when its owner has nothing to do.
import { grouped } from '../../base/decimal.ts';
import { joinWords, sameWords, say, type Language, type Words } from '../../base/language.ts';
import type { Outcome } from '../../payouts/lifecycle.ts';
import { leftAs, type Standing } from '../../contract/words.ts';
import type { HoldStatus, FileCheck, Summary } from '../../results/summary.ts';
import type { Wait } from '../../ledger/wait.ts';
import { rowsWords, sentence } from '../../messages/messages.ts';

type Stands = Pick<Summary, 'standing' | 'outcomes' | 'file' | 'finishedAt'>;

/** Who works on a batch at this moment: a living process, or a daemon that will take it up. At the end of a command nobody does. */
export type Carrier = 'working' | 'watch' | 'nobody';

/** Waits during which any process can still send the batch's other rows; every other wait stops the whole file. */
const CARRIED: ReadonlySet<Wait['for']> = new Set<Wait['for']>(['held-rows', 'service', 'doubt']);

/** How a batch stands, in a sentence. */
export function standingWords(
  summary: Stands,
  carrier: Carrier = 'working',
  wait: Pick<Wait, 'for'> | null = null,
): Words {
  const { standing, outcomes, file } = summary;
  const { pending } = outcomes;
  switch (standing) {
    case 'checking':
    case 'asking-prices':
    case 'paying':
    case 'in-transit':
      return carrier === 'working'
        ? WORDS[standing](summary)
        : joinWords([WORDS[standing](summary), CARRIED_ON[carrier]]);
    case 'ready':
    case 'interrupted':
      return joinWords([leftWords(summary), CARRIED_ON[carrier === 'working' ? 'nobody' : carrier]]);
    case 'awaiting-funds':
    case 'awaiting-key':
    case 'awaiting-service':
    case 'awaiting-doubt':
    case 'awaiting-documents':
    case 'needs-decision':
      if (carrier !== 'working' && pending > 0 && (wait === null || CARRIED.has(wait.for)))
        return joinWords([leftWords(summary), CARRIED_ON[carrier]]);
      return sentence('standing.words.stopped', { pending, rowCountWords: rowsWords(file.rows) });
    case 'checked':
    case 'awaiting-approval':
    case 'scheduled':
    case 'done':
    case 'done-not-paid':
    case 'refused':
      return WORDS[standing](summary);
  }
}

function leftWords({ standing, outcomes, file }: Stands): Words {
  const { submitted, paid, failed, held, pending } = outcomes;
  const sent = submitted + paid + failed;
  const rows = rowsWords(file.rows);
  const how = standing === 'ready' || standing === 'interrupted' ? standing : 'waiting';
  return sentence('standing.left', { how, sent, rows, held, pending });
}

const CARRIED_ON: Readonly<Record<Exclude<Carrier, 'working'>, Words>> = {
  watch: sentence('standing.watch'),
  nobody: sentence('standing.nobody'),
};

const FINISHED = ({ finishedAt }: Stands): Words =>
  sentence('standing.words.finishedAnswersLie', { finishedAt });

const WORDS = {
  checked: () => sentence('standing.words.checked'),
  checking: () => sentence('standing.words.checking'),
  'asking-prices': () => sentence('standing.words.askingPrices'),
  'awaiting-approval': () => sentence('standing.words.awaitsApproval'),
  scheduled: () => sentence('standing.words.scheduled'),
  paying: ({ outcomes, file }) =>
    sentence('standing.words.beingPaid', { pending: outcomes.pending, rows: file.rows }),
  'in-transit': ({ outcomes }) =>
    sentence('standing.words.everythingSentService', { submitted: outcomes.submitted }),
  done: FINISHED,
  'done-not-paid': FINISHED,
  refused: () => sentence('standing.words.refused'),
} as const satisfies Partial<Record<Standing, (summary: Stands) => Words>>;

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
  const isWaiting = waitingFor !== null && !['service', 'doubt', 'schedule'].includes(waitingFor);
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
  approvalBy: 'name' | 'signature' | null,
): Words | null {
  if (place !== 'needs-you') return null;
  // A command gives no signature: the question says where it is given.
  if (state === 'awaiting-approval' || waitingFor === 'approval')
    return approvalBy === 'signature' ? null : sentence('standing.next.approve', { batch });
  // A stop of the whole file comes before its held rows.
  if (wait?.liftedBy === 'release' && wait.for !== 'held-rows')
    return sentence('standing.next.release', { batch });
  return sameWords(outcomes.held > 0 ? `paydrop status ${batch}` : `paydrop resume ${batch}`);
}

/** How a batch stands, in a word or two. @param carrier who works on it. */
export function stateWords(
  { standing, outcomes, file }: Pick<Stands, 'standing' | 'outcomes' | 'file'>,
  carrier: Carrier,
): Words {
  if (carrier === 'nobody' && leftAs(standing) !== standing) return STANDS.interrupted;
  if (standing === 'ready') return sentence('stands.ready', { isLeft: carrier === 'nobody' });
  if (standing === 'done-not-paid')
    return sentence('stands.done-not-paid', { rows: file.rows - outcomes.paid });
  return STANDS[standing];
}

const STANDS: Readonly<Record<Exclude<Standing, 'ready' | 'done-not-paid'>, Words>> = {
  checking: sentence('stands.checking'),
  checked: sentence('standing.checked'),
  'asking-prices': sentence('stands.asking-prices'),
  'awaiting-approval': sentence('standing.awaiting-approval'),
  scheduled: sentence('standing.scheduled'),
  paying: sentence('standing.paying'),
  'in-transit': sentence('stands.in-transit'),
  'awaiting-funds': sentence('stands.awaiting-funds'),
  'awaiting-key': sentence('stands.awaiting-key'),
  'awaiting-service': sentence('stands.awaiting-service'),
  'awaiting-doubt': sentence('stands.awaiting-doubt'),
  'awaiting-documents': sentence('stands.awaiting-documents'),
  'needs-decision': sentence('standing.waits-for-you'),
  interrupted: sentence('standing.isInterrupted'),
  done: sentence('stands.done'),
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
  return sums.map((sum) => joinWords([sumWords(sum), rowsWords(sum.rows)], ', '));
}

const SUMS_INLINE = 2;

function sumWords({ currency, amount }: FileCheck['sums'][number]): Words {
  const shown = grouped(amount);
  return currency === null ? shown : sentence('standing.sum', { counted: shown, currency });
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
  return sentence('labelled', { label: placesWords([row]), words: sameWords(own === '' ? whole : own) });
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
