// A paydrop as the demo has it, in a workspace that is gone when the tests are: the embedded sandbox over a real loopback port, and the
// real path from a file to its answers.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { compose } from '../../src/app/compose.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { parseConfig } from '../../src/app/config/config.ts';
import type { RunControl } from '../../src/app/parts/run-options.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Transfer } from '../../src/service/wire.ts';

/** Well above the second that a sample takes, and below the time limit of a test. */
export const PATIENT: RunControl = {
  waitMs: 20_000,
  signal: new AbortController().signal,
  view: { start: () => undefined, settled: () => undefined, end: () => undefined },
};

export type TestPaydrop = {
  readonly paydrop: Paydrop;
  /** An empty folder for files to drop. */
  readonly desk: string;
  readonly close: () => Promise<void>;
};

export async function openPaydrop(onInvalidRows: 'skip-rows' | 'refuse-file'): Promise<TestPaydrop> {
  const workspacePath = await mkdtemp(join(tmpdir(), 'paydrop-samples-'));
  const desk = await mkdtemp(join(tmpdir(), 'paydrop-desk-'));
  const file = parseConfig(`policy: { onInvalidRows: ${onInvalidRows} }`, 'the test');
  const service = { baseUrl: null, apiKey: null, ledgerPath: null, folderPaths: {} };
  const config = { ...file, workspacePath, ...service, profilesPath: '', fileProfiles: [] };
  const paydrop = await compose(config, silentLog);
  const close = async (): Promise<void> => {
    await paydrop.close();
    for (const folder of [workspacePath, desk]) await rm(folder, { recursive: true });
  };
  return { paydrop, desk, close };
}

/** All that the service has been asked to send. */
export async function transfersOf({ service }: Paydrop): Promise<readonly Transfer[]> {
  const { value } = await service.transfers({});
  if (value.nextKey !== null) throw new Error('There are more transfers than one page shows.');
  return value.transfers;
}
