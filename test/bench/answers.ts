// The answers alone: a batch whose rows are all paid is closed, as the last step of `run` closes it. Registering it is not counted. Prints JSON.
import { performance } from 'node:perf_hooks';

import { compose } from '../../src/app/compose.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { registerBatch } from '../../src/app/workflow/check/check-batch.ts';
import { finishBatch } from '../../src/app/workflow/follow/finish-batch.ts';
import { reopenBatch } from '../../src/app/workflow/batch/profile-for.ts';
import { takeBatch } from '../../src/app/workflow/take/take-batch.ts';
import { silentLog } from '../../src/base/log.ts';
import { readDocumentList } from '../../src/inbox/documents.ts';
import { inPlace } from '../../src/inbox/take-file.ts';
import type { BatchState } from '../../src/ledger/batch-states.ts';
import { externalId } from '../../src/payouts/payout.ts';
import { FRESH, type Progress } from '../../src/payouts/progress.ts';
import { own } from '../ledger/own.ts';
import { changeBatch } from '../../src/ledger/ledger.ts';

/** A row as it stands when the network has paid it what its file asked for. */
function paid(fileId: string, row: string, receiveAmount: string): Progress {
  const amounts = { sendAmount: String(Number(receiveAmount) * 84), feeAmount: '250', receiveAmount };
  const times = { createdAt: '2026-11-20T09:00:00.123Z', expiredAt: '2026-11-20T10:00:00.123Z' };
  const quotationId = externalId(fileId, row, 'quotation', 7);
  return {
    ...FRESH,
    stage: 'paid',
    price: { quotationId, ...amounts, ...times },
    transfer: {
      transferId: externalId(fileId, row, 'transfer', 7),
      externalId: externalId(fileId, row, 'transfer', 1),
      quotationId,
      status: 'paid',
      statusCode: '1000',
      ...amounts,
      ...times,
    },
    confirmedAt: '2026-11-20T09:00:01.456Z',
    finalAt: '2026-11-20T09:00:05.789Z',
  };
}

/** Every state on the way to the last one. */
const WAY: readonly BatchState[] = ['pricing', 'accepted', 'sending', 'following'];

const [path = '', config = ''] = process.argv.slice(2);
const paydrop = await compose(loadConfig({ config }), silentLog);
const taken = await takeBatch(paydrop, inPlace(path), false);
if (taken.kind !== 'taken') throw new Error('The file was not taken.');
const { id, fileId } = taken.batch;
const work = await reopenBatch(paydrop, taken.batch);
const documents = await readDocumentList(work.file.folder);
if (documents === null) throw new Error('The file has no list of documents.');
await registerBatch(paydrop, taken.batch, work.read, documents, ({ row, payout }) =>
  paid(fileId, row.place, payout?.requested.amount ?? '0'),
);
for (const state of WAY) await changeBatch(paydrop.ledger, await own(paydrop.ledger, id), { state });

const started = performance.now();
const before = process.cpuUsage();
const { outcomes } = await finishBatch(paydrop, await own(paydrop.ledger, id), () =>
  Promise.resolve(work.read),
);
const ms = performance.now() - started;
const { user, system } = process.cpuUsage(before);
await paydrop.close();
if (outcomes.paid !== work.read.table.rowCount) throw new Error('Rows are missing in the answers.');
process.stdout.write(`${JSON.stringify({ ms, userMs: user / 1000, systemMs: system / 1000 })}\n`);
