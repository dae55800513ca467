// How the columns of a file would be read by what a person says of them, and what its rows would say to that.
import { stat } from 'node:fs/promises';

import { EXIT } from '../../base/exit-codes.ts';
import type { Words } from '../../base/language.ts';
import type { Receivers } from '../../rows/row.ts';
import { type Fault, isFault } from '../../service/errors.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import type { Paydrop } from '../parts.ts';
import { describeError } from '../parts/describe-error.ts';
import type { FileThread, FileWork } from '../parts/file-thread.ts';
import { loadCorridors } from '../workflow/validate/check-rules.ts';
import { readingOf } from '../workflow/batch/read-batch-file.ts';
import { proposeProfile, type Proposal } from './propose-profile.ts';
import {
  isOpen,
  readSaid,
  receiversOf,
  type SaidOfFile,
  tryProfile,
  type Trial,
  type TrialParts,
} from './try-profile.ts';

type ReadColumns = {
  readonly proposal: Proposal;
  /** Null until it is decided which column is paid. */
  readonly trial: Trial | null;
};

/** Throws `FileRefused`, `ConfigUnusable` where what was said does not fit the file, or a `Fault` when the service does not give the corridors. */
export async function readColumns(
  paydrop: Paydrop,
  { path, said: { receivers: list, ...said } }: { readonly path: string; readonly said: SaidOfFile },
  beside?: { readonly files: FileThread; readonly signal: AbortSignal },
): Promise<ReadColumns> {
  const { workspace, sender, config } = paydrop;
  const receivers = await receiversOf({ receivers: list, by: said.by }, config);
  // Without them it can still be shown what has to be said first.
  const faults: Fault[] = [];
  const corridors = await loadCorridors(paydrop.service).catch((error: unknown) => {
    if (!isFault(error)) throw error;
    faults.push(error);
    return null;
  });
  const job = {
    ...{ path, said, receivers, workspace, sender, config: readingOf(config) },
    bytes: (await stat(path).catch(() => null))?.size ?? 0,
    corridors,
  };
  const found = await (beside === undefined ? read(job) : beside.files.run(WORK, job, beside.signal));
  if ('unfit' in found) throw new ConfigUnusable(found.unfit);
  const [fault] = faults;
  if (found.trial === undefined) throw fault ?? new Error('Nothing was tried.');
  return { ...found, trial: found.trial };
}

/** Nothing in it but values: it may go to another thread. */
type ColumnsJob = Omit<TrialParts, 'signal' | 'corridors'> & {
  readonly bytes: number;
  readonly said: Omit<SaidOfFile, 'receivers'>;
  readonly receivers: Receivers | null;
  readonly corridors: TrialParts['corridors'] | null;
};

/** `trial` is absent where it lacks the corridors. */
type Read = { readonly proposal: Proposal; readonly trial?: Trial | null };

async function read({ said, receivers, ...job }: ColumnsJob, signal?: AbortSignal): Promise<Read> {
  const proposal = await proposeProfile(job.path, job.config, readSaid(said, receivers), signal);
  const { corridors } = job;
  if (corridors === null && !isOpen(proposal)) return { proposal };
  return { proposal, trial: await tryProfile({ ...job, corridors: corridors ?? [], signal }, proposal) };
}

/** `unfit`: why it cannot be read so. */
export const WORK: FileWork<ColumnsJob, Read | { readonly unfit: Words }> = {
  module: import.meta.url,
  does: async (job, _tell, signal) => {
    try {
      return await read(job, signal);
    } catch (error) {
      const { code, words } = describeError(error);
      if (code !== EXIT.usage && code !== EXIT.refused) throw error;
      return { unfit: words };
    }
  },
};
