// The file that an account logs in with: whoever else can read it can log in too.
import { stat } from 'node:fs/promises';

import type { SftpAccount } from '../../sftp/connect.ts';
import type { Finding } from './finding.ts';

/** Group and others. */
const NOT_OWNER = 0o077;

/** None where the secret comes from the environment. */
export async function secretFinding({ secretFile, name }: SftpAccount): Promise<readonly Finding[]> {
  if (secretFile === null) return [];
  const { mode } = await stat(secretFile);
  const ok = (mode & NOT_OWNER) === 0;
  const words = ok
    ? `${secretFile} (${name}) is readable by its owner alone`
    : `${secretFile} (${name}) may be read by others on this machine. Run: chmod 600 ${secretFile}`;
  return [{ name: 'secret', ok, words }];
}
