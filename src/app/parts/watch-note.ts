// What a daemon knows and `status` could only guess: since when it works, what it waits for in the inbox and until when, and what of its config
// it cannot obey. It lies in the workspace, and counts for as long as its process lives.
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { isOtherRunHere } from '../../ledger/open-ledger.ts';

const NAME = /^\.watch-[\w-]+\.json$/;

/** Why a spreadsheet of the inbox is not taken yet: what the daemon tells, and that others of its size are being paid. */
export const WAITING_WHYS = [
  'settling',
  'marker',
  'unreadable',
  'unfinished',
  'documents',
  'unnamed-folder',
  'odd-control',
  'not-utf8',
  'standing',
  'turn',
] as const;

const noteSchema = z.object({
  run: z.string(),
  since: z.string(),
  /** What is wrong with its config, in words; null when nothing is. */
  config: z.string().nullable(),
  inbox: z.array(
    z.object({
      name: z.string(),
      why: z.enum(WAITING_WHYS),
      missing: z.array(z.string()).readonly(),
      until: z.string().nullable(),
    }),
  ),
});
export type WatchNote = z.output<typeof noteSchema>;

/** The note of one daemon, written when it changes. */
export class OwnNote {
  readonly #path: string;
  #written = '';

  constructor(root: string, run: string) {
    this.#path = join(root, `.watch-${run.split('/').at(-1) ?? ''}.json`);
  }

  /** It is only read by people: one that is lost in a crash is written anew. */
  async write(note: WatchNote): Promise<void> {
    const text = JSON.stringify(note);
    if (text === this.#written) return;
    await writeFile(`${this.#path}.next`, text, { mode: 0o600 });
    await rename(`${this.#path}.next`, this.#path);
    this.#written = text;
  }

  async remove(): Promise<void> {
    for (const path of [this.#path, `${this.#path}.next`]) await rm(path, { force: true });
  }
}

/** The notes of the daemons that live, this process' own among them. */
export async function watchNotes(root: string, own: string): Promise<readonly WatchNote[]> {
  const notes = await Promise.all((await namesIn(root)).map((name) => readNote(join(root, name))));
  return notes.filter((note) => note !== null).filter(({ run }) => run === own || isOtherRunHere(run, own));
}

/** Takes away what daemons that were killed have left. */
export async function removeDeadNotes(root: string, own: string): Promise<void> {
  const alive = new Set((await watchNotes(root, own)).map(({ run }) => run.split('/').at(-1)));
  for (const name of await namesIn(root)) {
    const run = name.slice('.watch-'.length, -'.json'.length);
    if (!alive.has(run)) await rm(join(root, name), { force: true });
  }
}

async function namesIn(root: string): Promise<readonly string[]> {
  return (await readdir(root)).filter((name) => NAME.test(name));
}

/** Null for one that was taken away meanwhile, or that another version wrote. */
async function readNote(path: string): Promise<WatchNote | null> {
  const text = await readFile(path, 'utf8').catch(() => 'null');
  return noteSchema.safeParse(JSON.parse(text)).data ?? null;
}
