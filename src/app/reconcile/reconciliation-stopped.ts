// A reconciliation that was asked to stop: half of one would look as if the other half agreed.

export class ReconciliationStopped extends Error {
  override readonly name = 'ReconciliationStopped';
}

/** Throws once the process is asked to stop. */
export function assertGoesOn(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ReconciliationStopped('Stopped, and no answer was written. Run the same command again.');
}
