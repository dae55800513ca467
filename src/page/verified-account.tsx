// Whether an account was verified with its payee, by whom and how; and the order that puts this on record.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import type { RowPayee, Verification } from '../contract/payees.ts';
import { ask } from './api.ts';
import { useOrder } from './data.ts';
import { ReasonDialog } from './dialog.tsx';
import { moment, t } from './language.ts';
import { Button, Tag } from './parts.tsx';
import { may, orderSigned, useSession } from './session.ts';

/** @param verified the newest first. */
export function Verified({ verified }: { readonly verified: readonly Verification[] }) {
  return verified.map(({ at, by, how }) => (
    <small key={at}>
      <Tag of="ok">{t('payees.verified', { at: moment(at), by, how })}</Tag>
    </small>
  ));
}

/** What a person may say of an account, that of a row. */
type Saying = {
  readonly payee: Pick<RowPayee, 'id' | 'name' | 'account' | 'verified'>;
  readonly place: { readonly batch: string; readonly row: string };
  readonly onSaid: (now: RowPayee) => void;
};

export function VerifyAccount(saying: Saying) {
  const { session } = useSession();
  const { id, account, verified } = saying.payee;
  if (account === null) return null;
  const path = `/payees/${id}/verified`;
  const verify = (body: object): Promise<RowPayee> => orderSigned(session.signing, 'POST', path, { ...body });
  return (
    <>
      {may(session, 'checker', 'treasurer') ? (
        <Say saying={saying} action={t('payees.verify')} label={t('approval.verified')} order={verify}>
          {t('payees.verifyWords', { name: saying.payee.name, account })}
        </Say>
      ) : null}
      {verified.length === 0 ? null : (
        <Say
          saying={saying}
          action={t('payees.withdraw')}
          order={(body) => ask<RowPayee>(path, { method: 'DELETE', body })}
        >
          <Verified verified={verified} />
        </Say>
      )}
    </>
  );
}

function Say({
  saying: { place, onSaid },
  action,
  order: give,
  label,
  children,
}: {
  readonly saying: Saying;
  readonly action: string;
  readonly order: (body: object) => Promise<RowPayee>;
  readonly label?: string;
  readonly children: ComponentChildren;
}) {
  const [isAsking, setAsking] = useState(false);
  const order = useOrder();
  const say = async (how: string): Promise<void> => {
    onSaid(await give({ ...place, how }));
    setAsking(false);
  };
  return (
    <>
      <Button onClick={() => setAsking(true)}>{action}</Button>
      {isAsking ? (
        <ReasonDialog
          title={action}
          words={<p>{children}</p>}
          {...(label === undefined ? {} : { label })}
          action={action}
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={() => setAsking(false)}
          onGo={(how) => order.run(() => say(how))}
        />
      ) : null}
    </>
  );
}
