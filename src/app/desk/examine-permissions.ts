// Who else on this machine may look into the folders, or write there: names and account numbers lie in them, and what lies in the inbox is paid.
import { stat } from 'node:fs/promises';
import { platform } from 'node:process';

import type { Paydrop } from '../parts.ts';
import type { Finding } from './finding.ts';
import { sentence } from '../../messages/messages.ts';

const OTHERS = 0o007;
const GROUP = 0o070;
const GROUP_WRITES = 0o020;

type Place = 'inbox' | 'outbox' | 'processing' | 'archive' | 'refused' | 'ledgerPath';

/** What nobody but paydrop may do in each. A group may drop files, and fetch answers: that is how people do it over SFTP. */
const FORBIDDEN: Readonly<Record<Place, number>> = {
  inbox: OTHERS,
  outbox: OTHERS | GROUP_WRITES,
  processing: OTHERS | GROUP,
  archive: OTHERS | GROUP,
  refused: OTHERS | GROUP,
  ledgerPath: OTHERS | GROUP,
};

const REMEDIES: Readonly<Record<number, string>> = {
  [OTHERS]: 'o-rwx',
  [OTHERS | GROUP_WRITES]: 'g-w,o-rwx',
  [OTHERS | GROUP]: 'go-rwx',
};

export async function examinePermissions({ workspace }: Pick<Paydrop, 'workspace'>): Promise<Finding> {
  const name = 'rights';
  // There the rights are lists, which these bits say nothing about.
  if (platform === 'win32') return { name, ok: true, words: sentence('doctor.rights.notLooked') };
  const wrong: string[] = [];
  for (const place of Object.keys(FORBIDDEN) as Place[]) {
    const path = workspace[place];
    // What is not there is told by another finding.
    const mode = (await stat(path).catch(() => null))?.mode ?? 0;
    const forbidden = FORBIDDEN[place];
    if ((mode & forbidden) !== 0) wrong.push(`chmod ${REMEDIES[forbidden] ?? ''} ${path}`);
  }
  return wrong.length === 0
    ? { name, ok: true, words: sentence('doctor.rights.ok') }
    : {
        name,
        ok: false,
        words: sentence('doctor.rights.fault', { commands: wrong.join('; ') }),
      };
}
