// The listener for notifications, a program of its own: as many payouts on the way as it is told, each waiting for its notification in a ledger on disk. It
// prints its port, and writes the signed requests that the service would send into the file that it is told.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startWebhookServer } from '../../src/app/daemon/webhook-server.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { dueRows, own as ownOf, record } from '../ledger/own.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import { externalId } from '../../src/payouts/payout.ts';
import { FRESH } from '../../src/payouts/progress.ts';
import { callbacks, SIGNATURE_HEADER, signedPath, signWebhook } from '../../src/service/webhooks.ts';
import { bodyOf } from '../app/webhooks/listening.ts';
import { BATCH, newRow, readBy } from '../ledger/records.ts';
import { EVERYTHING } from '../ledger/two-ledgers.ts';

const [count = '0', requestsPath = ''] = process.argv.slice(2);
const rows = Array.from({ length: Number(count) }, (_, position) =>
  newRow(position, { row: String(position + 2), reference: null, progress: FRESH }),
);
const apiKey = 'the-key-of-this-run';
const folder = mkdtempSync(join(tmpdir(), 'paydrop-webhooks-'));
process.once('SIGTERM', () => {
  rmSync(folder, { recursive: true });
  process.exit(0);
});

const ledger = openSqlite(join(folder, 'ledger.sqlite'), systemClock);
await ledger.addBatch(readBy(ledger));
await ledger.addRows(await ownOf(ledger, BATCH.id), rows);
const claimed = await dueRows(ledger, { ...EVERYTHING, limit: rows.length });
const own = callbacks('https://hooks.example.com/paydrop', randomBytes(32));
const inAnHour = systemClock.now() + 3_600_000;
const requests = await Promise.all(
  claimed.map(async (row) => {
    const id = externalId(BATCH.fileId, row.row, 'transfer', 1);
    await record(ledger, row, {
      progress: { ...row.progress, stage: 'confirmed' },
      dueAt: inAnHour,
      event: 'confirmed',
      transferExternalId: id,
    });
    const path = signedPath(own.urlOf(id));
    const body = bodyOf({ externalId: id });
    return { path, headers: { [SIGNATURE_HEADER]: signWebhook(apiKey, path, body) }, body: body.toString() };
  }),
);
writeFileSync(requestsPath, JSON.stringify(requests));
const server = await startWebhookServer({
  listen: '127.0.0.1:0',
  callbacks: own,
  apiKey,
  ledger,
  log: silentLog,
  clock: systemClock,
  onHint: () => undefined,
});
process.stdout.write(`${JSON.stringify({ port: Number(new URL(server.url).port) })}\n`);
