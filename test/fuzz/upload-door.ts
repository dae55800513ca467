// The door of uploads: strangers with a key send names, files, documents, orders and cursors of their own over real HTTP, at the same time as an honest program.
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';

import fc from 'fast-check';

import type { Paydrop } from '../../src/app/parts.ts';
import { HEADER, lineTo, transfersOf, type Desk } from '../app/desk.ts';
import { openWeb, order, sent, until, type Web } from '../web/with-web.ts';
import { remoteName, strangeContent, strangeName } from './strange.ts';

export type StrangeUpload = {
  /** As octets of the header, before they are percent-encoded or not. */
  readonly name: Buffer;
  readonly isEncoded: boolean;
  readonly content: Buffer;
  readonly documents: readonly { readonly name: Buffer; readonly content: Buffer }[];
  /** What stands behind the address of an upload, where its id is expected, and as the place of a page. */
  readonly id: string;
  readonly after: string;
  readonly order: string;
  /** Sent without the rest. */
  readonly isCut: boolean;
};

const name = fc.oneof(
  { weight: 2, arbitrary: strangeName },
  { weight: 2, arbitrary: remoteName.map((text) => Buffer.from(text)) },
  fc
    .constantFrom('.upload.json', '.sheet.1.rows', 'evil.csv', 'batch.1.json')
    .map((text) => Buffer.from(text)),
);

const cursor = fc.oneof(
  fc.json().map((text) => Buffer.from(text).toString('base64url')),
  fc
    .record({ entry: fc.oneof(fc.nat(3), fc.maxSafeNat()), fault: fc.oneof(fc.nat(3), fc.maxSafeNat()) })
    .map((place) => Buffer.from(JSON.stringify(place)).toString('base64url')),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

export const strangeUpload: fc.Arbitrary<StrangeUpload> = fc.record({
  name: fc.oneof({ weight: 2, arbitrary: fc.constant(Buffer.from('evil.csv')) }, name),
  isEncoded: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  content: strangeContent,
  documents: fc.array(fc.record({ name, content: strangeContent }), { maxLength: 3 }),
  id: fc.oneof(fc.uuid(), fc.constantFrom('..', '%2e%2e', '..%2fuploads', '%00', '__proto__'), remoteName),
  after: cursor,
  order: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('{}', '{"skipRows":true}', '{"again":true,"skipRows":true}') },
    fc.json(),
    fc.string({ unit: 'binary', maxLength: 40 }),
  ),
  isCut: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
});

const HONEST_PDF = 'honest.pdf';
const AMOUNT = '321';

/** Nothing may be answered as a bug, nothing lies outside the folders of uploads, and the honest program's file is paid once. */
export async function uploaded(desk: Desk, all: readonly StrangeUpload[]): Promise<void> {
  // So small that an upload still fits among others.
  const web = await openWeb('policy: { onInvalidRows: refuse-file }', desk, ', bytesMax: 2MB');
  try {
    const stranger = await web.key('Stranger');
    const before = new Set(await readdir(desk.workspace));
    const id = await sendHonest(web);
    for (const each of all) await tryUpload(web, stranger, id, each);
    await mustBePaid(web, id);
    const news = (await readdir(desk.workspace)).filter((each) => !before.has(each) && !OWN.has(each));
    if (news.length > 0) throw new Error(`${news.join()} has come into the workspace.`);
    for (const each of await readdir(`${desk.workspace}/uploads`))
      if (!ID.test(each)) throw new Error(`${each} has come among the uploads.`);
    await mustHold(web.paydrop);
  } finally {
    await web.stop();
  }
}

/** Folders that a first payment makes. */
const OWN = new Set(['uploads', 'processing', 'archive', 'outbox', 'refused', 'inbox', 'sandbox.state']);
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function sendHonest(web: Web): Promise<string> {
  const text = `${HEADER},attachment\n${lineTo('honest', 'HONEST-1', AMOUNT)},${HONEST_PDF}\n`;
  const { body } = await web.json('/api/v1/uploads', sent('honest.csv', text));
  const id = String(body['id']);
  const { status } = await web.json(`/api/v1/uploads/${id}/documents`, sent(HONEST_PDF, '%PDF-1.7 honest'));
  if (status !== 201) throw new Error(`The honest document is answered with ${String(status)}.`);
  return id;
}

export async function mustBePaid(web: Web, id: string): Promise<void> {
  const { status, body } = await web.json(`/api/v1/uploads/${id}/submission`, order({}));
  if (status !== 202)
    throw new Error(`The honest file is answered with ${String(status)} ${JSON.stringify(body)}.`);
  const batch = `/api/v1/files/${String(body['batch'])}`;
  const late = AbortSignal.timeout(60_000);
  const summary = await until(web, batch, ({ state }) => state === 'closed' || late.aborted);
  if ((summary['outcomes'] as Record<string, unknown>)['paid'] !== 1)
    throw new Error(`The honest file is ${String(summary['state'])}.`);
}

export async function mustHold(paydrop: Paydrop): Promise<void> {
  const faults = await paydrop.ledger.history.verify();
  if (faults.fault !== null || faults.rowFault !== null || faults.batchFault !== null)
    throw new Error('The history does not hold.');
  const own = (await transfersOf(paydrop)).filter(
    ({ receiveAmount }) => Number(receiveAmount) === Number(AMOUNT),
  );
  if (own.length !== 1) throw new Error(`The honest row has ${String(own.length)} transfers.`);
}

async function tryUpload(web: Web, key: string, honest: string, upload: StrangeUpload): Promise<void> {
  const { host } = new URL(web.url);
  const headers = { authorization: `Bearer ${key}`, host };
  const post = (path: string, each: StrangeUpload['documents'][number]) =>
    asked(
      web.url,
      path,
      'POST',
      { ...headers, ...named(each.name, upload.isEncoded) },
      each.content,
      upload.isCut,
    );
  const json = { ...headers, 'content-type': 'application/json' };
  const told = await post('/uploads', upload);
  const id = /"id":"([^"]+)"/.exec(told ?? '')?.[1] ?? upload.id;
  // Somebody else's upload is as unknown as one that is none.
  for (const at of new Set([id, upload.id, honest])) {
    const path = `/uploads/${encodeURI(at)}`;
    for (const document of upload.documents) await post(`${path}/documents`, document);
    await asked(web.url, path, 'GET', headers);
    await asked(web.url, `${path}/faults?limit=2`, 'GET', headers);
    await asked(
      web.url,
      `${path}/faults?limit=2&after=${encodeURIComponent(upload.after.toWellFormed())}`,
      'GET',
      headers,
    );
    await asked(web.url, `${path}/submission`, 'POST', json, Buffer.from(upload.order));
  }
}

function named(bytes: Buffer, isEncoded: boolean): Readonly<Record<string, string>> {
  const octets = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return { 'x-file-name': isEncoded ? octets : bytes.toString('latin1') };
}

/** The body of an answer, null where the connection is closed. Throws for an answer that calls something a bug. */
function asked(
  url: string,
  path: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer = Buffer.alloc(0),
  isCut = false,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    try {
      const length = { 'content-length': String(isCut ? body.length + 10 : body.length) };
      const { hostname, port } = new URL(url);
      const outgoing = request(
        {
          host: hostname,
          port,
          method,
          path: `/api/v1${path}`,
          headers: { ...headers, ...length },
          agent: false,
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('close', () => {
            const { statusCode = 0 } = incoming;
            const said = Buffer.concat(chunks).toString();
            if (statusCode < 500 || statusCode === 503) resolve(said);
            else reject(new Error(`${method} ${path} is answered with ${String(statusCode)}: ${said}`));
          });
        },
      );
      outgoing.on('error', () => resolve(null));
      if (!isCut) outgoing.end(body);
      else outgoing.write(body, () => setImmediate(() => outgoing.destroy()));
    } catch {
      // Node itself refuses to send such a header or address.
      resolve(null);
    }
  });
}
