// One question and its answer: the signed text stands here exactly, on the screen and on paper, and a changed question is shown before it counts.
import { useEffect, useState } from 'preact/hooks';

import { Compared, Corrected } from './approvals.tsx';
import { ask, askAll, Problem, query } from './api.ts';
import { useData, useOrder } from './data.ts';
import { ReasonDialog } from './dialog.tsx';
import { amount, count, t, withCurrency } from './language.ts';
import { Button, Digest, Heading, Note, Tag, Trouble, Waiting, When } from './parts.tsx';
import { Subject, Warnings } from './question-subject.tsx';
import { signApproval } from './session.ts';
import { Link } from './router.tsx';
import { useSession } from './session.ts';
import type { Answer, Comparison, MoneyLine, Question, Row } from './shapes.ts';
import type { List } from './api.ts';
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
  return (
    <>
      <Heading title={t('approval.of', { file: question.file.name })}>
        <Button busy={paper === null} onClick={() => print()}>
          {t('part.print')}
        </Button>
      </Heading>
      {isOther ? <Changed from={read} to={question} onRead={() => readAgain(question)} /> : null}
      <Warnings question={question} />
      <Sheet question={question} compared={compared.data} />
      {compared.data === null ? <Waiting problem={compared.problem} /> : null}
      {isOther || compared.data === null ? null : <Decide question={question} onDecided={onDecided} />}
      <PaperRows paper={paper} />
    </>
  );
}

function totalsOf({ totals }: Question): string {
  return totals.map(({ currency, debit }) => `${currency} ${amount(debit)}`).join(', ');
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
          from: `${count(from.rows)} · ${totalsOf(from)}`,
          to: `${count(to.rows)} · ${totalsOf(to)}`,
        })}
      </p>
      <Button onClick={onRead}>{t('approval.readAgain')}</Button>
    </div>
  );
}

function Sheet({
  question,
  compared,
}: {
  readonly question: Question;
  readonly compared: Comparison | null;
}) {
  const { batch, state, file, digest, rows, totals, most, submittedBy, askedAt, round, given, declined } =
    question;
  const money = useData<List<MoneyLine>>('/balances', { kinds: ['balance'] });
  const lines = money.data?.data ?? [];
  return (
    <>
      <p role="status">
        <Tag of={state} />{' '}
        {given === null
          ? null
          : t(given.isSigned ? 'approval.signedBy' : 'approval.givenBy', { who: given.by })}
        {declined === null ? null : t('approval.declinedBy', { who: declined.by, why: declined.reason })}
      </p>
      <dl class="facts">
        <dt>{t('batch.id')}</dt>
        <dd>
          <code>{batch}</code>
        </dd>
        <dt>{t('approvals.by')}</dt>
        <dd>
          {submittedBy.join(', ')} · <When at={askedAt} /> · {t('approval.round', { n: round })}
        </dd>
        <dt>{t('files.rows')}</dt>
        <dd>
          <Link to={`/files/${batch}`}>{count(rows)}</Link>
        </dd>
        <dt>{t('batch.hash')}</dt>
        <dd>
          <Digest text={file.sha256} />
        </dd>
      </dl>
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
      <Subject question={question} />
      {state === 'waiting' ? <Short question={question} lines={lines} /> : null}
      <SentBefore question={question} />
      {compared === null ? null : <Corrected cells={compared.corrected} />}
      {compared === null || compared.with === null ? null : <Compared comparison={compared} />}
      <h2>{t('approval.youSign')}</h2>
      <p>
        <Digest text={digest} />
      </p>
      <p class="soft">{t('approval.digestWords')}</p>
    </>
  );
}

/** It is not asked about again. */
function SentBefore({ question: { sent } }: { readonly question: Question }) {
  if (sent.length === 0) return null;
  const sums = sent.map(({ currency, debit }) => `${currency} ${amount(debit)}`).join(', ');
  return <p>{t('approval.sent', { sums })}</p>;
}

/** What the account lacks for all open files, this one among them. */
function Short({ question, lines }: { readonly question: Question; readonly lines: readonly MoneyLine[] }) {
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

function Decide({ question, onDecided }: Deciding) {
  const { session } = useSession();
  const [isDeclining, setDeclining] = useState(false);
  const order = useOrder();
  const { batch, digest, state, mayAnswer, whyNotWords } = question;
  if (state !== 'waiting') return null;
  if (!mayAnswer) return <Note kind="warn">{whyNotWords ?? t('approval.notYou')}</Note>;
  if (session.signing === 'passkey' && session.passkeys === 0)
    return (
      <Note kind="warn">
        {t('settings.firstPasskey')} <Link to="/settings">{t('settings.addPasskey')}</Link>
      </Note>
    );
  const approve = async (): Promise<void> => {
    const body = await signApproval(session.signing, batch, digest);
    try {
      onDecided(await ask<Question>(`/files/${batch}/approval`, { method: 'POST', body }));
    } catch (error) {
      if (error instanceof Problem && error.code === 'approval_outdated')
        onDecided(await ask<Question>(`/files/${batch}/approval`));
      throw error;
    }
  };
  const decline = async (reason: string): Promise<void> => {
    onDecided(await ask<Question>(`/files/${batch}/decline`, { method: 'POST', body: { reason } }));
    setDeclining(false);
  };
  return (
    <>
      <div class="actions">
        <Button kind="main" busy={order.isBusy} onClick={() => order.run(approve)}>
          {session.signing === 'click' ? t('approval.approve') : t('approval.sign')}
        </Button>
        <Button kind="danger" onClick={() => setDeclining(true)}>
          {t('approval.decline')}
        </Button>
      </div>
      {session.signing === 'click' ? <p class="soft no-print">{t('approval.demo')}</p> : null}
      {isDeclining ? (
        <ReasonDialog
          title={t('approval.decline')}
          words={<p>{t('approval.declineWords')}</p>}
          action={t('approval.decline')}
          kind="danger"
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={() => setDeclining(false)}
          onGo={(reason) => order.run(() => decline(reason))}
        />
      ) : (
        <Trouble problem={order.problem} />
      )}
    </>
  );
}

/** Beyond these a sheet of paper is no help, and the hash of the preview stands for them. */
const PRINTED_MOST = 500;

/** What stands on paper alone: each row, or the hash of the file that has them. Null while it is on its way. */
function usePaper({ batch, rows, preview, digest }: Question): readonly Row[] | Answer | null {
  const [paper, setPaper] = useState<readonly Row[] | Answer | null>(null);
  const isShort = rows <= PRINTED_MOST;
  useEffect(() => {
    let isOther = false;
    setPaper(null);
    const read = isShort
      ? askAll<Row>(`/files/${batch}/rows${query({ limit: PAGE_ROWS })}`).then((all) =>
          all.filter(({ outcome }) => !NOT_ASKED.has(outcome)),
        )
      : ask<List<Answer>>(`/files/${batch}/answers`).then(
          ({ data }) => data.find(({ name }) => name === preview) ?? [],
        );
    // Without its rows the sheet is not printed.
    read.then(
      (rowsOf) => (isOther ? undefined : setPaper(rowsOf)),
      () => undefined,
    );
    return () => {
      isOther = true;
    };
  }, [batch, isShort, preview, digest]);
  return paper;
}

const PAGE_ROWS = 200;

/** Rows that nobody is asked about: they are not sent, whatever the answer. */
const NOT_ASKED: ReadonlySet<string> = new Set(['rejected', 'duplicate', 'held']);

function PaperRows({ paper }: { readonly paper: ReturnType<typeof usePaper> }) {
  return (
    <section class="print-only">
      {paper === null ? null : 'sha256' in paper ? (
        <>
          <p>{t('approval.tooMany', { file: paper.name })}</p>
          <p>
            <code class="whole">{paper.sha256}</code>
          </p>
        </>
      ) : (
        <Table
          columns={[
            { name: t('check.row'), isHead: true, value: ({ row }) => row },
            { name: t('batch.reference'), value: ({ reference }) => reference },
            {
              name: t('batch.receiver'),
              value: ({ receiver, account }) => `${receiver ?? ''} ${account ?? ''}`,
            },
            {
              name: t('batch.sends'),
              isNumber: true,
              value: (row) => withCurrency(row['sendAmount'], row['sourceCurrency']),
            },
            {
              name: t('batch.receives'),
              isNumber: true,
              value: (row) => withCurrency(row['receiveAmount'], row['destinationCurrency']),
            },
          ]}
          rows={paper}
          keyOf={({ row }) => row}
        />
      )}
      <p>{t('approval.signHere')}</p>
    </section>
  );
}
