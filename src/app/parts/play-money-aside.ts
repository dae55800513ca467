// A workspace that has only paid play money is free to pay real money: what was paid in play moves aside first, so that none of it passes for a payment.
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';

import { isoTime } from '../../base/clock.ts';
import { createFolder } from '../../inbox/workspace.ts';
import { sameWords } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import type { Records } from '../parts.ts';
import { type BoundAccount, boundAccount, isPlayMoney } from './bound-account.ts';

/** The ledger comes last: a kill in between leaves the rest to the next start. */
const PAID_IN_PLAY: readonly string[] = [
  'uploads',
  'processing',
  'outbox',
  'archive',
  'refused',
  'sandbox.state',
  'service.json',
  'ledger.sqlite-shm',
  'ledger.sqlite-wal',
  'ledger.sqlite',
];

/**
 * The folder below the workspace to which it moved; null where there was nothing to move. Closes the records where it moves them: they are opened anew.
 * Throws `ConfigUnusable` where other processes use the workspace, or ledger and folders lie outside of it.
 */
export async function setPlayMoneyAside(records: Records, own: BoundAccount): Promise<string | null> {
  if (isPlayMoney(own)) return null;
  const bound = await boundAccount(records);
  if (bound === null || !isPlayMoney(bound)) return null;
  if ((await records.ledger.batches({ before: null, limit: 1 })).length === 0) return null;
  if (!(await isAlone(records)) || !liesWithin(records)) throw otherWorkspace(records, own);
  const { clock, workspace } = records;
  const day = isoTime(clock.now()).replaceAll(/[-:]|\.\d+/g, '');
  const folder = join(workspace.root, `play-money-${day}`);
  await createFolder(folder);
  await records.close();
  for (const name of PAID_IN_PLAY) {
    const path = join(workspace.root, name);
    if (existsSync(path)) await rename(path, join(folder, name));
  }
  return folder;
}

async function isAlone({ ledger }: Records): Promise<boolean> {
  return (await ledger.runs.alive()).every(({ run }) => run === ledger.run);
}

function liesWithin({ config: { sharedLedger = null, ledgerPath, folderPaths } }: Records): boolean {
  const isMoved = Object.keys(folderPaths).length > 0;
  return sharedLedger === null && ledgerPath === null && !isMoved;
}

function otherWorkspace({ workspace }: Records, own: BoundAccount): ConfigUnusable {
  const bound = sentence('boundAccount.sandbox');
  return new ConfigUnusable(
    sentence('compose.otherService', { workspacePath: workspace.root, bound, own: sameWords(own.origin) }),
  );
}
