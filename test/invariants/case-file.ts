// All that is known of a run, in the order in which the invariants ask for it.
import type { AskedRow, FinalRow, FinalTotals } from './asked-row.ts';
import type { Entry, Journal, TransferFacts } from './journal.ts';
import { transferIds, type Owner } from './row-ids.ts';

/** What is handed to the checker. */
export type Evidence = {
  readonly journal: Journal;
  readonly asked: readonly AskedRow[];
  readonly finals: readonly FinalRow[];
  readonly totals: FinalTotals;
  readonly fileId: string;
  readonly apiKey: string;
  /** Nothing went wrong in this run: no excuse for a detour. */
  readonly isCalm: boolean;
  /** The service and the way to it told no lies, and nobody else used the account. */
  readonly isHonest: boolean;
  /** Its rows' ends were reported to a program by status messages. */
  readonly isMessage: boolean;
  /** The processes agree about the time, so that nobody's claim has run out for one of them alone. */
  readonly areClocksRight: boolean;
};

export type Violation = { readonly invariant: string; readonly row: string | null; readonly words: string };

/** An entry with its place, so that before and after are certain within one moment. */
export type Placed<K extends Entry['kind']> = Extract<Entry, { kind: K }> & { readonly place: number };

export type StatusChange = Placed<'status'>;

export type KnownTransfer = {
  readonly facts: TransferFacts;
  readonly by: 'us' | 'other';
  readonly place: number;
  readonly at: number;
  /** Null for an id that no row has. */
  readonly owner: Owner | null;
  readonly changes: readonly StatusChange[];
};

export type CaseFile = Evidence & {
  readonly owners: ReadonlyMap<string, Owner>;
  readonly transfers: ReadonlyMap<string, KnownTransfer>;
  readonly askedOf: ReadonlyMap<string, AskedRow>;
  readonly finalOf: ReadonlyMap<string, FinalRow>;
  readonly sent: readonly Placed<'sent'>[];
  readonly answered: ReadonlyMap<number, Placed<'answered'>>;
  readonly recorded: readonly Placed<'recorded'>[];
  readonly lives: readonly Placed<'life'>[];
};

/** Checks and paths look at the same run one after the other. */
const opened = new WeakMap<Evidence, CaseFile>();

export function openCase(evidence: Evidence): CaseFile {
  const file = opened.get(evidence) ?? newCase(evidence);
  opened.set(evidence, file);
  return file;
}

function newCase(evidence: Evidence): CaseFile {
  const { journal, asked, finals, fileId } = evidence;
  const owners = transferIds(fileId, asked);
  return {
    ...evidence,
    owners,
    transfers: knownTransfers(journal, owners),
    askedOf: new Map(asked.map((row) => [row.row, row])),
    finalOf: new Map(finals.map((row) => [row.row, row])),
    sent: placed(journal, 'sent'),
    answered: new Map(placed(journal, 'answered').map((entry) => [entry.call, entry])),
    recorded: placed(journal, 'recorded'),
    lives: placed(journal, 'life'),
  };
}

type Kinds = { readonly length: number; readonly entries: ReadonlyMap<Entry['kind'], readonly object[]> };

/** Every invariant asks for the entries of some kind; each journal is sorted once, and again when it has grown. */
const sorted = new WeakMap<Journal, Kinds>();

export function placed<K extends Entry['kind']>(journal: Journal, kind: K): readonly Placed<K>[] {
  const known = sorted.get(journal);
  const kinds = known?.length === journal.length ? known : kindsOf(journal);
  sorted.set(journal, kinds);
  return (kinds.entries.get(kind) ?? []) as readonly Placed<K>[];
}

function kindsOf(journal: Journal): Kinds {
  const entries = Map.groupBy(
    journal.map((entry, place) => ({ ...entry, place })),
    ({ kind }) => kind,
  );
  return { length: journal.length, entries };
}

function knownTransfers(
  journal: Journal,
  owners: ReadonlyMap<string, Owner>,
): ReadonlyMap<string, KnownTransfer> {
  const changes = Map.groupBy(placed(journal, 'status'), ({ transferId }) => transferId);
  return new Map(
    placed(journal, 'transfer').map(({ transfer, by, place, at }) => [
      transfer.id,
      {
        facts: transfer,
        by,
        place,
        at,
        owner: owners.get(transfer.externalId.toLowerCase()) ?? null,
        changes: changes.get(transfer.id) ?? [],
      },
    ]),
  );
}

/** The status at a place in the journal; at its end when none is given. */
export function statusAt({ changes }: KnownTransfer, place = Infinity): string {
  return changes.findLast((change) => change.place < place)?.to ?? 'created';
}

export function hasBeen({ changes }: KnownTransfer, status: string): boolean {
  return changes.some(({ to }) => to === status);
}

/** The row that a mutation is about. */
export function ownerOf(file: CaseFile, { operation, subject }: Placed<'sent'>): Owner | null {
  if (operation === 'create') return file.owners.get(subject.toLowerCase()) ?? null;
  return file.transfers.get(subject)?.owner ?? null;
}

/** The process had been stopped for a while before that: its claims may have run out without its knowing. */
export function wasStopped(
  file: CaseFile,
  { life, place }: { readonly life: string; readonly place: number },
): boolean {
  return file.lives.some((entry) => entry.life === life && entry.what === 'freezes' && entry.place < place);
}

/** Refusals of a confirm that leave the transfer as it was. */
const WITHOUT_EFFECT: ReadonlySet<number | null> = new Set([10022, 10024]);

/** The service, or a broken connection before it, says that the request was not executed. */
export function wasNotExecuted(file: CaseFile, { call }: { readonly call: number }): boolean {
  const answer = file.answered.get(call);
  if (WITHOUT_EFFECT.has(answer?.errorCode ?? null)) return answer?.damage === null;
  return answer?.damage === 'unsent' || (answer?.httpStatus === 403 && answer.errorCode === null);
}
