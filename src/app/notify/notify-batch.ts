// What the owner of a file is told of it, from the door to the end and after. Each is called once where a batch changes its state.
import { createHash } from 'node:crypto';

import { joinWords, sameWords, type Words } from '../../base/language.ts';
import { isoTime } from '../../base/clock.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { Summary } from '../../results/summary.ts';
import type { RequestedTotal } from '../config/notice-events.ts';
import { moneyLines, outcomesWords, rowsWords } from './notice-words.ts';
import { notify, type Newsroom } from './notify.ts';

/** There is one acceptance of a batch. */
const ONLY = '1';

export async function notifyAccepted(
  room: Newsroom,
  batch: BatchRecord,
  totals: readonly RequestedTotal[],
  answer: string,
): Promise<void> {
  const rows = rowsWords(batch.rows);
  const sums = totals.map(({ currency, amount }) => `${amount} ${currency}`).join(', ');
  await notify(room, {
    event: 'accepted',
    about: batch,
    version: ONLY,
    headline: joinWords([
      { en: 'accepted,', fr: 'accepté,' },
      rows,
      sameWords(sums === '' ? '' : `(${sums})`),
    ]),
    lines: [
      joinWords([
        { en: 'The file was accepted:', fr: 'Le fichier a été accepté :' },
        joinWords([rows, sameWords('.')], ''),
      ]),
      ...totals.map(({ currency, rows: count, amount }) => ({
        en: `Asked for in ${currency}: ${amount} (${rowsWords(count).en})`,
        fr: `Demandé en ${currency} : ${amount} (${rowsWords(count).fr})`,
      })),
      {
        en: 'Nothing is to be done now; its end is told in another message.',
        fr: "Il n'y a rien à faire pour l'instant ; un autre message en dira la fin.",
      },
    ],
    answers: [answer],
    facts: { rows: batch.rows, totals },
  });
}

export async function notifyRefused(
  room: Newsroom,
  batch: BatchRecord,
  { code, rejected }: { readonly code: string; readonly rejected: number },
  answers: readonly string[],
): Promise<void> {
  const rows = rowsWords(rejected);
  const why: Words =
    rejected === 0 ? sameWords(`(${code})`) : { en: `(${rows.en} to fix)`, fr: `(${rows.fr} à corriger)` };
  await notify(room, {
    event: 'refused',
    about: batch,
    // The same bytes may come again; that is another refusal, while the same one is told once.
    version: batch.acceptedAt,
    headline: joinWords([{ en: 'refused, nothing was sent', fr: "refusé, rien n'a été envoyé" }, why]),
    lines: [
      joinWords([
        {
          en: 'The file was refused, and nothing of it was sent',
          fr: "Le fichier a été refusé, et rien n'en a été envoyé",
        },
        joinWords([why, sameWords('.')], ''),
      ]),
      rejected === 0
        ? {
            en: 'The answer says why in words. Mend the file and drop it again.',
            fr: 'La réponse dit pourquoi en toutes lettres. Corrigez le fichier et déposez-le à nouveau.',
          }
        : {
            en: 'Fix the rows in the file "rejected" (column payout.error) and drop that file as it is.',
            fr: 'Corrigez les lignes dans le fichier « rejected » (colonne payout.error) et déposez ce fichier tel quel.',
          },
    ],
    answers,
    facts: { rows: batch.rows },
  });
}

/** @param fileName of the file that came now; `earlier` is the batch that its bytes are already. */
export async function notifyDuplicate(
  room: Newsroom,
  fileName: string,
  earlier: BatchRecord,
  answer: string,
): Promise<void> {
  // However often the same name is dropped on a day, it is told once.
  const day = isoTime(room.clock.now()).slice(0, 10);
  const version = createHash('sha256').update(`${day} ${fileName}`).digest('hex').slice(0, 16);
  const since = earlier.acceptedAt.slice(0, 10);
  await notify(room, {
    event: 'duplicate',
    about: { id: earlier.id, fileName, sandbox: earlier.sandbox },
    version,
    headline: { en: 'came before, nothing was sent', fr: "déjà reçu, rien n'a été envoyé" },
    lines: [
      {
        en: `The same file, byte for byte, was taken on ${since}. Nothing was sent for it now.`,
        fr: `Le même fichier, octet pour octet, a été pris en charge le ${since}. Rien n'a été envoyé cette fois.`,
      },
      {
        en: 'If it is to be paid again on purpose, "paydrop run --again" does that.',
        fr: "S'il doit vraiment être payé une nouvelle fois, « paydrop run --again » le fait.",
      },
    ],
    answers: [answer],
  });
}

/** `version` is the number of the answers that tell it: an end that was told, and was another when the batch could be closed at last, is told anew. */
export async function notifyCompletion(
  room: Newsroom,
  batch: BatchRecord,
  summary: Summary,
  version: number,
): Promise<void> {
  const { outcomes } = summary;
  const counts = outcomesWords(outcomes);
  const isWhole = outcomes.paid === batch.rows;
  await notify(room, {
    event: 'completion',
    about: batch,
    version: String(version),
    headline: joinWords([{ en: 'finished,', fr: 'terminé,' }, counts]),
    lines: [
      joinWords([
        { en: 'Every row is final:', fr: 'Chaque ligne est définitive :' },
        joinWords([counts, sameWords('.')], ''),
      ]),
      ...(version === 1
        ? []
        : [
            {
              en: `Another end was told of this file before. The answers with the number ${String(version)} hold; the earlier ones stay as they were.`,
              fr: `Une autre fin de ce fichier a été annoncée auparavant. Les réponses au numéro ${String(version)} font foi ; les précédentes restent telles qu'elles étaient.`,
            },
          ]),
      ...moneyLines(summary),
      isWhole
        ? { en: 'There is nothing to do.', fr: "Il n'y a rien à faire." }
        : {
            en: 'The file "result" says of each row that was not paid why (payout.reason). Rows to fix stand in "rejected", if there are any: correct them and drop that file.',
            fr: "Le fichier « result » dit de chaque ligne non payée pourquoi (payout.reason). Les lignes à corriger, s'il y en a, se trouvent dans « rejected » : corrigez-les et déposez ce fichier.",
          },
    ],
    answers: summary.answers,
    facts: factsOf(summary),
  });
}

/** After the batch was closed the service said something else; `version` is the number of the answers that tell it. */
export async function notifyChanged(
  room: Newsroom,
  batch: BatchRecord,
  summary: Summary,
  version: number,
): Promise<void> {
  const counts = outcomesWords(summary.outcomes);
  await notify(room, {
    event: 'changed',
    about: batch,
    version: String(version),
    headline: joinWords([
      { en: 'changed after its end, now', fr: 'modifié après sa fin, désormais' },
      counts,
    ]),
    lines: [
      {
        en: `The service has changed payments of this batch after it was closed: a reversal, or a correction. The answers with the number ${String(version)} hold; the earlier ones stay as they were.`,
        fr: `Le service a modifié des paiements de ce lot après sa clôture : un retour de fonds, ou une correction. Les réponses au numéro ${String(version)} font foi ; les précédentes restent telles qu'elles étaient.`,
      },
      joinWords([{ en: 'Now:', fr: 'Désormais :' }, joinWords([counts, sameWords('.')], '')]),
      ...moneyLines(summary),
      {
        en: 'Book the difference, and ask whoever was to get the money before it is paid again.',
        fr: 'Comptabilisez la différence, et renseignez-vous auprès du bénéficiaire avant de payer à nouveau.',
      },
    ],
    answers: summary.answers,
    facts: factsOf(summary),
  });
}

/** A checked and priced file waits for somebody to agree; `version` tells this question from earlier ones of the same batch, `words` say what it is, and which command answers it. */
export async function notifyApproval(
  room: Newsroom,
  batch: BatchRecord,
  {
    version,
    words,
    answers,
  }: { readonly version: string; readonly words: Words; readonly answers: readonly string[] },
): Promise<void> {
  await notify(room, {
    event: 'approval',
    about: batch,
    version,
    headline: joinWords([
      { en: 'waits for approval,', fr: 'attend une approbation,' },
      rowsWords(batch.rows),
    ]),
    lines: [words],
    answers,
    facts: { rows: batch.rows },
  });
}

function factsOf({ file, outcomes, totals, received }: Summary) {
  return { rows: file.rows, outcomes, totals, received };
}
