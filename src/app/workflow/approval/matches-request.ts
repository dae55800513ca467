// Whether a file that approves can be meant for the question that stands now. It may have lain, or been on its way, while another was asked: of a
// stopped daemon, or of a server that is looked at now and then, nobody knows for how long.
import type { Words } from '../../../base/language.ts';
import type { Asked } from '../../../ledger/approval.ts';
import { describeSums } from './approval-words.ts';

/** The coarsest disks keep the time of a file in steps of two seconds. */
const STEP_MS = 2_000;

/** What a file says and when it was last written. */
export type WrittenAnswer = { readonly total: string | null; readonly writtenAtMs: number };

type Doubt = { readonly code: 'approval_older' | 'approval_total_missing'; readonly words: Words };

/** Null when it can. Clocks differ, and a transfer may give a file the time of its arrival: where there may have been another question, its time alone shows nothing. */
export function doubtOf(asked: Asked, { total, writtenAtMs }: WrittenAnswer): Doubt | null {
  if (writtenAtMs <= Date.parse(asked.askedAt) - STEP_MS)
    return { code: 'approval_older', words: olderWords(asked) };
  return needsTotal(asked) && total === null
    ? { code: 'approval_total_missing', words: totalMissingWords(asked) }
    : null;
}

function needsTotal({ mayFollowAnother, round }: Pick<Asked, 'mayFollowAnother' | 'round'>): boolean {
  return mayFollowAnother ?? round > 1;
}

/** What stands in the question for whoever answers by a file. */
export function byFileWords(fileName: string, totals: Asked['totals']): Words {
  const sums = describeSums(totals);
  return {
    en: `A file ${fileName} counts only if it says "total: ${sums}" this time: an empty one may have been meant for another question.`,
    fr: `Un fichier ${fileName} ne compte cette fois que s'il indique « total: ${sums} » : un fichier vide a pu être destiné à une autre demande.`,
  };
}

function olderWords({ askedAt, preview, totals }: Asked): Words {
  const sums = describeSums(totals);
  return {
    en: `Nothing was approved: the file is older than the question, which was asked on ${askedAt}. Look at ${preview}, write "total: ${sums}" into a new file, and drop that. If it is newer, the clock of the place where it was written is wrong; "paydrop approve" needs none.`,
    fr: `Rien n'a été approuvé : le fichier est plus ancien que la demande, faite le ${askedAt}. Voyez ${preview}, écrivez « total: ${sums} » dans un nouveau fichier et déposez-le. S'il est plus récent, l'horloge du lieu où il a été écrit est fausse ; « paydrop approve » s'en passe.`,
  };
}

function totalMissingWords({ preview, totals }: Asked): Words {
  const sums = describeSums(totals);
  return {
    en: `Nothing was approved: the question was asked anew, and a file that names no total may have been meant for another one. Look at ${preview}; if it is to be paid, drop the file again with the line "total: ${sums}".`,
    fr: `Rien n'a été approuvé : la demande a été renouvelée, et un fichier qui n'indique pas de total a pu être destiné à une autre. Voyez ${preview} ; s'il faut payer, déposez de nouveau le fichier avec la ligne « total: ${sums} ».`,
  };
}
