// `migrate`: moves the ledger to another place, whole and with its history. It copies in one commit and compares line by line; only then it closes the old
// one for good, and only then opens the new one. Wherever the move is interrupted, the two never work at the same time, and the same command continues it.
import { randomUUID } from 'node:crypto';

import { type Clock, systemClock } from '../../base/clock.ts';
import type { Words } from '../../base/language.ts';
import { openWorkspace } from '../../inbox/workspace.ts';
import type { HistoryReport } from '../../ledger/history.ts';
import { LedgerUnusable } from '../../ledger/ledger-unusable.ts';
import {
  Digests,
  type LedgerMove,
  type Line,
  mayBeReplaced,
  type MovableLedger,
  MOVED_TABLES,
  type MovedTable,
} from '../../ledger/movable-ledger.ts';
import { openLedger, openMovable, type LedgerPlace } from '../../ledger/open-ledger.ts';
import { sentence } from '../../messages/messages.ts';
import type { Config } from '../config/config.ts';
import { nameOfLedger } from '../config/ledger-config.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import { searchPath } from '../search/keep-search.ts';
import { discardSearchFile } from '../search/search-file.ts';

/** `there`: nothing had to be moved. */
export type Moved = {
  readonly end: 'moved' | 'there';
  readonly to: string;
  readonly batches: number;
  readonly rows: number;
  readonly events: number;
};

/** How long it waits for a process that may be dead; a killed node is known to be dead before. */
const WAIT_MS = 15_000;
const LOOK_MS = 250;

/** Moves the ledger of a config to the place that `--to` names. Throws `ConfigUnusable` and `LedgerUnusable`. @param tell called with each step. */
export async function migrate(config: Config, tell: (words: Words) => void): Promise<Moved> {
  const { moveTo, sharedLedger, ledgerPath, workspacePath, folderPaths } = config;
  const to = moveTo?.sharedLedger ?? moveTo?.ledgerPath;
  if (to === null || to === undefined) throw new Error('The place to move to is asked for by the command.');
  const workspace = await openWorkspace(workspacePath, folderPaths);
  const from = sharedLedger ?? ledgerPath ?? workspace.ledgerPath;
  const moved = await moveLedger(from, to, tell);
  // The index of the old place has the names of payees; at the new one it is made anew.
  const index = searchPath(config, workspace.root);
  if (index !== null) discardSearchFile(index);
  return moved;
}

/** Like `migrate`. @param clock used only for waiting. */
export async function moveLedger(
  from: LedgerPlace,
  to: LedgerPlace,
  tell: (words: Words) => void,
  clock: Clock = systemClock,
): Promise<Moved> {
  const names = { from: nameOfLedger(from), to: nameOfLedger(to) };
  const source = await openMovable(from);
  try {
    const left = await source.move();
    if (names.from === names.to) return await stay(source, left, names.to);
    if (left?.state === 'arriving') throw notFinished(left);
    const target = await openMovable(to);
    try {
      return await new Move({ source, target, from, to, names, clock, tell }).go(left);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** To the present place: a move that was begun is given up. Nobody has worked with its copy. */
async function stay(source: MovableLedger, left: LedgerMove | null, to: string): Promise<Moved> {
  if (left?.state === 'moved') throw wentElsewhere(left);
  if (left?.state === 'arriving') throw notFinished(left);
  if (left?.state === 'moving') await source.sayMove(left, null);
  return { end: 'there', to, ...(await countsOf(source)) };
}

type MigrationParts = {
  readonly source: MovableLedger;
  readonly target: MovableLedger;
  readonly from: LedgerPlace;
  readonly to: LedgerPlace;
  readonly names: { readonly from: string; readonly to: string };
  readonly clock: Clock;
  readonly tell: (words: Words) => void;
};

class Move {
  readonly #parts: MigrationParts;

  constructor(parts: MigrationParts) {
    this.#parts = parts;
  }

  /** Continues wherever an earlier move ended. */
  async go(left: LedgerMove | null): Promise<Moved> {
    const { target } = this.#parts;
    if (left?.state !== 'moved') return this.#copyAndClose(left);
    const came = await target.move();
    if (came?.state === 'arrived' && came.move === left.move) return this.#told('there');
    if (came?.state !== 'arriving' || left.other !== this.#parts.names.to) throw wentElsewhere(left);
    return came.move === left.move ? this.#open(came) : this.#copyAndClose(left);
  }

  async #copyAndClose(left: LedgerMove | null): Promise<Moved> {
    const { source, names } = this.#parts;
    await this.#assertTakes();
    if (left === null || left.state === 'arrived') await this.#assertAtRest(this.#parts.from);
    const move = randomUUID();
    const leaving: LedgerMove = { state: 'moving', move, other: names.to };
    const arriving: LedgerMove = { state: 'arriving', move, other: names.from };
    if (!(await source.sayMove(left, leaving))) throw inUse(names.from);
    try {
      await this.#copy(arriving);
    } catch (error) {
      // Nobody can work with what has arrived so far, so the old ledger continues.
      await source.sayMove(leaving, left?.state === 'arrived' ? left : null).catch(() => false);
      throw error;
    }
    if (!(await source.sayMove(leaving, { ...leaving, state: 'moved' }))) throw inUse(names.from);
    return this.#open(arriving);
  }

  async #copy(arriving: LedgerMove): Promise<void> {
    const { source, target, names } = this.#parts;
    this.#tell('migrate.checking');
    assertSound(await source.verifyHistory());
    const copied = new Digests((lines) => this.#parts.tell(sentence('migrate.copied', { lines })));
    const isFilled = await target.fill(arriving, (table) => copied.of(table, source.lines(table)));
    if (!isFilled) throw inUse(names.to);
    this.#tell('migrate.comparing');
    await assertSame(target, copied);
    assertSound(await target.verifyHistory());
  }

  /** The old ledger is closed for good: from here on, the new one is the ledger. */
  async #open(arriving: LedgerMove): Promise<Moved> {
    const { target, names } = this.#parts;
    if (!(await target.sayMove(arriving, { ...arriving, state: 'arrived' }))) throw inUse(names.to);
    return this.#told('moved');
  }

  /** The other place must have no ledger, or one that nobody can work with. */
  async #assertTakes(): Promise<void> {
    const { source, target, to, names } = this.#parts;
    if (await source.isEmpty()) throw new ConfigUnusable(sentence('migrate.nothing', { place: names.from }));
    const came = await target.move();
    const isEmpty = await target.isEmpty();
    if (!mayBeReplaced(came, isEmpty))
      throw new ConfigUnusable(sentence('migrate.taken', { place: names.to }));
    if (came === null || came.state === 'arrived') await this.#assertAtRest(to);
  }

  /** Ends dead runs with everything they held; throws if any other run lives. */
  async #assertAtRest(place: LedgerPlace): Promise<void> {
    const { clock } = this.#parts;
    const ledger = await openLedger(place, clock);
    try {
      const since = clock.monotonic();
      for (;;) {
        await ledger.runs.endDead();
        const other = (await ledger.runs.alive()).find(({ run }) => run !== ledger.run);
        if (other === undefined) return;
        // A process that can be seen lives; any other is known to be dead after a long enough silence.
        if (typeof place === 'string' || clock.monotonic() - since > WAIT_MS)
          throw inUse(`${nameOfLedger(place)} (${other.host}, ${String(other.pid)})`);
        await clock.sleep(LOOK_MS);
      }
    } finally {
      await ledger.close();
    }
  }

  #tell(key: 'migrate.checking' | 'migrate.comparing'): void {
    this.#parts.tell(sentence(key));
  }

  async #told(end: Moved['end']): Promise<Moved> {
    return { end, to: this.#parts.names.to, ...(await countsOf(this.#parts.target)) };
  }
}

async function countsOf(ledger: MovableLedger): Promise<Pick<Moved, 'batches' | 'rows' | 'events'>> {
  const count = async (table: MovedTable, of: (line: Line) => number = () => 1): Promise<number> => {
    let sum = 0;
    for await (const line of ledger.lines(table)) sum += of(line);
    return sum;
  };
  return {
    batches: await count('batches'),
    rows: await count('rows'),
    events: await count('groups', ([, seq, last]) => Number(last) - Number(seq) + 1),
  };
}

function assertSound({ fault, batchFault, rowFault, sumFault }: HistoryReport): void {
  if ([fault, batchFault, rowFault, sumFault].every((each) => each === null)) return;
  throw new LedgerUnusable(sentence('migrate.unsound'));
}

/** The copy, when read back, must equal the original to the last field. */
async function assertSame(target: MovableLedger, copied: Digests): Promise<void> {
  const standing = new Digests(() => undefined);
  for (const table of MOVED_TABLES) {
    await standing.readAll(table, target.lines(table));
    if (standing.named(table) !== copied.named(table))
      throw new LedgerUnusable(sentence('migrate.differs', { table }));
  }
}

function inUse(place: string): LedgerUnusable {
  return new LedgerUnusable(sentence('migrate.inUse', { place }));
}

function wentElsewhere({ other }: LedgerMove): ConfigUnusable {
  return new ConfigUnusable(sentence('migrate.wentElsewhere', { place: other }));
}

function notFinished({ other }: LedgerMove): ConfigUnusable {
  return new ConfigUnusable(sentence('migrate.notFinished', { place: other }));
}
