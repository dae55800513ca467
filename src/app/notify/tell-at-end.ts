// At its end a command sends its notices if that is quick; `watch` or the next command sends the rest.
import type { Paydrop } from '../parts.ts';
import { channelNames } from '../config/notify-config.ts';
import { hasBrowsers } from '../people/own-notices.ts';
import type { DecisionRule } from './notice-target.ts';

/** Nobody who waits for the prompt should wait longer for a mail server. */
const AT_END_MS = 10_000;

export async function tellAtEnd(paydrop: Paydrop, rule: DecisionRule, signal: AbortSignal): Promise<void> {
  const { config, clock, log } = paydrop;
  const isTold = channelNames(config.notify).length > 0 || hasBrowsers(config.workspacePath, clock);
  if (!isTold || signal.aborted) return;
  // The code is loaded only when there is something to send.
  const { openCourier } = await import('./courier.ts');
  const ended = new AbortController();
  const limit = new AbortController();
  const late = clock.sleep(AT_END_MS, ended.signal).then(() => limit.abort());
  // No payment depends on it.
  await openCourier(paydrop, rule)
    .round(AbortSignal.any([signal, limit.signal]))
    .catch((error: unknown) =>
      log.error('notices cannot be told', { reason: error instanceof Error ? error.name : 'unknown' }),
    );
  ended.abort();
  await late;
}
