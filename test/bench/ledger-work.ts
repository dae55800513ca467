// The ledger's work alone, as one process does it: rows are registered in a batch of their own, claimed as lanes fall free, and each is recorded three times.
// No service is called. Says `ready`, waits for a line, and prints JSON.
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';

import { systemClock } from '../../src/base/clock.ts';
import type { RowChange } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import { externalId } from '../../src/payouts/payout.ts';
import type { KnownTransfer, Progress } from '../../src/payouts/progress.ts';
import { PAYOUT, PRICE, TRANSFER } from '../delivery/due-row.ts';
import { BATCH, newRow } from '../ledger/records.ts';
import { dueRows, record } from '../ledger/own.ts';

const REGISTERED_ROWS = 1_000;
const LEASE_MS = 180_000;

const GOES_ON = { dueAt: 0 } as const;

const [at = '', which = '0', rowsText = '1000', lanesText = '64'] = process.argv.slice(2);
const [rows, lanes] = [Number(rowsText), Number(lanesText)];
const place = at.startsWith('postgres:') ? { url: at, password: null, giveUpAfterMs: 5_000 } : at;
const ledger = await openLedger(place, systemClock);

const fileId = which.padStart(8, '0').repeat(8);
const batch = { ...BATCH, id: `20261120-${fileId.slice(0, 8)}`, fileId, sha256: fileId };
const announced = await ledger.addBatch({ ...batch, owner: ledger.run, state: 'checking' });
if (!('added' in announced)) throw new Error('The batch is there already.');

const registeredAt = performance.now();
const cpuAtFirst = process.cpuUsage();
for (let from = 0; from < rows; from += REGISTERED_ROWS) {
  const count = Math.min(REGISTERED_ROWS, rows - from);
  await ledger.addRows(
    announced.added,
    Array.from({ length: count }, (_, index) => rowAt(from + index)),
  );
}
const registeredMs = performance.now() - registeredAt;
const registering = process.cpuUsage(cpuAtFirst);

process.stdout.write('ready\n');
await once(process.stdin, 'data');

const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
await work();
const { user, system } = process.cpuUsage(cpuBefore);
process.stdout.write(
  `${JSON.stringify({ registeredMs, registerCpuMs: (registering.user + registering.system) / 1_000, workedMs: performance.now() - startedAt, cpuMs: (user + system) / 1_000 })}\n`,
);
await ledger.close();
process.stdin.destroy();

function rowAt(position: number) {
  const name = `${which}-${String(position)}`;
  const payout = { ...PAYOUT, reference: name };
  return newRow(position, { payout, reference: name, fingerprint: externalId(fileId, name, 'transfer', 9) });
}

/** As `Runner` does it: two rows a lane are under way, and taken up once half a lane each is free. */
async function work(): Promise<void> {
  const underWay = new Set<number>();
  let isFree = (): void => undefined;
  const carried = async (row: RowRecord): Promise<void> => {
    await carry(row);
    underWay.delete(row.position);
    isFree();
  };
  for (let left = rows; left > 0 || underWay.size > 0;) {
    const free = 2 * lanes - underWay.size;
    if (left > 0 && 2 * free >= lanes) {
      const claimed = await dueRows(ledger, {
        batch: batch.id,
        now: systemClock.now(),
        limit: free,
        stages: ['confirming', 'created', 'quoted', 'ready'],
        withoutFunds: [],
        except: [...underWay],
      });
      left -= claimed.length;
      for (const row of claimed) {
        underWay.add(row.position);
        void carried(row);
      }
    } else await new Promise<void>((resolve) => (isFree = resolve));
  }
}

/** What the service shows is kept with it; the intent stands before the confirm, and the row is let go with it. */
async function carry(row: RowRecord): Promise<void> {
  const begunBy = `${ledger.run}/1`;
  const transfer: KnownTransfer = {
    transferId: externalId(fileId, row.row, 'transfer', 8),
    externalId: externalId(fileId, row.row, 'transfer', 1),
    quotationId: PRICE.quotationId,
    status: TRANSFER.status,
    statusCode: TRANSFER.statusCode,
    sendAmount: PRICE.sendAmount,
    feeAmount: PRICE.feeAmount,
    receiveAmount: PRICE.receiveAmount,
    createdAt: PRICE.createdAt,
    expiredAt: PRICE.expiredAt,
  };
  const created: Progress = { ...row.progress, stage: 'created', price: PRICE, begunBy, transfer };
  const confirming: Progress = { ...created, stage: 'confirming', document: 'attached' };
  const confirmed: Progress = {
    ...confirming,
    stage: 'confirmed',
    transfer: { ...transfer, status: 'submitted', statusCode: '20000' },
    confirmedAt: PRICE.createdAt,
  };
  const first = await written(row, { progress: created, event: 'created', ...GOES_ON });
  const second = await written(first, { progress: confirming, event: 'confirming', ...GOES_ON });
  const dueAt = systemClock.now() + LEASE_MS;
  await written(second, { progress: confirmed, event: 'confirmed', dueAt });
}

async function written(row: RowRecord, change: RowChange): Promise<RowRecord> {
  const { written: isWritten } = await record(ledger, row, change);
  if (!isWritten) throw new Error('Somebody else wrote the row.');
  return { ...row, progress: change.progress, version: row.version + 1 };
}
