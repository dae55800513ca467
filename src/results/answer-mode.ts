// Who may read an answer: its owner alone, unless the outbox itself lets its group in, as where people fetch answers over the machine's own SFTP.
import { stat } from 'node:fs/promises';

const OWNER_ALONE = 0o600;
const WITH_GROUP = 0o640;
const GROUP_READS = 0o040;

export async function answerMode(outbox: string): Promise<number> {
  const { mode } = await stat(outbox);
  return (mode & GROUP_READS) === 0 ? OWNER_ALONE : WITH_GROUP;
}
