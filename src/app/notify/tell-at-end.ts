// A command that ends tells what it has to tell, if that is quickly done; what is left, `watch` or the next command tells.
import type { Paydrop } from '../parts.ts';
import { channelNames } from '../config/notify-config.ts';

/** Whoever waits for the prompt waits no longer for a mail server. */
const AT_END_MS = 10_000;

export async function tellAtEnd(paydrop: Paydrop, signal: AbortSignal): Promise<void> {
  const { config, clock, log } = paydrop;
  if (channelNames(config.notify).length === 0 || signal.aborted) return;
  // Only who has somebody to tell loads what it takes.
  const { openCourier } = await import('./courier.ts');
  const ended = new AbortController();
  const limit = new AbortController();
  const late = clock.sleep(AT_END_MS, ended.signal).then(() => limit.abort());
  // Nothing that was paid depends on it.
  await openCourier(paydrop)
    .round(AbortSignal.any([signal, limit.signal]))
    .catch((error: unknown) =>
      log.error('notices cannot be told', { reason: error instanceof Error ? error.name : 'unknown' }),
    );
  ended.abort();
  await late;
}
