// The answer that a file was accepted: how many rows, and how much they ask for in each currency.
import { z } from 'zod';

import { say, type Words } from '../../../base/language.ts';
import { isSystemUser } from '../../../base/person-name.ts';
import { standingManifest } from '../../../inbox/manifest.ts';
import { isOnDays } from '../../../ledger/days.ts';
import { STRATEGIES, type BatchRecord, type PayAt, type Strategy } from '../../../ledger/records.ts';
import { publishJson } from '../../../results/write-results.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { answersOf } from './answers.ts';
import { ignoredColumns, namesOf } from '../validate/ignored-columns.ts';
import { columnLetters } from '../../../rows/cell.ts';
import { keepManifest } from '../batch/epoch.ts';
import { tellStatus } from './tell-status.ts';
import type { Paydrop } from '../../parts.ts';
import { dueWords, scheduledWords } from '../batch/decide-pay-at.ts';
import { isUnheard } from '../../notify/notify.ts';
import { notifyAccepted } from '../../notify/notify-batch.ts';

/** How the batch is paid, as its owner was told, and who brought it; null when it was not accepted. A rebuilt ledger keeps that, whatever the config says now. */
export async function acknowledged(
  { workspace }: Pick<Paydrop, 'workspace'>,
  { id }: Pick<BatchRecord, 'id'>,
): Promise<z.output<typeof acknowledgement> | null> {
  const told = (await standingManifest(workspace, id))?.acknowledged;
  return told === undefined ? null : acknowledgement.parse(told);
}

const acknowledgement = z.object({
  strategy: z.enum(STRATEGIES).default('row-by-row'),
  submittedBy: z.array(z.string()).optional(),
  totals: z.array(z.object({ currency: z.string(), rows: z.number(), amount: z.string() })),
});

/** @param openFile null for a batch that is being rebuilt: its program is told nothing before it is certain what was sent. */
export async function acknowledge(
  paydrop: Paydrop,
  batch: BatchRecord,
  openFile: (() => Promise<ReadFile>) | null,
): Promise<void> {
  const place = await answersOf(paydrop, batch);
  // The owner's acknowledgement stays, even if a rebuilt ledger reads the file differently now.
  const before = (await standingManifest(paydrop.workspace, batch.id))?.acknowledged ?? null;
  const ignored = before === null && openFile !== null ? ignoredColumns((await openFile()).table) : [];
  if (ignored.length > 0) {
    const columns = ignored.map(({ index }) => columnLetters(index)).join(', ');
    paydrop.log.info('columns ignored', { batch: batch.id, columns });
  }
  const told = before ?? acknowledgementOf(paydrop, batch, namesOf(ignored));
  // Kept before it is published: a file whose owner was told that it is accepted is accepted, whatever happens in between.
  if (before === null) await keepManifest(paydrop, batch, { acknowledged: told });
  await publishJson(place, place.nameOf('ack', 'json'), told);
  if (openFile !== null) await tellStatus(paydrop, batch, { openFile, closed: null });
}

/** Call it once it is known that no approval is needed: otherwise the question about a file is news enough. */
export async function tellAccepted(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  if (isUnheard(paydrop, 'accepted')) return;
  const { nameOf } = await answersOf(paydrop, batch);
  const totals = (await acknowledged(paydrop, batch))?.totals ?? [];
  await notifyAccepted(paydrop, batch, totals, nameOf('ack', 'json'));
}

/** All days of a message that names several. */
function timeWordsOf(payAt: PayAt): Words {
  return (isOnDays(payAt) ? dueWords(payAt, 0) : null) ?? scheduledWords(payAt);
}

function acknowledgementOf(
  { config }: Paydrop,
  batch: BatchRecord,
  ignored: readonly string[],
): Readonly<Record<string, unknown>> {
  if (batch.content === null) throw new Error(`Batch ${batch.id} is acknowledged before its rows are known.`);
  // The names of this machine's users mean nothing to the owner of the file.
  const submittedBy = (batch.submittedBy ?? []).filter((name) => !isSystemUser(name));
  return {
    batch: batch.id,
    file: batch.fileName,
    sha256: batch.sha256,
    rows: batch.rows,
    totals: batch.content.requested,
    ...(batch.whole === null ? {} : { strategy: 'reserve-then-confirm' satisfies Strategy }),
    ...(batch.payAt === undefined
      ? {}
      : { payAt: batch.payAt.at, payAtWords: say(timeWordsOf(batch.payAt), config.language) }),
    ...(submittedBy.length === 0 ? {} : { submittedBy }),
    ...(ignored.length === 0 ? {} : { ignored }),
    sandbox: batch.sandbox,
    acceptedAt: batch.acceptedAt,
  };
}
