// Claims a dropped file by a rename, at which exactly one of several processes succeeds. From then on no other process takes the file, and after
// a kill the next process finds it where the claim left it.
import { randomUUID } from 'node:crypto';
import { copyFile, lstat, readFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';

import { publishFile } from '../base/atomic-file.ts';
import { stemDocuments, stemOf } from './documents.ts';
import { type Seen, signatureAt, signatureOf, wasWritten } from './inbox-entries.ts';
import { moveAcross, nameBetween } from './take-file.ts';
import { type Workspace, createFolder } from './workspace.ts';

export type Claim = {
  /** The name of the claim, the same for every holder. */
  readonly claim: string;
  /** The folder of the claim, in `processing/`. */
  readonly folder: string;
  /** Where the file lies now, and where it was dropped. */
  readonly path: string;
  readonly origin: string;
  /** The signature of the file when it was claimed. */
  readonly signature: string;
};

const PREFIX = '.claim-';

/** Stands before the process that holds a claim which it took over from a killed one. */
const HELD_BY = '@';

/** So many characters of a claim's random name tell its file from others of the same name. */
const LEAD_LENGTH = 8;

/** The note of a claim; a dot file, so that no dropped file can have its name. */
const NOTE = '.claim.json';

type Note = {
  readonly run: string;
  readonly origin: string;
  /** The inbox that it came from; another machine may have its own. */
  readonly inbox?: string;
  readonly beside: readonly string[];
  /** The signature that the file had when it had settled. */
  readonly seen?: string;
  /** Signatures of the documents that serve it by its name. */
  readonly documents: Namesakes;
};

const UNSEEN: Seen = new Map();

/**
 * Moves the file, and the files that belong to it, out of the inbox. Null when another process was faster, the file is gone, or somebody writes
 * it again; then it lies where it was.
 * @param run the process that claims.
 * @param beside names of files that go with it, such as its control file: they go first, so that the file is never taken without them.
 * @param seen their signatures when they had settled.
 */
export async function claimFile(
  workspace: Workspace,
  origin: string,
  run: string,
  beside: readonly string[],
  seen: Seen = UNSEEN,
): Promise<Claim | null> {
  const claim = `${PREFIX}${randomUUID()}`;
  const folder = join(workspace.processing, claim);
  await createFolder(folder);
  const settled = seen.get(origin);
  const documents = await namesakeDocuments(origin);
  const { inbox } = workspace;
  const note: Note = {
    run,
    origin,
    inbox,
    beside,
    documents,
    ...(settled === undefined ? {} : { seen: settled }),
  };
  await publishFile(join(folder, NOTE), [JSON.stringify(note)]);
  const from = dirname(origin);
  let isOurs = true;
  try {
    // A process that has one of them gets the file next.
    for (const name of [...beside, basename(origin)])
      isOurs &&= await moveAsSeen(join(from, name), join(folder, name), seen);
  } catch (error) {
    await putBack(folder, note);
    throw error;
  }
  const whole = isOurs ? await wholeIn(folder, note) : null;
  if (whole === null) await putBack(folder, note);
  return whole === null ? null : { claim, folder, ...whole };
}

/**
 * Takes over the claims of dead processes, each with its file, and puts back what a kill left half done.
 * @param run the process that takes them over: of several, exactly one does.
 * @param onFault called with a claim that cannot be taken over now; the others are taken over.
 */
export async function takeOverClaims(
  workspace: Workspace,
  run: string,
  isAlive: (run: string) => boolean,
  onFault: (error: unknown) => void,
): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  for (const name of await readdir(workspace.processing)) {
    if (!name.startsWith(PREFIX)) continue;
    try {
      const claim = await takeOver(workspace, name, run, isAlive);
      if (claim !== null) claims.push(claim);
    } catch (error) {
      onFault(error);
    }
  }
  return claims;
}

/** Every claim that still has its file, whoever holds it. */
export async function openClaims(workspace: Workspace): Promise<readonly Pick<Claim, 'path' | 'origin'>[]> {
  const claims: Pick<Claim, 'path' | 'origin'>[] = [];
  for (const name of await readdir(workspace.processing)) {
    const folder = join(workspace.processing, name);
    const note = name.startsWith(PREFIX) ? await noteIn(folder) : null;
    const whole = note === null ? null : await wholeIn(folder, note);
    if (whole !== null) claims.push(whole);
  }
  return claims;
}

async function takeOver(
  { processing, inbox }: Workspace,
  name: string,
  run: string,
  isAlive: (run: string) => boolean,
): Promise<Claim | null> {
  const note = hereNote(await noteIn(join(processing, name)), inbox);
  const [claim = name, holder] = name.split(HELD_BY);
  if (note === null || isAlive(holder === undefined ? note.run : decodeURIComponent(holder))) return null;
  const folder = join(processing, `${claim}${HELD_BY}${encodeURIComponent(run)}`);
  if (!(await moveIfThere(join(processing, name), folder))) return null;
  const path = join(folder, basename(note.origin));
  // If a move from another disk was cut short, the original is still there, and only the original is known to be whole.
  if ((await signatureAt(besideOrigin(claim, note.origin))) !== null) await rm(path, { force: true });
  const whole = await wholeIn(folder, note);
  if (whole !== null) return { claim, folder, ...whole };
  if (await isAnyHere(folder, claim, note)) await putBack(folder, note);
  // It may lie on the disk of another machine, which finds it by its claim.
  else await moveIfThere(folder, join(processing, claim));
  return null;
}

/** Where it would lie in this machine's inbox: its folder there decides by which rules it is paid. */
function hereNote(note: Note | null, here: string): Note | null {
  const { inbox, origin } = note ?? {};
  if (note === null || origin === undefined || inbox === undefined || inbox === here) return note;
  return { ...note, origin: join(here, relative(inbox, origin)) };
}

/** True where the file never left its place, or where it, or one that goes with it, lies in any of the places to which a claim moves it. */
async function isAnyHere(folder: string, claim: string, { origin, beside, seen }: Note): Promise<boolean> {
  // Another file of that name may lie here.
  const atOrigin = await signatureAt(origin);
  if (atOrigin !== null && (seen === undefined || atOrigin === seen)) return true;
  const inbox = dirname(origin);
  for (const name of [basename(origin), ...beside]) {
    const between = join(folder, nameBetween(basename(inbox), name));
    for (const place of [besideOrigin(claim, join(inbox, name)), join(folder, name), between])
      if ((await signatureAt(place)) !== null) return true;
  }
  return false;
}

/** The claimed file; null when it is not there, or somebody still writes it through a handle from before. */
async function wholeIn(
  folder: string,
  { origin, seen }: Note,
): Promise<Pick<Claim, 'path' | 'origin' | 'signature'> | null> {
  const path = join(folder, basename(origin));
  const signature = await signatureAt(path);
  if (signature === null || (seen !== undefined && wasWritten(seen, signature))) return null;
  return { path, origin, signature };
}

/** Leaves a claim that was taken over to the next process. */
export async function leaveClaim({ folder, claim }: Claim): Promise<void> {
  await moveIfThere(folder, join(dirname(folder), claim));
}

/** Ends a claim when its file is safe elsewhere, or its owner has been told. */
export async function endClaim({ folder }: Claim): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Gives the file back to the inbox, unless another file of its name has arrived meanwhile. */
export async function giveBack({ folder, origin }: Claim): Promise<void> {
  const note = await noteIn(folder);
  if (note !== null) await putBack(folder, { ...note, origin });
}

/** Files whose folder of the inbox is away stay in the claim. */
async function putBack(folder: string, { origin, beside, documents }: Note): Promise<void> {
  const inbox = dirname(origin);
  const names = [basename(origin), ...beside];
  for (const name of names) {
    // A kill came between the two halves of giving it back to another disk.
    await moveIfThere(join(folder, nameBetween(basename(inbox), name)), join(folder, name));
  }
  const [claim = ''] = basename(folder).split(HELD_BY);
  const lead = await leadFor(folder, claim, origin, names);
  if (lead !== '') await keepDocuments(inbox, lead, documents);
  // The files that vouch for it are put back first.
  for (const name of names.toReversed()) {
    await moveIfThere(join(folder, name), join(inbox, lead + name));
    // A kill came between the two halves of a move to another disk.
    await moveIfThere(besideOrigin(claim, join(inbox, name)), join(inbox, lead + name));
  }
  const left = await readdir(folder);
  if (!names.some((name) => left.includes(name))) await rm(folder, { recursive: true, force: true });
}

/**
 * The prefix for the names of all files that go back; empty where all names are free. So they replace no file that arrived meanwhile, and a
 * control file vouches for no file but its own.
 */
async function leadFor(
  folder: string,
  claim: string,
  origin: string,
  names: readonly string[],
): Promise<string> {
  const lead = `${claim.slice(PREFIX.length, PREFIX.length + LEAD_LENGTH)}.`;
  for (const name of names) {
    const path = join(dirname(origin), name);
    // A kill came while it was given back: the rest gets the prefix of the first.
    if ((await signatureAt(join(dirname(origin), lead + name))) !== null) return lead;
    const ours = (await signatureAt(join(folder, name))) ?? (await signatureAt(besideOrigin(claim, path)));
    if (ours !== null && (await signatureAt(path)) !== null) return lead;
  }
  return '';
}

/** Where a file from another disk lies until it has been moved. */
function besideOrigin(claim: string, origin: string): string {
  return join(dirname(origin), nameBetween(claim, basename(origin)));
}

async function noteIn(folder: string): Promise<Note | null> {
  try {
    return JSON.parse(await readFile(join(folder, NOTE), 'utf8')) as Note;
  } catch (error) {
    // A claim is noted before anything is moved, so a claim without a note holds nothing.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** False also when the file is no longer as it was seen. That is certain only after the rename, when nobody can open it by its name any more. */
async function moveAsSeen(from: string, to: string, seen: Seen): Promise<boolean> {
  const signature = seen.get(from) ?? null;
  try {
    await rename(from, to);
    return signature === null || (await signatureAt(to)) === signature;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return false;
    if (code === 'EXDEV') return moveAcross(from, to, signature);
    throw error;
  }
}

function moveIfThere(from: string, to: string): Promise<boolean> {
  return moveAsSeen(from, to, UNSEEN);
}

// A document that serves a spreadsheet by having its name must be renamed with the spreadsheet. It stays in the inbox while the spreadsheet is
// claimed, so it may belong to another file by then.

/** Signatures by names. */
type Namesakes = Readonly<Record<string, string>>;

/** The documents that have the file's name, as they are now. */
async function namesakeDocuments(path: string): Promise<Namesakes> {
  const found: Record<string, string> = {};
  for (const name of stemDocuments(stemOf(path))) {
    const file = await lstat(join(dirname(path), name)).catch(() => null);
    // The target of a link is not ours to copy.
    if (file?.isFile() !== true) continue;
    found[name] = signatureOf({ bytes: file.size, modifiedMs: file.mtimeMs, inode: file.ino });
  }
  return found;
}

/** Copies each document that is unchanged to the new name. It keeps the old name too, for a file that arrived under the old name of the spreadsheet. */
async function keepDocuments(folder: string, lead: string, documents: Namesakes): Promise<void> {
  for (const [name, signature] of Object.entries(documents)) {
    if ((await signatureAt(join(folder, name))) !== signature) continue;
    await copyFile(join(folder, name), join(folder, lead + name));
  }
}
