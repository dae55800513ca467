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

type WaitingName = DaemonNote['inbox'][number];

/** What of the inbox is worth telling: what waits for something but its writer, and what is ready and has no turn yet. */
export function waitingInbox(
  waiting: readonly WaitingName[],
  ready: ReadonlySet<Pick<WaitingName, 'name'>>,
): DaemonNote['inbox'] {
  return [
    ...waiting.filter(({ why }) => why !== 'settling' && why !== 'not-utf8'),
    ...[...ready].map(({ name }) => ({ name, why: 'turn' as const, missing: [], until: null })),
  ].map(({ name, why, missing, until }) => ({ name, why, missing, until }));
}

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

/** For `status`, which could only guess: written where it says something new. */
export class DaemonNotes {
  readonly #ledger: Pick<Ledger, 'runs'>;
  #noted = '';

  constructor(ledger: Pick<Ledger, 'runs'>) {
    this.#ledger = ledger;
  }

  async write(note: DaemonNote): Promise<void> {
    const text = noteText(note);
    if (text === this.#noted) return;
    await this.#ledger.runs.tell(text);
    this.#noted = text;
  }
}
