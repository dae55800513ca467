// The intake alone: takes a file, reads it, checks it row by row, registers it in a ledger on disk and compares it with all others, as `run` does.
// Nothing is priced or sent.
import { compose } from '../../src/app/compose.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { registerBatch } from '../../src/app/workflow/check/check-batch.ts';
import { crossCheck } from '../../src/app/workflow/check/cross-check.ts';
import { reopenBatch } from '../../src/app/workflow/take/profile-for.ts';
import { takeBatch } from '../../src/app/workflow/take/take-batch.ts';
import { silentLog } from '../../src/base/log.ts';
import { readDocumentList } from '../../src/inbox/documents.ts';
import { inPlace } from '../../src/inbox/take-file.ts';

const [path = '', config = ''] = process.argv.slice(2);
const paydrop = await compose(loadConfig({ config }), silentLog);
const taken = await takeBatch(paydrop, inPlace(path), false);
if (taken.kind !== 'taken') throw new Error('The file was not taken.');
const work = taken.opened ?? (await reopenBatch(paydrop, taken.batch));
const { read, file } = work;
const documents = await readDocumentList(file.folder);
if (documents === null) throw new Error('The file has no list of documents.');
const rejected = await registerBatch(paydrop, taken.batch, read, documents);
await crossCheck(paydrop, taken.batch, { state: 'pricing' });
await paydrop.close();
if (rejected > 0) throw new Error(`${String(rejected)} rows were rejected.`);
