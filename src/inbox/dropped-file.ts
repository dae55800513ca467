// A file that was dropped: where its bytes lie now, and where its owner put it, beside its documents.

export type DroppedFile = {
  readonly path: string;
  /** Its name and folder decide which profile it has and where its documents are looked for. */
  readonly origin: string;
};

/** A file that stays where it is. */
export function inPlace(path: string): DroppedFile {
  return { path, origin: path };
}
