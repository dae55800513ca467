// The state of the notices: `status` reports which could not be delivered, and `doctor` tries the channels.
import { isoTime } from '../../base/clock.ts';
import { joinWords, type Language, type Words, sameWords, say } from '../../base/language.ts';
import type { ChannelName, ChannelStanding } from '../../ledger/notices.ts';
import { sentence } from '../../messages/messages.ts';
import type { Config } from '../config/config.ts';
import { type Channel, describeFault } from '../notify/channel.ts';
import type { Records } from '../parts.ts';
import { dueAnswers } from '../parts/due-answers.ts';
import type { DoctorFinding } from './finding.ts';

/** One sentence for each channel on which a notice waits after a failed try, or was given up. */
export async function untoldWords({ config, ledger }: Records): Promise<readonly string[]> {
  const untold = (await ledger.notices.standing()).filter(
    ({ fault, givenUp }) => fault !== null || givenUp > 0,
  );
  if (untold.length === 0) return [];
  const channels = await channelsOf(config);
  return untold
    .map((standing) => standingWords(standing, channels.get(standing.channel)?.shown ?? ''))
    .map((words) => say(words, config.language));
}

/** The channels' code is loaded only if there is something to report. */
async function channelsOf(config: Config): Promise<ReadonlyMap<ChannelName, Channel>> {
  const { openChannels } = await import('../notify/open-channels.ts');
  return openChannels(config);
}

function standingWords(
  { channel, waiting, givenUp, oldestAt, fault }: ChannelStanding,
  shown: string,
): Words {
  const since = oldestAt === null ? '' : isoTime(oldestAt);
  const counted = describeFault(channel, shown, fault);
  return joinWords([
    ...(waiting === 0
      ? []
      : [sentence('tellingStatus.standing.messagesWaitOldest', { counted, waiting, since })]),
    ...(givenUp === 0 ? [] : [sentence('tellingStatus.standing.messagesWereNever', { givenUp, channel })]),
  ]);
}

/** Tries each channel without sending a notice. */
export async function examineTelling(records: Records): Promise<readonly DoctorFinding[]> {
  const { config, ledger } = records;
  const standings = new Map(
    (await ledger.notices.standing()).map((standing) => [standing.channel, standing]),
  );
  return Promise.all(
    [...(await channelsOf(config)).values()].map(async ({ name, shown, verify }) => {
      const fault = await verify();
      const waiting = standings.get(name)?.waiting ?? 0;
      const left = waiting === 0 ? sameWords('') : sentence('telling.waits', { waiting });
      return fault === null
        ? {
            name,
            ok: true,
            words: sentence('telling.answers', { channel: describeFault(name, shown, null), left }),
          }
        : {
            name,
            ok: false,
            words: sentence('telling.fault', {
              channel: describeFault(name, shown, fault),
              left,
              remedy: REMEDY[name],
            }),
          };
    }),
  );
}

const REMEDY: Readonly<Record<ChannelStanding['channel'], Words>> = {
  email: sentence('telling.email'),
  hook: sentence('telling.hook'),
};

// The state of each account, for `status`: reachable or not and since when, the answers that wait for delivery, the faults that a person has to repair.

export type AccountStatus = {
  readonly account: string;
  readonly host: string;
  /** ISO; null when the work on it was never completed. */
  readonly reachedAt: string | null;
  /** Since when it cannot be used, ISO; null while it can. */
  readonly failingSince: string | null;
  /** When a failing one is tried again, ISO; null where nobody does. */
  readonly nextAt: string | null;
  /** Answers that still have to be delivered there. */
  readonly waiting: number;
  readonly words: readonly string[];
};

export async function accountStatuses(records: Records): Promise<readonly AccountStatus[]> {
  const { config, ledger } = records;
  return Promise.all(
    (config.sftpAccounts ?? []).map(async (account) => {
      const known = await ledger.exchange.account(account.name);
      const words: readonly Words[] = [
        ...(known?.fault ? [known.fault.words] : []),
        ...(known?.troubles ?? []),
      ];
      return {
        account: account.name,
        host: account.host,
        reachedAt: known?.reachedAt ?? null,
        failingSince: known?.fault?.since ?? null,
        nextAt: known?.holder === null ? null : (known?.fault?.nextAt ?? null),
        waiting: known === null ? 0 : (await dueAnswers(records, account, new Map())).length,
        words: words.map((each) => say(each, config.language)),
      };
    }),
  );
}

/** One line for each account, and one for each fault to repair. */
export function describeAccounts(statuses: readonly AccountStatus[], language: Language): readonly string[] {
  return statuses.flatMap(({ account, host, reachedAt, failingSince, nextAt, waiting, words }) => {
    const since =
      failingSince === null
        ? reachedAt === null
          ? sentence('account.notReached')
          : sentence('account.reached', { at: reachedAt })
        : sentence('account.failing', { since: failingSince, nextAt });
    const answers = waiting === 0 ? sameWords('') : sentence('account.answersWait', { waiting });
    return [
      say(sentence('account.line', { account, host, since, answers }), language),
      ...words.map((each) => `  ${each}`),
    ];
  });
}
