// Files that programs send. Each is checked at once, cell by cell, and registers nothing; after it is submitted, it is taken in the same way as a
// file of the inbox. Its batch's manifest names the upload, so that after any kill it becomes one batch at most.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, extname, join } from 'node:path';

import { isSameName } from '../../base/person-name.ts';
import { isoTime } from '../../base/clock.ts';
import type { Reader, Words } from '../../base/language.ts';
import type { Upload as ShownUpload } from '../../contract/uploads.ts';
import { standingManifest } from '../../inbox/manifest.ts';
import { findTakenFile } from '../../inbox/take-file.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import { answersAs } from '../../rows/formats.ts';
import { policyOf } from '../config/policy.ts';
import { type Paydrop, TakesInTurn } from '../parts.ts';
import { describeError } from '../parts/describe-error.ts';
import type { FileThread } from '../parts/file-thread.ts';
import { earliestNow, patientReads } from '../parts/wait-for-service.ts';
import type { RowsToFill } from '../search/payee-tables.ts';
import { loadCorridors } from '../workflow/validate/check-rules.ts';
import { profileDigest, profileFor } from '../workflow/batch/profile-for.ts';
import type { FileProfile } from '../config/profile-file.ts';
import { readBatchFile, readingOf } from '../workflow/batch/read-batch-file.ts';
import { assertMessageIsNew, batchOfClaim, takenId } from '../workflow/take/same-bytes.ts';
import { type TakeBeside, takenBeside } from './take-dropped.ts';
import { type CheckProgress, refusedCheck, UNBEGUN, viewOf, WORK } from './check-upload.ts';
import {
  type DraftCells,
  NotReceived,
  type UploadBody,
  toCheck,
  type Upload,
  type UploadCheck,
  UploadFolder,
} from './upload-folder.ts';
import * as sheets from './upload-sheet.ts';

type SubmitOrder = {
  readonly skipRows: boolean;
  /** Its bytes are meant again, if they were paid before: a person has to agree. */
  readonly again: boolean;
  /** The order comes from a program. */
  readonly isProgram: boolean;
};

/**
 * `known`: it, or its bytes, already was a batch; `faulty`: it has rows to correct, and nothing of such a file is sent; `changed`: it would be read otherwise now
 * than it was checked, and is being checked again.
 */
type SubmitEnd =
  | { readonly kind: 'taken' | 'known'; readonly batch: string }
  | { readonly kind: 'faulty' | 'changed' }
  | { readonly kind: 'refused'; readonly code: string; readonly words: Words };

type Check = { progress: CheckProgress; readonly done: Promise<void>; readonly stop: AbortController };

/** After this time, an unreachable service is asked again, when somebody asks about the check. */
const AGAIN_MS = 20_000;

/** An upload whose check has just begun. */
export type Begun = Pick<ShownUpload, 'id' | 'state'>;

const begun = ({ id }: Upload): Begun => ({ id, state: 'checking' });

export class Uploads {
  readonly #paydrop: Paydrop;
  readonly #folder: UploadFolder;
  readonly #takeBeside: TakeBeside;
  readonly #checks = new Map<string, Check>();
  readonly #thread: FileThread;
  /** Of checks that the service stopped: why, and when it is asked again. */
  readonly #stopped = new Map<string, { readonly words: Words; readonly until: number }>();
  readonly #turns = new TakesInTurn();
  readonly #stop = new AbortController();
  readonly #listeners = new Set<(id: string) => void>();

  /** @param thread which it closes with itself. */
  constructor(paydrop: Paydrop, takeBeside: TakeBeside, thread: FileThread) {
    this.#paydrop = paydrop;
    this.#folder = new UploadFolder(paydrop);
    this.#takeBeside = takeBeside;
    this.#thread = thread;
  }

  /** Calls the listener when an upload's check begins, proceeds or ends; returns the function that stops that. */
  onChange(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @param length as its sender says; null for one that may be too large, and is not prepared for. Throws `NotReceived`. */
  async receive(
    name: string,
    sent: UploadBody,
    from: Pick<Upload, 'by'>,
    length: number | null = null,
  ): Promise<Begun> {
    const octets = length === null ? sent : this.#thread.whileSent(sent);
    const upload = await this.#folder.receive(name, octets, from, null, length);
    this.#check(upload);
    return begun(upload);
  }

  /** Null if this sender has no such upload. */
  async view(id: string, by: string, reader: Reader): Promise<ShownUpload | null> {
    const upload = await this.#known(id, by);
    return upload === null ? null : this.#shown(upload, reader);
  }

  /** Those of a sender that are no batch yet, newest first. */
  async views(by: string, reader: Reader): Promise<readonly ShownUpload[]> {
    const own = (await this.#folder.all()).filter((upload) => upload.by === by && upload.batch === null);
    return own.map((upload) => this.#shown(upload, reader));
  }

  /** Ends its check, and keeps nothing of it. Null if this sender has no such upload. */
  async remove(id: string, by: string): Promise<'removed' | 'submitted' | null> {
    if ((await this.#known(id, by)) === null) return null;
    this.#checks.get(id)?.stop.abort();
    return this.#turns.run(id, async () => {
      const upload = await this.#known(id, by);
      if (upload === null) return null;
      if ((await this.#batchOf(upload)) !== undefined) return 'submitted';
      await this.#checks.get(id)?.done;
      await this.#folder.remove(upload);
      return 'removed';
    });
  }

  /** Null if this sender has no such upload. Throws `NotReceived`. */
  async addDocument(
    id: string,
    name: string,
    sent: UploadBody,
    by: string,
  ): Promise<Begun | 'submitted' | null> {
    return this.#turns.run(id, async () => {
      const upload = await this.#known(id, by);
      if (upload === null) return null;
      if (upload.batch !== null) return 'submitted';
      // Results without the new document would count for nothing.
      await this.#checks.get(id)?.done;
      const changed = await this.#folder.addDocument(upload, name, sent);
      this.#check(changed);
      return begun(changed);
    });
  }

  /** Checks it again, for instance after its profile was saved. */
  async checkAgain(id: string, by: string): Promise<void> {
    await this.#turns.run(id, async () => {
      await this.#checks.get(id)?.done;
      const upload = await this.#known(id, by);
      if (upload === null || upload.batch !== null) return;
      await this.#folder.revise(id, toCheck);
      this.#stopped.delete(id);
      this.#check(upload);
    });
  }

  /**
   * Makes a new upload of the same rows with some cells corrected, which takes the place of this one. Null if this sender has no such upload. Throws
   * `NotReceived`, or `FileRefused` where the file cannot be read any more.
   */
  async correct(
    id: string,
    cells: readonly sheets.CellText[],
    by: string,
  ): Promise<Begun | 'submitted' | 'unchecked' | null> {
    return this.#turns.run(id, async () => {
      const upload = await this.#known(id, by);
      if (upload === null) return null;
      if ((await this.#batchOf(upload)) !== undefined) return 'submitted';
      if (upload.checked?.refused !== null) return 'unchecked';
      const made = await this.#corrected(upload, cells);
      await this.#folder.remove(upload);
      this.#check(made);
      return begun(made);
    });
  }

  /** The file of a batch that was sent back, as an upload of the person who brought it, with what was corrected before. Null for any other. Throws `NotReceived`. */
  async bringAgain(id: string, by: string): Promise<Begun | null> {
    const { ledger, workspace } = this.#paydrop;
    const batch = await ledger.batch(id);
    const isBack = batch?.approval?.kind === 'asked' && batch.approval.declined?.sendsBack === true;
    // To forbid, one name may stand for several people; what is shown needs the very name.
    const isOwn = batch?.submittedBy?.some((name) => isSameName(name, by)) === true;
    if (batch === null || !isBack || !isOwn) return null;
    const file = await findTakenFile(batch.fileName, batch.sha256, id, workspace);
    if (file === null) return null;
    const { corrected = [] } = (await standingManifest(workspace, id)) ?? {};
    const upload = await this.#folder.receive(file.name, createReadStream(file.path), { by, corrected });
    this.#check(upload);
    return begun(upload);
  }

  async #corrected(upload: Upload, cells: readonly sheets.CellText[]): Promise<Upload> {
    const path = join(this.#folder.folderOf(upload.id), upload.name);
    const { config } = this.#paydrop;
    const profile = this.#profileOf(upload);
    const read = await readBatchFile(path, readingOf(config), profile?.profile ?? null);
    const made = await sheets.correctCells(read, this.#folder.sheetOf(upload), cells, upload.corrected);
    if (made === null) throw new NotReceived('correction_unfit');
    const name = basename(upload.name, extname(upload.name)) + `.${answersAs(upload.name)}`;
    const { by } = upload;
    return this.#folder.receive(name, made.bytes, { by, corrected: made.corrected }, upload);
  }

  /** What its sender has typed and not checked yet. Null if this sender has no such upload. */
  async draft(id: string, by: string): Promise<DraftCells | null> {
    const upload = await this.#known(id, by);
    return upload === null ? null : this.#folder.draft(upload);
  }

  /** In the place of what was typed before. Null if this sender has no such upload. */
  async keepDraft(id: string, cells: DraftCells, by: string): Promise<'kept' | 'submitted' | null> {
    return this.#turns.run(id, async () => {
      const upload = await this.#known(id, by);
      if (upload === null) return null;
      if (upload.batch !== null) return 'submitted';
      await this.#folder.keepDraft(upload, cells);
      return 'kept';
    });
  }

  /** Reads from the results so far, by a function of `upload-sheet.ts`. Null if this sender has no such upload. */
  async sheet<T>(id: string, by: string, read: (of: typeof sheets, place: sheets.SheetPlace) => Promise<T>) {
    const upload = await this.#known(id, by);
    return upload === null ? null : read(sheets, this.#folder.sheetOf(upload));
  }

  /** Its name, the rows whose payee lacks something, and how many cells may still be corrected. Null if this sender has no such upload. */
  async toFill(
    id: string,
    by: string,
  ): Promise<{ readonly name: string; readonly rows: RowsToFill; readonly most: number } | null> {
    const upload = await this.#known(id, by);
    if (upload === null) return null;
    const rows = sheets.readToFill(this.#folder.sheetOf(upload));
    return { name: upload.name, rows, most: sheets.CORRECTED_MOST - upload.corrected.length };
  }

  /** Where its file lies, and which version of it that is; null also once it is a batch. */
  async fileOf(id: string, by: string): Promise<{ readonly path: string; readonly version: number } | null> {
    const upload = await this.#known(id, by);
    if (upload?.batch !== null) return null;
    return { path: join(this.#folder.folderOf(id), upload.name), version: upload.version };
  }

  /** Waits for the check. Null if this sender has no such upload. */
  submit(id: string, order: SubmitOrder, by: string): Promise<SubmitEnd | null> {
    return this.#turns.run(id, async () => {
      const first = await this.#known(id, by);
      if (first === null) return null;
      const before = await this.#batchOf(first);
      if (before !== undefined) return this.#became(first, before, 'known');
      if (first.checked === null) await this.#check(first).done;
      const upload = (await this.#known(id, by)) ?? first;
      return (await this.#refusal(upload, order)) ?? this.#take(upload, order);
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#thread.close();
    await Promise.allSettled([...this.#checks.values()].map(({ done }) => done));
  }

  /** The batch that it became. A kill may have come before the note was written: then the batch's manifest says where it came from. */
  async #batchOf(upload: Upload): Promise<string | undefined> {
    if (upload.batch !== null) return upload.batch;
    const batch = await batchOfClaim(this.#paydrop, upload.sha256, claimOf(upload));
    return batch === null ? undefined : takenId(batch);
  }

  async #known(id: string, by: string): Promise<Upload | null> {
    const upload = await this.#folder.find(id);
    return upload?.by === by ? upload : null;
  }

  /** An earlier process may have left it unchecked. */
  #shown(upload: Upload, reader: Reader): ShownUpload {
    if (upload.checked === null && upload.batch === null) this.#check(upload);
    const { id } = upload;
    const progress = this.#checks.get(id)?.progress ?? UNBEGUN;
    return viewOf(upload, progress, this.#stopped.get(id)?.words ?? null, reader);
  }

  /** Begins the check unless it is in progress. The check reads the note itself: the caller's may be from before an earlier check ended. */
  #check({ id }: Upload): Check {
    const running = this.#checks.get(id);
    if (running !== undefined) return running;
    const { clock, log } = this.#paydrop;
    const check: Check = { progress: UNBEGUN, done: Promise.resolve(), stop: new AbortController() };
    if (clock.monotonic() < (this.#stopped.get(id)?.until ?? -Infinity)) return check;
    const work = this.#checkOnce(id, check)
      .catch((error: unknown) => {
        const { words } = describeError(error);
        this.#stopped.set(id, { words, until: clock.monotonic() + AGAIN_MS });
        if (!check.stop.signal.aborted)
          log.warn('upload not checked', { reason: error instanceof Error ? error.name : 'unknown' });
      })
      .finally(() => {
        this.#checks.delete(id);
        this.#tell(id);
      });
    this.#checks.set(id, Object.assign(check, { done: work }));
    return check;
  }

  async #checkOnce(id: string, check: Check): Promise<void> {
    for (;;) {
      const upload = await this.#folder.find(id);
      if (upload === null || upload.checked !== null || upload.batch !== null) return;
      const checked = await this.#checkFile(upload, check);
      this.#stopped.delete(id);
      // A document that came meanwhile makes it another version, which is checked next.
      const isOfNow = (now: Upload) => now.version === upload.version && now.batch === null;
      await this.#folder.revise(id, (now) => (isOfNow(now) ? { ...now, checked } : null));
    }
  }

  /** Throws a `Fault` if the service does not give its corridors. */
  async #checkFile(upload: Upload, check: Check): Promise<UploadCheck> {
    const paydrop = patientReads(this.#paydrop, this.#stop.signal);
    const { workspace, sender, config, clock } = paydrop;
    const { bytes, sha256 } = upload;
    const path = join(this.#folder.folderOf(upload.id), upload.name);
    try {
      const fitting = this.#profileOf(upload);
      const profile = fitting?.profile ?? null;
      const corridors = await loadCorridors(paydrop.service);
      const [sheet, now] = [this.#folder.sheetOf(upload), earliestNow(paydrop)];
      const checked = await this.#thread.run(
        WORK,
        { path, bytes, now, sheet, profile, corridors, workspace, sender, config: readingOf(config) },
        check.stop.signal,
        (progress) => {
          check.progress = progress;
          this.#tell(upload.id);
        },
      );
      // What cannot be read is told before what is known already.
      if (checked.refused === null)
        await assertMessageIsNew(paydrop, path, { sha256, acceptedAt: isoTime(clock.now()) });
      return { ...checked, readWith: readingDigest(paydrop, fitting) };
    } catch (error) {
      if (!(error instanceof FileRefused)) throw error;
      return { ...refusedCheck(error, check.progress.rows), readWith: this.#digestNow(upload) };
    }
  }

  /** The profile that reads it at this moment. Throws `FileRefused`. */
  #profileOf({ id, name, by }: Upload): FileProfile | null {
    return profileFor(join(this.#folder.folderOf(id), name), this.#paydrop.config, by);
  }

  /** By what it would be read at this moment; null where several profiles fit. */
  #digestNow(upload: Upload): string | null {
    try {
      return readingDigest(this.#paydrop, this.#profileOf(upload));
    } catch (error) {
      if (error instanceof FileRefused) return null;
      throw error;
    }
  }

  async #refusal(upload: Upload, { skipRows }: SubmitOrder): Promise<SubmitEnd | null> {
    const { checked } = upload;
    if (checked === null)
      return { kind: 'refused', code: 'upload_unchecked', words: sentence('uploads.unchecked') };
    // What was shown to its sender is what is paid, or nothing is.
    if (checked.readWith !== this.#digestNow(upload)) {
      await this.#folder.revise(upload.id, toCheck);
      this.#check(upload);
      return { kind: 'changed' };
    }
    if (checked.refused !== null) return { kind: 'refused', ...checked.refused };
    const profile = this.#profileOf(upload);
    const { onInvalidRows } = policyOf(this.#paydrop.config.policy, profile?.policy);
    const isWhole = onInvalidRows === 'refuse-file' && !skipRows;
    return checked.faulty > 0 && isWhole ? { kind: 'faulty' } : null;
  }

  async #take(upload: Upload, { skipRows, again, isProgram }: SubmitOrder): Promise<SubmitEnd> {
    const path = join(this.#folder.folderOf(upload.id), upload.name);
    const { by, corrected } = upload;
    const who = { submittedBy: [by], isProgram, ...(isProgram ? {} : { reader: by }) };
    const from = { path, origin: path, ...who, claim: claimOf(upload), corrected, skipRows };
    const taken = await takenBeside(this.#takeBeside, this.#paydrop, `upload ${upload.id}`, from, again);
    if (taken.kind === 'refused')
      return { kind: 'refused', code: taken.refusal.code, words: taken.refusal.words };
    return this.#became(upload, takenId(taken.batch), taken.kind === 'taken' ? 'taken' : 'known');
  }

  async #became(upload: Upload, batch: string, kind: 'taken' | 'known'): Promise<SubmitEnd> {
    if (upload.batch === null) await this.#folder.revise(upload.id, (now) => ({ ...now, batch }));
    await this.#folder.keepNoteOnly(upload);
    return { kind, batch };
  }

  readonly #tell = (id: string): void => this.#listeners.forEach((listener) => listener(id));
}

function claimOf({ id }: Upload): string {
  return `upload-${id}`;
}

/** SHA-256 (hex) over everything besides the file and its documents that decides how it is read: another one may pay somebody else, or in another sender's name. */
function readingDigest(
  { config, sender }: Pick<Paydrop, 'config' | 'sender'>,
  profile: FileProfile | null,
): string {
  const reading = [profileDigest(profile), sender, readingOf(config)];
  return createHash('sha256').update(JSON.stringify(reading)).digest('hex');
}
