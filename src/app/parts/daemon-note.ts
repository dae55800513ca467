// Facts that a daemon knows and `status` could only guess: since when it works, what it waits for in the inbox and until when, and which part of
// its config it cannot use. The note stands with its run in the ledger, and counts as long as the run is alive.
import { z } from 'zod';

import { isoTime } from '../../base/clock.ts';
import type { Config } from '../config/config.ts';
import { configDigest, nodeName } from '../config/ledger-config.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunRecord } from '../../ledger/runs.ts';
import type { RunId } from '../../payouts/progress.ts';

/** Why a spreadsheet of the inbox is not taken yet: the daemon's own reasons, and that other files of its size are being paid. */
export const WAITING_WHYS = [
  'settling',
  'marker',
  'unreadable',
  'unwritable',
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
  /** The node's name among several machines, and the digest of its config. */
  node: z.string().nullable().default(null),
  digest: z.string().nullable().default(null),
  /** The fault of its config, in words; null when there is none. */
  config: z.string().nullable(),
  /** Why it takes no file, in words: its inbox is missing or another; null while it is there. */
  inboxFault: z.string().nullable().default(null),
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

/** The inbox files worth reporting: those that wait for anything but their writer, and those that are ready but have no slot yet. */
export function waitingInbox(
  waiting: readonly WaitingName[],
  ready: ReadonlySet<Pick<WaitingName, 'name'>>,
): DaemonNote['inbox'] {
  return [
    ...waiting.filter(({ why }) => why !== 'settling' && why !== 'not-utf8'),
    ...[...ready].map(({ name }) => ({ name, why: 'turn' as const, missing: [], until: null })),
  ].map(({ name, why, missing, until }) => ({ name, why, missing, until }));
}

export function noteText(note: z.input<typeof noteSchema>): string {
  return JSON.stringify(note);
}

/** With the time (ISO, real) of its last sign of life: four a minute, as long as nothing blocks it. */
export type LivingDaemon = DaemonNote & { readonly heardAt: string };

/** The notes of all living daemons, this process included. */
export async function daemonNotes({ runs }: Pick<Ledger, 'runs'>): Promise<readonly LivingDaemon[]> {
  const alive = await runs.alive();
  return alive.flatMap((known) => {
    const note = readNote(known);
    return note === null ? [] : [{ ...note, heardAt: isoTime(known.beatAt) }];
  });
}

/** Null also for a note of another version. */
function readNote({ note }: Pick<RunRecord, 'note'>): DaemonNote | null {
  return noteSchema.safeParse(JSON.parse(note ?? 'null')).data ?? null;
}

/** A process that works on the ledger. */
type LivingNode = {
  readonly run: RunId;
  readonly node: string;
  /** ISO. */
  readonly since: string;
  /** Null where it is no daemon. */
  readonly digest: string | null;
};

/** All living processes except this one, oldest first. */
export async function livingNodes({
  run: own,
  runs,
}: Pick<Ledger, 'run' | 'runs'>): Promise<readonly LivingNode[]> {
  const others = (await runs.alive()).filter(({ run }) => run !== own);
  return others.map((known) => {
    const note = readNote(known);
    return {
      run: known.run,
      node: note?.node ?? known.host,
      since: known.startedAt,
      digest: note?.digest ?? null,
    };
  });
}

/** Writes the note for `status`, but only when it says something new. */
export class DaemonNotes {
  readonly #ledger: Pick<Ledger, 'runs'>;
  readonly #since: string;
  #noted = '';

  constructor(ledger: Pick<Ledger, 'runs'>, since: string) {
    this.#ledger = ledger;
    this.#since = since;
  }

  /** @param unobeyed the fault of the config on disk, in words. */
  async write(
    config: Config,
    unobeyed: string | null,
    inbox: DaemonNote['inbox'],
    inboxFault: string | null = null,
  ): Promise<void> {
    const own = { since: this.#since, node: nodeName(config), digest: configDigest(config) };
    const text = noteText({ ...own, config: unobeyed, inboxFault, inbox });
    if (text === this.#noted) return;
    await this.#ledger.runs.tell(text);
    this.#noted = text;
  }
}
