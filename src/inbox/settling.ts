// A file is left alone while somebody writes it. Nobody tells when that is over, so a file has settled when two looks and some time apart it is the same.
import type { InboxEntry } from './inbox-entries.ts';

type Look = Pick<InboxEntry, 'bytes' | 'modifiedMs' | 'inode'> & { readonly sinceMs: number };

export class Settling {
  readonly #settleForMs: number;
  #looks = new Map<string, Look>();

  constructor(settleForMs: number) {
    this.#settleForMs = settleForMs;
  }

  /** How long each entry has been the same, by its path; entries that are seen for the first time, or have changed, begin anew. */
  look(entries: readonly InboxEntry[], nowMs: number): ReadonlyMap<string, number> {
    const looks = new Map<string, Look>();
    const unchanged = new Map<string, number>();
    for (const { path, bytes, modifiedMs, inode } of entries) {
      const before = this.#looks.get(path);
      const isSame = before?.bytes === bytes && before.modifiedMs === modifiedMs && before.inode === inode;
      const sinceMs = isSame ? before.sinceMs : nowMs;
      looks.set(path, { bytes, modifiedMs, inode, sinceMs });
      if (isSame && nowMs - sinceMs >= this.#settleForMs) unchanged.set(path, nowMs - sinceMs);
    }
    // What has gone is forgotten; should it come again, it settles again.
    this.#looks = looks;
    return unchanged;
  }
}
