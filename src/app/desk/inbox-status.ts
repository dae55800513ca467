// The inbox files that are not taken yet, each with the reason, for a person who asks where a file is before it is a batch.
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';

import { z } from 'zod';

import { type Words, say } from '../../base/language.ts';
import { readPlainFile } from '../../base/plain-file.ts';
import { BATCH_NAME } from '../../inbox/answer-name.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { openClaims } from '../../inbox/claim-file.ts';
import { type InboxEntry, type LeftAlone, lookInto } from '../../inbox/inbox-entries.ts';
import { isStopName } from '../../inbox/stop-file.ts';
import { hashFile } from '../../inbox/take-file.ts';
import { sentence } from '../../messages/messages.ts';
import { controlNames } from '../../rows/control-totals.ts';
import type { Records } from '../parts.ts';
import { type DaemonNote, type LivingDaemon, type WAITING_WHYS, daemonNotes } from '../parts/daemon-note.ts';
import { approverOf } from '../workflow/batch/read-batch-file.ts';
import { type InboxLook, InboxWatch } from '../workflow/ready-files.ts';

type InboxFile = {
  /** Relative to the inbox. */
  readonly name: string;
  readonly why: InboxWhy;
  readonly words: string;
  /** Documents that it waits for, and when it is taken without them (ISO; null when no daemon waits for them). */
  readonly missing: readonly string[];
  readonly until: string | null;
};

export type InboxStatus = {
  /** The daemons that watch the inbox at this moment. */
  readonly watching: readonly Pick<LivingDaemon, 'since' | 'heardAt' | 'config'>[];
  /** Why no file is taken, in words: the inbox is missing, or a daemon finds it another; null while it is there. */
  readonly fault: string | null;
  readonly files: readonly InboxFile[];
};

type Reason = Omit<InboxFile, 'words'>;

export async function inboxStatus(records: Records): Promise<InboxStatus> {
  const { workspace, config, ledger } = records;
  const notes = await daemonNotes(ledger);
  const found = await lookInto(workspace.inbox).catch(() => null);
  const { entries, left } = found ?? { entries: [], left: [] };
  const look = await new InboxWatch(records).judge(entries, settledNow(records, entries));
  const reasons: readonly Reason[] = [
    ...spreadsheets(look, notes),
    ...(await claimed(records)),
    ...others(records, entries, look),
    ...left.map(({ name, why }) => ({ ...NOTHING, name, why })),
  ];
  const isWatched = notes.length > 0;
  const files = reasons.map((reason) => ({
    ...reason,
    words: say(inboxWords(reason, { isWatched, readyMarker: config.intake.readyMarker }), config.language),
  }));
  return {
    watching: notes.map(({ since, heardAt, config: fault }) => ({ since, heardAt, config: fault })),
    fault:
      notes.find(({ inboxFault }) => inboxFault !== null)?.inboxFault ?? goneWords(records, found !== null),
    files,
  };
}

function goneWords({ workspace: { inbox }, config }: Records, isThere: boolean): string | null {
  return isThere ? null : say(sentence('inboxPresence.gone', { inbox }), config.language);
}

const NOTHING = { missing: [], until: null } as const;

/** A single look has only the files' own times to judge whether somebody still writes them; a wait begins when a daemon sees them. */
function settledNow({ clock, config }: Records, entries: readonly InboxEntry[]): ReadonlyMap<string, number> {
  const { settleFor } = config.intake;
  const settled = entries.filter(({ modifiedMs }) => clock.now() - modifiedMs >= settleFor);
  return new Map(settled.map(({ path }) => [path, settleFor]));
}

/** A daemon's reason wins over ours, because it has looked for longer. */
function spreadsheets(
  { ready, waiting, standing }: InboxLook,
  notes: readonly DaemonNote[],
): readonly Reason[] {
  const seen: readonly Reason[] = [
    ...waiting.map(({ name, why, missing }) => ({ name, why, missing, until: null })),
    ...ready.map(({ name }) => ({ ...NOTHING, name, why: 'turn' as const })),
    ...standing.map(({ name }) => ({ ...NOTHING, name, why: 'standing' as const })),
  ];
  const told = new Map(notes.flatMap(({ inbox }) => inbox).map((file) => [file.name, file]));
  return seen.map((reason) => (reason.why === 'settling' ? reason : (told.get(reason.name) ?? reason)));
}

/** After a kill a file lies in its claim until the next daemon takes it, and is in no list but this. */
async function claimed({ workspace, ledger }: Records): Promise<readonly Reason[]> {
  const reasons: Reason[] = [];
  for (const { path, origin } of await openClaims(workspace)) {
    // Null where a daemon has taken it meanwhile.
    const sha256 = await hashFile(path).catch(() => null);
    const isBatch = ({ state }: BatchRecord) => state !== 'taking' && state !== 'refused';
    if (sha256 !== null && !(await ledger.batches({ sha256 })).some(isBatch))
      reasons.push({ ...NOTHING, name: relative(workspace.inbox, origin), why: 'turn' });
  }
  return reasons;
}

/** Documents and control files belong to their spreadsheet, if it is there; the others wait for something that does not come by itself. */
function others(
  records: Records,
  entries: readonly InboxEntry[],
  { ready, waiting, standing }: InboxLook,
): readonly Reason[] {
  const { readyMarker } = records.config.intake;
  const named = new Set([...ready, ...waiting, ...standing].flatMap(({ documents }) => documents));
  const sheets = entries.filter(({ kind }) => kind === 'spreadsheet');
  const stems = new Set(sheets.map(({ path }) => path.slice(0, -extname(path).length)));
  const controls = new Set(
    sheets.flatMap(({ path }) => controlNames(basename(path)).map((name) => `${dirname(path)}/${name}`)),
  );
  const markers = new Set(readyMarker === null ? [] : sheets.map(({ path }) => path + readyMarker));
  return entries.flatMap(({ path, name, kind }): readonly Reason[] => {
    // STOP is reported before everything else.
    if (kind === 'spreadsheet' || markers.has(path) || isStopName(name)) return [];
    if (kind === 'document') {
      const isNamed = named.has(path) || stems.has(path.slice(0, -extname(path).length));
      return isNamed ? [] : [{ ...NOTHING, name, why: 'unnamed' }];
    }
    const isTaken = kind === 'approval' && approverOf(records, path) !== null;
    if (isTaken) return [{ ...NOTHING, name, why: 'turn' }];
    if (kind === 'control') return controls.has(path) ? [] : [{ ...NOTHING, name, why: 'control' }];
    return [{ ...NOTHING, name, why: 'kind' }];
  });
}

/** By its path relative to the inbox, or its name alone. */
export function isCalled(file: InboxFile, name: string): boolean {
  const [given, own] = [name, file.name].map((text) => text.normalize('NFC').toLowerCase());
  return own === given || own?.split('/').at(-1) === given;
}

// The reasons why an inbox file is not taken yet, each with what its owner can do.

type InboxWhy = (typeof WAITING_WHYS)[number] | LeftAlone | 'unnamed' | 'control' | 'kind';

type InboxReason = {
  readonly why: InboxWhy;
  readonly missing: readonly string[];
  readonly until: string | null;
};
type Around = { readonly isWatched: boolean; readonly readyMarker: string | null };

/** How many documents are named; the others are counted. */
const NAMED_MOST = 10;

function inboxWords(file: InboxReason, around: Around): Words {
  switch (file.why) {
    case 'documents':
      return documentWords(file);
    case 'marker':
      return sentence('inbox.text', { readyMarker: around.readyMarker });
    case 'turn':
      return around.isWatched ? TURN_WORDS : UNWATCHED_WORDS;
    default:
      return WORDS[file.why];
  }
}

const TURN_WORDS: Words = sentence('inbox.turn');
const UNWATCHED_WORDS: Words = sentence('inbox.unwatched');

const WORDS: Readonly<Record<Exclude<InboxWhy, 'documents' | 'marker' | 'turn'>, Words>> = {
  settling: sentence('inbox.settling'),
  unreadable: sentence('inbox.unreadable'),
  unwritable: sentence('inbox.unwritable'),
  unfinished: sentence('inbox.unfinished'),
  standing: sentence('inbox.standing'),
  name: sentence('inbox.name'),
  'no-file': sentence('inbox.no-file'),
  linked: sentence('inbox.linked'),
  'too-deep': sentence('inbox.too-deep'),
  'odd-control': sentence('inbox.odd-control'),
  'not-utf8': sentence('inbox.not-utf8'),
  'unnamed-folder': sentence('inbox.unnamed-folder'),
  unnamed: sentence('inbox.unnamed'),
  control: sentence('inbox.control'),
  kind: sentence('inbox.kind'),
};

function documentWords({ missing, until }: InboxReason): Words {
  const named = missing.slice(0, NAMED_MOST).join(', ');
  const more = missing.length - NAMED_MOST;
  const waits = sentence('inbox.documents', { named, more });
  return until === null ? waits : sentence('inbox.document', { waits, until });
}

// Files that were refused before their rows were read: the ledger knows no batch of them, so `status` reads of them in `refused/`.

export type RefusedFile = {
  readonly name: string;
  /** ISO. */
  readonly refusedAt: string;
  /** The path of its answer, with the reason. */
  readonly answer: string;
  readonly words: string;
};

const ANSWER = z.object({ file: z.object({ name: z.string() }), refusedAt: z.iso.datetime() });

/** Far above any reason. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/** How many folders are opened for one name: a workspace may hold those of years. */
const LOOKED_AT = 1_000;

/** Of the last `most` that the ledger does not know, all or those of one name; oldest first. */
export async function refusedFiles(
  records: Pick<Records, 'workspace' | 'config' | 'ledger'>,
  { name, most = LOOKED_AT }: { readonly name?: string; readonly most?: number },
): Promise<readonly RefusedFile[]> {
  const folders = await readdir(records.workspace.refused).catch(() => []);
  const unknownAmong = folders.filter((id) => BATCH_NAME.test(id));
  const untaken = [...(await records.ledger.batches({ unknownAmong }))].sort();
  const found: RefusedFile[] = [];
  for (const id of untaken.slice(-most)) {
    const files = await refusedIn(records, id);
    found.push(...files.filter((file) => name === undefined || name === id || isNamed(file, name)));
  }
  return found;
}

/** The same bytes may have come under several names; they share a folder. */
async function refusedIn(
  { workspace, config }: Pick<Records, 'workspace' | 'config'>,
  id: string,
): Promise<readonly RefusedFile[]> {
  const folder = join(workspace.refused, id);
  const names = await readdir(folder).catch(() => []);
  const found: RefusedFile[] = [];
  for (const name of names.filter((each) => each.endsWith(`.${id}.refused.json`)).sort()) {
    const answer = join(folder, name);
    const bytes = await readPlainFile(answer, { bytesMax: ANSWER_BYTES_MAX, mayBeLinked: true });
    const told = typeof bytes === 'string' ? null : answerIn(Buffer.from(bytes).toString('utf8'));
    if (told === null) continue;
    const { refusedAt } = told;
    const words = say(sentence('refusedFiles.words', { refusedAt, answer }), config.language);
    found.push({ name: told.file.name, refusedAt, answer, words });
  }
  return found;
}

function answerIn(text: string): z.output<typeof ANSWER> | null {
  try {
    return ANSWER.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function isNamed(file: RefusedFile, name: string): boolean {
  const [given, own] = [basename(name), file.name].map((text) => text.normalize('NFC').toLowerCase());
  return given === own;
}
