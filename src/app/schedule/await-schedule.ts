// The schedule's say before anything of an accepted batch is sent: not before its time, and a standing file only while it stands.
import type { Words } from '../../base/language.ts';
import type { PayAt } from '../../ledger/pay-at.ts';
import type { BatchChange, BatchRecord } from '../../ledger/records.ts';
import type { BatchResult } from '../batch-result.ts';
import type { Paydrop } from '../compose.ts';
import { refuseFile } from '../refuse-file.ts';
import { notifyWaiting } from '../telling/notify-waiting.ts';
import { unfinished } from '../unfinished-batch.ts';
import { awaitTime } from './await-time.ts';
import { timeWords } from './occurrences.ts';
import { mayBeWithdrawn, stillStands } from './still-stands.ts';

/** Null when the time for paying has come, or none was set. */
export async function awaitSchedule(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult | null> {
  const stands = await standsFor(paydrop, batch);
  if (stands === false) return withdraw(paydrop, batch);
  const waits = stands === null ? UNREADABLE : await awaitTime(paydrop, batch);
  if (waits === null) return null;
  await notifyWaiting(paydrop, batch, waits);
  await paydrop.ledger.changeBatch(batch.id, waits);
  return unfinished(paydrop, batch);
}

/** Whatever else it waits for, a standing file that has gone, or is another by now, is withdrawn. Null while nobody knows that it has. */
export async function withdrawGone(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult | null> {
  return (await standsFor(paydrop, batch)) === false ? withdraw(paydrop, batch) : null;
}

/** Whether the batch may stay for its file; null when that is not known. */
async function standsFor({ workspace }: Paydrop, batch: BatchRecord): Promise<boolean | null> {
  return mayBeWithdrawn(batch) ? stillStands(workspace, batch) : true;
}

const UNREADABLE: BatchChange = {
  waitingFor: 'schedule',
  waitingWords: {
    en: 'The folder in which the file stands cannot be read at this moment: it is not known whether it is still to be paid.',
    fr: "Le dossier où se trouve le fichier n'est pas lisible en ce moment : on ne sait pas s'il doit encore être payé.",
  },
};

/** Nothing was sent; should the same file stand again before that time, it is taken again. */
async function withdraw(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult> {
  const { payAt } = batch;
  if (payAt?.standing === undefined) throw new Error(`Batch ${batch.id} is of no standing file.`);
  await paydrop.ledger.changeBatch(batch.id, {
    payAt: { ...payAt, standing: { ...payAt.standing, withdrawn: true } },
  });
  return refuseFile(paydrop, batch, {
    code: 'standing_file_withdrawn',
    reason: withdrawnWords(payAt),
    rejected: 0,
    answers: [],
  });
}

function withdrawnWords({ at, timeZone }: PayAt): Words {
  const time = timeWords(Date.parse(at), timeZone);
  return {
    en: `The file was taken out of its folder, or replaced, before its time (${time.en}). Nothing of it is paid then; what stands in the folder is.`,
    fr: `Le fichier a été retiré de son dossier, ou remplacé, avant son heure (${time.fr}). Rien n'en est payé alors ; ce qui se trouve dans le dossier l'est.`,
  };
}
