// Where a question is answered: one bar that is always in view, and after the answer its receipt in the very same place. The buttons stand still while the rest is
// being read.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

import type { Question } from '../contract/approvals.ts';
import type { FileStatus } from '../contract/files.ts';
import type { List } from '../contract/schema.ts';
import { ask, Problem } from './api.ts';
import { useData, useOrder } from './data.ts';
import { ReasonDialog } from './dialog.tsx';
import { amount, moment, t } from './language.ts';
import { Button, Field, Note, Tag, Trouble } from './parts.tsx';
import { Link } from './router.tsx';
import { signApproval, useSession } from './session.ts';

type AnsweringProps = {
  readonly question: Question;
  /** What belongs to the question is not all there, or not read: nothing is answered yet. */
  readonly isUnread: boolean;
  readonly onDecided: (question: Question) => void;
};

export function Answering({ question, isUnread, onDecided }: AnsweringProps) {
  const [isOwn, setOwn] = useState(false);
  const decided = (next: Question): void => {
    setOwn(next.state !== 'waiting');
    onDecided(next);
  };
  return (
    <section
      class={question.state === 'waiting' ? 'decision' : 'decision receipt'}
      aria-label={t('approval.answer')}
    >
      {question.state === 'waiting' ? (
        <>
          {question.mayAnswer ? null : <Two question={question} />}
          <Answer question={question} isUnread={isUnread} onDecided={decided} />
        </>
      ) : (
        <Receipt question={question} isOwn={isOwn} />
      )}
    </section>
  );
}

/** Where two people have to approve it: that, or who has done so. Before whoever may answer it stands with the question, so that the bar stays low. */
export function Two({ question: { needed, first } }: { readonly question: Question }) {
  if (needed === 1) return null;
  return (
    <div role="status">
      {first === null ? null : <Approval answer={first} words={FIRST} />}
      <p class="receipt-words">{t(first === null ? 'approval.two' : 'approval.second')}</p>
    </div>
  );
}

function Answer({ question, isUnread, onDecided }: AnsweringProps) {
  const { session } = useSession();
  const { mayAnswer, whyNot, whyNotWords } = question;
  // Whoever was the first reads so above.
  if (whyNot === 'approval_second_person') return null;
  if (!mayAnswer) return <Note kind="warn">{whyNotWords ?? t('approval.notYou')}</Note>;
  if (session.signing === 'passkey' && session.passkeys === 0)
    return (
      <Note kind="warn">
        {t('settings.firstPasskey')} <Link to="/settings">{t('settings.addPasskey')}</Link>
      </Note>
    );
  return <Buttons question={question} isUnread={isUnread} onDecided={onDecided} />;
}

function Buttons({ question, isUnread, onDecided }: AnsweringProps) {
  const { session } = useSession();
  const [declining, setDeclining] = useState<keyof typeof REFUSALS | null>(null);
  const [verified, setVerified] = useState('');
  const order = useOrder();
  const { batch, digest, needsVerification } = question;
  const approve = async (): Promise<void> => {
    const said = needsVerification ? { verified: verified.trim() } : {};
    const body = { ...(await signApproval(session.signing, batch, digest)), ...said };
    try {
      onDecided(await ask<Question>(`/files/${batch}/approval`, { method: 'POST', body }));
    } catch (error) {
      if (error instanceof Problem && error.code === 'approval_outdated')
        onDecided(await ask<Question>(`/files/${batch}/approval`));
      throw error;
    }
  };
  const decline = async (reason: string): Promise<void> => {
    const body = { reason, sendBack: declining === 'sendBack' };
    onDecided(await ask<Question>(`/files/${batch}/decline`, { method: 'POST', body }));
    setDeclining(null);
  };
  const isUnverified = needsVerification && verified.trim() === '';
  return (
    <>
      <form
        class="decision-line"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isUnverified && !isUnread) order.run(approve);
        }}
      >
        {needsVerification ? (
          <Field
            label={t('approval.verified')}
            hint={t('approval.verifiedHint')}
            value={verified}
            onInput={setVerified}
            required
          />
        ) : (
          <p class="decision-sum">
            <b>{sumsOf(question)}</b> <span class="soft">{t('batch.rowsOf', { n: question.rows })}</span>
          </p>
        )}
        <span class="actions">
          <Button kind="main" type="submit" busy={order.isBusy || isUnread} disabled={isUnverified}>
            {session.signing === 'click' ? t('approval.approve') : t('approval.sign')}
          </Button>
          <OtherAnswers onChoose={setDeclining} />
        </span>
      </form>
      {session.signing === 'click' ? <small class="no-print">{t('approval.demo')}</small> : null}
      {declining !== null ? (
        <ReasonDialog
          title={t(REFUSALS[declining].title)}
          words={<p>{t(REFUSALS[declining].words)}</p>}
          action={t(REFUSALS[declining].title)}
          kind={REFUSALS[declining].kind}
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={() => setDeclining(null)}
          onGo={(reason) => order.run(() => decline(reason))}
        />
      ) : (
        <Trouble problem={order.problem} />
      )}
    </>
  );
}

/** Beside the button; on a telephone behind one of their own. */
function OtherAnswers({ onChoose }: { readonly onChoose: (answer: keyof typeof REFUSALS) => void }) {
  const id = useId();
  const menu = useRef<HTMLSpanElement>(null);
  const choose = (answer: keyof typeof REFUSALS): void => {
    // Focus goes back to what opened the menu, and from the dialog to there again.
    menu.current?.hidePopover();
    onChoose(answer);
  };
  return (
    <>
      <button type="button" class="button plain narrow-only" popovertarget={id}>
        {t('approval.others')}
      </button>
      <span id={id} class="other-answers" popover="auto" ref={menu}>
        <Button onClick={() => choose('sendBack')}>{t('approval.sendBack')}</Button>
        <Button kind="danger" onClick={() => choose('decline')}>
          {t('approval.decline')}
        </Button>
      </span>
    </>
  );
}

const REFUSALS = {
  decline: { title: 'approval.decline', words: 'approval.declineWords', kind: 'danger' },
  sendBack: { title: 'approval.sendBack', words: 'approval.sendBackWords', kind: 'main' },
} as const;

export function sumsOf({ totals }: Pick<Question, 'totals'>): string {
  return totals.map(({ currency, debit }) => `${amount(debit)} ${currency}`).join(', ');
}

/** @param isOwn the reader has just answered: focus goes where the button was. */
function Receipt({ question, isOwn }: { readonly question: Question; readonly isOwn: boolean }) {
  const { batch } = question;
  const file = useData<FileStatus>(`/files/${batch}`, { kinds: ['batch', 'rows', 'approval'], batch });
  const waiting = useData<List<Question>>('/approvals?state=waiting', { kinds: ['approval', 'batch'] });
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOwn) place.current?.focus();
  }, [isOwn]);
  const others = (waiting.data?.data ?? []).filter((each) => each.mayAnswer && each.batch !== batch);
  const [next] = others;
  return (
    <>
      <div role="status" tabIndex={-1} ref={place}>
        <ReceiptWords answer={question} />
      </div>
      <p class="decision-line no-print">
        {file.data === null ? null : <Tag of={file.data.standing} />}
        <Link to={`/files/${batch}`}>{t('receipt.watch')}</Link>
        {next === undefined ? null : (
          <Link to={`/approvals/${next.batch}`} class="button main">
            {t('receipt.next', { n: others.length })}
          </Link>
        )}
      </p>
    </>
  );
}

type Answered = Pick<Question, 'state' | 'first' | 'given' | 'declined'>;

/** What was answered, by whom and with which passkey. */
export function ReceiptWords({ answer }: { readonly answer: Answered }) {
  const { first, given, declined, state } = answer;
  const tag = <Tag of={state} />;
  return (
    <>
      {first === null ? null : <Approval answer={first} words={FIRST} />}
      {declined !== null ? (
        <p class="receipt-words">
          {tag}{' '}
          {t(declined.sendsBack ? 'receipt.sentBack' : 'receipt.declined', {
            at: moment(declined.at),
            who: whoAnswered(declined),
            why: declined.reason,
          })}
        </p>
      ) : given === null || state === 'outdated' ? (
        <p class="receipt-words">
          {tag} {t('receipt.outdated')}
        </p>
      ) : (
        <Approval answer={given} words={LAST} tag={tag} />
      )}
    </>
  );
}

const FIRST = { typed: 'receipt.firstApproved', signed: 'receipt.firstSigned' } as const;
const LAST = { typed: 'receipt.approved', signed: 'receipt.signed' } as const;

function Approval({
  answer: { at, by, standsFor, passkey, verified },
  words: { typed, signed },
  tag,
}: {
  readonly answer: NonNullable<Question['given']>;
  readonly words: typeof FIRST | typeof LAST;
  readonly tag?: ComponentChildren;
}) {
  const about = { at: moment(at), who: whoAnswered({ by, standsFor }) };
  return (
    <>
      <p class="receipt-words">
        {tag} {passkey === null ? t(typed, about) : t(signed, { ...about, passkey })}
      </p>
      {verified === null ? null : <p class="receipt-words">{t('receipt.verified', { words: verified })}</p>}
    </>
  );
}

/** A delegate with the approver on leave. */
function whoAnswered({ by, standsFor }: Pick<NonNullable<Question['given']>, 'by' | 'standsFor'>): string {
  return standsFor === null ? by : t('receipt.for', { who: by, whom: standsFor });
}
