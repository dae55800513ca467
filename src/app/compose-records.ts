// What a command that only looks at the workspace works with: its ledger, and no service. Such a command loads nothing of the others.
import { systemClock, type Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { openWorkspace } from '../inbox/workspace.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { Config } from './config/config.ts';
import type { Records } from './parts.ts';

/** Opens the workspace and its ledger. Throws `ConfigUnusable` or `LedgerUnusable`. */
export async function composeRecords(config: Config, log: Log, clock: Clock = systemClock): Promise<Records> {
  const workspace = await openWorkspace(config.workspacePath, config.folderPaths);
  const ledgerPath = config.ledgerPath ?? workspace.ledgerPath;
  const ledger = await openLedger(ledgerPath, clock);
  return { config, clock, log, workspace, ledger, close: () => ledger.close() };
}
