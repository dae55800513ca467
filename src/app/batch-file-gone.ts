// The copy of a file that is being paid is gone from the workspace, or was changed there: a person can put it back, and the other batches go on meanwhile.

export class BatchFileGone extends Error {
  override readonly name = 'BatchFileGone';

  constructor(batch: string, fileName: string) {
    super(
      `The copy of ${JSON.stringify(fileName)} in processing/${batch}/ of the workspace is gone or no longer what was taken. Put it back there, then run "paydrop resume". Nothing more is sent for it.`,
    );
  }
}
