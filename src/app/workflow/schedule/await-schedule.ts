// The schedule's say before anything of an accepted batch is sent: not before its time, and a standing file only while it stands.
import type { BatchChange, BatchRecord } from '../../../ledger/records.ts';
import type { BatchResult } from '../batch-result.ts';
import type { Paydrop } from '../../parts.ts';
import { notifyWaiting } from '../../notify/notify-waiting.ts';
import { unfinished } from '../unfinished-batch.ts';
import { awaitTime } from './await-time.ts';
import { withdrawGone } from './withdraw-gone.ts';

/** Null when the time for paying has come, or none was set. */
export async function awaitSchedule(paydrop: Paydrop, batch: BatchRecord): Promise<BatchResult | null> {
  const standing = await withdrawGone(paydrop, batch);
  if (standing === 'begun') return null;
  if (standing !== null && standing !== 'stands') return standing;
  const waits = standing === null ? UNREADABLE : await awaitTime(paydrop, batch);
  if (waits === null) return null;
  await notifyWaiting(paydrop, batch, waits);
  await paydrop.ledger.changeBatch(batch.id, waits);
  return unfinished(paydrop, batch);
}

const UNREADABLE: BatchChange = {
  waitingFor: 'schedule',
  waitingWords: {
    en: 'The folder in which the file stands cannot be read at this moment: it is not known whether it is still to be paid.',
    fr: "Le dossier où se trouve le fichier n'est pas lisible en ce moment : on ne sait pas s'il doit encore être payé.",
  },
};
