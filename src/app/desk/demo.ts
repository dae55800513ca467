// The demo: pays both samples on the embedded sandbox over a real port, and compares the totals with the sandbox's own books.
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { formatAmount } from '../../base/currency.ts';
import { type DecimalText, addDecimals, compareDecimals } from '../../base/decimal.ts';
import type { RunningSandbox, SandboxOptions } from '../../sandbox/start-sandbox.ts';
import { type Config, parseConfig } from '../config/config.ts';
import type { Paydrop } from '../parts.ts';
import { inOneCommit, newSecret } from '../people/people-file.ts';
import { startTold } from '../parts/embedded-sandbox.ts';
import type { RunControl } from '../parts/run-options.ts';
import type { BatchResult } from '../workflow/batch/work.ts';
import { openDoor } from './open-door.ts';
import { processBatch } from '../workflow/process-batch.ts';

/** The sample files; the same path from the sources and from the built package. */
export const SAMPLE_FILES = ['payroll.csv', 'suppliers.csv'].map((name) =>
  fileURLToPath(new URL(`../../../samples/${name}`, import.meta.url)),
);

/** Its own config: a fresh workspace, the embedded sandbox, and valid rows paid although one is faulty. */
export async function demoConfig(): Promise<Config> {
  const workspacePath = await mkdtemp(join(tmpdir(), 'paydrop-demo-'));
  const file = parseConfig(
    'policy: { onInvalidRows: skip-rows }\ntracking: { pollEvery: 1s, wait: 1m }',
    'the demo',
  );
  const service = { baseUrl: null, apiKey: null, ledgerPath: null, folderPaths: {} };
  return {
    ...file,
    workspacePath,
    ...service,
    profilesPath: join(workspacePath, 'profiles'),
    fileProfiles: [],
  };
}

/** The same with the page on any free port. A click replaces the passkey, and the decision says so: it counts as a name. */
export async function demoPageConfig(): Promise<Config> {
  const config = await demoConfig();
  return {
    ...config,
    policy: { ...config.policy, approval: 'required', approvalBy: 'name' },
    intake: { ...config.intake, scanEvery: 1_000 },
    metrics: { ...config.metrics, listen: null },
    web: { ...config.web, listen: '127.0.0.1:0' },
  };
}

/** Creates the demo's people; returns the token with which a browser becomes one of them. */
export async function invitePeople(config: Config): Promise<string> {
  const { people, file, close } = await openDoor(config);
  inOneCommit(file, () => {
    people.add({ name: 'Armand Mbarga', roles: ['maker'], invitedBy: null });
    people.add({ name: 'Marie Ngo', roles: ['checker', 'treasurer'], invitedBy: null });
    people.add({ name: 'Aline Biya', roles: ['admin', 'auditor'], invitedBy: null });
  });
  close();
  return newSecret();
}

export type Agreement = {
  readonly currency: string;
  readonly inAnswers: DecimalText;
  readonly inBooks: DecimalText;
  readonly agrees: boolean;
};

export async function payDemo(paydrop: Paydrop, control: RunControl): Promise<readonly BatchResult[]> {
  const results: BatchResult[] = [];
  for (const path of SAMPLE_FILES) results.push(await processBatch(paydrop, path, control));
  return results;
}

/** Compares the debits in the answers with those in the sandbox's books, for each currency, to the minor unit. */
export function compareWithBooks(
  { sandbox }: Paydrop,
  results: readonly BatchResult[],
): readonly Agreement[] {
  const books = sandbox?.books() ?? [];
  return books.map(({ currency, debitedAmount }) => {
    const lines = results
      .flatMap(({ summary }) => summary.totals)
      .filter(({ sourceCurrency }) => sourceCurrency === currency);
    const inAnswers = lines.reduce<DecimalText>((sum, { debited }) => addDecimals(sum, debited), '0');
    return {
      currency,
      inAnswers: formatAmount(inAnswers, currency),
      inBooks: formatAmount(debitedAmount, currency),
      agrees: compareDecimals(inAnswers, debitedAmount) === 0,
    };
  });
}

// The embedded payout service on its own port, until it is told to stop.

export type { SandboxOptions };

/** Starts it, passes it to `onStarted`, and closes it when `signal` fires. */
export async function serveSandbox(
  options: SandboxOptions,
  signal: AbortSignal,
  onStarted: (sandbox: RunningSandbox) => void,
): Promise<void> {
  const sandbox = await startTold(options);
  onStarted(sandbox);
  if (!signal.aborted) await once(signal, 'abort');
  await sandbox.close();
}
