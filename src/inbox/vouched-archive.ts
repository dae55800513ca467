// The mark of the archive: the ledger that found its own name in every manifest. While it stands, the manifests of what that ledger has closed need not be opened:
// another ledger takes it away before it writes its first.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { publishNow } from '../base/atomic-file.ts';
import type { Workspace } from './workspace.ts';

type Archive = Pick<Workspace, 'archive'>;

const NOBODY = '';

export function isVouchedFor(workspace: Archive, ledger: string): boolean {
  return vouchedBy(workspace) === ledger;
}

/** To be called behind a look at all of it that found nothing of another ledger. */
export function vouchFor({ archive }: Archive, ledger: string): void {
  publishNow(markIn(archive), ledger);
}

/** To be called before a manifest of this ledger is written. */
export function endVouchingOfOthers(workspace: Archive, ledger: string): void {
  if (![NOBODY, ledger].includes(vouchedBy(workspace))) vouchFor(workspace, NOBODY);
}

function vouchedBy({ archive }: Archive): string {
  try {
    return readFileSync(markIn(archive), 'utf8');
  } catch {
    // What cannot be read vouches for nothing.
    return NOBODY;
  }
}

function markIn(archive: string): string {
  return join(archive, '.ledger');
}
