// The answers in the outbox that still have to be delivered to an account, in the order in which its owner should see them.
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { APPROVAL_REFUSED, type AnswerName, readAnswerName } from '../../inbox/answer-name.ts';
import type { SftpAccount } from '../../sftp/account.ts';
import type { Records } from '../parts.ts';

export type DueAnswer = {
  readonly name: string;
  readonly path: string;
  /** Of the version that is there now. */
  readonly signature: string;
};

type Parsed = AnswerName & { readonly name: string };

/** The acceptance comes before the outcome, and the summary, which ends it, last; an unknown kind comes in between. */
const ORDER: readonly string[] = [
  'ack',
  'refused',
  'duplicate',
  'status',
  '',
  'rejected',
  'preview',
  'result',
  'reconciliation',
  'summary',
];

/** @param settled the versions that need no delivery, by name; this adds to it. */
export async function dueAnswers(
  records: Pick<Records, 'workspace' | 'ledger' | 'config'>,
  account: SftpAccount,
  settled: Map<string, string>,
): Promise<readonly DueAnswer[]> {
  const due: (DueAnswer & Parsed)[] = [];
  if (account.push === null) return due;
  const since = (await records.ledger.exchange.account(account.name))?.since ?? '';
  for (const parsed of await answersIn(records.workspace.outbox)) {
    const path = join(records.workspace.outbox, parsed.name);
    // Somebody who collects from the outbox may have taken it meanwhile.
    const seen = await stat(path).catch(() => null);
    if (seen === null) continue;
    const signature = `${String(seen.size)} ${String(seen.mtimeMs)} ${String(seen.ino)}`;
    if (settled.get(parsed.name) === signature) continue;
    const isSince = seen.mtimeMs >= Date.parse(since) && (await mayLeave(records, parsed));
    if (isSince && (await isDue(records, account, parsed, signature)))
      due.push({ ...parsed, path, signature });
    else settled.set(parsed.name, signature);
  }
  return due.toSorted(inOrder);
}

/** Reports about play money must not reach the program that books it, unless the config says so. */
async function mayLeave(
  { config, ledger }: Pick<Records, 'config' | 'ledger'>,
  { batch, kind }: Parsed,
): Promise<boolean> {
  if ((kind !== 'status' && kind !== 'camt054') || config.iso20022.statusReports.sandbox) return true;
  const found = await ledger.batch(batch);
  return found === null ? !config.sandbox && config.baseUrl !== null : !found.sandbox;
}

/**
 * The second of two listings has everything that was published before anything in the first. So what is in both, plus every acknowledgement of
 * the second, contains nothing without its predecessors.
 */
async function answersIn(outbox: string): Promise<readonly Parsed[]> {
  const first = new Set(await readdir(outbox));
  const all = (await readdir(outbox)).map(parse).filter((parsed) => parsed !== null);
  return all.filter(({ name, kind }) => first.has(name) || kind === 'ack');
}

function parse(name: string): Parsed | null {
  const parsed = readAnswerName(name);
  return parsed === null ? null : { name, ...parsed };
}

async function isDue(
  { ledger: { exchange } }: Pick<Records, 'ledger'>,
  { name: account, answers }: SftpAccount,
  { name, stem, hashStart, kind }: Parsed,
  signature: string,
): Promise<boolean> {
  const brought = await exchange.answer(account, name);
  if (brought?.phase === 'delivered' && brought.signature === signature) return false;
  if (answers === 'all') return true;
  if (kind === APPROVAL_REFUSED) return stem === account;
  const pulls = await exchange.pullsLike(account, hashStart);
  return pulls.some(({ target }) => basename(target).replace(/\.[^.]*$/, '') === stem);
}

function inOrder(a: Parsed, b: Parsed): number {
  if (a.batch !== b.batch) return a.batch < b.batch ? -1 : 1;
  return a.version - b.version || rank(a) - rank(b) || (a.name < b.name ? -1 : 1);
}

function rank({ kind }: Parsed): number {
  const known = ORDER.indexOf(kind);
  return known === -1 ? ORDER.indexOf('') : known;
}
