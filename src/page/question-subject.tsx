// What whoever approves must see before the button: changed accounts first, then everything else unusual, what is received, left out and released, who reads the file.
import type { Question, QuestionWarning } from '../contract/approvals.ts';
import { amount, t } from './language.ts';
import { Note } from './parts.tsx';
import { Link } from './router.tsx';
import { Table } from './table.tsx';
import { Verified } from './verified-account.tsx';

export function Warnings({ question: { batch, subject, soleApprover } }: { readonly question: Question }) {
  const { warned, warnings } = subject;
  const changed = warnings.filter(({ kind }) => kind === 'changed_account');
  const others = warnings.filter(({ kind }) => kind !== 'changed_account');
  return (
    <>
      {soleApprover === null ? null : (
        <Note kind="bad">
          <b>{t('approval.soleApprover', { who: soleApprover })}</b>
        </Note>
      )}
      {changed.length === 0 ? null : (
        <div class="note bad" role="alert">
          <p>
            <b>{t('approval.changedAccounts', { n: warned.changedAccounts })}</b>
          </p>
          <p>{t('approval.callThem')}</p>
          <Accounts batch={batch} warnings={changed} />
          {changed.length < warned.changedAccounts ? (
            <p>{t('approval.moreInPreview', { count: warned.changedAccounts - changed.length })}</p>
          ) : null}
        </div>
      )}
      {others.length === 0 ? null : (
        <Note kind="warn">
          <p>
            <b>{t('approval.unusual')}</b>
          </p>
          <ul>
            {others.map(({ row, name, words, kind }) => (
              <li key={`${row} ${kind}`}>
                <Link to={`/files/${batch}`}>{t('row.title', { row })}</Link> {name}: {words}
              </li>
            ))}
          </ul>
        </Note>
      )}
    </>
  );
}

function Accounts({
  batch,
  warnings,
}: {
  readonly batch: string;
  readonly warnings: readonly QuestionWarning[];
}) {
  return (
    <Table
      caption={t('approval.accounts')}
      columns={[
        {
          name: t('batch.receiver'),
          isHead: true,
          value: ({ name, row }) => (
            <span class="two-lines">
              {name}
              <small>
                <Link to={`/files/${batch}?row=${encodeURIComponent(row)}`}>{t('row.title', { row })}</Link>
              </small>
            </span>
          ),
        },
        {
          name: t('approval.account'),
          value: ({ before, after, verified }) => (
            <span class="two-lines">
              <span class="account">
                {before ?? '–'} → <b>{after ?? '–'}</b>
              </span>
              <Verified verified={verified === null ? [] : [verified]} />
            </span>
          ),
        },
        {
          name: t('batch.receives'),
          isNumber: true,
          value: ({ currency, amount: received }) => `${amount(received)} ${currency}`,
        },
      ]}
      rows={warnings}
      keyOf={({ row }) => row}
    />
  );
}

/** What the receivers get and what it costs, and how much of the file is not paid by the answer. */
export function Sums({ question: { subject } }: { readonly question: Question }) {
  const { received, fees, leftOut } = subject;
  const sums = (list: readonly { readonly currency: string; readonly amount: string }[]): string =>
    list.map(({ currency, amount: sum }) => `${amount(sum)} ${currency}`).join(', ');
  const left = (['rejected', 'held', 'duplicate'] as const)
    .filter((outcome) => leftOut[outcome] > 0)
    .map((outcome) => t(`counted.${outcome}`, { n: leftOut[outcome] }));
  return (
    <>
      <p>
        {t('approval.received', { sums: sums(received) })} {t('approval.fees', { sums: sums(fees) })}
      </p>
      {left.length === 0 ? null : <p class="warn-text">{t('approval.leftOut', { rows: left.join(', ') })}</p>}
    </>
  );
}

/** What was decided about the file before, and who said how it is read. */
export function Before({ question: { subject } }: { readonly question: Question }) {
  const { released, readBy, limits } = subject;
  return (
    <>
      {limits === null ? null : (
        <Note kind="warn">
          {limits} <b>{t('approval.limitStays')}</b>
        </Note>
      )}
      {released.map(({ by, reason, rows }) => (
        <Note kind="warn" key={`${by} ${rows.join()}`}>
          {t('approval.released', { by, why: reason, rows: rows.join(', ') })}
        </Note>
      ))}
      {readBy === null ? null : (
        <p>
          {t('approval.readBy', { profile: readBy.profile })}{' '}
          {readBy.author === null
            ? null
            : readBy.confirmedBy === null
              ? t('approval.unconfirmed', { author: readBy.author })
              : t('approval.confirmed', { author: readBy.author, by: readBy.confirmedBy })}
        </p>
      )}
    </>
  );
}
