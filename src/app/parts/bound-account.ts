// A ledger belongs to one account of the service: what was paid at one must neither look paid at another nor be paid there again. The account shows neither a name nor a
// number, so it is known by the address and by a fingerprint of its key. Where either changes, a transfer that the ledger knows proves that it is the same account.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { publishNow } from '../../base/atomic-file.ts';
import { isoTime } from '../../base/clock.ts';
import { sameWords, ToldError, type Words } from '../../base/language.ts';
import { listBatchFolders, type Workspace } from '../../inbox/workspace.ts';
import { newestBatches } from './newest-batches.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import { ENDED_BATCH } from '../../ledger/batch-states.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';
import type { Stage } from '../../payouts/lifecycle.ts';
import type { KnownTransfer } from '../../payouts/progress.ts';
import { Refused } from '../../service/errors.ts';
import type { PayoutService } from '../../service/payout-service.ts';
import type { Config } from '../config/config.ts';
import { isLoopback } from '../config/listeners.ts';
import type { Paydrop, Records } from '../parts.ts';

const schema = z.object({
  /** Of the service's address; `sandbox` for the embedded one. */
  origin: z.string(),
  /** The first 16 hexadecimal digits of a SHA-256 over the key; empty for the embedded sandbox. */
  key: z.string(),
  /** Who said that the account has moved here, and why; absent where nobody had to. */
  moved: z.object({ by: z.string(), reason: z.string(), at: z.string() }).exactOptional(),
});
/** The account of the service that a ledger counts the money of. */
export type BoundAccount = Readonly<z.output<typeof schema>>;

const SANDBOX = 'sandbox';

/** The address or the key has changed, and nothing proves that it is the same account (`service_changed`): nothing is sent. */
export class ServiceChanged extends ToldError {
  override readonly name = 'ServiceChanged';
}

/** The account that a config names. */
export function accountOf({ baseUrl, apiKey }: Pick<Config, 'baseUrl' | 'apiKey'>): BoundAccount {
  if (baseUrl === null) return { origin: SANDBOX, key: '' };
  return { origin: baseUrl.origin, key: fingerprintOf(apiKey ?? '') };
}

/** The account that the calls of this process go to at this moment. */
export function accountInUse({ config: { baseUrl }, keys }: Pick<Paydrop, 'config' | 'keys'>): BoundAccount {
  return accountOf({ baseUrl, apiKey: keys.apiKey });
}

function fingerprintOf(apiKey: string): string {
  return createHash('sha256').update(`paydrop account\n${apiKey}`).digest('hex').slice(0, 16);
}

function isSame(one: BoundAccount, other: BoundAccount): boolean {
  return placeOf(one) === placeOf(other) && one.key === other.key;
}

/** A service on this machine may return on another port; it is still the same test service. */
function placeOf({ origin }: BoundAccount): string {
  return origin !== SANDBOX && isLoopback(new URL(origin)) ? 'this machine' : origin;
}

export function isPlayMoney({ origin }: BoundAccount): boolean {
  return origin === SANDBOX;
}

type AccountSources = Pick<Records, 'ledger' | 'workspace'>;

/** The account that the ledger belongs to; where the ledger was lost, the one that its folders belong to. Null where nobody has used it yet. */
export async function boundAccount({ ledger, workspace }: AccountSources): Promise<BoundAccount | null> {
  return boundAs(await ledger.account.bound(), workspace);
}

/** @param seen the binding of the ledger. */
async function boundAs(seen: string | null, workspace: Workspace): Promise<BoundAccount | null> {
  const text = seen ?? noteIn(workspace);
  if (text === null || (seen === null && (await listBatchFolders(workspace)).length === 0)) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new ServiceChanged(sentence('boundAccount.unreadable', { path: notePath(workspace) }), {
      cause: error,
    });
  }
}

/** Outlives the ledger. */
function notePath({ root }: Workspace): string {
  return join(root, 'service.json');
}

function noteIn(workspace: Workspace): string | null {
  const path = notePath(workspace);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function keepNote(workspace: Workspace, text: string): void {
  if (noteIn(workspace) !== text) publishNow(notePath(workspace), text);
}

/** Binds ledger and folders to an account; false where the ledger is no longer bound as it was seen. */
async function bind(
  { ledger, workspace }: AccountSources,
  account: BoundAccount,
  seen: string | null,
): Promise<boolean> {
  const text = JSON.stringify(account);
  if (!(await ledger.account.bind(text, seen))) return false;
  keepNote(workspace, text);
  return true;
}

/**
 * Makes sure that the money of this ledger is that of the account that the config names, and binds the ledger to it. Asked at the start, and before every go
 * that sends: another process may have bound it meanwhile. Throws `ServiceChanged`, or the fault of the service where the proof needs it.
 * @param service a client with the config's address and key.
 */
export async function assertSameAccount(
  records: Records,
  own: BoundAccount,
  service: Pick<PayoutService, 'transfer'>,
): Promise<void> {
  const seen = await records.ledger.account.bound();
  const bound = await boundAs(seen, records.workspace);
  const isOther = bound !== null && !isSame(bound, own);
  if (isOther && !(await isProven(records, own, service))) throw changed(bound, own);
  if (seen !== null && !isOther) {
    keepNote(records.workspace, seen);
    return;
  }
  // Where another process was faster, its account is judged.
  if (!(await bind(records, own, seen))) return assertSameAccount(records, own, service);
  if (isOther) records.log.info('the service account has a new address or key', { reason: own.origin });
}

/** True where the service shows a transfer that this ledger knows, or where nothing stands in it that another account must not take over. */
async function isProven(
  records: Records,
  own: BoundAccount,
  service: Pick<PayoutService, 'transfer'>,
): Promise<boolean> {
  const sent = await lastSent(records.ledger);
  if (sent.length === 0) return isFree(records, own);
  for (const transfer of sent) if (await isShown(transfer, service)) return true;
  return false;
}

/** Nothing was sent, nobody has checked or decided anything that would go to another account now, and no other process is about to send. */
async function isFree({ ledger }: Records, own: BoundAccount): Promise<boolean> {
  if ((await ledger.account.bound()) === null) return false;
  const open = (await ledger.batches({ toLookAt: 0 })).filter(({ state }) => !ENDED_BATCH.has(state));
  // Play money that is told as paid would be believed.
  if (isPlayMoney(own) ? open.length > 0 : open.some(isDecided)) return false;
  return (await ledger.runs.alive()).every(({ run }) => run === ledger.run);
}

function isDecided({ approval, decisions }: BatchRecord): boolean {
  return approval?.kind === 'asked' || decisions.length > 0;
}

async function isShown(
  { transferId, externalId }: KnownTransfer,
  service: Pick<PayoutService, 'transfer'>,
): Promise<boolean> {
  try {
    const { value } = await service.transfer(transferId);
    return value.id === transferId && value.externalId === externalId;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

/** Each of these rows has a transfer. */
const SENT: readonly Stage[] = ['created', 'confirming', 'confirmed', 'paid', 'failed'];

/** One alone could be hidden by a read that lags. */
const ASKED_MOST = 5;

/** Transfers that the ledger knows, of the newest batches first; few enough to ask for each. */
async function lastSent(ledger: Ledger): Promise<readonly KnownTransfer[]> {
  const found: KnownTransfer[] = [];
  for await (const { id } of newestBatches(ledger)) {
    const rows = await ledger.rows(id, 0, ASKED_MOST, { stages: SENT });
    found.push(...rows.flatMap(({ progress }) => progress.transfer ?? []));
    if (found.length < ASKED_MOST) found.push(...(await heldTransfers(ledger, id)));
    if (found.length >= ASKED_MOST) break;
  }
  return found.slice(0, ASKED_MOST);
}

/** Most held rows have none, so that all of them are looked at. */
async function heldTransfers(ledger: Ledger, batch: string): Promise<readonly KnownTransfer[]> {
  const found: KnownTransfer[] = [];
  for await (const { progress } of batchRows(ledger, batch, { stages: ['held'] }))
    if (progress.transfer !== null) found.push(progress.transfer);
  return found;
}

function changed(bound: BoundAccount, own: BoundAccount): ServiceChanged {
  const isKeyAlone = bound.origin === own.origin;
  const names = { bound: nameOf(bound), own: nameOf(own) };
  return new ServiceChanged(sentence(isKeyAlone ? 'boundAccount.key' : 'boundAccount.address', names));
}

function nameOf(account: BoundAccount): Words {
  return isPlayMoney(account) ? sentence('boundAccount.sandbox') : sameWords(account.origin);
}

/** A named person says that the account has another address or key. Nobody says so of play money. */
export async function moveAccount(
  records: Records,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<{ readonly kind: 'moved' | 'same' | 'unbound' | 'refused'; readonly words: Words }> {
  const account = accountOf(records.config);
  const own = nameOf(account);
  const seen = await records.ledger.account.bound();
  const bound = await boundAs(seen, records.workspace);
  if (bound === null) return { kind: 'unbound', words: sentence('boundAccount.unbound') };
  if (isSame(bound, account)) return { kind: 'same', words: sentence('boundAccount.same', { own }) };
  if (isPlayMoney(account))
    return { kind: 'refused', words: sentence('boundAccount.intoPlay', { bound: nameOf(bound) }) };
  const moved = { by, reason, at: isoTime(records.clock.now()) };
  if (!(await bind(records, { ...account, moved }, seen))) return moveAccount(records, { by, reason });
  records.log.info('the service account was moved', { by, reason: account.origin });
  return { kind: 'moved', words: sentence('boundAccount.moved', { own }) };
}
