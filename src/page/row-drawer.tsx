// One row beside its list: whom it pays, what it costs, every id by which the service knows it, and what happened to it.
import type { Row } from '../contract/files.ts';
import type { RowPayee } from '../contract/payees.ts';
import type { List } from '../contract/schema.ts';
import { query } from './api.ts';
import { Comments } from './comments.tsx';
import { useData } from './data.ts';
import { Dialog } from './dialog.tsx';
import { moment, t, withCurrency } from './language.ts';
import { Button, Waiting } from './parts.tsx';
import { ProofLink } from './proof-link.tsx';
import { RowTag } from './row-tag.tsx';
import { Link } from './router.tsx';
import { Timeline } from './timeline.tsx';
import { Verified, VerifyAccount } from './verified-account.tsx';

export function RowDrawer({
  batch,
  row,
  onClose,
}: {
  readonly batch: string;
  readonly row: string;
  readonly onClose: () => void;
}) {
  const { data, problem } = useData<List<Row>>(`/files/${batch}/rows${query({ row })}`, {
    kinds: ['rows', 'batch'],
    batch,
  });
  const [found] = data?.data ?? [];
  return (
    <Dialog title={t('row.title', { row })} onClose={onClose} isDrawer>
      {data === null ? <Waiting problem={problem} /> : null}
      {data !== null && found === undefined ? <p>{t('batch.noRows')}</p> : null}
      {found === undefined ? null : <RowFacts batch={batch} row={found} />}
      {(found?.receiver ?? null) === null ? null : <PayeeOfRow batch={batch} row={row} />}
      <Comments batch={batch} row={row} />
      <h3>{t('row.history')}</h3>
      <Timeline id={batch} row={row} />
      <div class="actions">
        <Button onClick={onClose}>{t('part.close')}</Button>
      </div>
    </Dialog>
  );
}

/** Whether exactly this account was verified, and the way to whoever is paid. */
function PayeeOfRow({ batch, row }: { readonly batch: string; readonly row: string }) {
  const { data, put } = useData<RowPayee>(`/files/${batch}/payee${query({ row })}`);
  if (data === null) return null;
  return (
    <>
      <p>
        <Verified verified={data.verified} />
      </p>
      <p>
        {data.isPaid ? <Link to={`/payees/${data.id}`}>{t('payees.payee')}</Link> : null}{' '}
        <VerifyAccount payee={data} place={{ batch, row }} onSaid={put} />
      </p>
    </>
  );
}

export function RowFacts({ batch, row }: { readonly batch: string; readonly row: Row }) {
  const { outcome, errorCode, receiver, account, reason } = row;
  const facts: readonly (readonly [name: string, value: string | null | undefined])[] = [
    [t('batch.reference'), row['reference']],
    [t('batch.sends'), withCurrency(row['sendAmount'], row['sourceCurrency'])],
    [t('cost.fees'), withCurrency(row['feeAmount'], row['sourceCurrency'])],
    [t('row.rate'), row['rate']],
    [t('row.created'), moment(row['createdAt'])],
    [t('row.confirmed'), moment(row['confirmedAt'])],
    [t('row.final'), moment(row['finalAt'])],
    [t('row.transfer'), row['transferId']],
    [t('row.external'), row['externalId']],
  ];
  return (
    <>
      <p class="big">
        {withCurrency(
          row['receiveAmount'] || row['askedAmount'],
          row['destinationCurrency'] || row['askedCurrency'],
        )}
      </p>
      <p>
        {receiver} <span class="account">{account}</span> <RowTag row={row} />
      </p>
      <p class="soft">
        {reason}{' '}
        {outcome === 'held' ? (
          <Link to={`/held/${batch}?code=${encodeURIComponent(errorCode)}`}>{t('held.decide')}</Link>
        ) : null}
      </p>
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== '–')
          .map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} is`}>{value}</dd>])}
      </dl>
      <p>
        <ProofLink batch={batch} row={row.row} isPaid={outcome === 'paid'} />
      </p>
      {receiver === null ? null : (
        <p>
          <Link to={`/files/${batch}${query({ find: receiver })}`}>{t('row.sameReceiver')}</Link>
        </p>
      )}
    </>
  );
}
