// Numbers in file names, as banks use them: a missing number is reported, and a file whose number was already taken is refused.
import { existsSync } from 'node:fs';
import { posix } from 'node:path';

import type { Words } from '../../../base/language.ts';
import type { PullRecord } from '../../../ledger/exchange.ts';
import type { Sequence } from '../../../sftp/account.ts';
import { shownName } from '../../../sftp/remote-files.ts';
import { ownName } from '../../workflow/batch/read-batch-file.ts';
import type { AccountDesk, Candidate } from './files-to-fetch.ts';
import { sentence } from '../../../messages/messages.ts';

/** How many missing numbers are shown; the first are enough to ask for. */
const SHOWN_MOST = 5;

type InSequence = { readonly go: readonly Candidate[]; readonly troubles: readonly Words[] };

/** The number in a file's name; null for a name of another form. A `rejected` file that comes back keeps the number of its original. */
export function numberIn({ names }: Sequence, name: string): number | null {
  const form = names
    .replace(/[.+^${}()|[\]\\?]/g, '\\$&')
    .replaceAll('*', '.*')
    .replace(/#+/, '(\\d{1,12})');
  const found = new RegExp(`^${form}$`, 'i').exec(ownName(posix.basename(name)))?.[1];
  return found === undefined ? null : Number(found);
}

/** Selects the files that may be fetched by their numbers, in order; documents are always fetched. */
export async function inSequence(desk: AccountDesk, ready: readonly Candidate[]): Promise<InSequence> {
  const { sequence, name } = desk.account;
  if (sequence === null) return { go: ready, troubles: [] };
  const taken = new Set((await desk.paydrop.ledger.exchange.numbered(name)).map((pull) => pull.number ?? 0));
  const numbered = ready
    .filter(({ kind }) => kind === 'spreadsheet')
    .map((file) => ({ file, number: numberIn(sequence, file.localName) }))
    .toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0));
  const go = ready.filter(({ kind }) => kind !== 'spreadsheet');
  const troubles: Words[] = [];
  for (const { file, number } of numbered) {
    const missing = number === null ? [] : missingBelow(sequence, taken, number);
    if (number === null) troubles.push(unnumbered(file, sequence));
    else if (missing.length > 0 && sequence.onGap === 'wait') troubles.push(waitsFor(file, missing));
    else go.push(file);
    if (number !== null && (missing.length === 0 || sequence.onGap === 'warn')) taken.add(number);
  }
  const missing = missingBelow(sequence, taken, Math.max(0, ...taken));
  if (sequence.onGap === 'warn' && missing.length > 0) troubles.push(notCome(missing));
  return { go, troubles };
}

/** True for a number that was taken with other bytes and still counts, and for one before the first: such a file is refused. */
export async function isRepeated(desk: AccountDesk, file: Candidate, sha256: string): Promise<boolean> {
  const { paydrop, account } = desk;
  const { sequence } = account;
  const number = sequence === null ? null : numberIn(sequence, file.localName);
  if (sequence === null || number === null || file.kind !== 'spreadsheet') return false;
  const pulls = (await paydrop.ledger.exchange.numbered(account.name)).filter(
    (pull) => pull.number === number,
  );
  // The same bytes get their own answer: a duplicate.
  if (pulls.some((pull) => pull.sha256 === sha256)) return false;
  if (number < sequence.first) return true;
  const standing = await Promise.all(pulls.map((pull) => stands(desk, pull)));
  return standing.includes(true);
}

/** The number of a refused file is free for the corrected one. A file that still waits in the inbox has no batch yet, and one of several days has one for each. */
async function stands({ paydrop }: AccountDesk, { sha256, phase, target }: PullRecord): Promise<boolean> {
  if (phase !== 'done') return true;
  const made = await paydrop.ledger.batches({ sha256 });
  return made.length === 0 ? existsSync(target) : made.some(({ state }) => state !== 'refused');
}

function missingBelow({ first }: Sequence, taken: ReadonlySet<number>, number: number): readonly number[] {
  const missing: number[] = [];
  // From the first number on, because one may be missing below others that came.
  for (let each = first; each < number && missing.length <= SHOWN_MOST; each += 1)
    if (!taken.has(each)) missing.push(each);
  return missing;
}

function shown(missing: readonly number[]): string {
  return missing.slice(0, SHOWN_MOST).join(', ') + (missing.length > SHOWN_MOST ? ', …' : '');
}

function unnumbered({ name }: Candidate, { names }: Sequence): Words {
  return sentence('sequence.unnumbered', { shownName: shownName(name), names });
}

function waitsFor({ name }: Candidate, missing: readonly number[]): Words {
  return sentence('sequence.waitsFor', { shownName: shownName(name), shown: shown(missing) });
}

function notCome(missing: readonly number[]): Words {
  return sentence('sequence.notCome', { shown: shown(missing) });
}
