// The intake alone: takes a file, reads it, checks it row by row, registers it in a ledger on disk and compares it with all others, as `run` does.
// Nothing is priced or sent. With `status`, its first status message is written too: prints JSON with the time of it, and the memory on top.
import { compose } from '../../src/app/compose.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { registerBatch } from '../../src/app/workflow/check/check-batch.ts';
import { crossCheck } from '../../src/app/workflow/check/cross-check.ts';
import { reopenBatch } from '../../src/app/workflow/batch/profile-for.ts';
import { tellStatus } from '../../src/app/workflow/answers/tell-status.ts';
import { takeBatch } from '../../src/app/workflow/take/take-batch.ts';
import { silentLog } from '../../src/base/log.ts';
import { readDocumentList } from '../../src/inbox/documents.ts';
import { inPlace } from '../../src/inbox/take-file.ts';

const LOOKS_MS = 20;

const [path = '', config = '', then = ''] = process.argv.slice(2);
const paydrop = await compose(loadConfig({ config }), silentLog);
const taken = await takeBatch(paydrop, inPlace(path), false);
if (taken.kind !== 'taken') throw new Error('The file was not taken.');
const work = taken.opened ?? (await reopenBatch(paydrop, taken.batch));
const { read, file } = work;
const documents = await readDocumentList(file.folder);
if (documents === null) throw new Error('The file has no list of documents.');
const { rejected } = await registerBatch(paydrop, taken.batch, read, documents);
await crossCheck(paydrop, taken.batch, { state: 'pricing' });
if (then === 'status') {
  const [batch] = await paydrop.ledger.batches();
  if (batch === undefined) throw new Error('There is no batch.');
  const started = performance.now();
  let most = process.memoryUsage.rss();
  const before = most;
  const look = (): void => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, LOOKS_MS);
  await tellStatus(paydrop, batch, { openFile: () => Promise.resolve(read), closed: null });
  clearInterval(timer);
  look();
  const told = { statusMs: performance.now() - started, moreMb: (most - before) / 2 ** 20 };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
await paydrop.close();
if (rejected > 0) throw new Error(`${String(rejected)} rows were rejected.`);
