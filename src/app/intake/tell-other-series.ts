// Two names for the same bytes among the files that stand: a day is paid once, so one of the two waits, and its owner is told under which name it counts.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

import { say, type Words } from '../../base/language.ts';
import { answerName } from '../../inbox/answer-name.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { summarize } from '../../results/summary.ts';
import { publishJson } from '../../results/write-results.ts';
import type { BatchResult } from '../workflow/batch-result.ts';
import type { Paydrop } from '../parts.ts';
import { notifyDuplicate } from '../notify/notify-batch.ts';
import { hasBegun } from '../workflow/schedule/has-begun.ts';
import { timeWords } from '../config/occurrences.ts';
import { sentence } from '../../messages/messages.ts';

/** Whether there is something to tell: a file that was renamed, and whose batch is withdrawn in a moment, stands nowhere else. */
export function isToTell({ workspace }: Pick<Paydrop, 'workspace'>, other: BatchRecord): boolean {
  const series = other.payAt?.standing?.series;
  return series !== undefined && (hasBegun(other) || existsSync(join(workspace.inbox, series)));
}

/** @param path of the file that waits; `other` is the batch that its bytes are under another name. */
export async function tellOtherSeries(
  paydrop: Paydrop,
  path: string,
  other: BatchRecord,
): Promise<BatchResult> {
  const { workspace, config, ledger } = paydrop;
  const name = basename(path);
  const answer = answerName(name, other.id, 'duplicate', 'json');
  const reason = say(otherSeriesWords(other), config.language);
  await publishJson({ outbox: workspace.outbox, folder: null }, answer, {
    batch: other.id,
    file: { name, sha256: other.sha256 },
    code: 'same_bytes',
    reason,
    earlier: { batch: other.id, acceptedAt: other.acceptedAt, file: other.fileName },
  });
  await notifyDuplicate(paydrop, name, other, answer);
  return { summary: await summarize(ledger, other, []), words: [reason], isRepeated: true };
}

function otherSeriesWords({ id, payAt }: BatchRecord): Words {
  if (payAt?.standing === undefined) throw new Error(`Batch ${id} is of no standing file.`);
  const { at, timeZone, standing } = payAt;
  const time = timeWords(Date.parse(at), timeZone);
  return sentence('tellOtherSeries.otherSeries', { series: standing.series, time, id });
}
