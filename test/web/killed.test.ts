// A process is killed between the first byte of an upload and its batch: the upload is a batch or still an upload, never half of one. If it is
// requested once more, even with the order to pay again, it is paid once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { openDoor } from '../../src/app/desk/open-door.ts';
import { HEADER, lineTo, openDesk, transfersOf, type Desk } from '../app/desk.ts';
import { ask, live } from './with-process.ts';
import { ALL, dataOf, order, sent } from './with-web.ts';

/** Names below a folder; none where it is not there. */
function below(...path: readonly string[]): readonly string[] {
  try {
    return readdirSync(join(...path));
  } catch {
    return [];
  }
}

const uploads = ({ workspace }: Desk): readonly string[] => below(workspace, 'uploads');
const batches = ({ workspace }: Desk): readonly string[] =>
  below(workspace, 'processing').filter((name) => /^\d{8}-/.test(name));
const inUpload = (desk: Desk): readonly string[] =>
  uploads(desk).flatMap((id) => below(desk.workspace, 'uploads', id));
const inBatch = (desk: Desk): readonly string[] =>
  batches(desk).flatMap((id) => below(desk.workspace, 'processing', id));

function noteSays(desk: Desk, text: string): boolean {
  return uploads(desk).some((id) => {
    try {
      return readFileSync(join(desk.workspace, 'uploads', id, '.upload.json'), 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

/** A program that polls more often is told to wait. */
const POLL_MS = 50;

const POINTS: readonly (readonly [string, (desk: Desk) => boolean])[] = [
  ['the folder of the upload stands', (desk) => uploads(desk).length > 0],
  ['its bytes do', (desk) => inUpload(desk).includes('pay.csv')],
  ['it is noted', (desk) => inUpload(desk).includes('.upload.json')],
  ['it is checked', (desk) => noteSays(desk, '"refused":null')],
  ['its batch has a folder', (desk) => batches(desk).length > 0],
  ['its batch has the file', (desk) => inBatch(desk).includes('pay.csv')],
  ['its batch has a manifest', (desk) => inBatch(desk).includes('batch.1.json')],
  ['the note names the batch', (desk) => noteSays(desk, '"batch":"2')],
  [
    'the bytes of the upload are gone',
    (desk) => noteSays(desk, '"batch":"2') && !inUpload(desk).includes('pay.csv'),
  ],
];

it.each(POINTS)('killed once %s', async (_, isThere) => {
  const desk = await openDesk();
  try {
    const { keys, close } = await openDoor((await desk.open()).config);
    const key = keys.make('Ledgerly', ALL, { isSandbox: true });
    close();
    await desk.shut();
    const content = `${[HEADER, lineTo('kill', 'K-1', '100')].join('\n')}\n`;
    const first = await live(desk);
    const sending = (async (): Promise<string | null> => {
      const { body } = await ask(first, key, '/api/v1/uploads', sent('pay.csv', content));
      await ask(first, key, `/api/v1/uploads/${String(body['id'])}/submission`, order({ again: true }));
      return String(body['id']);
    })().catch(() => null);
    while (!isThere(desk)) await turn();
    first.child.kill('SIGKILL');
    await first.ended;
    await sending;

    const second = await live(desk);
    // What the program knows: the upload, if it was told of it; else it sends the file once more.
    const known = uploads(desk).find((id) => below(desk.workspace, 'uploads', id).includes('.upload.json'));
    const id =
      known ?? String((await ask(second, key, '/api/v1/uploads', sent('pay.csv', content))).body['id']);
    const submission = `/api/v1/uploads/${id}/submission`;
    const again = await ask(second, key, submission, order({ again: true }));
    expect([200, 202]).toContain(again.status);
    const batch = String(again.body['batch']);
    while ((await ask(second, key, `/api/v1/files/${batch}`)).body['state'] !== 'closed')
      await systemClock.sleep(POLL_MS);
    expect((await ask(second, key, submission, order({ again: true }))).body).toEqual({ batch });
    expect(dataOf(await ask(second, key, '/api/v1/files')).map((file) => file['batch'])).toEqual([batch]);
    second.child.kill('SIGTERM');
    await second.ended;
    expect(await transfersOf(await desk.open())).toHaveLength(1);
  } finally {
    await desk.close();
  }
});
