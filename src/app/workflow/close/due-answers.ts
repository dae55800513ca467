// Which answers of the outbox are still to be brought to an account, in the order in which its owner should see them.
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { APPROVAL_REFUSED, readAnswerName, type AnswerName } from '../../../inbox/answer-name.ts';
import type { SftpAccount } from '../../../sftp/connect.ts';
import type { Records } from '../../parts.ts';

export type DueAnswer = {
  readonly name: string;
  readonly path: string;
  /** Of the version that lies there now. */
  readonly signature: string;
};

type Parsed = AnswerName & { readonly name: string };

/** That a file was accepted comes before what became of it, and the summary, which ends it, last; a kind of which nothing is known here, in between. */
const ORDER: readonly string[] = [
  'ack',
  'refused',
  'duplicate',
  '',
  'rejected',
  'preview',
  'result',
  'reconciliation',
  'summary',
];

/** @param settled the versions that are known to need nothing, by name; added to. */
export async function dueAnswers(
  records: Pick<Records, 'workspace' | 'ledger'>,
  account: SftpAccount,
  settled: Map<string, string>,
): Promise<readonly DueAnswer[]> {
  const due: (DueAnswer & Parsed)[] = [];
  if (account.push === null) return due;
  const since = (await records.ledger.exchange.account(account.name))?.since ?? '';
  for (const parsed of await answersIn(records.workspace.outbox)) {
    const path = join(records.workspace.outbox, parsed.name);
    // Whoever collects from the outbox may have taken it meanwhile.
    const seen = await stat(path).catch(() => null);
    if (seen === null) continue;
    const signature = `${String(seen.size)} ${String(seen.mtimeMs)} ${String(seen.ino)}`;
    if (settled.get(parsed.name) === signature) continue;
    const isSince = seen.mtimeMs >= Date.parse(since);
    if (isSince && (await isDue(records, account, parsed, signature)))
      due.push({ ...parsed, path, signature });
    else settled.set(parsed.name, signature);
  }
  return due.toSorted(inOrder);
}

/**
 * Of two listings, the second has all that was published before anything that the first has: with what both have and every acknowledgement of
 * the second, nothing goes out ahead of what came before it.
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
