// The caller references that make a repeated request harmless: pure functions of the file's bytes, the row and the attempt, so that
// the same file gives the same ids on any machine, with or without a ledger.
import { hash } from 'node:crypto';

/** Our own namespace. It must never change: a new one would make every old payment look unpaid. */
const NAMESPACE = Buffer.from('5b7c2a1e94d34f0a8e612f9d3c7b6a10', 'hex');

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
  return uuidV5(`${fileId}/${row}/${kind}/${String(attempt)}`);
}

/** RFC 9562, 5.5. Three are made for every row. */
function uuidV5(name: string): string {
  const bytes = hash('sha1', Buffer.concat([NAMESPACE, Buffer.from(name)]), 'buffer');
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
