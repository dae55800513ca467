// The file `STOP` in the inbox: whoever can drop files can also halt everything, without knowing a command.
import { statSync } from 'node:fs';
import { join } from 'node:path';

import type { Words } from '../base/language.ts';
import { isoTime, type Clock } from '../base/clock.ts';
import type { Workspace } from './workspace.ts';

/** The second is what a program for texts makes of the first. */
const NAMES = ['STOP', 'STOP.txt'] as const;

/** A look at a disk or a share, a few times a second at most; a person cannot tell the difference. */
const LOOK_EVERY_MS = 300;

/** The words to a stop file that stands in the inbox; null when there is none. */
export function stopFileWords({ inbox }: Pick<Workspace, 'inbox'>): Words | null {
  for (const name of NAMES) {
    const found = statSync(join(inbox, name), { throwIfNoEntry: false });
    if (found === undefined) continue;
    const since = isoTime(Math.floor(found.mtimeMs));
    return {
      en: `The file ${name} stands in the inbox (${inbox}) since ${since}: no file of this workspace is paid while it is there. Whoever may write to the inbox can remove it, best the person who put it there; then "paydrop resume" goes on.`,
      fr: `Le fichier ${name} se trouve dans la boîte d'entrée (${inbox}) depuis ${since} : aucun fichier de cet espace n'est payé tant qu'il y est. Quiconque peut écrire dans la boîte d'entrée peut l'enlever, de préférence la personne qui l'y a mis ; « paydrop resume » reprend ensuite.`,
    };
  }
  return null;
}

/** The same, for whoever asks before every call: the first look is always taken. */
export function watchStopFile(workspace: Workspace, clock: Clock): () => Words | null {
  let lookAgainAt = -Infinity;
  let words: Words | null = null;
  return () => {
    const now = clock.now();
    if (now >= lookAgainAt) {
      words = stopFileWords(workspace);
      lookAgainAt = now + LOOK_EVERY_MS;
    }
    return words;
  };
}
