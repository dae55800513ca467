// What the owner of a file is told that is paid whole or not at all, when something stands in its way. That nothing was confirmed is said first, and
// only where it is certain: whoever believes it may pay the file another way.
import { isoTime } from '../../../base/clock.ts';
import { joinWords, type Words } from '../../../base/language.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { HOLDS } from '../../../payouts/hold.ts';
import type { Survey } from './survey-whole.ts';

const NOTHING: Words = {
  en: 'Nothing of the file was confirmed, because it is paid whole or not at all.',
  fr: "Rien du fichier n'a été confirmé, car il est payé en entier ou pas du tout.",
};

const NOTHING_SHOWN: Words = {
  en: 'As far as the service shows by now, nothing of the file was confirmed; it is paid whole or not at all.',
  fr: "D'après ce que montre le service à présent, rien du fichier n'a été confirmé ; il est payé en entier ou pas du tout.",
};

/** What is confirmed of the file, before the words of anything that holds it up; nothing where a held row says itself that it may have been paid. */
export function confirmedSoFar(survey: Survey): (words: Words) => Words {
  const lead = leadOf(survey);
  return (words) => (lead === null ? words : joinWords([lead, words]));
}

function leadOf(survey: Survey): Words | null {
  if (survey.confirmed > 0) return partConfirmed(survey);
  if (survey.mayHaveGone > 0) return null;
  return survey.maybeConfirmed > 0 ? NOTHING_SHOWN : NOTHING;
}

function partConfirmed({ confirmed }: Survey): Words {
  const [en, fr] =
    confirmed === 1
      ? ['1 row of the file is', '1 ligne du fichier est']
      : [`${String(confirmed)} rows of the file are`, `${String(confirmed)} lignes du fichier sont`];
  return {
    en: `${en} confirmed already, by a run that this ledger does not know of.`,
    fr: `${fr} déjà ${confirmed === 1 ? 'confirmée' : 'confirmées'}, par une exécution que ce registre ne connaît pas.`,
  };
}

/** `1 row waits`, `12 rows wait` for a person. */
function waitingRows(held: number): Words {
  return held === 1
    ? { en: '1 row waits for a person', fr: '1 ligne attend une décision' }
    : {
        en: `${String(held)} rows wait for a person`,
        fr: `${String(held)} lignes attendent une décision`,
      };
}

/** A row waits for a person; the others wait for it. */
export function heldWords({ standings: { held } }: Survey, { id }: BatchRecord): Words {
  const rows = waitingRows(held);
  return {
    en: `${rows.en}: "paydrop status ${id}" says why, "paydrop release" decides; then run "paydrop resume".`,
    fr: `${rows.fr} : « paydrop status ${id} » dit pourquoi, « paydrop release » décide ; lancez ensuite « paydrop resume ».`,
  };
}

/** For which of its rows a file cannot be whole. */
export function refusedWords({ refusedRows, standings: { refused } }: Survey): Words {
  const isMore = refused > refusedRows.length;
  return refused === 1
    ? { en: `Row ${refusedRows.join()} was refused`, fr: `La ligne ${refusedRows.join()} a été refusée` }
    : {
        en: `Rows ${refusedRows.join(', ')}${isMore ? ' and others' : ''} were refused`,
        fr: `Les lignes ${refusedRows.join(', ')}${isMore ? " et d'autres" : ''} ont été refusées`,
      };
}

const MAY_BE_CONFIRMED: Words = {
  en: 'Another row of this file was refused, and the file is paid whole or not at all. An earlier run may have confirmed this row, though the service does not show it. Release it to pay it without the other one: that pays it once at most. Before you pay it in any other way, look it up at the service.',
  fr: "Une autre ligne de ce fichier a été refusée, et le fichier est payé en entier ou pas du tout. Une exécution antérieure a pu confirmer cette ligne, même si le service ne le montre pas. Libérez-la pour la payer sans l'autre : elle sera payée une fois au plus. Avant de la payer d'une autre façon, vérifiez-la auprès du service.",
};

/** What is said of a row that is held for one that was refused; `isUnconfirmed`: nobody has confirmed it. */
export function notWholeWords(refused: Words, isUnconfirmed: boolean): Words {
  const { en, fr } = isUnconfirmed ? HOLDS.batch_stopped.words : MAY_BE_CONFIRMED;
  return { en: `${en} (${refused.en}.)`, fr: `${fr} (${refused.fr}.)` };
}

/** A row was refused for good, and a read may still hide that others were confirmed. */
export function hiddenWords(refused: Words, hiddenUntil: number): Words {
  const at = isoTime(hiddenUntil);
  return {
    en: `${refused.en}. The ledger was lost, or is older than what was done, so the other rows may have been confirmed although the service does not show it yet. From ${at} on it is certain: run "paydrop resume" then. Until then pay nothing of this file in another way.`,
    fr: `${refused.fr}. Le registre a été perdu, ou il est plus ancien que ce qui a été fait : les autres lignes ont donc pu être confirmées, même si le service ne le montre pas encore. Ce sera certain à partir de ${at} ; lancez alors « paydrop resume ». D'ici là, ne payez rien de ce fichier d'une autre façon.`,
  };
}

/** After the file was stopped. */
export function stoppedWords(held: number, { id }: BatchRecord): Words {
  const rows = waitingRows(held);
  return {
    en: `The file is paid whole or not at all, and a row of it was refused, so nothing more of it is confirmed: ${rows.en}. "paydrop release ${id}" pays the others without it; "paydrop status ${id}" says of each whether it can be closed with --skip and paid from the corrected file instead.`,
    fr: `Le fichier est payé en entier ou pas du tout, et une de ses lignes a été refusée ; rien d'autre n'en est donc confirmé : ${rows.fr}. « paydrop release ${id} » paie les autres sans elle ; « paydrop status ${id} » dit pour chacune si elle peut être fermée avec --skip et payée par le fichier corrigé.`,
  };
}

/** Transfers of an earlier try must have run out before anything new is created; where none is known, what may still stand is in other hands. */
export function runOutWords({ standings, provableAt }: Survey): Words {
  if (!Number.isFinite(provableAt)) return UNDER_WAY_WORDS;
  const transfers = standings.stands + standings.open;
  const [en, fr] =
    transfers === 1
      ? ['its row', 'sa ligne']
      : [`its ${String(transfers)} rows`, `ses ${String(transfers)} lignes`];
  const at = isoTime(provableAt);
  return {
    en: `The time was too short to confirm ${en} after all had been reserved, or what was reserved earlier is too old. What is reserved runs out by itself, which is certain from ${at} on; run "paydrop resume" then. No row has failed because of it.`,
    fr: `Le temps était trop court pour confirmer ${fr} après avoir tout réservé, ou ce qui a été réservé auparavant est trop ancien. Les réservations expirent d'elles-mêmes, ce qui est certain à partir de ${at} ; lancez alors « paydrop resume ». Aucune ligne n'a échoué pour cela.`,
  };
}

/** The file would not fit into the time at this hour. */
export function tooSlowNow({ en, fr }: Words): Words {
  return {
    en: `${en} Raise "service.concurrency" in the config, or wait for a faster hour; then run "paydrop resume". No row has failed because of it.`,
    fr: `${fr} Augmentez « service.concurrency » dans la configuration, ou attendez une heure plus calme ; lancez ensuite « paydrop resume ». Aucune ligne n'a échoué pour cela.`,
  };
}

/** Rows are in other hands, or their answers are still missing. */
export const UNDER_WAY_WORDS: Words = {
  en: 'Some rows are still being worked on, or got no answer yet. Run "paydrop resume".',
  fr: "Certaines lignes sont encore en cours de traitement, ou n'ont pas encore reçu de réponse. Lancez « paydrop resume ».",
};
