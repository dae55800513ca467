// The copy of a file that is being paid has been taken out of the workspace: a person can put it back, and the other batches go on meanwhile.

export class BatchFileGone extends Error {
  override readonly name = 'BatchFileGone';

  constructor(batch: string, fileName: string) {
    super(
      `The copy of ${JSON.stringify(fileName)} in processing/${batch}/ of the workspace is gone, or cannot be read. Put it back there, then run "paydrop resume". Nothing more is sent for it.`,
    );
  }
}
