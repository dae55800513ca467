// `paydrop status [BATCH]`: where is my file, and what does it wait for.
import type { Command } from 'commander';

import { EXIT } from '../app/batch-result.ts';
import {
  batchStatuses,
  stopFileOf,
  rowsThatNeedAttention,
  statusOf,
  type BatchStatus,
  type RowStatus,
} from '../app/batch-status.ts';
import { accountStatuses, describeAccounts } from '../app/sftp/account-status.ts';
import type { Records } from '../app/compose.ts';
import { printJson, withRecords, type CommandContext } from './command-context.ts';

export function addStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('list the batches, or one batch with the rows that need attention')
    .argument('[batch]', 'a batch, as the list names it')
    .option('--json', 'print one JSON document instead of words')
    .action(async (id: string | undefined, flags: { readonly json?: boolean }, command: Command) => {
      await withRecords(command, async (records) => {
        const isJson = flags.json === true;
        if (id === undefined) await showAll(records, isJson);
        else if (!(await showOne(records, id, isJson))) {
          process.stderr.write(`paydrop: there is no batch ${id}. "paydrop status" lists them.\n`);
          context.finish(EXIT.usage);
        }
      });
    });
}

async function showAll(records: Records, isJson: boolean): Promise<void> {
  const batches = await batchStatuses(records);
  const stopped = stopFileOf(records);
  if (stopped !== null && !isJson) process.stdout.write(`${stopped}\n`);
  const sftp = await accountStatuses(records);
  if (isJson) printJson({ stopped, batches, ...(sftp.length === 0 ? {} : { sftp }) });
  else if (batches.length === 0)
    process.stdout.write('No file has been taken yet. "paydrop run FILE" pays one.\n');
  else for (const batch of batches) process.stdout.write(`${describe(batch)}\n`);
  if (!isJson) for (const line of describeAccounts(sftp)) process.stdout.write(`${line}\n`);
}

async function showOne(records: Records, id: string, isJson: boolean): Promise<boolean> {
  const batch = await records.ledger.batch(id);
  if (batch === null) return false;
  const status = await statusOf(records, batch);
  const rows = await rowsThatNeedAttention(records, batch);
  const stopped = stopFileOf(records);
  if (stopped !== null && !isJson) process.stdout.write(`${stopped}\n`);
  if (isJson) printJson({ stopped, batches: [status], rows });
  else process.stdout.write(`${[describe(status), ...rows.map(describeRow)].join('\n')}\n`);
  return true;
}

function describe({ batch, file, state, paused, outcomes, words }: BatchStatus): string {
  const counts = Object.entries(outcomes).filter(([, count]) => count > 0);
  const shown = counts.map(([name, count]) => `${name} ${String(count)}`).join(', ');
  const line = `${batch}  ${file.name}  ${paused ? 'paused' : state}  ${String(file.rows)} rows: ${shown}`;
  return words === null ? line : `${line}\n  ${words}`;
}

function describeRow({ row, outcome, reason }: RowStatus): string {
  return `  row ${row}: ${outcome}. ${reason}`;
}
