// An account changed in the ledger by hand, as somebody would who may write its file.
import { DatabaseSync } from 'node:sqlite';

/** Of the first row of a batch. */
export function changeAccount(workspace: string, batch: string): Promise<void> {
  const database = new DatabaseSync(`${workspace}/ledger.sqlite`);
  const table = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%payout%'")
    .get() as { readonly name: string };
  database
    .prepare(
      `UPDATE ${table.name} SET payout = replace(payout, '138000', '139990') WHERE batch = ? AND position = 0`,
    )
    .run(batch);
  database.close();
  return Promise.resolve();
}
