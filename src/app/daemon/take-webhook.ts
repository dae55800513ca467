// A notification that is the service's own: it makes its payout due now, and nothing else. What the service answers to the look decides, so
// it does no harm how often, how late or in what order they come.
import type { Log } from '../../base/log.ts';
import { stageOrHeld } from '../../payouts/progress.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { NamedTransfer, RowRecord } from '../../ledger/records.ts';
import type { Transfer } from '../../service/wire.ts';
import { ALARM_WORDS, alarmOf } from './contradiction-alerts.ts';
import { readWebhookBody } from './webhook-body.ts';

export type HintTo = {
  readonly ledger: Pick<Ledger, 'transferOf' | 'hint'>;
  readonly log: Log;
  /** Called once the hint is durable. */
  readonly onHint: (row: Pick<RowRecord, 'batch' | 'row' | 'position'>) => void;
};

/** Resolves when nothing of it can be lost any more. Throws `LedgerUnusable`. */
export async function takeWebhook(externalId: string, rawBody: Uint8Array, to: HintTo): Promise<void> {
  const { ledger, log, onHint } = to;
  const named = await ledger.transferOf(externalId);
  if (named === null) {
    log.warn('webhook of a transfer that is not in the ledger', { externalId });
    return;
  }
  const told = readWebhookBody(rawBody);
  const isNew = isNews(named, told);
  tell(log, externalId, named, told, isNew);
  if (!isNew) return;
  if (await ledger.hint(named.row)) onHint(named.row);
}

/** A replay of what is on record is not worth a look. A transfer that was given up and is heard of again is: it may be paid beside its successor. */
function isNews({ row, attempt }: NamedTransfer, told: Transfer | null): boolean {
  const { stage, transferAttempt } = row.progress;
  return attempt !== transferAttempt || !(stage === 'paid' && told?.status === 'paid');
}

function tell(
  log: Log,
  externalId: string,
  named: NamedTransfer,
  told: Transfer | null,
  isNew: boolean,
): void {
  const { batch, row, progress } = named.row;
  const fields = { batch, row, externalId, stage: stageOrHeld(progress) };
  const alarm = alarmOf(named, told);
  if (alarm !== null) log.error(ALARM_WORDS[alarm], { ...fields, reason: alarm });
  // Whoever kept a notification may send it for ever; that must not fill the log.
  else if (isNew) log.info('webhook', fields);
  else log.debug('webhook that says nothing new', fields);
}
