// What lies in the folder of a batch is not what was taken: a person can put it back, and the other batches go on meanwhile.

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
