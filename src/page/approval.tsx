// One question and its answer: the signed text stands here exactly, on the screen and on paper, and a changed question is shown before it counts.
import { useState } from 'preact/hooks';

import type { Question } from '../contract/approvals.ts';
import type { Comparison } from '../contract/files.ts';
import type { Balance } from '../contract/money.ts';
import type { List } from '../contract/schema.ts';
import { Answering, sumsOf, Two } from './answering.tsx';
import { Compared, Corrected } from './approvals.tsx';
import { Comments } from './comments.tsx';
import { useData } from './data.ts';
import { amount, count, t } from './language.ts';
import { Button, Digest, FileIdentity, Heading, Note, Tag, Waiting, When } from './parts.tsx';
import { PaperRows, Payments, usePaper } from './payments-asked.tsx';
import { Before, Sums, Warnings } from './question-subject.tsx';
import { Link } from './router.tsx';
import { Table } from './table.tsx';

export function Approval({ params: [batch = ''] }: { readonly params: readonly string[] }) {
  const { data, problem, put } = useData<Question>(`/files/${batch}/approval`, {
    kinds: ['approval', 'batch'],
    batch,
  });
  if (data !== null) return <Asked key={batch} question={data} onDecided={put} />;
  return (
    <>
      <Heading title={t('approval.title')} />
      <Waiting problem={problem} />
    </>
  );
}

type Deciding = { readonly question: Question; readonly onDecided: (question: Question) => void };

function Asked({ question, onDecided }: Deciding) {
  // The button signs the question that the reader has begun to read.
  const [read, readAgain] = useState(question);
  const paper = usePaper(question);
  const compared = useData<Comparison>(`/files/${question.batch}/comparison`);
  const isOther = read.digest !== question.digest;
  const isWaiting = question.state === 'waiting';
  return (
    <>
      <Heading title={t(isWaiting ? 'approval.of' : 'approval.about', { file: question.file.name })}>
        <span class="wide-only">
          <Button busy={paper === null} onClick={() => print()}>
            {t('part.print')}
          </Button>
        </span>
      </Heading>
      {isOther ? <Changed from={read} to={question} onRead={() => readAgain(question)} /> : null}
      <Summary question={question} />
      {isWaiting && question.mayAnswer && question.needed > 1 ? (
        <Note>
          <Two question={question} />
        </Note>
      ) : null}
      <Warnings question={question} />
      <Before question={question} />
      <Sheet question={question} compared={compared.data} />
      {compared.data === null ? <Waiting problem={compared.problem} /> : null}
      <Payments question={question} paper={paper} compared={compared.data} />
      <Comments batch={question.batch} />
      <Evidence question={question} />
      <Answering question={question} isUnread={isOther || compared.data === null} onDecided={onDecided} />
      <PaperRows paper={paper} signers={question.needed} />
    </>
  );
}

function Changed({
  from,
  to,
  onRead,
}: {
  readonly from: Question;
  readonly to: Question;
  readonly onRead: () => void;
}) {
  return (
    <div class="note warn" role="alert">
      <p>
        <b>{t('approval.changed')}</b>{' '}
        {t('approval.fromTo', {
          from: `${count(from.rows)} · ${sumsOf(from)}`,
          to: `${count(to.rows)} · ${sumsOf(to)}`,
        })}
      </p>
      <Button onClick={onRead}>{t('approval.readAgain')}</Button>
    </div>
  );
}

/** The number that is decided about comes first. */
function Summary({ question }: { readonly question: Question }) {
  const { rows, totals, submittedBy, askedAt, round, state, batch } = question;
  return (
    <section class="card">
      <p class="big">
        {totals.map(({ currency, debit }) => (
          <span key={currency}>
            {amount(debit)} {currency}
          </span>
        ))}
      </p>
      <p class="summary-words">
        <Tag of={state} /> <Link to={`/files/${batch}`}>{t('batch.rowsOf', { n: rows })}</Link> ·{' '}
        {t('needs.broughtBy', { who: submittedBy.join(', ') })} · {t('approval.askedAt')}{' '}
        <When at={askedAt} />
        {round === 1 ? null : <> · {t('approval.round', { n: round })}</>}
      </p>
      <Sums question={question} />
    </section>
  );
}

function Sheet({
  question,
  compared,
}: {
  readonly question: Question;
  readonly compared: Comparison | null;
}) {
  const { state, totals, most } = question;
  const money = useData<List<Balance>>('/balances', { kinds: ['balance'] });
  const lines = money.data?.data ?? [];
  return (
    <>
      {state === 'waiting' ? <Short question={question} lines={lines} /> : null}
      <Table
        caption={t('approval.totals')}
        columns={[
          { name: t('cost.currency'), isHead: true, value: ({ currency }) => currency },
          { name: t('files.rows'), isNumber: true, value: (line) => count(line.rows) },
          { name: t('cost.debit'), isNumber: true, value: ({ debit }) => <b>{amount(debit)}</b> },
          {
            name: t('approval.most'),
            isNumber: true,
            value: ({ currency }) => amount(most.find((each) => each.currency === currency)?.debit),
          },
          {
            name: t('cost.available'),
            isNumber: true,
            value: ({ currency }) => amount(lines.find((each) => each.currency === currency)?.available),
          },
        ]}
        rows={totals}
        keyOf={({ currency }) => currency}
      />
      <SentBefore question={question} />
      {compared === null ? null : <Corrected cells={compared.corrected} />}
      {compared === null || compared.with === null ? null : (
        <Compared comparison={compared} accounts={question.subject.warned.changedAccounts} />
      )}
    </>
  );
}

/** What is signed, and which file it is, for whoever compares them with another paper or another screen. */
function Evidence({ question: { batch, file, digest, state } }: { readonly question: Question }) {
  return (
    <section>
      <h2>{t(state === 'waiting' ? 'approval.youSign' : 'approval.digest')}</h2>
      <p>
        <Digest text={digest} />
      </p>
      <p class="soft">{t('approval.digestWords')}</p>
      <FileIdentity batch={batch} sha256={file.sha256} />
    </section>
  );
}

/** It is not asked about again. */
function SentBefore({ question: { sent } }: { readonly question: Question }) {
  if (sent.length === 0) return null;
  const sums = sent.map(({ currency, debit }) => `${currency} ${amount(debit)}`).join(', ');
  return <p>{t('approval.sent', { sums })}</p>;
}

/** What the account lacks for all open files, this one among them. */
function Short({ question, lines }: { readonly question: Question; readonly lines: readonly Balance[] }) {
  return lines
    .filter(({ currency }) => question.totals.some((total) => total.currency === currency))
    .map(({ currency, free }) =>
      free?.startsWith('-') === true ? (
        <Note kind="warn" key={currency}>
          <b>{t('cost.short', { sum: `${currency} ${amount(free.slice(1))}` })}</b> {t('approval.short')}
        </Note>
      ) : null,
    );
}
