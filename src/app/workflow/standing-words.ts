// Where a batch stands, in a sentence, when nothing is missing that its owner could do something about.
import { grouped } from '../../base/decimal.ts';
import { joinWords, type Words } from '../../base/language.ts';
import type { Outcome } from '../../payouts/outcome.ts';
import type { FileCheck, Summary, SummaryState } from '../../results/summary.ts';

type Standing = Pick<Summary, 'state' | 'outcomes' | 'file' | 'finishedAt'>;

export function standingWords(summary: Standing, isPaused: boolean): Words {
  return isPaused && summary.state !== 'closed' ? PAUSED : WORDS[summary.state](summary);
}

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
    en: `Everything is sent; the service has not said yet what became of ${String(outcomes.submitted)} payments.`,
    fr: `Tout est envoyé ; le service n'a pas encore dit ce qu'il est advenu de ${String(outcomes.submitted)} paiements.`,
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
