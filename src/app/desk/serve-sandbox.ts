// The embedded payout service on a port of its own, until it is told to stop.
import { once } from 'node:events';

import { startSandbox, type RunningSandbox, type SandboxOptions } from '../../sandbox/start-sandbox.ts';

export type { SandboxOptions };

/** Starts it, hands it to `onStarted`, and closes it when `signal` fires. */
export async function serveSandbox(
  options: SandboxOptions,
  signal: AbortSignal,
  onStarted: (sandbox: RunningSandbox) => void,
): Promise<void> {
  const sandbox = await startSandbox(options);
  onStarted(sandbox);
  if (!signal.aborted) await once(signal, 'abort');
  await sandbox.close();
}
