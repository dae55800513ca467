// What waits for the reader: approvals, held rows, missing money, files that need a person.
import type { ComponentChildren } from 'preact';

import type { List } from './api.ts';
import { useData } from './data.ts';
import { amount, t, withMoments } from './language.ts';
import { Empty, Heading, Trouble, Waiting, When } from './parts.tsx';
import { Link } from './router.tsx';
import { may, useSession } from './session.ts';
import type { HeldGroup, MoneyLine, Question, Summary } from './shapes.ts';
import { FileTable, waitWords } from './files.tsx';

/** Waits that only a person can end. */
const WAITS_FOR_PEOPLE: ReadonlySet<string> = new Set(['funds', 'credentials', 'operator', 'service']);

type Task = { readonly key: string; readonly words: ComponentChildren; readonly about: ComponentChildren };

export function NeedsYou() {
  const { session } = useSession();
  const approvals = useData<List<Question>>('/approvals?state=waiting', { kinds: ['approval', 'batch'] });
  const held = useData<List<HeldGroup>>('/held', { kinds: ['rows', 'batch'] });
  const on = { kinds: ['batch', 'rows', 'approval'] };
  const files = useData<List<Summary>>('/files?limit=8', on);
  const open = useData<List<Summary>>('/files?state=open&limit=200', on);
  const money = useData<List<MoneyLine>>('/balances', { kinds: ['balance'] });
  const tasks = [
    ...approvalTasks(approvals.data?.data ?? []),
    ...heldTasks(held.data?.data ?? []),
    ...moneyTasks(money.data?.data ?? []),
    ...fileTasks(open.data?.data ?? []),
  ];
  const recent = files.data?.data ?? [];
  return (
    <>
      <Heading title={t('needs.title')}>
        {may(session, 'maker') ? (
          <Link to="/drop" class="button main">
            {t('nav.drop')}
          </Link>
        ) : null}
      </Heading>
      <Trouble problem={files.problem ?? open.problem} />
      {tasks.length === 0 ? (
        <Empty>{t('needs.nothing')}</Empty>
      ) : (
        <ul class="tasks">
          {tasks.map(({ key, words, about }) => (
            <li key={key}>
              <span>{words}</span>
              <span class="soft">{about}</span>
            </li>
          ))}
        </ul>
      )}
      <h2>{t('needs.recent')}</h2>
      {files.data === null ? (
        <Waiting />
      ) : recent.length === 0 ? (
        <Empty>{t('files.none')}</Empty>
      ) : (
        <>
          <FileTable files={recent} />
          <Link to="/files">{t('needs.allFiles')}</Link>
        </>
      )}
    </>
  );
}

function approvalTasks(questions: readonly Question[]): readonly Task[] {
  return questions
    .filter(({ mayAnswer }) => mayAnswer)
    .map(({ batch, file, totals, askedAt, submittedBy }) => ({
      key: `approve ${batch}`,
      words: (
        <Link to={`/approvals/${batch}`}>
          {t('needs.approve', {
            file: file.name,
            sums: totals.map(({ currency, debit }) => `${currency} ${amount(debit)}`).join(', '),
          })}
        </Link>
      ),
      about: (
        <>
          {t('needs.broughtBy', { who: submittedBy.join(', ') })} · <When at={askedAt} />
        </>
      ),
    }));
}

function heldTasks(groups: readonly HeldGroup[]): readonly Task[] {
  return groups
    .filter(({ liftsItself }) => !liftsItself)
    .map(({ code, rows, words, files }) => ({
      key: `held ${code}`,
      words: <Link to={`/held?code=${code}`}>{t('needs.held', { n: rows })}</Link>,
      about: `${words} · ${files
        .map(({ file }) => file)
        .slice(0, 3)
        .join(', ')}`,
    }));
}

function moneyTasks(lines: readonly MoneyLine[]): readonly Task[] {
  return lines
    .filter(({ free }) => free?.startsWith('-') === true)
    .map(({ currency, free }) => ({
      key: `money ${currency}`,
      words: <Link to="/money">{t('needs.missing', { sum: `${currency} ${amount(free?.slice(1))}` })}</Link>,
      about: t('needs.missingWords'),
    }));
}

function fileTasks(files: readonly Summary[]): readonly Task[] {
  return files
    .filter(({ waitingFor }) => WAITS_FOR_PEOPLE.has(waitingFor ?? ''))
    .map(({ batch, file, waitingFor, wait }) => ({
      key: `file ${batch}`,
      words: <Link to={`/files/${batch}`}>{file.name}</Link>,
      about: withMoments(wait?.reason ?? '') || t('needs.waits', { what: waitWords(waitingFor) }),
    }));
}
