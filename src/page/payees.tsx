// Everybody who was paid, and of each the accounts, the sums and the last payments.
import { useState } from 'preact/hooks';

import type { Payee, PayeeHistory } from '../contract/payees.ts';
import type { FoundPayment } from '../contract/search.ts';
import { query } from './api.ts';
import { type Data, useData, useListing, useOrder } from './data.ts';
import { ReasonDialog } from './dialog.tsx';
import { amount, count, t, withCurrency } from './language.ts';
import { Button, Heading, Note, Waiting, When } from './parts.tsx';
import { go, Link, usePlace } from './router.tsx';
import { RowTag } from './row-tag.tsx';
import { may, orderSigned, useSession } from './session.ts';
import { ListTable, Search, Table } from './table.tsx';
import { Verified, VerifyAccount } from './verified-account.tsx';

const CHANGED = { kinds: ['rows', 'batch'] };

export function Payees() {
  const find = usePlace().query.get('find') ?? undefined;
  const keyOf = ({ id }: Payee): string => id;
  const listing = useListing<Payee>(`/payees${query({ find })}`, keyOf, CHANGED);
  return (
    <>
      <Heading title={t('nav.payees')}>
        <a class="button plain" href={`/api/v1/payees/table${query({ find })}`} download>
          {t('audit.csv')}
        </a>
      </Heading>
      <Search label={t('payees.find')} read={withoutAccount} />
      {isWhole(listing.first) ? null : <Note kind="warn">{t('find.building')}</Note>}
      <ListTable
        listing={listing}
        empty={t(find === undefined ? 'payees.none' : 'find.nothing')}
        keyOf={keyOf}
        columns={[
          {
            name: t('batch.receiver'),
            isHead: true,
            value: ({ id, name }) => <Link to={`/payees/${id}`}>{name}</Link>,
          },
          {
            name: t('approval.account'),
            value: ({ account, verified }) => (
              <span class="two-lines">
                <span class="account">{account}</span>
                <Verified verified={verified === null ? [] : [verified]} />
              </span>
            ),
          },
          { name: t('payees.accounts'), isNumber: true, value: ({ accounts }) => count(accounts) },
          { name: t('payees.last'), value: ({ lastAt }) => <When at={lastAt} /> },
          {
            name: t('files.amount'),
            isNumber: true,
            value: ({ lastAmount, lastCurrency }) => withCurrency(lastAmount, lastCurrency),
          },
        ]}
      />
    </>
  );
}

/** It stands next to the list. */
function isWhole(first: object | null): boolean {
  return (first as { readonly isWhole?: boolean } | null)?.isWhole !== false;
}

/** No address names an account: of one that is typed, the last four digits are looked for. */
function withoutAccount(said: string): string {
  const digits = said.replace(/\D/g, '');
  return digits.length > ACCOUNT_END && !/\p{L}{3}/u.test(said) ? digits.slice(-ACCOUNT_END) : said;
}

const ACCOUNT_END = 4;

export function PayeeScreen({ params: [id = ''] }: { readonly params: readonly string[] }) {
  const known = useData<PayeeHistory>(`/payees/${id}`, CHANGED);
  const { data, problem } = known;
  if (data === null)
    return (
      <>
        <Heading title={t('nav.payees')} />
        <Waiting problem={problem} />
      </>
    );
  const { name, firstAt, lastAt, sums, payments, documents } = data;
  return (
    <>
      <Heading title={name}>
        <Erase payee={data} />
      </Heading>
      <section class="card">
        <p class="big">
          {sums.map(({ currency, amount: sum }) => (
            <span key={currency}>
              {amount(sum)} {currency}
            </span>
          ))}
        </p>
        <p>
          {t('payees.first')} <When at={firstAt} /> · {t('payees.last')} <When at={lastAt} />
        </p>
      </section>
      <Accounts known={known} payee={data} />
      <Payments payments={payments} />
      {documents.length === 0 ? null : <h2>{t('payees.documents')}</h2>}
      <ul>
        {documents.map(({ name: document, batch, row }) => (
          <li key={`${batch} ${row}`}>
            <Link to={`/files/${batch}${query({ row })}`}>{document}</Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function Erase({ payee: { id, name } }: { readonly payee: PayeeHistory }) {
  const { session } = useSession();
  const [isAsking, setAsking] = useState(false);
  const order = useOrder();
  if (!may(session, 'admin')) return null;
  const erase = async (reason: string): Promise<void> => {
    await orderSigned(session.signing, 'DELETE', `/payees/${id}`, { reason });
    go('/payees');
  };
  return (
    <>
      <Button onClick={() => setAsking(true)}>{t('payees.erase')}</Button>
      {isAsking ? (
        <ReasonDialog
          title={t('payees.erase')}
          words={<p>{t('payees.eraseWords', { name })}</p>}
          action={t('payees.erase')}
          kind="danger"
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={() => setAsking(false)}
          onGo={(reason) => order.run(() => erase(reason))}
        />
      ) : null}
    </>
  );
}

function Accounts({ payee, known }: { readonly payee: PayeeHistory; readonly known: Data<PayeeHistory> }) {
  return (
    <Table
      caption={t('payees.accounts')}
      columns={[
        {
          name: t('approval.account'),
          isHead: true,
          value: ({ account, verified }) => (
            <span class="two-lines">
              <span class="account">{account ?? '–'}</span>
              <Verified verified={verified} />
            </span>
          ),
        },
        { name: t('payees.payments'), isNumber: true, value: ({ payments }) => count(payments) },
        { name: t('payees.first'), value: ({ firstAt }) => <When at={firstAt} /> },
        { name: t('payees.last'), value: ({ lastAt }) => <When at={lastAt} /> },
        {
          name: t('payees.verify'),
          value: ({ account, verified, batch, row }) => (
            <VerifyAccount
              payee={{ ...payee, account, verified }}
              place={{ batch, row }}
              onSaid={() => known.reload()}
            />
          ),
        },
      ]}
      rows={payee.accounts}
      keyOf={({ batch, row }) => `${batch} ${row}`}
    />
  );
}

function Payments({ payments }: { readonly payments: readonly FoundPayment[] }) {
  return (
    <Table
      caption={t('payees.payments')}
      columns={[
        { name: t('batch.when'), value: ({ acceptedAt }) => <When at={acceptedAt} /> },
        {
          name: t('files.file'),
          isHead: true,
          value: ({ batch, file, row }) => (
            <Link to={`/files/${batch}${query({ row: row.row })}`}>
              {file} · {t('row.title', { row: row.row })}
            </Link>
          ),
        },
        { name: t('batch.reference'), value: ({ row }) => row['reference'] },
        { name: t('approval.account'), value: ({ row }) => <span class="account">{row.account}</span> },
        {
          name: t('batch.receives'),
          isNumber: true,
          value: ({ row }) => withCurrency(row['receiveAmount'], row['destinationCurrency']),
        },
        { name: t('files.state'), value: ({ row }) => <RowTag row={row} /> },
      ]}
      rows={payments}
      keyOf={({ batch, row }) => `${batch} ${row.row}`}
    />
  );
}
