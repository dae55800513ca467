// Sends the waiting notices (a transactional outbox, at least once), independently of the payments and never in their way. Each channel sends one message after the other, and repeats each
// with growing pauses (exponential backoff) until it is accepted or is too old to be of use.
import { backoffMs } from '../../base/clock.ts';
import { CHANNELS, type ChannelName, type Notice, type Telling } from '../../ledger/notices.ts';
import type { Paydrop } from '../parts.ts';
import type { Channel } from './channel.ts';
import type { NoticeMessage } from '../config/notify-config.ts';
import { openChannels } from './open-channels.ts';
import { hasBrowsers } from '../people/own-notices.ts';
import { type DecisionRule, targetOf } from './notice-target.ts';
import { pushTo } from './push-channel.ts';

type Courier = {
  /** Runs until the signal fires; a message in progress is then given up, and another process tries it again. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Sends everything that is due now, once. */
  readonly round: (signal: AbortSignal) => Promise<void>;
};

/** A restarting mail server is back in seconds; one that needs repair is asked a few times an hour. */
const BACKOFF = { firstMs: 5_000, mostMs: 15 * 60_000 } as const;

/** After three days the news is old; the answers and `status` have it all. */
export const TOLD_WITHIN_MS = 3 * 86_400_000;

/** Longer than the longest sensible try that the config allows. After a kill, other processes go on when it is over. */
const LEASE_MS = 120_000;

/** Each message is claimed only when its turn comes, so that no claim runs out in a queue. */
const AT_ONCE = 1;

/** How often new messages are looked for: nobody reads an e-mail sooner. */
const LOOK_EVERY_MS = 1_000;

type Post = Pick<Paydrop, 'config' | 'clock' | 'ledger' | 'log'>;

export function openCourier(paydrop: Post, rule: DecisionRule): Courier {
  const channels = openChannels(paydrop.config);
  const { clock, ledger, log } = paydrop;
  const roundOf = async (channel: ChannelName, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const [notice] = await ledger.notices.claim(channel, clock.now(), LEASE_MS, AT_ONCE);
      if (notice === undefined) return;
      await ledger.notices.end(notice, await tell(paydrop, rule, channels, notice, signal));
    }
  };
  // Both channels run at once, so that a slow mail server does not delay the hook.
  const round = async (signal: AbortSignal): Promise<void> => {
    await Promise.all(CHANNELS.map((channel) => roundOf(channel, signal)));
  };
  const roundIfAny = async (signal: AbortSignal): Promise<void> => {
    // Else no notice is ever created.
    if (channels.size > 0 || hasBrowsers(paydrop.config.workspacePath, clock)) await round(signal);
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      // A fault of the ledger stops the payments too, and is reported there.
      await roundIfAny(signal).catch((error: unknown) => {
        log.error('notices cannot be told', { reason: error instanceof Error ? error.name : 'unknown' });
        return clock.sleep(BACKOFF.firstMs, signal);
      });
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  };
  return { run, round };
}

/** Runs in the background of the daemon until it is closed. */
export function startCourier(paydrop: Paydrop, rule: DecisionRule): { readonly close: () => Promise<void> } {
  const stopper = new AbortController();
  const ended = openCourier(paydrop, rule).run(stopper.signal);
  return {
    close: () => {
      stopper.abort();
      return ended;
    },
  };
}

async function tell(
  post: Post,
  rule: DecisionRule,
  channels: ReadonlyMap<ChannelName, Channel>,
  notice: Notice,
  signal: AbortSignal,
): Promise<Telling> {
  const { clock, log } = post;
  const message = JSON.parse(notice.message) as NoticeMessage;
  const fault = await sendOne(post, rule, channels.get(notice.channel), message, signal);
  const now = clock.now();
  const fields = {
    ...(message.batch === null ? {} : { batch: message.batch }),
    code: message.event,
    tries: notice.tries + 1,
  };
  if (fault === null || fault === 'unwanted') {
    log.info(fault === null ? 'notice told' : 'notice not wanted', { ...fields, operation: notice.channel });
    return { kind: 'told', at: now };
  }
  if (now - notice.createdAt > TOLD_WITHIN_MS) {
    log.error('notice given up', { ...fields, operation: notice.channel, reason: fault });
    return { kind: 'given-up', fault };
  }
  log.warn('notice not told', { ...fields, operation: notice.channel, reason: fault });
  return { kind: 'later', dueAt: now + backoffMs(BACKOFF, notice.tries, clock.random()), fault };
}

/** Null when it was accepted; `unwanted` where the person that it is for is not to have it any more. */
async function sendOne(
  post: Post,
  rule: DecisionRule,
  channel: Channel | undefined,
  message: NoticeMessage,
  signal: AbortSignal,
): Promise<string | null> {
  // The config may name the channel again tomorrow.
  if (message.to === undefined) return channel?.send(message, signal) ?? 'not-configured';
  const target = await targetOf(post, rule, message, message.to);
  // Another machine has the people, and tells this one.
  if (target === undefined) return 'not-configured';
  if (target === null) return 'unwanted';
  if ('browser' in target) return pushTo(post, target, message);
  return channel?.send(message, signal, target.address) ?? 'not-configured';
}
