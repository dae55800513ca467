// A ledger on a network file system is refused: its log is shared memory of one machine, and a lock that two machines both believe to hold
// lets both of them pay.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

import { LedgerUnusable } from './ledger-unusable.ts';

/** By the `f_type` that Linux gives (linux/magic.h); other systems give numbers of their own, which are none of these. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
]);

/** Throws `LedgerUnusable` when the folder of the ledger lies on another machine. */
export function assertLocalDisk(path: string, typeOf = fileSystemType): void {
  const name = NETWORK_TYPES.get(typeOf(dirname(path)) >>> 0);
  if (name === undefined) return;
  throw new LedgerUnusable({
    en: `The ledger lies on a network drive (${name}), where it is not safe. Set PAYDROP_LEDGER_URL to a folder of this machine's own disk.`,
    fr: `Le registre se trouve sur un lecteur réseau (${name}), où il n'est pas en sûreté. Dirigez PAYDROP_LEDGER_URL vers un dossier du disque de cette machine.`,
  });
}

/** 0 where the system does not tell. */
function fileSystemType(folder: string): number {
  try {
    return statfsSync(folder).type;
  } catch {
    // A folder that does not exist is told of by whoever opens the ledger.
    return 0;
  }
}
