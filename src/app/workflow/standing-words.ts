// Where a batch stands, in a sentence, when nothing is missing that its owner could do something about.
import { grouped } from '../../base/decimal.ts';
import { joinWords, sameWords, say, type Language, type Words } from '../../base/language.ts';
import type { HoldRule } from '../../payouts/hold.ts';
import type { Outcome } from '../../payouts/outcome.ts';
import type { FileCheck, Summary, SummaryState } from '../../results/summary.ts';

type Standing = Pick<Summary, 'state' | 'outcomes' | 'file' | 'finishedAt'>;

/** Who works on a batch at this moment: a process that lives, or a daemon that will take it up. */
export type Carrier = 'working' | 'watch' | 'nobody';

export function standingWords(summary: Standing, isPaused: boolean, carrier: Carrier = 'working'): Words {
  if (isPaused && summary.state !== 'closed') return PAUSED;
  const isLeft = summary.state === 'tracking' || (summary.state === 'paying' && summary.outcomes.pending > 0);
  if (carrier !== 'working' && isLeft) return joinWords([interruptedWords(summary), CARRIED_ON[carrier]]);
  return WORDS[summary.state](summary);
}

function interruptedWords({ state, outcomes, file }: Standing): Words {
  if (state === 'tracking') return WORDS.tracking({ state, outcomes, file, finishedAt: null });
  const { pending } = outcomes;
  const sent = String(file.rows - pending);
  return {
    en: `Interrupted: ${sent} of ${rowCountWords(file.rows).en} done, ${String(pending)} not sent yet.`,
    fr: `Interrompu : ${sent} sur ${rowCountWords(file.rows).fr} traitées, ${String(pending)} pas encore envoyées.`,
  };
}

const CARRIED_ON: Readonly<Record<Exclude<Carrier, 'working'>, Words>> = {
  watch: { en: '"watch" goes on with it.', fr: '« watch » le poursuit.' },
  nobody: {
    en: 'No process is working on it; "paydrop resume" goes on.',
    fr: 'Aucun processus ne s’en occupe ; « paydrop resume » le poursuit.',
  },
};

const PAUSED: Words = {
  en: 'Paused by somebody; "paydrop resume" goes on with it.',
  fr: 'Mis en pause par quelqu’un ; « paydrop resume » le poursuit.',
};

const same = (en: string, fr: string) => (): Words => ({ en, fr });

const WORDS: Readonly<Record<SummaryState, (summary: Standing) => Words>> = {
  checked: same('Checked; nothing is sent.', "Contrôlé ; rien n'est envoyé."),
  'awaiting-approval': same('Waits for its approval.', 'Attend son approbation.'),
  scheduled: same('Waits for its time.', 'Attend son heure.'),
  paying: ({ outcomes, file }) => ({
    en: `Is being read and paid: ${String(outcomes.pending)} of ${String(file.rows)} rows are not sent yet.`,
    fr: `En cours de lecture et de paiement : ${String(outcomes.pending)} lignes sur ${String(file.rows)} ne sont pas encore envoyées.`,
  }),
  tracking: ({ outcomes }) => ({
    en: `Everything is sent; the service has not said yet what became of ${outcomes.submitted === 1 ? '1 payment' : `${String(outcomes.submitted)} payments`}.`,
    fr: `Tout est envoyé ; le service n'a pas encore dit ce qu'il est advenu de ${outcomes.submitted === 1 ? '1 paiement' : `${String(outcomes.submitted)} paiements`}.`,
  }),
  closed: ({ finishedAt }) => ({
    en: `Finished${finishedAt === null ? '' : ` at ${finishedAt}`}; its answers lie in the outbox.`,
    fr: `Terminé${finishedAt === null ? '' : ` le ${finishedAt}`} ; ses réponses se trouvent dans la boîte de sortie.`,
  }),
  refused: same(
    'Refused as a whole, nothing was sent; the reason lies in the outbox and beside the file in refused/.',
    "Refusé en entier, rien n'a été envoyé ; la raison se trouve dans la boîte de sortie et à côté du fichier dans refused/.",
  ),
};

/** How `status` groups batches, in its order. */
export const STATUS_PLACES = ['needs-you', 'under-way', 'scheduled', 'done'] as const;
export type StatusPlace = (typeof STATUS_PLACES)[number];

export const PLACE_WORDS: Readonly<Record<StatusPlace, Words>> = {
  'needs-you': { en: 'Needs you', fr: 'À vous' },
  'under-way': { en: 'Under way', fr: 'En cours' },
  scheduled: { en: 'Scheduled', fr: 'Programmé' },
  done: { en: 'Done', fr: 'Terminé' },
};

/** What only a person can bring on comes first. */
export function placeOf(
  { state, outcomes, waitingFor }: Pick<Summary, 'state' | 'outcomes' | 'waitingFor'>,
  {
    isPaused,
    isUnsound,
    carrier,
  }: { readonly isPaused: boolean; readonly isUnsound: boolean; readonly carrier: Carrier },
): StatusPlace {
  if (state === 'refused') return 'done';
  const isWaiting = waitingFor !== null && !['service', 'schedule'].includes(waitingFor);
  if (isPaused || isUnsound || isWaiting || outcomes.held > 0) return 'needs-you';
  if (state === 'closed') return 'done';
  if (state === 'scheduled') return 'scheduled';
  return carrier === 'nobody' ? 'needs-you' : 'under-way';
}

/** The command that brings a batch on, ready to be copied; null where none does. */
export function nextCommand(
  { batch, state, outcomes, waitingFor }: Pick<Summary, 'batch' | 'state' | 'outcomes' | 'waitingFor'>,
  place: StatusPlace,
): readonly string[] {
  if (place !== 'needs-you') return [];
  if (state === 'awaiting-approval' || waitingFor === 'approval')
    return [`paydrop approve ${batch} --by NAME`];
  if (outcomes.held > 0) return [`paydrop status ${batch}`];
  return [`paydrop resume ${batch}`];
}

/** A state in a word or two. */
export const STATE_WORDS: Readonly<Record<SummaryState, Words>> = {
  checked: { en: 'checked', fr: 'contrôlé' },
  'awaiting-approval': { en: 'waits for approval', fr: "attend l'approbation" },
  scheduled: { en: 'scheduled', fr: 'programmé' },
  paying: { en: 'being paid', fr: 'en cours de paiement' },
  tracking: { en: 'sent, not all final', fr: 'envoyé, pas encore définitif' },
  closed: { en: 'closed', fr: 'clos' },
  refused: { en: 'refused', fr: 'refusé' },
};

/** What became of a row, in a word; the answers keep the English one, for programs. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, Words>> = {
  paid: { en: 'paid', fr: 'payé' },
  failed: { en: 'failed', fr: 'échoué' },
  submitted: { en: 'submitted', fr: 'transmis' },
  rejected: { en: 'rejected', fr: 'rejeté' },
  duplicate: { en: 'duplicate', fr: 'doublon' },
  held: { en: 'held', fr: 'retenu' },
  pending: { en: 'pending', fr: 'en attente' },
};

/** `12 payments, 5,025,000 XAF`; rows that cannot be paid yet count too. More than two sums stand on lines of their own. */
export function paymentsWords({ payments, sums }: Pick<FileCheck, 'payments' | 'sums'>): Words {
  const count =
    payments === 1
      ? { en: '1 payment', fr: '1 paiement' }
      : { en: `${String(payments)} payments`, fr: `${String(payments)} paiements` };
  return joinWords([count, ...(sums.length > SUMS_INLINE ? [] : sums.map(sumWords))], ', ');
}

/** The sums that do not stand beside the number of payments. */
export function sumsWords({ sums }: Pick<FileCheck, 'sums'>): readonly Words[] {
  if (sums.length <= SUMS_INLINE) return [];
  return sums.map((sum) => joinWords([sumWords(sum), rowCountWords(sum.rows)], ', '));
}

const SUMS_INLINE = 2;

function sumWords({ currency, amount }: FileCheck['sums'][number]): Words {
  const { en, fr } = grouped(amount);
  return currency === null ? { en, fr } : { en: `${en} ${currency}`, fr: `${fr}\u00a0${currency}` };
}

export function rowCountWords(rows: number): Words {
  return rows === 1
    ? { en: '1 row', fr: '1 ligne' }
    : { en: `${String(rows)} rows`, fr: `${String(rows)} lignes` };
}

/** A row that is neither paid nor on its way. */
type Unpaid = {
  readonly row: string;
  readonly outcome: Outcome;
  readonly errorCode: string;
  readonly reason: string;
  /** Of a held row: what its code means, and who takes the hold away. */
  readonly hold: { readonly meaning: string; readonly lifts: HoldRule['lifts'] } | null;
};

/** What fits on a screen. */
const GROUPS_MOST = 10;
/** More rows than that nobody types. */
const ROWS_TYPED_MOST = 40;

/** The rows that were not paid, once a reason; below held ones the commands that pay or cancel them. */
export function unpaidLines(batch: string, rows: readonly Unpaid[], language: Language): readonly string[] {
  const groups = [...Map.groupBy(rows, groupOf).values()];
  const lines = groups.slice(0, GROUPS_MOST).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const reasons = new Set(group.map(({ reason }) => reason));
    const reason = reasons.size > 1 && first.hold !== null ? first.hold.meaning : first.reason;
    const where = placesWords(group.map(({ row }) => row));
    const head = joinWords([where, OUTCOME_WORDS[first.outcome], sameWords(reason)], ': ');
    const commands = first.outcome === 'held' ? heldCommands(batch, group) : [];
    return [say(head, language), ...commands.map((each) => `    ${say(each, language)}`)];
  });
  const more = groups.length - GROUPS_MOST;
  return more > 0 ? [...lines, say(moreReasons(more), language)] : lines;
}

/** Held rows by their code; others by what is said of them. */
function groupOf({ outcome, errorCode, reason }: Unpaid): string {
  return outcome === 'held' ? `held ${errorCode}` : `${outcome} ${reason}`;
}

function placesWords(places: readonly string[]): Words {
  if (places.length === 1) return { en: `row ${places[0] ?? ''}`, fr: `ligne ${places[0] ?? ''}` };
  const shown = places.slice(0, GROUPS_MOST).join(', ');
  const more = places.length - GROUPS_MOST;
  return more > 0
    ? { en: `rows ${shown} and ${String(more)} more`, fr: `lignes ${shown} et ${String(more)} autres` }
    : { en: `rows ${shown}`, fr: `lignes ${shown}` };
}

/** Ready to be copied, with the rows, so that nobody decides about one that is held for another reason. */
function heldCommands(batch: string, group: readonly Unpaid[]): readonly Words[] {
  const lifts = group[0]?.hold?.lifts ?? 'release';
  if (lifts === 'itself') return [];
  const list =
    group.length > ROWS_TYPED_MOST ? 'LIST' : group.map(({ row }) => row.split('!').at(-1)).join(',');
  const release = (flags: string): Words => ({
    en: `paydrop release ${batch} --rows ${list}${flags} --by NAME --reason TEXT`,
    fr: `paydrop release ${batch} --rows ${list}${flags} --by NOM --reason TEXTE`,
  });
  const pay = joinWords([{ en: 'pay:   ', fr: 'payer :  ' }, release('')]);
  const cancel = joinWords([{ en: 'cancel:', fr: 'annuler :' }, release(' --skip')]);
  return lifts === 'never' ? [cancel] : [pay, cancel];
}

function moreReasons(more: number): Words {
  return {
    en: `… and rows with ${more === 1 ? '1 other reason' : `${String(more)} other reasons`}; see the result.`,
    fr: `… et des lignes avec ${more === 1 ? '1 autre motif' : `${String(more)} autres motifs`} ; voyez le résultat.`,
  };
}
