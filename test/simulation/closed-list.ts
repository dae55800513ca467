// The folder of the batch, as far as a decision needs one: what a person cancelled is kept there, and no lost ledger takes it along. The list
// is written and read by the real code.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Paydrop } from '../../src/app/parts.ts';
import { rejectedBefore } from '../../src/app/workflow/answers/told-status.ts';
import { closeAgain } from '../../src/app/workflow/resolve-doubt/settle-rebuilt.ts';
import type { ToldBefore } from '../../src/app/workflow/carry/unseen-rows.ts';
import { manifestEpoch, readManifest, writeManifest } from '../../src/inbox/manifest.ts';
import { processingFolder, type Workspace } from '../../src/inbox/workspace.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Asking } from './asking.ts';
import { Life } from './life.ts';
import { mortalLedger } from './mortal-ledger.ts';
import { randomOf } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { BATCH } from './session.ts';
import { carryOutOrders } from '../../src/app/workflow/decisions/mailbox.ts';
import type { ReleaseEnd, ReleaseOrder } from '../../src/app/workflow/decisions/release-rows.ts';
import { silentLog } from '../../src/base/log.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { virtualClock } from './virtual-clock.ts';
import type { Write } from './witness.ts';

export type ClosedList = {
  readonly workspace: Workspace;
  /** How a command asks the service before it closes anything. */
  readonly asking: Asking;
  /** What the rebuilding of a lost ledger is told. */
  read(): Promise<ToldBefore>;
  /** What a process does before it goes on: what was closed stays closed. */
  closeAgain(ledger: Ledger, batch: BatchRecord): Promise<void>;
  /** What the owner of the batch does between two steps: what people have ordered meanwhile. False where that is nothing. */
  carryOut(ledger: Ledger, batch: BatchRecord): Promise<boolean>;
  /** The epoch that a rebuilt ledger begins with. */
  nextEpoch(): number;
  /** The copy of the ledger that was put back is of the last go, and no manifest tells it from the latest: the rows' own doubts have to hold. */
  passForLatest(epoch: number): void;
  remove(): void;
};

/** A disk in memory, where there is one: what reaches it is not what a schedule is about. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Files are real, and time stands still while they are read and written. */
export function closedList(
  scheduler: Scheduler,
  write: Write,
  asking: Asking,
  of: { readonly ledger: string; readonly fileName: string },
): ClosedList {
  const root = mkdtempSync(join(FOLDER, 'simulated-'));
  const workspace = { root, processing: root, archive: join(root, 'archive') } as Workspace;
  const folder = processingFolder(workspace, BATCH);
  mkdirSync(folder);
  // What was never acknowledged was never sent, and would not be asked for.
  const head = { epoch: 1, ledger: of.ledger, batch: BATCH, file: { name: of.fileName, sha256: '' } };
  writeManifest(workspace, head, { acknowledged: { totals: [] } });
  return {
    workspace,
    asking,
    read: async () => {
      const manifest = await scheduler.during(readManifest(folder));
      return { closed: manifest?.closed ?? [], rejected: rejectedBefore(manifest), stopped: new Set() };
    },
    closeAgain: (kept, batch) => {
      // Nobody stops or kills it in the middle: the files would be read while time goes on, and the next process does the rest.
      const unharmed = new Life(kept.run, scheduler, () => undefined);
      const clock = virtualClock(scheduler, unharmed, randomOf(kept.run), 0);
      const ledger = mortalLedger(kept, unharmed, scheduler, write, () => undefined);
      // Of all that the program is made of this takes no more.
      return scheduler.during(
        closeAgain({ ...asking(unharmed, clock), ledger, workspace } as Paydrop, batch),
      );
    },
    carryOut: async (kept, batch) => {
      const open = await kept.orders.open(batch.id);
      if (open.length === 0) return false;
      const unharmed = new Life(kept.run, scheduler, () => undefined);
      const clock = virtualClock(scheduler, unharmed, randomOf(kept.run), 0);
      const ledger = mortalLedger(kept, unharmed, scheduler, write, () => undefined);
      const records = { ...asking(unharmed, clock), ledger, workspace, log: silentLog } as Paydrop;
      await scheduler.during(carryOutOrders(records, batch));
      for (const { id, body } of open) {
        const outcome = JSON.parse((await kept.orders.outcome(id)) ?? 'null') as ReleaseEnd;
        write({ kind: 'decided', life: kept.run, ...told(JSON.parse(body) as ReleaseOrder, outcome) });
      }
      return true;
    },
    nextEpoch: () => manifestEpoch(workspace, BATCH) + 1,
    passForLatest: (epoch) => {
      const known = manifestEpoch(workspace, BATCH);
      const nameAt = (each: number): string => join(folder, `batch.${String(each)}.json`);
      if (known > 0) renameSync(nameAt(known), nameAt(epoch));
    },
    remove: () => rmSync(root, { recursive: true }),
  };
}

/** What came of an order, as the witness keeps it. */
export function told(
  { skip }: Pick<ReleaseOrder, 'skip'>,
  { released, onlySkip, followed, left, closedBefore }: ReleaseEnd,
) {
  return {
    order: skip ? 'skip' : 'try again',
    done: released,
    followed,
    refused: [...onlySkip, ...closedBefore, ...left.map(({ row }) => row)],
  } as const;
}
