// Rows that wait for somebody's decision, by why they wait, over all files; many are decided at once, after a look at what that would do.
import { useState } from 'preact/hooks';

import { ask, type List, query } from './api.ts';
import { useData, useOrder } from './data.ts';
import { Dialog } from './dialog.tsx';
import { amount, count, t } from './language.ts';
import { Button, Empty, Field, Heading, Note, Trouble, Waiting, When } from './parts.tsx';
import { orderSigned } from './session.ts';
import { Link, usePlace } from './router.tsx';
import { may, useSession } from './session.ts';
import type { DryRun, HeldGroup, Row } from './shapes.ts';
import { Table, usePages } from './table.tsx';

type What = 'release' | 'cancellation';
type Asked = { readonly what: What; readonly batch: string; readonly code: string };

export function Held() {
  const { data, problem, reload } = useData<List<HeldGroup>>('/held', { kinds: ['rows', 'batch'] });
  const { query: filters } = usePlace();
  const only = filters.get('code');
  const [asked, setAsked] = useState<Asked | null>(null);
  const groups = (data?.data ?? []).filter(({ code }) => only === null || code === only);
  return (
    <>
      <Heading title={t('nav.held')}>
        {only === null ? null : <Link to="/held">{t('held.all')}</Link>}
      </Heading>
      {data === null ? (
        <Waiting problem={problem} />
      ) : groups.length === 0 ? (
        <Empty>{t('held.none')}</Empty>
      ) : (
        groups.map((group) => <Group key={group.code} group={group} onAsk={setAsked} />)
      )}
      {asked === null ? null : (
        <Decide
          asked={asked}
          onClose={() => {
            setAsked(null);
            reload();
          }}
        />
      )}
    </>
  );
}

function Group({ group, onAsk }: { readonly group: HeldGroup; readonly onAsk: (asked: Asked) => void }) {
  const { session } = useSession();
  const { code, words, rows, files, liftsItself } = group;
  return (
    <section>
      <h2>
        {count(rows)} × <code>{code}</code>
      </h2>
      <p>{words}</p>
      {liftsItself ? <p class="soft">{t('held.byItself')}</p> : null}
      <Table
        columns={[
          {
            name: t('files.file'),
            isHead: true,
            value: ({ batch, file }) => <Link to={`/files/${batch}?outcome=held&code=${code}`}>{file}</Link>,
          },
          { name: t('files.rows'), isNumber: true, value: (file) => count(file.rows) },
          {
            name: t('held.decide'),
            value: ({ batch, mayRelease }) =>
              !may(session, 'checker') ? (
                ''
              ) : (
                <span class="actions">
                  <Button disabled={!mayRelease} onClick={() => onAsk({ what: 'release', batch, code })}>
                    {t('held.release')}
                  </Button>
                  <Button kind="danger" onClick={() => onAsk({ what: 'cancellation', batch, code })}>
                    {t('held.close')}
                  </Button>
                </span>
              ),
          },
        ]}
        rows={files}
        keyOf={({ batch }) => batch}
      />
    </section>
  );
}

type End = {
  readonly released: number;
  readonly onlyCancel: number;
  readonly left: number;
  readonly stillHeld: number;
  readonly unasked: string | null;
};

/** First what it would do, then whether it is meant. */
function Decide({
  asked: { what, batch, code },
  onClose,
}: {
  readonly asked: Asked;
  readonly onClose: () => void;
}) {
  const { session } = useSession();
  const [reason, setReason] = useState('');
  const [end, setEnd] = useState<End | null>(null);
  const [dry, setDry] = useState<DryRun | null>(null);
  const order = useOrder();
  const path = `/files/${batch}/${what}`;
  const look = async (): Promise<void> =>
    setDry(await ask<DryRun>(path, { method: 'POST', body: { codes: [code], rows: null, dryRun: true } }));
  const decide = async (): Promise<void> => {
    const body = { codes: [code], rows: null, dryRun: false, seen: dry?.seen, reason: reason.trim() };
    setEnd(await orderSigned<End>(session.signing, 'POST', path, body));
  };
  const title = t(what === 'release' ? 'held.release' : 'held.close');
  return (
    <Dialog title={title} onClose={onClose}>
      {end !== null ? (
        <>
          <p role="status">
            {end.unasked ??
              t('held.done', { n: end.released, left: end.left + end.stillHeld + end.onlyCancel })}
          </p>
          <Button onClick={onClose}>{t('part.close')}</Button>
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            order.run(dry === null ? look : decide);
          }}
        >
          <p>{t(what === 'release' ? 'held.releaseWords' : 'held.closeWords')}</p>
          <Rows batch={batch} code={code} />
          {dry === null ? null : <Outlook dry={dry} />}
          {dry === null ? null : (
            <Field label={t('part.reason')} value={reason} onInput={setReason} required />
          )}
          <Trouble problem={order.problem} />
          <div class="actions">
            <Button
              type="submit"
              kind={what === 'release' ? 'main' : 'danger'}
              busy={order.isBusy}
              disabled={dry !== null && reason.trim() === ''}
            >
              {dry === null ? t('held.look') : t('held.go', { n: dry.wouldRelease })}
            </Button>
            <Button onClick={onClose}>{t('part.cancel')}</Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function Outlook({ dry: { matching, wouldRelease, onlyCancel, notBefore } }: { readonly dry: DryRun }) {
  return (
    <Note>
      <p>{t('held.outlook', { n: matching, would: wouldRelease, only: onlyCancel })}</p>
      {notBefore.slice(0, 5).map(({ row, at }) => (
        <p key={row}>
          {t('held.notBefore', { row })} <When at={at} />
        </p>
      ))}
    </Note>
  );
}

const SHOWN = 20;

function Rows({ batch, code }: { readonly batch: string; readonly code: string }) {
  const { rows, more } = usePages<Row>(
    `/files/${batch}/rows${query({ outcome: 'held', code, limit: SHOWN })}`,
  );
  return (
    <>
      <Table
        columns={[
          { name: t('check.row'), isHead: true, value: ({ row }) => row },
          { name: t('batch.reference'), value: ({ reference }) => reference },
          { name: t('batch.sends'), isNumber: true, value: (row) => amount(row['sendAmount']) },
          { name: t('batch.why'), value: ({ reason }) => <span class="soft">{reason}</span> },
        ]}
        rows={rows}
        keyOf={({ row }) => row}
      />
      {more}
    </>
  );
}
