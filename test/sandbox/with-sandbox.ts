// Sandboxes for a test file: each is closed when its test ends, whatever the test did.
import { startSandbox, type RunningSandbox, type SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';
import { clientOf, type Client } from './sandbox-client.ts';
import { atEnd } from '../at-end.ts';

export type TestSandbox = RunningSandbox & { readonly client: Client; readonly clock: ManualClock };

/** A sandbox on a free port, with a clock that the test moves unless it brings another. */
export async function withSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const clock = manualClock();
  const sandbox = await startSandbox({ clock, ...options });
  atEnd(() => sandbox.close());
  return { ...sandbox, client: clientOf(sandbox), clock };
}
