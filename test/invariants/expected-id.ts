// The ids that a row's transfers must have, computed from the published rule alone: with the file, anybody can tell which transfers belong to it.
import { createHash } from 'node:crypto';

const NAMESPACE = Buffer.from('5b7c2a1e94d34f0a8e612f9d3c7b6a10', 'hex');

/** The `externalId` of the n-th transfer of a row: UUID version 5 of `<file id>/<row>/transfer/<attempt>`. */
export function expectedTransferId(fileId: string, row: string, attempt: number): string {
  const hash = createHash('sha1')
    .update(NAMESPACE)
    .update(`${fileId}/${row}/transfer/${String(attempt)}`);
  const bytes = hash.digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
