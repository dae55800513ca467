// The parts of a command that only looks at the workspace: its ledger, without the service. Such a command loads nothing else.
import { systemClock, type Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Heads } from '../inbox/head.ts';
import { openWorkspace } from '../inbox/workspace.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { nodeName } from './config/ledger-config.ts';
import type { Config } from './config/config.ts';
import type { Records } from './parts.ts';

/** Opens the workspace and its ledger. Throws `ConfigUnusable` or `LedgerUnusable`. */
export async function composeRecords(config: Config, log: Log, clock: Clock = systemClock): Promise<Records> {
  const { sharedLedger = null } = config;
  const hasOwnInbox = sharedLedger !== null && config.folderPaths.inbox !== undefined;
  const node = hasOwnInbox ? nodeName(config) : null;
  const workspace = await openWorkspace(config.workspacePath, config.folderPaths, node);
  const ledger = await openLedger(sharedLedger ?? config.ledgerPath ?? workspace.ledgerPath, clock);
  const heads = new Heads(workspace, ledger);
  ledger.history.tellOf((batch, seal) => heads.note(batch, seal));
  const close = async (): Promise<void> => {
    await heads.settled();
    // With its end the ledger may bring to the disk what nobody waited for.
    await ledger.close();
    await heads.settled();
  };
  return { config, clock, log, workspace, ledger, close };
}
