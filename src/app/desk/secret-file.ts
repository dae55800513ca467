// The file that an account logs in with: whoever else can read it can log in too.
import { stat } from 'node:fs/promises';

import type { SftpAccount } from '../../sftp/connect.ts';
import type { Finding } from './finding.ts';
import { sentence } from '../../messages/messages.ts';

/** Group and others. */
const NOT_OWNER = 0o077;

/** None where the secret comes from the environment. */
export async function secretFinding({ secretFile, name }: SftpAccount): Promise<readonly Finding[]> {
  if (secretFile === null) return [];
  const { mode } = await stat(secretFile);
  const ok = (mode & NOT_OWNER) === 0;
  const words = ok
    ? sentence('doctor.secret.ok', { file: secretFile, name })
    : sentence('doctor.secret.fault', { file: secretFile, name });
  return [{ name: 'secret', ok, words }];
}
