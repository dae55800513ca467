// Whether an account was verified with its payee, by whom and how; and the order that puts this on record.
import { useState } from 'preact/hooks';

import type { RowPayee, Verification } from '../contract/payees.ts';
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

/** @param place a row that names the account. */
export function VerifyAccount({
  payee,
  place,
  onVerified,
}: {
  readonly payee: Pick<RowPayee, 'id' | 'name' | 'account'>;
  readonly place: { readonly batch: string; readonly row: string };
  readonly onVerified: (now: RowPayee) => void;
}) {
  const { session } = useSession();
  const [isAsking, setAsking] = useState(false);
  const order = useOrder();
  if (!may(session, 'checker', 'treasurer') || payee.account === null) return null;
  const verify = async (how: string): Promise<void> => {
    const body = { ...place, how };
    onVerified(await orderSigned<RowPayee>(session.signing, 'POST', `/payees/${payee.id}/verified`, body));
    setAsking(false);
  };
  return (
    <>
      <Button onClick={() => setAsking(true)}>{t('payees.verify')}</Button>
      {isAsking ? (
        <ReasonDialog
          title={t('payees.verify')}
          words={<p>{t('payees.verifyWords', { name: payee.name, account: payee.account })}</p>}
          label={t('approval.verified')}
          action={t('payees.verify')}
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={() => setAsking(false)}
          onGo={(how) => order.run(() => verify(how))}
        />
      ) : null}
    </>
  );
}
