// What the reader is told of without looking at the page, and the address that gets it once its owner has typed the code that came there.
import { useRef, useState } from 'preact/hooks';

import type { Notices as Own } from '../contract/notices.ts';
import { NOTICE_KINDS, type NoticeWay } from '../contract/words.ts';
import { ask, Problem, wordsOf } from './api.ts';
import { useData, useOrder } from './data.ts';
import { t, time } from './language.ts';
import { Button, Checks, Field, Note, Trouble, Waiting, When } from './parts.tsx';
import { hasPush, subscribeHere } from './push.ts';
import { orderSigned, useSession } from './session.ts';
import { Table } from './table.tsx';

export function Notices() {
  const { data, problem, reload } = useData<Own>('/session/notices');
  return (
    <>
      <h2>{t('notices.title')}</h2>
      <p class="soft">{t('notices.words')}</p>
      {data === null ? <Waiting problem={problem} /> : <Ways own={data} reload={reload} />}
    </>
  );
}

function Ways({ own, reload }: { readonly own: Own; readonly reload: () => void }) {
  const order = useOrder();
  const { chosen, choose, problem } = useChoices(own.chosen);
  const run: Run = (work) =>
    order.run(async () => {
      await work();
      reload();
    });
  return (
    <>
      {own.mail.isOffered ? (
        <>
          <Address mail={own.mail} isBusy={order.isBusy} run={run} />
          <Kinds way="mail" chosen={chosen} onChoose={choose} />
        </>
      ) : (
        <Note>{t('notices.noMail')}</Note>
      )}
      {own.pushKey === null ? null : (
        <>
          <Browsers pushKey={own.pushKey} browsers={own.browsers} run={run} />
          <Kinds way="browser" chosen={chosen} onChoose={choose} />
        </>
      )}
      <Trouble problem={order.problem ?? problem} />
    </>
  );
}

type Choices = Own['chosen'];

/** Each tick shows at once and is sent after the one before it, with all that is ticked: none is lost by a fast hand. */
function useChoices(first: Choices): {
  readonly chosen: Choices;
  readonly choose: (next: Choices) => void;
  readonly problem: Problem | null;
} {
  const [chosen, setChosen] = useState(first);
  const [problem, setProblem] = useState<Problem | null>(null);
  const saved = useRef(first);
  const last = useRef(Promise.resolve());
  const save = async (next: Choices): Promise<void> => {
    try {
      await ask('/session/notices', { method: 'PUT', body: next });
      saved.current = next;
      setProblem(null);
    } catch (error) {
      setChosen(saved.current);
      setProblem(error instanceof Problem ? error : new Problem(0, 'page', wordsOf(error)));
    }
  };
  const choose = (next: Choices): void => {
    setChosen(next);
    last.current = last.current.then(() => save(next));
  };
  return { chosen, choose, problem };
}

type Run = (work: () => Promise<unknown>) => void;

function Kinds({
  way,
  chosen,
  onChoose,
}: {
  readonly way: NoticeWay;
  readonly chosen: Choices;
  readonly onChoose: (next: Choices) => void;
}) {
  return (
    <Checks
      legend={t(`notices.${way}`)}
      all={NOTICE_KINDS}
      chosen={chosen[way]}
      words={(kind) => t(`notices.${kind}`)}
      onChange={(kinds) => onChoose({ ...chosen, [way]: kinds })}
    />
  );
}

function Browsers({
  pushKey,
  browsers,
  run,
}: {
  readonly pushKey: string;
  readonly browsers: Own['browsers'];
  readonly run: Run;
}) {
  const { session } = useSession();
  const path = '/session/notices/browsers';
  const add = async (): Promise<void> => {
    const subscription = await subscribeHere(pushKey);
    await orderSigned(session.signing, 'POST', path, subscription);
  };
  return (
    <>
      {browsers.length === 0 ? (
        <p>{t('notices.noBrowser')}</p>
      ) : (
        <Table
          columns={[
            { name: t('notices.browserName'), isHead: true, value: ({ name }) => name },
            { name: t('settings.begun'), value: ({ createdAt }) => <When at={createdAt} /> },
            {
              name: t('people.remove'),
              value: ({ id }) => (
                <Button onClick={() => run(() => ask(`${path}/${id}`, { method: 'DELETE' }))}>
                  {t('people.remove')}
                </Button>
              ),
            },
          ]}
          rows={browsers}
          keyOf={({ id }) => id}
        />
      )}
      {hasPush() ? (
        <p>
          <Button onClick={() => run(add)}>{t('notices.here')}</Button>
        </p>
      ) : (
        <Note>{t('notices.noPush')}</Note>
      )}
    </>
  );
}

type AddressProps = {
  readonly mail: Own['mail'];
  readonly isBusy: boolean;
  readonly run: Run;
};

function Address({ mail: { address, asked }, isBusy, run }: AddressProps) {
  const { session } = useSession();
  const [typed, setTyped] = useState('');
  const [code, setCode] = useState('');
  const path = '/session/notices/address';
  const send = async (): Promise<void> => {
    await orderSigned(session.signing, 'POST', path, { address: typed.trim() });
    setTyped('');
  };
  const confirm = async (): Promise<void> => {
    await ask(`${path}/code`, { method: 'POST', body: { code: code.trim() } });
    setCode('');
  };
  return (
    <>
      {address === null ? (
        <p>{t('notices.noAddress')}</p>
      ) : (
        <p>
          <b>{address}</b>{' '}
          <Button onClick={() => run(() => ask(path, { method: 'DELETE' }))}>{t('notices.remove')}</Button>
        </p>
      )}
      <Asking
        label={t('notices.address')}
        action={t('notices.send')}
        value={typed}
        isBusy={isBusy}
        onInput={setTyped}
        onGo={() => run(send)}
      />
      {asked === null ? null : (
        <>
          <p role="status">
            {t('notices.sent', { address: asked.address, time: time(Date.parse(asked.endsAt)) })}
          </p>
          <Asking
            label={t('notices.code')}
            action={t('people.confirm')}
            value={code}
            isBusy={isBusy}
            onInput={setCode}
            onGo={() => run(confirm)}
          />
        </>
      )}
    </>
  );
}

/** One field and its button. */
function Asking({
  label,
  action,
  value,
  isBusy,
  onInput,
  onGo,
}: {
  readonly label: string;
  readonly action: string;
  readonly value: string;
  readonly isBusy: boolean;
  readonly onInput: (value: string) => void;
  readonly onGo: () => void;
}) {
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim() !== '') onGo();
      }}
    >
      <Field label={label} value={value} onInput={onInput} />
      <Button type="submit" busy={isBusy} disabled={value.trim() === ''}>
        {action}
      </Button>
    </form>
  );
}
