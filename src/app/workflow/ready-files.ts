// Which files of the inbox are taken now: those that nobody writes any more, that can be read to their end, and whose documents have come.
import { access, constants, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { isoTime } from '../../base/clock.ts';
import { type NamingRow, stemDocuments, stemOf } from '../../inbox/documents.ts';
import { type InboxEntry, lookInto, type Seen, Settling, signatureOf } from '../../inbox/inbox-entries.ts';
import { faultOfName, withSlashes } from '../../inbox/inspect-document.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import { mayBeCut } from '../../rows/formats.ts';
import { approvalsElsewhere } from './approval/take-approval-file.ts';
import type { Paydrop, Records } from '../parts.ts';
import type { WAITING_WHYS } from '../parts/daemon-note.ts';
import { profileFor } from './batch/profile-for.ts';
import {
  controlBeside,
  folderOf,
  folderRuleFor,
  isNamedPlace,
  namingRows,
  readSpreadsheet,
} from './batch/read-batch-file.ts';

export type ReadyFile = {
  readonly name: string;
  readonly path: string;
  /** Changes with the file. */
  readonly signature: string;
  /** Names of files that go with it: its control file. */
  readonly beside: readonly string[];
  /** Documents that its rows name, as paths in the inbox. */
  readonly documents: readonly string[];
  /** Its number of payments; 0 where it could not be read. */
  readonly rows: number;
  readonly folder: string;
  /** Signatures of the file and all that goes with it, as they had settled. */
  readonly seen: Seen;
};

type JudgedReady = Omit<ReadyFile, 'seen'>;

/** Why a spreadsheet is not taken yet. */
export type WaitingFile = {
  readonly name: string;
  readonly why: Exclude<(typeof WAITING_WHYS)[number], 'standing' | 'turn'>;
  /** Names of the documents that are missing. */
  readonly missing: readonly string[];
  /** When it is taken without them (ISO); null where it does not wait for documents. */
  readonly until: string | null;
  /** Documents that its rows name, as paths in the inbox, if it could be read. */
  readonly documents: readonly string[];
};

const UNREAD = { missing: [], until: null, documents: [] } as const;

export type InboxLook = {
  readonly ready: readonly ReadyFile[];
  readonly waiting: readonly WaitingFile[];
  /** Files that are ready, and stay where they are: a schedule pays them again and again. */
  readonly standing: readonly ReadyFile[];
  /** Files by which somebody approves a batch, as paths. */
  readonly approvals: readonly string[];
};

/** An unfinished upload that has not changed for this many settling times is reported to its owner. */
const CUT_PATIENCE = 10;

type Read = {
  readonly signature: string;
  /** For each document its possible names; one of them is enough. */
  readonly names: readonly (readonly string[])[];
  /** The same for rows that come back. Theirs may be where the row was before, so nobody waits for them; those that lie here go with the file. */
  readonly returned: readonly (readonly string[])[];
  /** The possible names of the document that serves every row that names none. */
  readonly shared: readonly string[];
  readonly rows: number;
  readonly mayBeCut: boolean;
};

/** A remote disk has another clock: however old a file seems, its documents get this part of the waiting time to follow it. */
const LEAST_OF_WAIT = 10;

type DocumentsWait = { readonly monotonicMs: number; readonly told: string };
/** The parts of paydrop that a look needs. */
type Looking = Pick<Records, 'config' | 'workspace' | 'clock' | 'log'> & Partial<Pick<Paydrop, 'placed'>>;

export class InboxWatch {
  #paydrop: Looking;
  #settling: Settling;
  /** Until when each spreadsheet waits for its documents, as first reported. */
  readonly #until = new Map<string, DocumentsWait>();
  /** The documents that each spreadsheet names, so that it is read once and not at every look. */
  #reads = new Map<string, Read>();
  /** The plain control files of this look. */
  #controls: ReadonlySet<string> = new Set();
  /** The paths of this look by their composed (NFC) form. */
  #onDisk: ReadonlyMap<string, string> = new Map();
  /** Folders of approvers that could not be read, and why. */
  readonly #foldersAway = new Map<string, string>();

  constructor(paydrop: Looking) {
    this.#paydrop = paydrop;
    this.#settling = new Settling(paydrop.config.intake.settleFor);
  }

  /** Continues under another config. */
  use(paydrop: Looking): void {
    const isSame = paydrop.config.intake.settleFor === this.#paydrop.config.intake.settleFor;
    if (!isSame) this.#settling = new Settling(paydrop.config.intake.settleFor);
    this.#paydrop = paydrop;
    this.#until.clear();
  }

  /** Looks at the whole inbox once; `later` counts ready files that are left for the next look, which should come soon. */
  async look(): Promise<InboxLook & { readonly later: number }> {
    const elsewhere = await approvalsElsewhere(this.#paydrop, this.#foldersAway);
    const { entries: here, left } = await lookInto(this.#paydrop.workspace.inbox);
    const entries = [...here, ...elsewhere];
    const settled = this.#settling.look(entries, this.#paydrop.clock.monotonic());
    const look = await this.judge(entries, this.#paydrop.placed?.settledWith(entries, settled) ?? settled);
    // What has no name in UTF-8, or may not be seen, cannot be taken, but somebody waits for it.
    const unseen = left.flatMap(({ name, why }) =>
      why === 'not-utf8' || why === 'unreadable' ? [{ name, why, ...UNREAD }] : [],
    );
    const later = new Set(look.ready.filter(({ rows }) => rows === 0).slice(UNREADABLE_MOST));
    const ready = look.ready.filter((file) => !later.has(file));
    return { ...look, ready, waiting: [...look.waiting, ...unseen], later: later.size };
  }

  /** @param settled how long each entry has been unchanged, by path; an entry that is still being written is missing. */
  async judge(entries: readonly InboxEntry[], settled: ReadonlyMap<string, number>): Promise<InboxLook> {
    const spreadsheets = entries.filter(({ kind }) => kind === 'spreadsheet');
    this.#forget(spreadsheets);
    const signatures = new Map(entries.map((entry) => [entry.path, signatureOf(entry)]));
    // A name in the same Unicode form as in the rows precedes another form of the same letters.
    const inOrder = entries
      .map(({ path }) => path)
      .sort((a, b) => Number(isComposed(a)) - Number(isComposed(b)));
    this.#controls = new Set(entries.filter(({ kind }) => kind === 'control').map(({ path }) => path));
    this.#onDisk = new Map(inOrder.map((path) => [path.normalize('NFC'), path]));
    const ready: ReadyFile[] = [];
    const waiting: WaitingFile[] = [];
    for (const entry of spreadsheets) {
      const judged = await this.#judge(entry, settled).catch((error: unknown) => this.#broken(entry, error));
      if ('path' in judged) ready.push({ ...judged, seen: seenOf(judged, signatures) });
      else waiting.push(judged);
    }
    const { config } = this.#paydrop;
    const approvals = entries.filter(({ kind, path }) => kind === 'approval' && settled.has(path));
    return {
      ready: inTurn(ready.filter(({ path }) => !staysAt(path, config))),
      waiting,
      standing: ready.filter(({ path }) => staysAt(path, config)),
      approvals: approvals.map(({ path }) => path),
    };
  }

  async #judge(entry: InboxEntry, settled: ReadonlyMap<string, number>): Promise<JudgedReady | WaitingFile> {
    const { intake } = this.#paydrop.config;
    // Asked at the moment of the answer: what this very look has read counts, or another file would take away a document that both need.
    const documents = () => {
      const { names = [], returned = [] } = this.#reads.get(entry.path) ?? {};
      return this.#pathsOf(entry, [...names, ...returned].flat());
    };
    const waits = (why: WaitingFile['why']) => ({
      name: entry.name,
      why,
      missing: [],
      until: null,
      documents: documents(),
    });
    if (!isNamedPlace(entry.path, this.#paydrop.config)) return waits('unnamed-folder');
    const marker = intake.readyMarker === null ? null : await markerOf(entry, intake.readyMarker);
    const forMs = settled.get(entry.path) ?? (marker === 'fresh' ? 0 : undefined);
    if (forMs === undefined) {
      this.#until.delete(entry.path);
      return waits('settling');
    }
    if (marker === 'missing') return waits('marker');
    if (!(await isAllowed(entry.path, constants.R_OK))) return waits('unreadable');
    const read = await this.#read(entry);
    if (read.mayBeCut && forMs < CUT_PATIENCE * intake.settleFor) return waits('unfinished');
    const hasCome = (path: string) => settled.has(path);
    const isShared = this.#pathsOf(entry, read.shared).some(hasCome);
    const missing = read.names
      .filter(({ length }) => length === 1 || !isShared)
      .map((names) => this.#pathsOf(entry, names))
      .filter((paths) => !paths.some(hasCome))
      .flatMap(([first = '']) => [first]);
    const until = missing.length === 0 ? null : await this.#untilOf(entry.path, forMs);
    if (until !== null && this.#paydrop.clock.monotonic() < until.monotonicMs)
      return { ...waits('documents'), missing: missing.map((path) => basename(path)), until: until.told };
    const control = controlBeside(entry.path);
    // A pipe, a link or a folder vouches for nothing, and is not opened.
    if (control !== null && !this.#controls.has(control)) return waits('odd-control');
    // The control file is not read before it is whole either.
    if (control !== null && !settled.has(control)) return waits('settling');
    const stays = staysAt(entry.path, this.#paydrop.config);
    if (!stays && !(await isAllowed(dirname(entry.path), constants.W_OK))) return waits('unwritable');
    const beside = control === null ? [] : [basename(control)];
    const [{ name, path }, { signature, rows }] = [entry, read];
    const folder = folderOf(path, this.#paydrop.config);
    return { name, path, signature, beside, documents: documents().filter(hasCome), rows, folder };
  }

  /** A fault of one stranger's file delays no other file, and ends no daemon. */
  #broken({ name }: InboxEntry, error: unknown): WaitingFile {
    this.#paydrop.log.error('file of the inbox failed', {
      reason: error instanceof Error ? error.name : 'unknown',
    });
    return { name, why: 'unreadable', ...UNREAD };
  }

  /** Where the documents of a spreadsheet are, or would be: a Mac writes their accents differently from the rows. */
  #pathsOf({ path }: InboxEntry, names: readonly string[]): readonly string[] {
    const named = names.map((name) => join(dirname(path), name));
    return named.map((each) => this.#onDisk.get(each.normalize('NFC')) ?? each);
  }

  /** The reported time stays the same at every look, and after a kill: it counts from the file's arrival by the disk's time. */
  async #untilOf(path: string, forMs: number): Promise<DocumentsWait> {
    const known = this.#until.get(path);
    if (known !== undefined) return known;
    const { clock, config } = this.#paydrop;
    const whole = config.policy.documentsWait;
    const found = await stat(path).catch(() => null);
    const agoMs = found === null ? 0 : clock.now() - found.ctimeMs;
    const lasts = Math.min(whole - forMs, Math.max(whole - agoMs, whole / LEAST_OF_WAIT - forMs));
    const until = { monotonicMs: clock.monotonic() + lasts, told: isoTime(clock.now() + lasts) };
    this.#until.set(path, until);
    return until;
  }

  async #read(entry: InboxEntry): Promise<Read> {
    const signature = signatureOf(entry);
    const known = this.#reads.get(entry.path);
    if (known?.signature === signature) return known;
    const read = { signature, ...(await readNames(this.#paydrop, entry.path)) };
    this.#reads.set(entry.path, read);
    return read;
  }

  #forget(present: readonly InboxEntry[]): void {
    const paths = new Set(present.map(({ path }) => path));
    this.#reads = new Map([...this.#reads].filter(([path]) => paths.has(path)));
    for (const path of this.#until.keys()) if (!paths.has(path)) this.#until.delete(path);
  }
}

/** A schedule pays the files of its folder again and again. */
function staysAt(path: string, config: Looking['config']): boolean {
  return folderRuleFor(path, config)?.schedule?.standing === true;
}

/** The smallest of each folder first, folder by folder in turn, and unreadable ones last: a person who drops many files delays nobody else. */
function inTurn(files: readonly ReadyFile[]): readonly ReadyFile[] {
  const ranked = [...Map.groupBy(files, ({ folder }) => folder).values()].flatMap((each) =>
    each.toSorted((a, b) => costOf(a) - costOf(b)).map((file, rank) => ({ file, rank })),
  );
  return ranked.sort((a, b) => a.rank - b.rank || costOf(a.file) - costOf(b.file)).map(({ file }) => file);
}

/** The most unreadable files that one look takes in order to refuse them: a file that comes meanwhile does not wait for thousands of them. */
const UNREADABLE_MOST = 20;

function costOf({ rows }: ReadyFile): number {
  return rows === 0 ? Number.MAX_SAFE_INTEGER : rows;
}

function isComposed(path: string): boolean {
  return path === path.normalize('NFC');
}

/** Without the names that no document can have: nothing that comes could end such a wait. */
function namesOf(rows: readonly NamingRow[]): Read['names'] {
  const paths = new Set(rows.map(({ name }) => withSlashes(name)));
  const named = [...paths].filter((name) => faultOfName(name) === null);
  const byIds = rows.filter(
    ({ name, needs, stems = [] }) => name === '' && needs === true && stems.length > 0,
  );
  return [...named.map((name) => [name]), ...byIds.map(({ stems = [] }) => stems.flatMap(stemDocuments))];
}

function seenOf({ path, beside, documents }: JudgedReady, signatures: Seen): Seen {
  const paths = [path, ...beside.map((name) => join(dirname(path), name)), ...documents];
  return new Map(paths.map((each) => [each, signatures.get(each) ?? '']));
}

/** An unreadable file is taken all the same, to be refused with its reason. */
async function readNames({ config }: Looking, path: string): Promise<Omit<Read, 'signature'>> {
  try {
    const file = await readSpreadsheet(path, config, profileFor(path, config)?.profile ?? null);
    const naming = await namingRows(file);
    return {
      names: namesOf(naming.filter(({ before }) => before === null)),
      returned: namesOf(naming.filter(({ before }) => before !== null)),
      shared: stemDocuments(stemOf(path)),
      rows: file.table.rowCount,
      mayBeCut: false,
    };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return { names: [], returned: [], shared: [], rows: 0, mayBeCut: mayBeCut(path, error.code) };
  }
}

/** `fresh`: set since the file was last written, so that its writer has finished; `stale`: perhaps that of an earlier file of the name. */
async function markerOf(
  { path, modifiedMs }: InboxEntry,
  ending: string,
): Promise<'missing' | 'stale' | 'fresh'> {
  const marker = await stat(path + ending).catch(() => null);
  if (marker?.isFile() !== true) return 'missing';
  return marker.mtimeMs >= modifiedMs ? 'fresh' : 'stale';
}

/**
 * Whether this user may do something with a file or a folder. A file that may not be read has no hash and so no batch name, and one whose folder may not be changed
 * cannot be taken: it stays until somebody grants the right.
 */
function isAllowed(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
