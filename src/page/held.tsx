// Rows that wait for somebody's decision, by why they wait, over all files; many are decided at once, after a look at what that would do.
import { useState } from 'preact/hooks';

import { ask, type List, query } from './api.ts';
import { useData, useOrder } from './data.ts';
import { Dialog } from './dialog.tsx';
import { waitWords } from './files.tsx';
import { count, t, withButtons, withCurrency } from './language.ts';
import { Button, Empty, Field, Heading, Note, Trouble, Waiting, When } from './parts.tsx';
import { orderSigned } from './session.ts';
import { Link, usePlace } from './router.tsx';
import { may, useSession } from './session.ts';
import type { HeldGroup, Released, Row, Trial } from './shapes.ts';
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
      <h2>{t('needs.held', { n: rows })}</h2>
      <p>
        {words} <code class="soft">{code}</code>
      </p>
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
            value: ({ batch, isOwn }) =>
              !may(session, 'checker') ? (
                ''
              ) : (
                <span class="actions">
                  {isOwn ? (
                    <span class="soft">{t('held.own')}</span>
                  ) : (
                    <Button onClick={() => onAsk({ what: 'release', batch, code })}>
                      {t('held.release')}
                    </Button>
                  )}
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

/** First the effect of the order, then the confirmation. */
function Decide({
  asked: { what, batch, code },
  onClose,
}: {
  readonly asked: Asked;
  readonly onClose: () => void;
}) {
  const { session } = useSession();
  const [reason, setReason] = useState('');
  const [end, setEnd] = useState<Released | null>(null);
  const [dry, setDry] = useState<Trial | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const order = useOrder();
  const path = `/files/${batch}/${what}`;
  const about = { codes: [code], rows: chosen.size === 0 ? null : [...chosen] };
  const look = async (): Promise<void> =>
    setDry(await ask<Trial>(path, { method: 'POST', body: { ...about, dryRun: true } }));
  const choose = (row: string): void => {
    // What would happen is another thing now.
    setDry(null);
    setChosen(new Set(chosen.has(row) ? [...chosen].filter((each) => each !== row) : [...chosen, row]));
  };
  const decide = async (): Promise<void> => {
    const body = { ...about, dryRun: false, seen: dry?.seen, reason: reason.trim() };
    setEnd(await orderSigned<Released>(session.signing, 'POST', path, body));
  };
  const title = t(what === 'release' ? 'held.release' : 'held.close');
  return (
    <Dialog title={title} onClose={onClose}>
      {end !== null ? (
        <>
          <Ended what={what} end={end} />
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
          <p class="soft">{t('held.alone')}</p>
          <Rows batch={batch} code={code} chosen={chosen} onChoose={choose} />
          {dry === null ? null : <Outlook what={what} dry={dry} />}
          {dry === null ? null : (
            <Field label={t('part.reason')} value={reason} onInput={setReason} required />
          )}
          <Trouble problem={order.problem} />
          <div class="actions">
            <Button
              type="submit"
              kind={what === 'release' ? 'main' : 'danger'}
              busy={order.isBusy}
              disabled={dry !== null && (reason.trim() === '' || dry.released === 0)}
            >
              {dry === null ? t('held.look') : t('held.go', { n: dry.released })}
            </Button>
            <Button onClick={onClose}>{t('part.cancel')}</Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

/** Of the rows that have to wait, so many are named. */
const LEFT_SHOWN = 5;

function Outlook({
  what,
  dry: { matching, released, onlySkip, followed, left },
}: {
  readonly what: What;
  readonly dry: Trial;
}) {
  return (
    <Note>
      <p>
        {t(what === 'release' ? 'held.outlook' : 'held.outlookClose', { n: matching, would: released })}{' '}
        {onlySkip === 0 ? null : t('held.only', { n: onlySkip })}{' '}
        {followed === 0 ? null : t('held.followed', { n: followed })}
      </p>
      {left.slice(0, LEFT_SHOWN).map(({ row, tryAgainAt }) => (
        <p key={row}>
          {t(tryAgainAt === null ? 'held.releaseFirst' : 'held.notBefore', { row })}{' '}
          {tryAgainAt === null ? null : <When at={tryAgainAt} />}
        </p>
      ))}
    </Note>
  );
}

function Ended({
  what,
  end: { released, onlySkip, followed, left, closedBefore, stillHeld, unasked },
}: {
  readonly what: What;
  readonly end: Released;
}) {
  if (unasked !== null)
    return (
      <p role="status">
        {t('held.unasked')} {waitWords(unasked)}
      </p>
    );
  return (
    <p role="status">
      {t(what === 'release' ? 'held.done' : 'held.doneClose', { n: released })}{' '}
      {followed === 0 ? null : t('held.followed', { n: followed })}{' '}
      {left + stillHeld + onlySkip + closedBefore === 0
        ? null
        : t('held.left', { n: left + stillHeld + onlySkip + closedBefore })}
    </p>
  );
}

const SHOWN = 20;

type RowsProps = Pick<Asked, 'batch' | 'code'> & {
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (row: string) => void;
};

function Rows({ batch, code, chosen, onChoose }: RowsProps) {
  const { rows, more } = usePages<Row>(
    `/files/${batch}/rows${query({ outcome: 'held', code, limit: SHOWN })}`,
  );
  return (
    <>
      <Table
        columns={[
          {
            name: t('check.row'),
            isHead: true,
            value: ({ row }) => (
              <label class="check">
                <input
                  type="checkbox"
                  aria-label={t('held.choose', { row })}
                  checked={chosen.has(row)}
                  onChange={() => onChoose(row)}
                />
                {row}
              </label>
            ),
          },
          { name: t('batch.reference'), value: ({ reference }) => reference },
          { name: t('batch.receiver'), value: ({ receiver }) => receiver },
          {
            name: t('batch.sends'),
            isNumber: true,
            value: (row) => withCurrency(row['sendAmount'], row['sourceCurrency']),
          },
          { name: t('batch.why'), value: ({ reason }) => <span class="soft">{withButtons(reason)}</span> },
        ]}
        rows={rows}
        keyOf={({ row }) => row}
      />
      {more}
    </>
  );
}
