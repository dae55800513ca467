// Tells what waits to be told, beside the payments and never in their way: on each way one message after the other, tried again with growing pauses
// until it is taken or nobody can use it any more.
import { backoffMs } from '../../base/clock.ts';
import { CHANNELS, type ChannelName, type Notice, type Telling } from '../../ledger/notices.ts';
import type { Paydrop } from '../parts.ts';
import type { Channel } from './channel.ts';
import { channelNames, type NoticeMessage } from '../config/notify-config.ts';
import { openChannels } from './open-channels.ts';

export type Courier = {
  /** Runs until the signal fires; the message under way is given up then, and tried again by whoever comes next. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Tells what is due now, once. */
  readonly round: (signal: AbortSignal) => Promise<void>;
};

/** A mail server that starts anew is back in seconds; one that somebody has to mend is asked a few times an hour. */
const BACKOFF = { firstMs: 5_000, mostMs: 15 * 60_000 } as const;

/** After three days the news is no news; the answers and `status` say it all. */
export const TOLD_WITHIN_MS = 3 * 86_400_000;

/** Longer than the longest try that the config allows to be sensible. After a kill others go on when it is over. */
const LEASE_MS = 120_000;

/** A message to each is claimed when its turn comes, so that no claim runs out in a queue. */
const AT_ONCE = 1;

/** New messages are looked for so often: nobody reads an e-mail sooner. */
const LOOK_EVERY_MS = 1_000;

export function openCourier(paydrop: Pick<Paydrop, 'config' | 'clock' | 'ledger' | 'log'>): Courier {
  const channels = openChannels(paydrop.config);
  const { clock, ledger, log } = paydrop;
  const roundOf = async (channel: ChannelName, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const [notice] = await ledger.notices.claim(channel, clock.now(), LEASE_MS, AT_ONCE);
      if (notice === undefined) return;
      await ledger.notices.end(notice, await tell(paydrop, channels, notice, signal));
    }
  };
  // A mail server that is slow keeps nobody from the hook.
  const round = async (signal: AbortSignal): Promise<void> => {
    await Promise.all(CHANNELS.map((channel) => roundOf(channel, signal)));
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      // What the ledger suffers from stops the payments too, and is told there.
      await round(signal).catch((error: unknown) => {
        log.error('notices cannot be told', { reason: error instanceof Error ? error.name : 'unknown' });
        return clock.sleep(BACKOFF.firstMs, signal);
      });
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  };
  return { run, round };
}

/** Tells beside the daemon until it is closed. */
export function startCourier(paydrop: Paydrop): { readonly close: () => Promise<void> } {
  const stopper = new AbortController();
  // Without a channel nothing is ever made that could be told.
  const isSilent = channelNames(paydrop.config.notify).length === 0;
  const ended = isSilent ? Promise.resolve() : openCourier(paydrop).run(stopper.signal);
  return {
    close: () => {
      stopper.abort();
      return ended;
    },
  };
}

async function tell(
  { clock, log }: Pick<Paydrop, 'clock' | 'log'>,
  channels: ReadonlyMap<ChannelName, Channel>,
  notice: Notice,
  signal: AbortSignal,
): Promise<Telling> {
  const channel = channels.get(notice.channel);
  const message = JSON.parse(notice.message) as NoticeMessage;
  // The config may name the channel again tomorrow.
  const fault = channel === undefined ? 'not-configured' : await channel.send(message, signal);
  const now = clock.now();
  const fields = {
    ...(message.batch === null ? {} : { batch: message.batch }),
    code: message.event,
    tries: notice.tries + 1,
  };
  if (fault === null) {
    log.info('notice told', { ...fields, operation: notice.channel });
    return { kind: 'told', at: now };
  }
  if (now - notice.createdAt > TOLD_WITHIN_MS) {
    log.error('notice given up', { ...fields, operation: notice.channel, reason: fault });
    return { kind: 'given-up', fault };
  }
  log.warn('notice not told', { ...fields, operation: notice.channel, reason: fault });
  return { kind: 'later', dueAt: now + backoffMs(BACKOFF, notice.tries, clock.random()), fault };
}
