// Tries an account from end to end, one line for each possible fault: the connection, the key, the login, the folders, the right to write.
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { posix } from 'node:path';

import { type Words, sameWords } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { type Envelope, type SftpAccount, SftpFault } from '../../sftp/account.ts';
import { connect } from '../../sftp/connect.ts';
import { keysOf } from '../../sftp/openpgp.ts';
import { PROCESSED_FOLDER, listTree } from '../../sftp/remote-files.ts';
import type { SftpSession } from '../../sftp/sftp-session.ts';
import type { Paydrop } from '../parts.ts';
import { describeAccountFault } from '../parts/describe-error.ts';
import type { DoctorFinding } from './finding.ts';

/** A person waits for it, and should learn of a server that takes longer. */
const TIMEOUT_MS = 15_000;

/** The name of the test file, which is removed again; a dot file, so that nobody there takes it for an answer. */
const PROBE = '.paydrop-probe-';

/** Leaves nothing on the server except the folder for taken files. */
export async function checkAccount(
  account: SftpAccount,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [...(await secretFinding(account))];
  const look = async (name: string, work: () => Promise<Words>): Promise<void> => {
    findings.push(await tried(name, work));
  };
  const { openpgp } = account;
  if (openpgp !== null) await look('openpgp', () => describeKeys(openpgp));
  try {
    const session = await connect(account, { timeoutMs: TIMEOUT_MS, signal });
    findings.push({ name: 'connect', ok: true, words: describeLogin(account, session) });
    for (const folder of account.pull) await look('pull', () => lookAtFolder(account, session, folder));
    const { push } = account;
    if (push !== null) await look('push', () => writeProbe(session, push));
    await session.close();
  } catch (error) {
    findings.push({ name: 'connect', ok: false, words: describeAccountFault(error).words });
  }
  return findings;
}

async function tried(name: string, work: () => Promise<Words>): Promise<DoctorFinding> {
  try {
    return { name, ok: true, words: await work() };
  } catch (error) {
    return { name, ok: false, words: describeAccountFault(error).words };
  }
}

async function describeKeys(openpgp: Envelope): Promise<Words> {
  const { own, partner } = await keysOf(openpgp);
  const theirs = partner.map((key) => key.getFingerprint()).join(', ');
  return sentence('account.keys', { own: own.getFingerprint(), theirs, signature: openpgp.signature });
}

function describeLogin({ user, host, port, hostKeys }: SftpAccount, { hostKey }: SftpSession): Words {
  return sentence('account.login', { user, host, port, seen: hostKey, pinned: hostKeys.join(', ') });
}

async function lookAtFolder(account: SftpAccount, session: SftpSession, folder: string): Promise<Words> {
  const { files, unsafe } = await listTree(session, folder, account.push);
  const found = sentence('account.found', {
    folder,
    count: files.length,
    unsafe: unsafe.length === 0 ? sameWords('') : sentence('account.unsafe', { count: unsafe.length }),
  });
  if (account.processed === 'delete') return sentence('account.deleted', { found });
  const processed = posix.join(folder, PROCESSED_FOLDER);
  await session.createFolders(processed).catch((error: unknown) => {
    throw error instanceof SftpFault ? cannotMove(folder, processed, error) : error;
  });
  return sentence('account.moved', { found, processed });
}

function cannotMove(folder: string, processed: string, cause: SftpFault): SftpFault {
  return new SftpFault(cause.code, sentence('checkAccount.cannotMove', { folder, processed }), { cause });
}

/** Delivered like an answer: written under one name, then renamed; and here removed again. */
async function writeProbe(session: SftpSession, folder: string): Promise<Words> {
  const name = posix.join(folder, PROBE + randomUUID());
  const probe = async function* (): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from('This file may be removed.\n'));
  };
  try {
    await session.write(`${name}.part`, probe());
    await session.replace(`${name}.part`, name);
  } finally {
    await Promise.allSettled([session.remove(`${name}.part`), session.remove(name)]);
  }
  const free = await session.freeBytes(folder).catch(() => null);
  const room =
    free === null ? sameWords('') : sentence('account.free', { megabytes: Math.floor(free / 1_000_000) });
  return sentence('account.probe', { folder, room });
}

// What `doctor` checks for each SFTP account: that it can be used. It writes nothing there; `sftp check` does.

/** A person waits for it. */
const EXAMINE_TIMEOUT_MS = 10_000;

export async function examineAccounts({
  config,
}: Pick<Paydrop, 'config'>): Promise<readonly DoctorFinding[]> {
  const all = (config.sftpAccounts ?? []).map(async (account) => [
    ...(await secretFinding(account)),
    await examineAccount(account),
  ]);
  return (await Promise.all(all)).flat();
}

async function examineAccount(account: SftpAccount): Promise<DoctorFinding> {
  const name = `sftp ${account.name}`;
  try {
    const session = await connect(account, {
      timeoutMs: EXAMINE_TIMEOUT_MS,
      signal: new AbortController().signal,
    });
    try {
      for (const folder of account.pull) await listTree(session, folder, account.push);
    } finally {
      await session.close();
    }
    return { name, ok: true, words: sentence('doctor.account.ok', { host: account.host }) };
  } catch (error) {
    const fault = describeAccountFault(error).words;
    return { name, ok: false, words: sentence('doctor.account.fault', { fault, account: account.name }) };
  }
}

// The file with an account's secret: everybody who can read it can log in.

/** Group and others. */
const NOT_OWNER = 0o077;

/** Empty where the secret comes from the environment. */
async function secretFinding({ secretFile, name }: SftpAccount): Promise<readonly DoctorFinding[]> {
  if (secretFile === null) return [];
  const { mode } = await stat(secretFile);
  const ok = (mode & NOT_OWNER) === 0;
  const words = ok
    ? sentence('doctor.secret.ok', { file: secretFile, name })
    : sentence('doctor.secret.fault', { file: secretFile, name });
  return [{ name: 'secret', ok, words }];
}
