// What is done with a fetched file before it may go into the inbox: its envelope is opened, and what nobody has signed as agreed is refused.
import { createHash, randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { createFolder } from '../../../inbox/workspace.ts';
import { openEnvelope } from '../../../sftp/openpgp.ts';
import { refuseUntaken } from '../../workflow/take/refuse-file.ts';
import { announced } from '../../workflow/take/take-batch.ts';
import type { AccountDesk } from './account-desk.ts';
import type { Candidate } from './files-to-fetch.ts';
import { isRepeated } from './sequence.ts';
import { refusalOf, type ExchangeRefusalCode } from './exchange-refusals.ts';

/** What lies under the temporary name now; where it is refused, nothing does, and the answer is in the outbox. */
export type Opened = {
  readonly sha256: string;
  readonly isRefused: boolean;
  /** What it is called here. */
  readonly name: string;
};

export async function openFetched(
  desk: AccountDesk,
  file: Candidate,
  temporary: string,
  sha256: string,
): Promise<Opened> {
  const opened = await openSealed(desk, file, temporary, sha256);
  if (opened.isRefused || !(await isRepeated(desk, file, opened.sha256))) return opened;
  return refuse(desk, file.localName, temporary, opened.sha256, 'sequence_repeated');
}

async function openSealed(
  desk: AccountDesk,
  file: Candidate,
  temporary: string,
  sha256: string,
): Promise<Opened> {
  const { paydrop, account } = desk;
  if (account.openpgp === null) return { sha256, isRefused: false, name: file.localName };
  if (file.name === file.localName) return unsigned(desk, file, temporary, sha256);
  const opened = await openEnvelope(temporary, account.openpgp, paydrop.config.intake.bytesMax);
  if ('fault' in opened) return refuse(desk, file.name, temporary, sha256, opened.fault);
  await publishFile(temporary, [opened.bytes]);
  const plainSha256 = createHash('sha256').update(opened.bytes).digest('hex');
  return { sha256: plainSha256, isRefused: false, name: file.localName };
}

/** Where files have to be signed, a plain file is one that nobody has signed. Documents decide nothing; approvals and control files do. */
async function unsigned(
  desk: AccountDesk,
  file: Candidate,
  temporary: string,
  sha256: string,
): Promise<Opened> {
  const mayPass = file.kind === 'document' || desk.account.openpgp?.signature !== 'required';
  return mayPass
    ? { sha256, isRefused: false, name: file.localName }
    : refuse(desk, file.name, temporary, sha256, 'signature_missing');
}

/** As a file that is refused at the door: kept beside its reason, and answered. */
async function refuse(
  { paydrop }: AccountDesk,
  name: string,
  temporary: string,
  sha256: string,
  code: ExchangeRefusalCode,
): Promise<Opened> {
  const folder = join(dirname(temporary), `.fetched-${randomUUID()}`);
  await createFolder(folder);
  const path = join(folder, basename(name));
  await rename(temporary, path);
  const batch = await announced(paydrop, path, null);
  await refuseUntaken(paydrop, path, batch, refusalOf(code));
  await rm(folder, { recursive: true });
  return { sha256, isRefused: true, name };
}
