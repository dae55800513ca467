// Delivers one answer to an account: whole under a temporary name, then on record, and only then under its own name. After a kill at any point
// the temporary name shows what happened, so that a collector there sees each version once.
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';

import { isoTime } from '../../../base/clock.ts';
import type { AnswerRecord } from '../../../ledger/exchange.ts';
import { type Envelope, SftpFault } from '../../../sftp/account.ts';
import { SEALED_EXTENSION, sealEnvelope } from '../../../sftp/openpgp.ts';
import type { SftpSession } from '../../../sftp/sftp-session.ts';
import type { AccountDesk } from './files-to-fetch.ts';
import type { DueAnswer } from '../../parts/due-answers.ts';
import { sentence } from '../../../messages/messages.ts';

/** Throws `SftpFault`. */
export async function bringAnswer(
  desk: AccountDesk,
  session: SftpSession,
  folder: string,
  answer: DueAnswer,
): Promise<void> {
  const { ledger, clock } = desk.paydrop;
  const { name, path, signature } = answer;
  const { openpgp } = desk.account;
  const envelope = openpgp?.answers === true ? openpgp : null;
  const place = posix.join(folder, envelope === null ? name : name + SEALED_EXTENSION);
  const before = await ledger.exchange.answer(desk.account.name, name);
  if (before?.phase === 'uploaded') await finish(desk, session, place, before);
  // Whether it counts as brought by now.
  const known = await ledger.exchange.answer(desk.account.name, name);
  // A rename in the outbox may replace the file with the next version; the open one stays whole.
  const file = await open(path, 'r').catch(whenGone);
  if (file === null) return;
  try {
    const sha256 = await hashOf(file);
    const common = { account: desk.account.name, name, sha256, signature, at: isoTime(clock.now()) };
    if (known?.sha256 === sha256) {
      await ledger.exchange.noteAnswer({ ...known, ...common, phase: 'delivered' });
      return;
    }
    const remoteBytes = await upload(session, temporaryOf(place), contentOf(file, envelope));
    const uploaded: AnswerRecord = { ...common, remoteBytes, phase: 'uploaded' };
    await ledger.exchange.noteAnswer(uploaded);
    await finish(desk, session, place, uploaded);
  } finally {
    await file.close();
  }
}

/** A dot file with the ending of unfinished files; the same in each try, so that none is left behind. */
function temporaryOf(place: string): string {
  return posix.join(posix.dirname(place), `.${posix.basename(place)}.part`);
}

/** Renames the whole file; if the temporary name is gone, that has already happened. */
async function finish(
  { paydrop, account }: AccountDesk,
  session: SftpSession,
  place: string,
  uploaded: AnswerRecord,
): Promise<void> {
  const temporary = temporaryOf(place);
  const standing = await session.stat(temporary);
  if (standing !== null && standing.bytes !== uploaded.remoteBytes) {
    // Somebody has changed it: it counts as never uploaded.
    await session.remove(temporary);
    await paydrop.ledger.exchange.noteAnswer({ ...uploaded, sha256: '', signature: '', phase: 'delivered' });
    return;
  }
  if (standing !== null) await session.replace(temporary, place);
  await paydrop.ledger.exchange.noteAnswer({ ...uploaded, phase: 'delivered' });
  paydrop.log.info('answer delivered', { operation: `sftp ${account.name}` });
}

/** Plain, or in its envelope: an answer fits into memory, as its file did. */
async function* contentOf(file: FileHandle, envelope: Envelope | null): AsyncGenerator<Uint8Array> {
  if (envelope === null) {
    yield* chunksOf(file);
    return;
  }
  const plain: Uint8Array[] = [];
  for await (const chunk of chunksOf(file)) plain.push(chunk);
  yield await sealEnvelope(Buffer.concat(plain), envelope);
}

async function upload(
  session: SftpSession,
  temporary: string,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  const bytes = await session.write(temporary, content);
  const written = await session.stat(temporary);
  if (written?.bytes === bytes) return bytes;
  throw new SftpFault('server_refused', sentence('bringAnswer.upload', { temporary }));
}

async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** From the start of the file, which stays open. */
function chunksOf(file: FileHandle): AsyncIterable<Uint8Array> {
  return file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Uint8Array>;
}

/** Somebody who collects from the outbox was faster. */
function whenGone(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
