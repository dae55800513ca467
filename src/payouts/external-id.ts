// The caller references that make a repeated request harmless: pure functions of the file's bytes, the row and the attempt, so that
// the same file gives the same ids on any machine, with or without a ledger.
import { v5 as uuidV5 } from 'uuid';

/** Our own namespace. It must never change: a new one would make every old payment look unpaid. */
const NAMESPACE = '5b7c2a1e-94d3-4f0a-8e61-2f9d3c7b6a10';

/**
 * The `externalId` of a quotation or a transfer.
 * @param fileId SHA-256 of the file in hex, and `#<occurrence>` behind it when the same bytes are paid again on purpose.
 * @param row the row identity: the number that a spreadsheet program shows, `Sheet!12` when there are several sheets.
 * @param attempt from 1; quotations and transfers count separately.
 */
export function externalId(
  fileId: string,
  row: string,
  kind: 'quotation' | 'transfer',
  attempt: number,
): string {
  return uuidV5(`${fileId}/${row}/${kind}/${String(attempt)}`, NAMESPACE);
}
