// What the owner of a file is told that is paid whole or not at all, when something stands in its way. Each says that nothing was confirmed.
import { isoTime } from '../../base/clock.ts';
import { joinWords, type Words } from '../../base/language.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { Survey } from './survey-whole.ts';

const NOTHING: Words = {
  en: 'Nothing of the file was confirmed, because it is paid whole or not at all.',
  fr: "Rien du fichier n'a été confirmé, car il est payé en entier ou pas du tout.",
};

/** Before the words of anything that holds every batch up. */
export function nothingConfirmed(words: Words): Words {
  return joinWords([NOTHING, words]);
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
  return nothingConfirmed({
    en: `${rows.en}: "paydrop status ${id}" says why, "paydrop release" decides; then run "paydrop resume".`,
    fr: `${rows.fr} : « paydrop status ${id} » dit pourquoi, « paydrop release » décide ; lancez ensuite « paydrop resume ».`,
  });
}

/** A row was refused for good: a person decides what becomes of the others. */
export function refusedWords({ refusedRows, standings: { refused } }: Survey): Words {
  const isMore = refused > refusedRows.length;
  return refused === 1
    ? { en: `Row ${refusedRows.join()} was refused`, fr: `La ligne ${refusedRows.join()} a été refusée` }
    : {
        en: `Rows ${refusedRows.join(', ')}${isMore ? ' and others' : ''} were refused`,
        fr: `Les lignes ${refusedRows.join(', ')}${isMore ? " et d'autres" : ''} ont été refusées`,
      };
}

/** After the file was stopped. */
export function stoppedWords(held: number, { id }: BatchRecord): Words {
  const rows = waitingRows(held);
  return {
    en: `The file is paid whole or not at all, and a row of it was refused, so the others were not confirmed: ${rows.en}. "paydrop release ${id}" pays the others without it; with --skip they are closed unpaid, and the corrected file can be dropped.`,
    fr: `Le fichier est payé en entier ou pas du tout, et une de ses lignes a été refusée ; les autres n'ont donc pas été confirmées : ${rows.fr}. « paydrop release ${id} » paie les autres sans elle ; avec --skip, elles sont fermées sans paiement et le fichier corrigé peut être déposé.`,
  };
}

/** Transfers of an earlier try must have run out before anything new is created. */
export function runOutWords({ standings, provableAt }: Survey): Words {
  const transfers = standings.stands + standings.open;
  const [en, fr] =
    transfers === 1
      ? ['its row', 'sa ligne']
      : [`its ${String(transfers)} rows`, `ses ${String(transfers)} lignes`];
  const at = isoTime(provableAt);
  return nothingConfirmed({
    en: `The time was too short to confirm ${en} after all had been reserved, or what was reserved earlier is too old. What is reserved runs out by itself, which is certain from ${at} on; run "paydrop resume" then. No row has failed because of it.`,
    fr: `Le temps était trop court pour confirmer ${fr} après avoir tout réservé, ou ce qui a été réservé auparavant est trop ancien. Les réservations expirent d'elles-mêmes, ce qui est certain à partir de ${at} ; lancez alors « paydrop resume ». Aucune ligne n'a échoué pour cela.`,
  });
}

/** The file would not fit into the time at this hour. */
export function tooSlowNow({ en, fr }: Words): Words {
  return {
    en: `Nothing of the file was confirmed. ${en} Raise "service.concurrency" in the config, or wait for a faster hour; then run "paydrop resume". No row has failed because of it.`,
    fr: `Rien du fichier n'a été confirmé. ${fr} Augmentez « service.concurrency » dans la configuration, ou attendez une heure plus calme ; lancez ensuite « paydrop resume ». Aucune ligne n'a échoué pour cela.`,
  };
}

/** Rows are in other hands, or their answers are still missing. */
export const UNDER_WAY_WORDS: Words = nothingConfirmed({
  en: 'Some rows are still being worked on, or got no answer yet. Run "paydrop resume".',
  fr: "Certaines lignes sont encore en cours de traitement, ou n'ont pas encore reçu de réponse. Lancez « paydrop resume ».",
});
