// Where a batch stands, in a sentence, when nothing is missing that its owner could do something about.
import type { Words } from '../../base/language.ts';
import type { Summary, SummaryState } from '../../results/summary.ts';

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
