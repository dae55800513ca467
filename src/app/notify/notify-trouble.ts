// What stops every payment until a person mends it. It concerns the whole workspace, so however many files it stops, it is told once, and again
// every few hours while it lasts.
import type { Words } from '../../base/language.ts';
import { notify, type Newsroom } from './notify.ts';
import { sentence } from '../../messages/messages.ts';

export const TROUBLES = ['credentials', 'stop', 'machine'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** Who has seen it and could not mend it yet is not told every minute; who has not is told again within the working day. */
const AGAIN_MS = 6 * 3_600_000;

const HEADLINES: Readonly<Record<Trouble, Words>> = {
  credentials: sentence('notifyTrouble.credentials'),
  stop: sentence('notifyTrouble.stop'),
  machine: sentence('notifyTrouble.machine'),
};

export async function notifyTrouble(room: Newsroom, trouble: Trouble, words: Words): Promise<void> {
  await notify(room, {
    event: 'trouble',
    about: trouble,
    version: String(Math.floor(room.clock.now() / AGAIN_MS)),
    headline: HEADLINES[trouble],
    lines: [words],
  });
}
