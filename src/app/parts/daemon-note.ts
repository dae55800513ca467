// What a daemon knows and `status` could only guess: since when it works, what it waits for in the inbox and until when, and what of its config
// it cannot obey. It stands beside its run in the ledger, and counts for as long as that is alive.
import { z } from 'zod';

import type { Ledger } from '../../ledger/ledger.ts';

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
export type DaemonNote = z.output<typeof noteSchema>;

export function noteText(note: DaemonNote): string {
  return JSON.stringify(note);
}

/** The notes of the daemons that are alive, this process' own among them. */
export async function daemonNotes({ runs }: Pick<Ledger, 'runs'>): Promise<readonly DaemonNote[]> {
  const alive = await runs.alive();
  // Null also for one that another version wrote.
  const notes = alive.map(({ note }) => noteSchema.safeParse(JSON.parse(note ?? 'null')).data ?? null);
  return notes.filter((note) => note !== null);
}
