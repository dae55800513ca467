// What `doctor` looks at in each SFTP account: that it can be worked with. Nothing is written there; that is for `sftp check`.
import { listTree } from '../../sftp/remote-files.ts';
import { connect, type SftpAccount } from '../../sftp/connect.ts';
import type { Paydrop } from '../parts.ts';
import type { Finding } from './finding.ts';
import { describeAccountFault } from '../parts/account-faults.ts';
import { secretFinding } from './secret-file.ts';
import { sentence } from '../../messages/messages.ts';

/** A person waits for it. */
const TIMEOUT_MS = 10_000;

export async function examineAccounts({ config }: Pick<Paydrop, 'config'>): Promise<readonly Finding[]> {
  const all = (config.sftpAccounts ?? []).map(async (account) => [
    ...(await secretFinding(account)),
    await examineAccount(account),
  ]);
  return (await Promise.all(all)).flat();
}

async function examineAccount(account: SftpAccount): Promise<Finding> {
  const name = `sftp ${account.name}`;
  try {
    const session = await connect(account, { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal });
    try {
      for (const folder of account.pull) await listTree(session, folder);
    } finally {
      await session.close();
    }
    return { name, ok: true, words: sentence('doctor.account.ok', { host: account.host }) };
  } catch (error) {
    const fault = describeAccountFault(error).words;
    return { name, ok: false, words: sentence('doctor.account.fault', { fault, account: account.name }) };
  }
}
