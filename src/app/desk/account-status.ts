// How it stands with each account, for `status`: reached or not and since when, what waits to be brought, what somebody has to mend.
import { sameWords, say, type Language, type Words } from '../../base/language.ts';
import type { Records } from '../parts.ts';
import { dueAnswers } from '../workflow/close/due-answers.ts';
import { sentence } from '../../messages/messages.ts';

export type AccountStatus = {
  readonly account: string;
  readonly host: string;
  /** ISO; null when it was never worked with to the end. */
  readonly reachedAt: string | null;
  /** Since when it cannot be worked with, ISO; null while it can. */
  readonly failingSince: string | null;
  /** Answers that are still to be brought there. */
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
        waiting: known === null ? 0 : (await dueAnswers(records, account, new Map())).length,
        words: words.map((each) => say(each, config.language)),
      };
    }),
  );
}

/** One line an account, and one for each thing to mend. */
export function describeAccounts(statuses: readonly AccountStatus[], language: Language): readonly string[] {
  return statuses.flatMap(({ account, host, reachedAt, failingSince, waiting, words }) => {
    const since =
      failingSince === null
        ? reachedAt === null
          ? sentence('account.notReached')
          : sentence('account.reached', { at: reachedAt })
        : sentence('account.failing', { since: failingSince });
    const answers = waiting === 0 ? sameWords('') : sentence('account.answersWait', { waiting });
    return [
      say(sentence('account.line', { account, host, since, answers }), language),
      ...words.map((each) => `  ${each}`),
    ];
  });
}
