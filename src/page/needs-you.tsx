// What waits for the reader: approvals, held rows, missing money, files that need a person.
import type { ComponentChildren } from 'preact';

import type { Question } from '../contract/approvals.ts';
import type { ReadingProfile } from '../contract/columns.ts';
import type { HeldGroup } from '../contract/decisions.ts';
import type { FileStatus } from '../contract/files.ts';
import type { Balance } from '../contract/money.ts';
import type { List } from '../contract/schema.ts';
import { useData } from './data.ts';
import { amount, t } from './language.ts';
import { Empty, Heading, Stale, Waiting, When } from './parts.tsx';
import { Link } from './router.tsx';
import { useProposals } from './proposals.ts';
import { may, useSession } from './session.ts';
import { FileTable, waitReason, waitWords } from './files.tsx';

/** Waits that only a person can end. */
const WAITS_FOR_PEOPLE: ReadonlySet<string> = new Set(['funds', 'credentials', 'operator', 'service']);

type Task = {
  readonly key: string;
  readonly words: ComponentChildren;
  readonly about: ComponentChildren;
  /** Where it is done, and what is done there. */
  readonly to: string;
  readonly action: string;
};

export function NeedsYou() {
  const { session } = useSession();
  const approvals = useData<List<Question>>('/approvals?state=waiting', { kinds: ['approval', 'batch'] });
  const held = useData<List<HeldGroup>>('/held', { kinds: ['rows', 'batch'] });
  const on = { kinds: ['batch', 'rows', 'approval'] };
  const files = useData<List<FileStatus>>('/files?limit=8', on);
  const open = useData<List<FileStatus>>('/files?state=open&limit=200', on);
  const money = useData<List<Balance>>('/balances', { kinds: ['balance'] });
  const proposals = useProposals();
  const tasks = [
    ...approvalTasks(approvals.data?.data ?? []),
    ...heldTasks(held.data?.data ?? []),
    ...profileTasks(proposals),
    ...moneyTasks(money.data?.data ?? []),
    ...fileTasks(open.data?.data ?? []),
  ];
  const isRead = [approvals, held, open].every(({ data }) => data !== null);
  return (
    <>
      <Heading title={t('nav.needsYou')}>
        {may(session, 'maker') ? (
          <Link to="/drop" class="button main">
            {t('nav.drop')}
          </Link>
        ) : null}
      </Heading>
      <div class="desk">
        <section>
          <Stale problem={isRead ? (files.problem ?? open.problem) : null} />
          {isRead ? <Tasks tasks={tasks} /> : <Waiting problem={open.problem ?? held.problem} />}
        </section>
        <Balances lines={money.data?.data ?? null} />
      </div>
      <h2>{t('needs.recent')}</h2>
      <Recent files={files.data?.data ?? null} />
    </>
  );
}

function Tasks({ tasks }: { readonly tasks: readonly Task[] }) {
  if (tasks.length === 0) return <p class="card soft">{t('needs.nothing')}</p>;
  return (
    <ul class="tasks">
      {tasks.map(({ key, words, about, to, action }) => (
        <li key={key}>
          <span class="two-lines">
            <span>{words}</span>
            <small class="soft">{about}</small>
          </span>
          <Link to={to} class="button plain">
            {action}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The currencies that are used, and the others that there are in one line: an account with nothing in it and nothing promised is no news. */
function Balances({ lines }: { readonly lines: readonly Balance[] | null }) {
  const all = (lines ?? []).filter(({ available, promised }) => [available, promised].some(isMore));
  const busy = all.filter(({ promised, spentToday }) => [promised, spentToday].some(isMore));
  const used = busy.length === 0 ? all : busy;
  const rest = all.filter((line) => !used.includes(line));
  if (all.length === 0) return <section class={lines === null ? 'to-come' : undefined} />;
  return (
    <section class="card">
      <h2>{t('needs.money')}</h2>
      {used.map(({ currency, free, promised, available }) => (
        <div key={currency}>
          <p class="big">
            {amount(free ?? available)} {currency}
          </p>
          <p class="soft">
            {isMore(promised) ? t('needs.promised', { sum: amount(promised) }) : t('needs.free')}
          </p>
        </div>
      ))}
      {rest.length === 0 ? null : (
        <p class="soft">
          {rest
            .map(({ currency, free, available }) => `${amount(free ?? available)} ${currency}`)
            .join(' · ')}
        </p>
      )}
    </section>
  );
}

function isMore(text: string | null): boolean {
  return text !== null && /[1-9]/.test(text);
}

function Recent({ files }: { readonly files: readonly FileStatus[] | null }) {
  if (files === null) return <Waiting />;
  if (files.length === 0) return <Empty>{t('files.none')}</Empty>;
  return (
    <>
      <FileTable files={files} />
      <Link to="/files">{t('files.all')}</Link>
    </>
  );
}

function approvalTasks(questions: readonly Question[]): readonly Task[] {
  return questions
    .filter(({ mayAnswer }) => mayAnswer)
    .map(({ batch, file, totals, askedAt, submittedBy }) => ({
      key: `approve ${batch}`,
      to: `/approvals/${batch}`,
      action: t('needs.toApprove'),
      words: t('needs.approve', {
        file: file.name,
        sums: totals.map(({ currency, debit }) => `${amount(debit)} ${currency}`).join(', '),
      }),
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
      to: placeOfHeld(code, files),
      action: t('held.decide'),
      words: t('needs.held', { n: rows }),
      about: `${words} · ${files
        .map(({ file }) => file)
        .slice(0, 3)
        .join(', ')}`,
    }));
}

/** Where one file alone has such rows, its decision. */
function placeOfHeld(code: string, [first, ...others]: HeldGroup['files']): string {
  const about = `code=${encodeURIComponent(code)}`;
  return first === undefined || others.length > 0 ? `/held?${about}` : `/held/${first.batch}?${about}`;
}

function profileTasks(proposals: readonly ReadingProfile[]): readonly Task[] {
  return proposals.map(({ name, files, author, digest }) => ({
    key: `profile ${digest}`,
    to: '/profiles',
    action: t('needs.look'),
    words: t('needs.profile', { files: files.join(', ') }),
    about: `${name} · ${t('needs.proposedBy', { who: author ?? '–' })}`,
  }));
}

function moneyTasks(lines: readonly Balance[]): readonly Task[] {
  return lines
    .filter(({ free }) => free?.startsWith('-') === true)
    .map(({ currency, free }) => ({
      key: `money ${currency}`,
      to: '/money',
      action: t('nav.money'),
      words: t('needs.missing', { sum: `${amount(free?.slice(1))} ${currency}` }),
      about: t('needs.missingWords'),
    }));
}

function fileTasks(files: readonly FileStatus[]): readonly Task[] {
  return files
    .filter(({ waitingFor }) => WAITS_FOR_PEOPLE.has(waitingFor ?? ''))
    .map(({ batch, file, waitingFor, wait }) => ({
      key: `file ${batch}`,
      to: `/files/${batch}`,
      action: t('needs.look'),
      words: file.name,
      about: waitReason(wait) || t('needs.waits', { what: waitWords(waitingFor) }),
    }));
}
