// What stops every payment until a person mends it. It concerns the whole workspace, so however many files it stops, it is told once, and again
// every few hours while it lasts.
import type { Words } from '../../base/language.ts';
import { notify, type Newsroom } from './notify.ts';

export const TROUBLES = ['credentials', 'stop', 'machine'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** Who has seen it and could not mend it yet is not told every minute; who has not is told again within the working day. */
const AGAIN_MS = 6 * 3_600_000;

const HEADLINES: Readonly<Record<Trouble, Words>> = {
  credentials: {
    en: 'Nothing is paid: the service refuses the API key',
    fr: "Rien n'est payé : le service refuse la clé d'API",
  },
  stop: {
    en: 'Nothing is paid: the file STOP stands in the inbox',
    fr: "Rien n'est payé : le fichier STOP se trouve dans la boîte d'entrée",
  },
  machine: {
    en: 'Somebody has to look at the machine on which paydrop runs',
    fr: "Quelqu'un doit voir la machine sur laquelle paydrop tourne",
  },
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
