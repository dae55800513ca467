// The ledger needs a disk of this machine: over a network neither its locks nor its syncs can be relied on.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Words } from '../../base/language.ts';
import type { Records } from '../parts.ts';
import type { Finding } from './finding.ts';
import { sentence } from '../../messages/messages.ts';

/** File systems by the magic numbers of Linux' statfs: those that lie on another machine. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB2',
  0x00c36400: 'Ceph',
  0x5346414f: 'AFS',
};

/** @param root the folder of the ledger. */
export async function examineDisk(root: string): Promise<Finding> {
  const found = await networkOf(root);
  return found === null
    ? { name: 'disk', ok: true, words: sentence('doctor.disk.ok') }
    : { name: 'disk', ok: false, words: networkWords(root, found) };
}

/** The name of the network file system; null on a disk of this machine, as far as that can be told. */
export async function networkOf(path: string, ask: typeof statfs = statfs): Promise<string | null> {
  const { type } = await ask(path);
  // Signed on some systems.
  return NETWORK[type >>> 0] ?? null;
}

export function networkWords(root: string, name: string): Words {
  return sentence('doctor.disk.network', { root, name });
}

export function ledgerFolder({ config, workspace }: Pick<Records, 'config' | 'workspace'>): string {
  return dirname(config.ledgerPath ?? workspace.ledgerPath);
}
