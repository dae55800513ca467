// Each way into paydrop, tried with one strange input at a time. A door throws, in words, if it let something forbidden happen.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

import fc from 'fast-check';

import { parseConfig } from '../../src/app/config/config.ts';
import { ConfigUnusable } from '../../src/app/config/yaml-file.ts';
import { loadProfiles } from '../../src/app/config/profile-file.ts';
import { startBeside } from '../../src/app/daemon/run-daemon.ts';
import { watch } from '../../src/app/daemon/daemon.ts';
import { examine } from '../../src/app/desk/doctor.ts';
import { exchangeFiles } from '../../src/app/intake/sftp/account-work.ts';
import { inboxStatus } from '../../src/app/desk/inbox-status.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { describeError } from '../../src/app/parts/describe-error.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { EXIT } from '../../src/base/exit-codes.ts';
import { openEnvelope } from '../../src/sftp/openpgp.ts';
import { isSafeName } from '../../src/sftp/remote-files.ts';
import { briskClock } from '../app/brisk-clock.ts';
import { endsOf, HEADER, HURRIED, lineTo, openDesk, PATIENT, transfersOf, type Desk } from '../app/desk.ts';
import { QUICK } from '../app/schedule/watching.ts';
import { startLyingServer, type LyingServerOptions } from '../sftp/lying-server.ts';
import {
  ESCAPE,
  remoteName,
  strange,
  strangeContent,
  strangeRequest,
  strangeServer,
  strangeYaml,
  type Strange,
} from './strange.ts';
import { strangeUpload, uploaded } from './upload-door.ts';
import { said } from '../app/said.ts';

export type Door = {
  readonly name: string;
  /** How many inputs one go brings, for the count. */
  readonly size: (input: unknown) => number;
  readonly property: fc.IAsyncProperty<[unknown]>;
};

export function door<T>(name: string, input: fc.Arbitrary<T>, enter: (input: T) => Promise<void>): Door {
  return {
    name,
    size: (given) => (Array.isArray(given) ? given.length : isServer(given) ? given.lies.length : 1),
    property: fc.asyncProperty(input, (given) => enter(given)),
  };
}

function isServer(given: unknown): given is LyingServerOptions {
  return given instanceof Object && 'lies' in given;
}

/** An exit of 1 is a bug of ours, with anybody's file. */
export function mustBeExpected(error: unknown): void {
  const { code, words } = describeError(error);
  if (code === EXIT.bug) throw new Error(words.en, { cause: error });
}

/** Folders that are no business of paydrop's, with a mark that must be found nowhere else. */
export type Outside = { readonly folder: string; readonly mark: string; readonly seal: string };

async function makeOutside(): Promise<Outside> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-canary-'));
  const mark = `CANARY-${randomUUID()}`;
  await mkdir(join(folder, 'folder'));
  const row = lineTo('canary', 'CANARY', '999');
  await writeFile(join(folder, 'canary.pdf'), `%PDF-1.7\n${mark}`);
  await writeFile(join(folder, 'folder', 'link.pdf'), `%PDF-1.7\n${mark}`);
  await writeFile(join(folder, 'canary.csv'), `${HEADER},comment\n${row},${mark}\n`);
  return { folder, mark, seal: await sealOf(folder) };
}

/** Names, kinds and contents of all that lies there. */
async function sealOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const entry of (await readdir(folder, { recursive: true, withFileTypes: true })).toSorted((a, b) =>
    join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1,
  )) {
    const path = join(entry.parentPath, entry.name);
    hash.update(relative(folder, path));
    if (entry.isFile()) hash.update(await readFile(path));
  }
  return hash.digest('hex');
}

/** What was read outside would lie in some copy here. What strangers have laid down themselves is left out. */
function findMark(workspace: string, mark: string): string | null {
  const found = spawnSync('grep', [
    ...['-rlaF', '--devices=skip', '--exclude-dir=inbox', '--exclude-dir=typed'],
    ...[mark, workspace],
  ]);
  return found.stdout.length === 0 ? null : String(found.stdout);
}

async function lay(
  folder: string,
  { kind, folder: own, name, content }: Strange,
  outside: Outside,
): Promise<void> {
  const at = Buffer.concat([Buffer.from(folder + sep), ...(own === null ? [] : [own, Buffer.from(sep)])]);
  await mkdir(at, { recursive: true });
  const path = Buffer.concat([at, name]);
  switch (kind) {
    case 'file':
      return writeFile(path, content, { flag: 'wx' });
    case 'pipe':
      execFileSync('mkfifo', [
        path.toString('latin1') === path.toString() ? path.toString() : join(folder, 'pipe.csv'),
      ]);
      return;
    case 'link':
      return symlink(join(outside.folder, 'canary.csv'), path);
    case 'folder-link':
      return symlink(join(outside.folder, 'folder'), path);
    case 'loop':
      return symlink(path, path);
    case 'device':
      return symlink('/dev/zero', path);
    case 'folder':
      await mkdir(path);
      return;
    case 'twin':
      return link(join(outside.folder, 'canary.csv'), path);
    case 'sparse':
      await writeFile(path, content, { flag: 'wx' });
      return truncate(path, 1_000_000_000);
    case 'swapped': {
      const folderHere = join(folder, 'folder');
      await mkdir(folderHere);
      await writeFile(join(folderHere, 'link.pdf'), '%PDF-1.7 own');
      setImmediate(() => {
        rename(folderHere, `${folderHere}-away`)
          .then(() => symlink(join(outside.folder, 'folder'), folderHere))
          .catch(() => undefined);
      });
    }
  }
}

/** Two of a name, a name that is too long, a folder where a file is: a disk says no to strangers as well. */
export async function layAll(folder: string, all: readonly Strange[], outside: Outside): Promise<void> {
  for (const each of all) await lay(folder, each, outside).catch(() => undefined);
}

/** Once each, so that every go has a desk of its own and yet no port is opened for nothing. */
export async function atDesk(enter: (desk: Desk, outside: Outside) => Promise<void>): Promise<void> {
  const clock = briskClock();
  const [desk, outside] = [await openDesk({ clock }, clock), await makeOutside()];
  try {
    await enter(desk, outside);
    if ((await sealOf(outside.folder)) !== outside.seal) throw new Error('Something outside was written.');
    await desk.shut();
    const found = findMark(desk.workspace, outside.mark);
    if (found !== null) throw new Error(`Something outside was read, and lies in ${found}.`);
  } finally {
    await desk.shut();
    // Names that are no text: the library finds them and cannot remove them.
    execFileSync('rm', ['-rf', join(desk.workspace, 'inbox'), join(desk.workspace, 'typed'), outside.folder]);
    await desk.close();
  }
}

/** A name that no stranger hits on, so that what becomes of the file is known. */
export const HONEST = 'honest-0b5e.csv';

/** One that names nothing of what strangers lay down. */
const PLAIN = 'plain-0b5e.csv';

/** Real time, within which an honest file must have come through, among any other files. */
const HONEST_WITHIN_MS = 240_000;

export async function watched(
  desk: Desk,
  all: readonly Strange[],
  outside: Outside,
  more = '',
  meanwhile: (paydrop: Paydrop) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const paydrop = await desk.open(`${QUICK}\npolicy: { documentsWait: 1s }\n${more}`);
  const { inbox } = paydrop.workspace;
  await layAll(inbox, all, outside);
  await writeFile(join(inbox, 'honest-0b5e.pdf'), '%PDF-1.7 honest');
  await writeFile(join(inbox, HONEST), `${HEADER}\n${lineTo('honest', 'HONEST-1', '321')}\n`);
  const stopper = new AbortController();
  const troubles: string[] = [];
  let paid = (): void => undefined;
  const isPaid = new Promise<void>((done) => (paid = done));
  const daemon = watch(paydrop, {
    signal: stopper.signal,
    onResult: ({ summary, isBroken }) => {
      if (isBroken === true) troubles.push(`${summary.batch} broke`);
      if (summary.file.name === HONEST && summary.outcomes.paid === 1) paid();
    },
    onWaiting: () => undefined,
    onTrouble: (words) => troubles.push(words),
  });
  const late = AbortSignal.timeout(HONEST_WITHIN_MS);
  const isLate = new Promise<never>((_, reject) =>
    late.addEventListener('abort', () => reject(new Error('The honest file is not paid.'))),
  );
  try {
    await Promise.race([
      isPaid,
      isLate,
      daemon.then(() => Promise.reject(new Error('The daemon has ended.'))),
    ]);
    await meanwhile(paydrop);
    // What settles or waits for documents comes later.
    await paydrop.clock.sleep(3_000);
    await inboxStatus(paydrop);
    await examine(paydrop);
  } finally {
    stopper.abort();
    await daemon;
  }
  const bugs = troubles.filter((words) => /unexpected|broke/i.test(words));
  if (bugs.length > 0) throw new Error(bugs.join(' '));
  await mustBePaidOnce(paydrop);
}

export async function mustBePaidOnce(paydrop: Paydrop, amount = 321): Promise<void> {
  const batches = (await paydrop.ledger.batches()).filter(({ fileName }) => fileName === HONEST);
  const ends = (await Promise.all(batches.map(({ id }) => endsOf(paydrop, id)))).flat();
  if (ends.length === 0 || ends.some((end) => end !== 'paid'))
    throw new Error(`The honest file is ${ends.join()}.`);
  const own = (await transfersOf(paydrop)).filter(({ receiveAmount }) => Number(receiveAmount) === amount);
  if (own.length !== 1) throw new Error(`The honest row has ${String(own.length)} transfers.`);
  const faults = await paydrop.ledger.history.verify();
  if (faults.fault !== null || faults.rowFault !== null || faults.batchFault !== null)
    throw new Error('The history does not hold.');
}

/** Nobody has approved anything: with any files of strangers, nothing is paid. */
async function unapproved(desk: Desk, all: readonly Strange[], outside: Outside): Promise<void> {
  const paydrop = await desk.open(
    `${QUICK}\npolicy: { approval: required }\napprovers: [{ name: Marie, folder: ../marie }]`,
  );
  const folder = join(desk.workspace, 'inbox');
  await layAll(folder, all, outside);
  const attachments = all.map(({ name }) => JSON.stringify(name.toString()).slice(1, -1).replaceAll(',', ''));
  const rows = attachments.map(
    (name, index) => `${lineTo('honest', `H-${String(index)}`, String(300 + index))},"${name}"`,
  );
  await writeFile(join(folder, HONEST), `${[`${HEADER},attachment`, ...rows].join('\n')}\n`);
  await writeFile(join(folder, PLAIN), `${HEADER}\n${lineTo('plain', 'PLAIN-1', '987')}\n`);
  for (const path of [HONEST, ...(await readdir(folder))].map((name) => join(folder, name)))
    if (isPlain(path)) await processBatch(paydrop, path, HURRIED).catch(mustBeExpected);
  await resumeBatches(paydrop, null, HURRIED).catch(mustBeExpected);
  await layApprovals(paydrop, all);
  const stopper = new AbortController();
  const daemon = watch(paydrop, {
    signal: stopper.signal,
    onResult: () => undefined,
    onWaiting: () => undefined,
    onTrouble: () => undefined,
  });
  await paydrop.clock.sleep(4_000);
  stopper.abort();
  await daemon;
  const asked = (await paydrop.ledger.batches()).find(({ fileName }) => fileName === PLAIN);
  if (asked?.state !== 'accepted') throw new Error(`The honest file is ${String(asked?.state)}.`);
  const sent = await transfersOf(paydrop);
  if (sent.length > 0) throw new Error(`${String(sent.length)} payments were made that nobody approved.`);
}

/** Approvals of each file that is asked about, in every folder that a stranger can name, saying what a stranger can know. */
async function layApprovals({ ledger, workspace }: Paydrop, all: readonly Strange[]): Promise<void> {
  for (const { id, sha256 } of await ledger.batches())
    for (const [index, { folder, content }] of all.entries()) {
      const above = Buffer.from(workspace.inbox + sep);
      const below = folder === null ? above : Buffer.concat([above, folder, Buffer.from(sep)]);
      const says = ['', `batch: ${id}\nsha256: ${sha256}\n`, content][index % 3] ?? '';
      await mkdir(below, { recursive: true }).catch(() => undefined);
      await writeFile(Buffer.concat([below, Buffer.from(`${id}.approve`)]), says).catch(() => undefined);
    }
}

/** A link, a folder or a device that somebody types is what they mean; the command says so before it begins. */
function isPlain(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.nlink === 1;
}

/** Files that somebody names on the command line. */
async function run(desk: Desk, all: readonly Strange[], outside: Outside): Promise<void> {
  const paydrop = await desk.open();
  const folder = join(desk.workspace, 'typed');
  await mkdir(folder);
  await layAll(folder, all, outside);
  await writeFile(join(folder, HONEST), `${HEADER}\n${lineTo('honest', 'HONEST-1', '321')}\n`);
  for (const name of [...(await readdir(folder)), HONEST]) {
    const path = join(folder, name);
    if (isPlain(path)) await processBatch(paydrop, path, HURRIED).catch(mustBeExpected);
  }
  const results = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
  const broken = results.filter(({ isBroken }) => isBroken === true);
  if (broken.length > 0) throw new Error(broken.flatMap(({ words }) => said(words)).join(' '));
  await mustBePaidOnce(paydrop);
}

async function config(text: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-profiles-'));
  try {
    await writeFile(join(folder, 'p.yaml'), text);
    for (const read of [() => parseConfig(text, 'the config'), () => loadProfiles(folder)]) {
      const began = performance.now();
      try {
        read();
      } catch (error) {
        if (!(error instanceof ConfigUnusable)) throw error;
      }
      if (performance.now() - began > 5_000) throw new Error('It took more than five seconds.');
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function notifications(desk: Desk, all: readonly fcRequest[]): Promise<void> {
  const paydrop = await desk.open(
    'service: { callbackUrl: "https://hooks.example.com/paydrop" }\nwebhooks: { listen: "127.0.0.1:18788" }\nmetrics: { listen: "127.0.0.1:18789" }',
  );
  const { events } = await paydrop.ledger.history.verify();
  const beside = await startBeside(paydrop);
  try {
    for (const port of [18_788, 18_789])
      for (const each of all) {
        const status = await ask(port, each);
        if (status !== null && status >= 500 && status !== 501 && status !== 503)
          throw new Error(`${each.method} ${each.path} was answered with ${String(status)}.`);
      }
  } finally {
    await beside.close();
  }
  if ((await paydrop.ledger.history.verify()).events !== events)
    throw new Error('A stranger changed the ledger.');
}

type fcRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** Null where the connection is closed without an answer. */
function ask(port: number, { method, path, headers, body }: fcRequest): Promise<number | null> {
  return new Promise((done) => {
    try {
      const outgoing = request(
        { host: '127.0.0.1', port, method, path, headers, agent: false },
        (incoming) => {
          incoming.resume();
          incoming.on('close', () => done(incoming.statusCode ?? null));
        },
      );
      outgoing.on('error', () => done(null));
      outgoing.end(body);
    } catch {
      // Node itself refuses to send such a header.
      done(null);
    }
  });
}

async function envelope(keys: Parameters<typeof openEnvelope>[1], bytes: Buffer): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-envelope-'));
  try {
    await writeFile(join(folder, 'x.pgp'), bytes);
    const opened = await openEnvelope(join(folder, 'x.pgp'), keys, 1_000_000);
    if ('bytes' in opened) throw new Error('What nobody signed was opened.');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What a server calls its files never leads out of the folder of its account. */
function staysBelow(name: string): Promise<void> {
  const folder = '/inbox/erp';
  if (isSafeName(name) && !resolve(folder, name).startsWith(folder + sep))
    return Promise.reject(new Error(`${JSON.stringify(name)} passes for a safe name.`));
  return Promise.resolve();
}

/**
 * A server that lies about its files: it breaks off. The honest file among them comes in and is paid, its answers go back, and a file that is
 * dropped here is paid too.
 */
async function fetched(desk: Desk, lying: LyingServerOptions, outside: Outside): Promise<void> {
  const server = await startLyingServer(lying);
  const password = await desk.write('password', 'secret');
  const account = `{ name: erp, host: 127.0.0.1, port: ${String(server.port)}, hostKey: "${server.hostKey}", user: payer, passwordFile: "${password}", pull: [/lies, /out], push: /in, settleFor: 50ms, pollEvery: 400ms }`;
  server.lay(`/out/${HONEST}`, Buffer.from(`${HEADER}\n${lineTo('remote', 'REMOTE-1', '654')}\n`));
  const troubles: string[] = [];
  try {
    await watched(desk, [], outside, `sftp: [${account}]`, async (paydrop) => {
      const exchange = exchangeFiles(paydrop, (_account, words) => troubles.push(words.en));
      let isBrought = false;
      try {
        isBrought = await comes(paydrop, () => [...server.files.keys()].some((path) => ANSWER.test(path)));
      } finally {
        await exchange.close();
      }
      if (!isBrought) throw new Error(`The answer is not brought. ${troubles.join(' ')}`);
      await mustBePaidOnce(paydrop, 654);
    });
  } finally {
    await server.close();
  }
  const bugs = troubles.filter((words) => /unexpected|bug/i.test(words));
  if (bugs.length > 0) throw new Error(bugs.join(' '));
  mustStayInside(desk.workspace);
}

/** An answer to the honest file, once the whole of it has its name. */
const ANSWER = /^\/in\/[^.][^/]*result[^/]*\.csv$/;

async function comes({ clock }: Paydrop, isThere: () => boolean): Promise<boolean> {
  const late = AbortSignal.timeout(HONEST_WITHIN_MS);
  while (!isThere() && !late.aborted) await clock.sleep(200);
  return isThere();
}

/** Names of a server that lead elsewhere contain this word. */
function mustStayInside(workspace: string): void {
  const [above, own] = [dirname(workspace), join(workspace, 'inbox', 'erp')];
  const found = [
    ...readdirSync(above).map((name) => join(above, name)),
    ...readdirSync(workspace, { recursive: true, encoding: 'utf8' }).map((name) => join(workspace, name)),
  ].filter((path) => basename(path).includes(ESCAPE) && !path.startsWith(own + sep));
  if (found.length > 0) throw new Error(`What a server named lies in ${found.join(', ')}.`);
}

type Envelopes = {
  readonly keys: Parameters<typeof openEnvelope>[1];
  /** Sealed for the account: signed by nobody, by a stranger, and by the account itself. */
  readonly sealed: readonly Buffer[];
};

/** The keys of an account as a config names them, made for this run, and what others can make who know its public key. */
async function makeEnvelopes(): Promise<Envelopes> {
  const { createMessage, encrypt, generateKey } = await import('openpgp');
  const make = () => generateKey({ userIDs: [{ email: 'a@example.com' }], format: 'object' });
  const [own, partner, stranger] = [await make(), await make(), await make()];
  const seal = async (signer: typeof own | null): Promise<Buffer> => {
    const message = await createMessage({ binary: Buffer.from(`${HEADER}\n`) });
    const signing = signer === null ? {} : { signingKeys: signer.privateKey };
    const sealed: unknown = await encrypt({
      message,
      encryptionKeys: own.publicKey,
      format: 'binary',
      ...signing,
    });
    return Buffer.from(sealed as Uint8Array);
  };
  return {
    keys: {
      privateKey: Buffer.from(own.privateKey.armor()),
      passphrase: null,
      partnerKey: Buffer.from(partner.publicKey.armor()),
      signature: 'required',
      answers: true,
    },
    sealed: [await seal(null), await seal(stranger), await seal(own)],
  };
}

/** A sealed file as it is, or with one byte changed or its end cut off. */
function strangeEnvelope(sealed: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const damage = fc.record({
    whole: fc.constantFrom(...sealed),
    at: fc.nat(),
    bit: fc.nat(7),
    isCut: fc.boolean(),
  });
  return fc.oneof(
    fc.constantFrom(...sealed),
    damage.map(({ whole, at, bit, isCut }) => {
      const place = at % whole.length;
      if (isCut) return whole.subarray(0, place);
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(place) ^ (1 << bit), place);
      return changed;
    }),
    strangeContent,
  );
}

export async function openDoors(): Promise<readonly Door[]> {
  const { keys, sealed } = await makeEnvelopes();
  const several = fc.array(strange, { minLength: 1, maxLength: 12 });
  return [
    door('inbox', several, (all) => atDesk((desk, outside) => watched(desk, all, outside))),
    door('approvals', several, (all) => atDesk((desk, outside) => unapproved(desk, all, outside))),
    door('run', several, (all) => atDesk((desk, outside) => run(desk, all, outside))),
    door('config', fc.array(strangeYaml, { minLength: 1, maxLength: 20 }), async (all) => {
      for (const text of all) await config(text);
    }),
    door('webhooks', fc.array(strangeRequest, { minLength: 1, maxLength: 40 }), (all) =>
      atDesk((desk) => notifications(desk, all)),
    ),
    door('envelopes', fc.array(strangeEnvelope(sealed), { minLength: 1, maxLength: 20 }), async (all) => {
      for (const bytes of all) await envelope(keys, bytes);
    }),
    door('lying server', strangeServer, (lying) => atDesk((desk, outside) => fetched(desk, lying, outside))),
    door('uploads', fc.array(strangeUpload, { minLength: 1, maxLength: 8 }), (all) =>
      atDesk((desk) => uploaded(desk, all)),
    ),
    door('remote names', fc.array(remoteName, { minLength: 1, maxLength: 50 }), async (all) => {
      for (const name of all) await staysBelow(name);
    }),
  ];
}
