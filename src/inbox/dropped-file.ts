// A file that was dropped: where its bytes lie now, and where its owner put it, beside its documents.

export type DroppedFile = {
  readonly path: string;
  /** Its name and folder decide which profile it has and where its documents are looked for. */
  readonly origin: string;
  /** Who brought it, as far as its way here tells. */
  readonly submittedBy?: readonly string[];
  /** What the claim is called by which it left the inbox. */
  readonly claim?: string;
  /** False once it, or what belongs to it, is not any more what had settled. */
  readonly isStill?: () => Promise<boolean>;
};

/** A file that stays where it is. */
export function inPlace(path: string, submittedBy: readonly string[] = []): DroppedFile {
  return { path, origin: path, submittedBy };
}
