// Notices about what a batch waits for, if a person can do something: held rows, missing funds, or a trouble that stops everything.
import { createHash } from 'node:crypto';

import { joinWords, sameWords, type Words } from '../../base/language.ts';
import { firstOf, questionDigest, shownDigest, waitsForAnswer } from '../../ledger/approval.ts';
import { pauseOf } from '../../ledger/batch-rules.ts';
import { decisionAbout, type BatchRecord } from '../../ledger/records.ts';
import type { Wait } from '../../ledger/wait.ts';
import { HOLDS, type HoldCode } from '../../payouts/hold.ts';
import { BEFORE_CONFIRM } from '../../payouts/lifecycle.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import { notifyApproval } from './notify-batch.ts';
import { isUnheard, type Newsroom, notify, notifyTrouble } from './notify.ts';
import { rowsWords, sentence } from '../../messages/messages.ts';

/** Call it before the wait is written. */
export async function notifyWaiting(room: Newsroom, batch: BatchRecord, wait: Wait | null): Promise<void> {
  if (wait === null) return;
  switch (wait.for) {
    case 'credentials':
      return notifyTrouble(room, 'credentials', wait.words);
    case 'stop-file':
      return notifyTrouble(room, 'stop', wait.words);
    case 'approval':
      return notifyAsked(room, batch);
    case 'funds':
      await notifyShortfall(room, batch, wait.words);
      // Even while money is missing for some rows, others may wait for a person.
      return notifyHeld(room, batch, true);
    case 'limits':
    case 'refusals':
    case 'missed-time':
      return notifyStopped(room, batch, wait);
    case 'held-rows':
    case 'too-slow':
    case 'pause':
    case 'manifest':
      return notifyHeld(room, batch, false);
    case 'service':
      // Most outages of the service end by themselves; a wrong name, certificate, proxy or portal does not, nor what has lasted for long.
      if (room.trouble.needsPerson) await notifyTrouble(room, 'service', wait.words);
      return;
    case 'doubt':
    case 'documents':
    case 'schedule':
  }
}

/** Once for each question, and once more for the second of two people, even if a kill came between the question and this notice. */
async function notifyAsked(room: Newsroom, { id }: BatchRecord): Promise<void> {
  const batch = await room.ledger.batch(id);
  if (batch?.approval?.kind !== 'asked' || !waitsForAnswer(batch)) return;
  const { approval } = batch;
  const first = firstOf(approval);
  // Sent by another channel than the page: a browser under somebody else's control may show one question and sign another.
  const digest = sentence('notifyWaiting.digest', { digest: shownDigest(questionDigest(batch, approval)) });
  await notifyApproval(room, batch, {
    version: first === null ? String(approval.round) : `${String(approval.round)} second`,
    lines: [
      ...(first === null ? [] : [sentence('approval.first', first), sentence('approval.second')]),
      approval.words,
      ...(approval.approvalBy === 'signature' ? [digest] : []),
    ],
    answers: [approval.preview],
  });
}

/** Sent again when some of the rows were paid meanwhile and the rest still waits. */
async function notifyShortfall(room: Newsroom, batch: BatchRecord, words: Words): Promise<void> {
  const unsent = await unsentRows(room, batch.id);
  await notify(room, {
    event: 'shortfall',
    about: batch,
    version: String(unsent),
    headline: joinWords([sentence('notifyWaiting.notifyShortfall'), rowsWords(unsent)]),
    lines: [words],
    facts: { rows: batch.rows },
  });
}

/** A limit, or too many refusals: the file waits until a person lets it go on. If it stops again after that, the notice is sent again. */
async function notifyStopped(room: Newsroom, batch: BatchRecord, { for: stop, words }: Wait): Promise<void> {
  const unsent = await unsentRows(room, batch.id);
  const now = (await room.ledger.batch(batch.id)) ?? batch;
  const seen = decisionAbout(now, 'refusals')?.saw.decided ?? 0;
  await notify(room, {
    event: 'held',
    about: batch,
    version: `stopped by ${stop} ${String(unsent)} after ${String(seen)}`,
    headline: sentence('notifyWaiting.headline'),
    lines: [words],
    facts: { rows: batch.rows },
  });
}

async function unsentRows({ ledger }: Newsroom, batch: string): Promise<number> {
  const counts = await ledger.stageCounts(batch);
  return [...BEFORE_CONFIRM].reduce((sum, stage) => sum + (counts.get(stage) ?? 0), 0);
}

/** Sent when everything that can be sent has been sent, so that a large file reports once; an all-or-nothing file waits for each held row. */
async function notifyHeld(room: Newsroom, batch: BatchRecord, isStuck: boolean): Promise<void> {
  if (isUnheard(room, 'held')) return;
  const held = (await room.ledger.stageCounts(batch.id)).get('held') ?? 0;
  const now = await room.ledger.batch(batch.id);
  if (held === 0 || now === null || pauseOf(now) !== null) return;
  const isSending = !isStuck && now.whole === null && (await unsentRows(room, batch.id)) > 0;
  if (isSending) return;
  const { version, byCode } = await heldRows(room, batch.id);
  const rows = rowsWords(held);
  await notify(room, {
    event: 'held',
    about: batch,
    version,
    headline: joinWords([rows, held === 1 ? WAITS : WAIT]),
    lines: [
      joinWords([rows, joinWords([held === 1 ? WAITS : WAIT, sameWords('.')], '')]),
      ...[...byCode].map(([code, names]) => codeLine(code, names)),
      sentence('notifyWaiting.notifyHeld', { id: batch.id }),
    ],
    facts: { rows: batch.rows },
  });
}

const WAITS: Words = sentence('notifyWaiting.waits');
const WAIT: Words = sentence('notifyWaiting.wait');

/** The most row numbers named for each reason; the answers have them all. */
const NAMED_MOST = 10;

function codeLine(code: HoldCode, names: readonly string[]): Words {
  const named = names.slice(0, NAMED_MOST).join(', ') + (names.length > NAMED_MOST ? ', …' : '');
  const lead =
    names.length === 1 ? sentence('notifyWaiting.codeLine.row') : sentence('notifyWaiting.codeLine.rows');
  return sentence('notifyWaiting.codeLine.text', { lead, named, code, counted: HOLDS[code].words });
}

/** Which rows are held, why and since when. The version changes with any of them, and when a row is held again after its release. */
async function heldRows(
  { ledger }: Newsroom,
  batch: string,
): Promise<{ readonly version: string; readonly byCode: ReadonlyMap<HoldCode, readonly string[]> }> {
  const hash = createHash('sha256');
  const byCode = new Map<HoldCode, string[]>();
  for await (const { row, progress } of batchRows(ledger, batch)) {
    const { hold } = progress;
    if (hold === null) continue;
    hash.update(`${row} ${hold.code} ${hold.since}\n`);
    byCode.set(hold.code, [...(byCode.get(hold.code) ?? []), row]);
  }
  return { version: hash.digest('hex').slice(0, 16), byCode };
}
