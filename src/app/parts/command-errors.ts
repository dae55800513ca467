// What ends a command although nothing is wrong with paydrop itself: each class is told in its own words, with an exit code of its own.

/** The copy of a file that is being paid is gone, or was changed: a person can put it back, and the other batches go on meanwhile. */
export class BatchFileGone extends Error {
  override readonly name = 'BatchFileGone';

  constructor(batch: string, fileName: string) {
    super(
      `The copy of ${JSON.stringify(fileName)} in processing/${batch}/ of the workspace is gone or no longer what was taken. Put it back there, then run "paydrop resume". Nothing more is sent for it.`,
    );
  }
}

/** What was recorded when the file was taken decides, and nothing that came into its folder since. */
export class FolderSaysOtherwise extends Error {
  override readonly name = 'FolderSaysOtherwise';

  constructor(batch: string, note: string) {
    super(
      `The folder of batch ${batch} says otherwise than the ledger recorded when its file was taken: ${note} or .policy.json there was changed, added or removed. Put back what was there, then run "paydrop resume". Nothing more is sent for it.`,
    );
  }
}

/** The ledger has forgotten batches; nothing may be sent before it is rebuilt. */
export class LedgerForgetful extends Error {
  override readonly name = 'LedgerForgetful';
}

/** The service did not tell of every row; the rebuild has to be repeated. */
export class RebuildUnfinished extends Error {
  override readonly name = 'RebuildUnfinished';
}

/** A reconciliation that was asked to stop: half of one would look as if the other half agreed. */
export class ReconciliationStopped extends Error {
  override readonly name = 'ReconciliationStopped';
}

/** Throws once the process is asked to stop. */
export function assertGoesOn(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ReconciliationStopped('Stopped, and no answer was written. Run the same command again.');
}
