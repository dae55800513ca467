// One file while it is paid: how far it is, its rows by what became of them, what happened to it, and its answers.
import { useState } from 'preact/hooks';

import type { ReleaseTrial } from '../contract/decisions.ts';
import type { FileStatus } from '../contract/files.ts';
import type { Upload } from '../contract/uploads.ts';
import { JOURNAL_FORMATS, JOURNAL_ROWS_MOST, PROOF_ROWS_MOST } from '../contract/words.ts';
import { ask, query } from './api.ts';
import { AnswerTable } from './answers.tsx';
import { BatchRows } from './batch-rows.tsx';
import { Comments } from './comments.tsx';
import { useData, useOrder } from './data.ts';
import { ReasonDialog } from './dialog.tsx';
import { moneyOf, waitReason, waitWords } from './files.tsx';
import { amount, moment, t } from './language.ts';
import { OutcomeBar } from './outcome-bar.tsx';
import { Button, Empty, FileIdentity, Heading, Note, Stale, Tag, Trouble, Waiting, When } from './parts.tsx';
import { ProofLink } from './proof-link.tsx';
import { go, Link, usePlace } from './router.tsx';
import { Steps } from './steps.tsx';
import { may, orderSigned, useSession } from './session.ts';
import { Table } from './table.tsx';
import { Timeline } from './timeline.tsx';

export function Batch({ params: [id = ''] }: { readonly params: readonly string[] }) {
  const { data, problem, put } = useData<FileStatus>(`/files/${id}`, {
    kinds: ['batch', 'rows', 'approval'],
    batch: id,
  });
  const { query: filters } = usePlace();
  const shown = filters.get('show') ?? 'rows';
  if (data === null)
    return (
      <>
        <Heading title={id} />
        <Waiting problem={problem} />
      </>
    );
  return (
    <>
      <Heading title={data.file.name}>
        <Orders summary={data} onChanged={put} />
      </Heading>
      <Stale problem={problem} />
      <Standing summary={data} />
      <nav class="tabs" aria-label={t('batch.parts')}>
        {(['rows', 'money', 'timeline', 'answers'] as const).map((part) => (
          <Link key={part} to={`/files/${id}?show=${part}`} current={part === shown}>
            {t(`batch.${part}`)}
          </Link>
        ))}
      </nav>
      {shown === 'money' ? <Sums summary={data} /> : null}
      {shown === 'timeline' ? <Timeline id={id} /> : null}
      {shown === 'answers' ? (
        <>
          <AnswerTable batch={id} />
          <JournalLinks summary={data} />
        </>
      ) : null}
      {shown === 'rows' ? <BatchRows id={id} summary={data} /> : null}
      <Comments batch={id} />
    </>
  );
}

/** What the accountant books of it. */
function JournalLinks({ summary: { batch, state, outcomes, file } }: { readonly summary: FileStatus }) {
  if (state !== 'closed' || outcomes.paid + outcomes.failed === 0 || file.rows > JOURNAL_ROWS_MOST)
    return null;
  return (
    <p>
      {t('batch.journal')}
      {JOURNAL_FORMATS.map((format) => (
        <span key={format}>
          {' '}
          <a href={`/api/v1/files/${batch}/journal${query({ format })}`} download>
            {t(`journal.${format}`)}
          </a>
        </span>
      ))}
    </p>
  );
}

/** By the state itself, and by the banner. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['approval', 'stop-file']);

/** What it is about, in one sentence and one number, and how far it is: everything else stands behind it. */
function Standing({ summary }: { readonly summary: FileStatus }) {
  const { batch, standing, outcomes, file, waitingFor, wait, payAt, startedAt, finishedAt } = summary;
  const sums = moneyOf(summary);
  return (
    <section class="card">
      <p class="big">
        {sums.length === 0
          ? t('batch.rowsOf', { n: file.rows })
          : sums.map((sum) => <span key={sum}>{sum}</span>)}
      </p>
      <p class="summary-words" role="status">
        <Tag of={standing} /> {sums.length === 0 ? null : `${t('batch.rowsOf', { n: file.rows })} · `}
        <Submitted summary={summary} /> · <When at={startedAt} />
        {finishedAt === null ? null : (
          <>
            {' '}
            – <When at={finishedAt} />
          </>
        )}
        {payAt === undefined ? null : (
          <>
            {' '}
            · {t('batch.payAt')} <When at={payAt} />
          </>
        )}
      </p>
      {wait === null || SAID_ELSEWHERE.has(wait.for) ? null : (
        <p class="warn-text">{waitReason(wait) || waitWords(waitingFor)}</p>
      )}
      <SentBack summary={summary} />
      <Steps steps={summary.steps} />
      <OutcomeBar outcomes={outcomes} batch={batch} />
      {outcomes.paid === 0 || file.rows > PROOF_ROWS_MOST ? null : (
        <p>
          <ProofLink batch={batch} isPaid={outcomes.paid === file.rows} />
        </p>
      )}
      <details>
        <summary class="soft">{t('batch.details')}</summary>
        <FileIdentity batch={batch} sha256={file.sha256} />
      </details>
    </section>
  );
}

/** Whoever brought it reads why, and corrects it where files are corrected. */
function SentBack({ summary: { batch, sentBack, submittedBy } }: { readonly summary: FileStatus }) {
  const { session } = useSession();
  const order = useOrder();
  if (sentBack === null) return null;
  const isOwn = may(session, 'maker') && submittedBy.includes(session.person.name);
  const bringAgain = (): void =>
    order.run(async () => {
      const path = `/files/${batch}/correction`;
      go(`/drop/${(await ask<Pick<Upload, 'id'>>(path, { method: 'POST', body: {} })).id}`);
    });
  return (
    <Note kind="warn">
      <p>{t('receipt.sentBack', { at: moment(sentBack.at), who: sentBack.by, why: sentBack.reason })}</p>
      {isOwn ? (
        <Button kind="main" busy={order.isBusy} onClick={bringAgain}>
          {t('batch.bringAgain')}
        </Button>
      ) : null}
      <Trouble problem={order.problem} />
    </Note>
  );
}

function Submitted({ summary: { submittedBy } }: { readonly summary: FileStatus }) {
  return (
    <>{submittedBy.length === 0 ? t('batch.since') : t('needs.broughtBy', { who: submittedBy.join(', ') })}</>
  );
}

const ORDERS = {
  pause: ['batch.pause', 'batch.pauseWords', 'main'],
  resume: ['batch.resume', 'batch.pauseWords', 'main'],
  release: ['batch.release', 'batch.releaseWords', 'main'],
  cancellation: ['held.close', 'held.closeWords', 'danger'],
} as const;
type FileOrder = keyof typeof ORDERS;

/** What stops the whole file: its held rows are decided about where they are shown. */
function ordersFor({ wait }: FileStatus): readonly FileOrder[] {
  if (wait?.for === 'pause') return ['resume'];
  if (wait?.liftedBy === 'release' && wait.for !== 'held-rows') return ['release', 'cancellation', 'pause'];
  return wait?.for === 'schedule' ? ['cancellation', 'pause'] : ['pause'];
}

type OrdersProps = { readonly summary: FileStatus; readonly onChanged: (next: FileStatus) => void };

function Orders({ summary, onChanged }: OrdersProps) {
  const { session } = useSession();
  const { batch, state } = summary;
  const [asking, setAsking] = useState<FileOrder | null>(null);
  /** Of what the reader saw when the dialog was opened; the file may have gone on since. */
  const [seen, setSeen] = useState<string | null>(null);
  const order = useOrder();
  if (!may(session, 'checker') || state === 'closed' || state === 'refused') return null;
  const open = (what: FileOrder): void =>
    order.run(async () => {
      const body = { codes: null, rows: null, dryRun: true };
      const isOfRows = what === 'release' || what === 'cancellation';
      const path = `/files/${batch}/${what}`;
      setSeen(isOfRows ? (await ask<ReleaseTrial>(path, { method: 'POST', body })).seen : null);
      setAsking(what);
    });
  const send = (what: FileOrder, reason?: string): void =>
    order.run(async () => {
      const path = `/files/${batch}/${what}`;
      const body = reason === undefined ? {} : { reason };
      if (what === 'pause' || what === 'resume') await ask(path, { method: 'POST', body });
      else await orderSigned(session.signing, 'POST', path, { ...body, codes: null, rows: null, seen });
      onChanged(await ask<FileStatus>(`/files/${batch}`));
      setAsking(null);
    });
  const [title, words, kind] = ORDERS[asking ?? 'pause'];
  return (
    <>
      {state === 'awaiting-approval' ? (
        <Link to={`/approvals/${batch}`} class="button main">
          {t('batch.toApproval')}
        </Link>
      ) : null}
      {ordersFor(summary).map((each) => (
        <Button
          key={each}
          kind={each === 'pause' ? 'plain' : ORDERS[each][2]}
          busy={order.isBusy}
          onClick={() => (each === 'resume' ? send(each) : open(each))}
        >
          {t(ORDERS[each][0])}
        </Button>
      ))}
      {asking === null ? (
        <Trouble problem={order.problem} />
      ) : (
        <ReasonDialog
          title={t(title)}
          words={<p>{t(words)}</p>}
          action={t(title)}
          kind={kind}
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={() => setAsking(null)}
          onGo={(reason) => send(asking, reason)}
        />
      )}
    </>
  );
}

function Sums({ summary: { totals, received } }: { readonly summary: FileStatus }) {
  if (totals.length === 0) return <Empty>{t('batch.noMoney')}</Empty>;
  return (
    <>
      <Table
        caption={t('batch.debitedWords')}
        columns={[
          { name: t('cost.currency'), isHead: true, value: (line) => line.sourceCurrency },
          { name: t('cost.sends'), isNumber: true, value: (line) => amount(line.sendAmount) },
          { name: t('cost.fees'), isNumber: true, value: (line) => amount(line.feeAmount) },
          { name: t('batch.debited'), isNumber: true, value: (line) => <b>{amount(line.debited)}</b> },
          { name: t('batch.reserved'), isNumber: true, value: (line) => amount(line.reserved) },
        ]}
        rows={totals}
        keyOf={(line) => line.sourceCurrency}
      />
      <Table
        caption={t('batch.receivedWords')}
        columns={[
          { name: t('cost.currency'), isHead: true, value: (line) => line.destinationCurrency },
          { name: t('batch.received'), isNumber: true, value: (line) => amount(line.receiveAmount) },
        ]}
        rows={received}
        keyOf={(line) => line.destinationCurrency}
      />
    </>
  );
}
