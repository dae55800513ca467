// The file `STOP` in the inbox: whoever can drop files can also halt everything, without knowing a command.
import { statSync } from 'node:fs';
import { join } from 'node:path';

import type { Words } from '../base/language.ts';
import { isoTime, type Clock } from '../base/clock.ts';
import { forgetStop, rememberStop, stopSeen, stopSeenPath } from './stop-seen.ts';
import type { Workspace } from './workspace.ts';

type Place = Pick<Workspace, 'root' | 'inbox'>;

/** The second is what a program for texts makes of the first. */
const NAMES = ['STOP', 'STOP.txt'] as const;

/** A look at a disk or a share, a few times a second at most; a person cannot tell the difference. */
const LOOK_EVERY_MS = 300;

/** The words to a stop file that stands in the inbox, or stood there when the inbox went away; null when there is none. Changes nothing. */
export function stopFileWords(place: Place): Words | null {
  return standingWords(place) ?? stopAwayWords(place);
}

/** Those to one that stood there when the inbox went away. */
export function stopAwayWords(place: Place): Words | null {
  return stopSeen(place) === 'away' ? awayWords(place) : null;
}

/** The same for whoever pays: what is seen is remembered for the time when the inbox is away. */
export function lookForStop(place: Place): Words | null {
  const standing = standingWords(place);
  if (standing !== null) {
    rememberStop(place);
    return standing;
  }
  const seen = stopSeen(place);
  if (seen === 'never') return null;
  if (seen === 'away') return awayWords(place);
  // A share may have come back between the two looks.
  const again = standingWords(place);
  if (again === null) forgetStop(place);
  return again;
}

/** The same, for whoever asks before every call: the first look is always taken. */
export function watchStopFile(workspace: Workspace, clock: Clock): () => Words | null {
  let lookAgainAt = -Infinity;
  let words: Words | null = null;
  return () => {
    // Wall time may be set back, and would then hide the file for as long.
    const now = clock.monotonic();
    if (now >= lookAgainAt) {
      words = lookForStop(workspace);
      lookAgainAt = now + LOOK_EVERY_MS;
    }
    return words;
  };
}

function standingWords({ inbox }: Place): Words | null {
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

function awayWords(place: Place): Words {
  const { inbox } = place;
  const path = stopSeenPath(place);
  return {
    en: `A file STOP stood in the inbox (${inbox}) when that was last seen, and the inbox is away now, or another folder stands in its place; perhaps its share is not mounted. No file of this workspace is paid until the inbox is back without STOP; then "paydrop resume" goes on. If the inbox was moved on purpose, whoever runs paydrop removes ${path}.`,
    fr: `Un fichier STOP se trouvait dans la boîte d'entrée (${inbox}) la dernière fois qu'elle a été vue, et elle est absente maintenant, ou un autre dossier a pris sa place ; son partage n'est peut-être pas monté. Aucun fichier de cet espace n'est payé avant son retour sans STOP ; « paydrop resume » reprend ensuite. Si elle a été déplacée exprès, la personne qui exploite paydrop enlève ${path}.`,
  };
}
