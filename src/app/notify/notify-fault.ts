// What went wrong beside every batch: a full disk, a folder that may not be written, a bug. It is tried again by itself, and somebody should look.
import { EXIT } from '../../base/exit-codes.ts';
import type { Words } from '../../base/language.ts';
import { describeError } from '../parts/describe-error.ts';
import { notifyTrouble } from './notify-trouble.ts';
import type { Newsroom } from './notify.ts';
import { sentence } from '../../messages/messages.ts';

/** What is a bug may hold anything, so its words stay where the operator reads them. */
export async function notifyFault(room: Newsroom, error: unknown): Promise<void> {
  const { code, words } = describeError(error);
  const isKnown = code === EXIT.unfinished;
  await notifyTrouble(room, 'machine', isKnown ? words : UNKNOWN).catch(() => {
    // The ledger itself may be the trouble; then the log and the screen are all that is left to tell it.
    return undefined;
  });
}

const UNKNOWN: Words = sentence('notifyFault.unknown');
