// The ids that a row must use, computed here independently from the definition of a version 5 UUID, so that an invented id of the product is noticed.
import { createHash } from 'node:crypto';

const NAMESPACE = '5b7c2a1e94d34f0a8e612f9d3c7b6a10';

/** No row gets beyond so many attempts. */
const ATTEMPTS_MOST = 12;

export type Owner = { readonly row: string; readonly attempt: number };

/** The transfer ids of all rows, in lower case. */
export function transferIds(
  fileId: string,
  rows: readonly { readonly row: string }[],
): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const { row } of rows)
    for (let attempt = 1; attempt <= ATTEMPTS_MOST; attempt++)
      owners.set(uuid(`${fileId}/${row}/transfer/${String(attempt)}`), { row, attempt });
  return owners;
}

function uuid(name: string): string {
  const hash = createHash('sha1').update(Buffer.from(NAMESPACE, 'hex')).update(name).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
