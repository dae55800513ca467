// What lies in the inbox and is not taken yet, each with the reason: where the file is that somebody asks for, before it is a batch.
import { basename, dirname, extname } from 'node:path';

import { say } from '../../base/language.ts';
import { lookInto, type InboxEntry } from '../../inbox/inbox-entries.ts';
import { controlNames } from '../../rows/control-totals.ts';
import type { Records } from '../parts.ts';
import { InboxWatch, type InboxLook } from '../workflow/take/ready-files.ts';
import { inboxWords, type InboxWhy } from './inbox-words.ts';
import { watchNotes, type WatchNote } from '../parts/watch-note.ts';

export type InboxFile = {
  /** Below the inbox. */
  readonly name: string;
  readonly why: InboxWhy;
  readonly words: string;
  /** Documents that it waits for, and when it is taken without them (ISO; null when no daemon waits for them). */
  readonly missing: readonly string[];
  readonly until: string | null;
};

export type InboxStatus = {
  /** The daemons that watch it at this moment. */
  readonly watching: readonly { readonly since: string; readonly config: string | null }[];
  readonly files: readonly InboxFile[];
};

type Reason = Omit<InboxFile, 'words'>;

export async function inboxStatus(records: Records): Promise<InboxStatus> {
  const { workspace, config, ledger } = records;
  const notes = await watchNotes(workspace.root, ledger.run);
  const { entries, left } = await lookInto(workspace.inbox);
  const look = await new InboxWatch(records).judge(entries, settledNow(records, entries));
  const reasons: readonly Reason[] = [
    ...spreadsheets(look, notes),
    ...others(entries, look, config.intake.readyMarker),
    ...left.map(({ name, why }) => ({ ...NOTHING, name, why })),
  ];
  const isWatched = notes.length > 0;
  const files = reasons.map((reason) => ({
    ...reason,
    words: say(inboxWords(reason, { isWatched, readyMarker: config.intake.readyMarker }), config.language),
  }));
  return { watching: notes.map(({ since, config: unobeyed }) => ({ since, config: unobeyed })), files };
}

const NOTHING = { missing: [], until: null } as const;

/** A look that is taken once has only the files' own times to tell whether somebody still writes them; a wait begins when a daemon sees them. */
function settledNow({ clock, config }: Records, entries: readonly InboxEntry[]): ReadonlyMap<string, number> {
  const { settleFor } = config.intake;
  const settled = entries.filter(({ modifiedMs }) => clock.now() - modifiedMs >= settleFor);
  return new Map(settled.map(({ path }) => [path, settleFor]));
}

/** What the daemon says wins over what we see: it has looked for longer. */
function spreadsheets(
  { ready, waiting, standing }: InboxLook,
  notes: readonly WatchNote[],
): readonly Reason[] {
  const seen: readonly Reason[] = [
    ...waiting.map(({ name, why, missing }) => ({ name, why, missing, until: null })),
    ...ready.map(({ name }) => ({ ...NOTHING, name, why: 'turn' as const })),
    ...standing.map(({ name }) => ({ ...NOTHING, name, why: 'standing' as const })),
  ];
  const told = new Map(notes.flatMap(({ inbox }) => inbox).map((file) => [file.name, file]));
  return seen.map((reason) => (reason.why === 'settling' ? reason : (told.get(reason.name) ?? reason)));
}

/** Documents and control files of a spreadsheet that is there belong to it; the others wait for nothing that will come by itself. */
function others(
  entries: readonly InboxEntry[],
  { ready, waiting, standing }: InboxLook,
  readyMarker: string | null,
): readonly Reason[] {
  const named = new Set([...ready, ...waiting, ...standing].flatMap(({ documents }) => documents));
  const sheets = entries.filter(({ kind }) => kind === 'spreadsheet');
  const stems = new Set(sheets.map(({ path }) => path.slice(0, -extname(path).length)));
  const controls = new Set(
    sheets.flatMap(({ path }) => controlNames(basename(path)).map((name) => `${dirname(path)}/${name}`)),
  );
  const markers = new Set(readyMarker === null ? [] : sheets.map(({ path }) => path + readyMarker));
  return entries.flatMap(({ path, name, kind }): readonly Reason[] => {
    if (kind === 'spreadsheet' || markers.has(path) || STOP.test(name)) return [];
    if (kind === 'document') {
      const isNamed = named.has(path) || stems.has(path.slice(0, -extname(path).length));
      return isNamed ? [] : [{ ...NOTHING, name, why: 'unnamed' }];
    }
    if (kind === 'control') return controls.has(path) ? [] : [{ ...NOTHING, name, why: 'control' }];
    return [{ ...NOTHING, name, why: 'kind' }];
  });
}

/** It is told before everything else. */
const STOP = /^STOP(?:\.txt)?$/;

/** By its path below the inbox, or its name alone. */
export function isCalled(file: InboxFile, name: string): boolean {
  const [given, own] = [name, file.name].map((text) => text.normalize('NFC').toLowerCase());
  return own === given || own?.split('/').at(-1) === given;
}
