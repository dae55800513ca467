// How a batch is called: the day of its acceptance and the start of its file's hash, so that a person can tell both from every answer's name.

/** The form of a batch's name. */
export const BATCH_NAME = /^\d{8}-[0-9a-f]{8}$/;

/** `<yyyymmdd>-<first 8 hex digits of the file id>`, the date in UTC. */
export function batchName(fileId: string, acceptedAt: string): string {
  return `${acceptedAt.slice(0, 10).replaceAll('-', '')}-${fileId.slice(0, 8)}`;
}

/** The name of an answer in the outbox: `<stem>.<batch>.<kind>.<ext>`. */
export function answerName(fileName: string, batch: string, kind: string, extension: string): string {
  const stem = fileName.replace(/\.[^.]*$/, '');
  return `${stem}.${batch}.${kind}.${extension}`;
}
