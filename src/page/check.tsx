// A file that was dropped, cell by cell: what is wrong stands in its cell while the check goes on, and nothing is registered yet.
import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { Problem } from './api.ts';
import { useData, useOrder, type Data } from './data.ts';
import { sendDocuments, takeDocuments } from './drop.tsx';
import { Grid, type Cell } from './grid.tsx';
import { amount, bytes, count, t } from './language.ts';
import { Button, Heading, Note, Progress, Tag, Trouble, Waiting } from './parts.tsx';
import { Link } from './router.tsx';
import { Explain, FaultBar, nextFault, Unsent, useSheet, useTyping } from './sheet.tsx';
import type { Fault, Upload } from './shapes.ts';
import { Table, usePages } from './table.tsx';

/** How often a check that goes on is looked at: the first fault must be seen at once. */
const LOOK_MS = 250;

export function Check({ params: [id = ''] }: { readonly params: readonly string[] }) {
  const upload = useUpload(id);
  const { data, problem } = upload;
  const sending = useWaitingDocuments(id, upload);
  if (data === null)
    return (
      <>
        <Heading title={t('check.title')} />
        <Waiting problem={problem} />
      </>
    );
  return (
    <>
      <Heading title={data.name}>
        <Next upload={data} />
      </Heading>
      <Trouble problem={sending ?? problem} />
      <State upload={data} />
      {data.batch === null ? (
        <Documents upload={data} onSent={upload.reload} />
      ) : (
        <Note kind="good">
          {t('check.submitted')} <Link to={`/files/${data.batch}`}>{data.batch}</Link>
        </Note>
      )}
      {data.state === 'refused' || data.checked === 0 || data.batch !== null ? null : <Sheet upload={data} />}
    </>
  );
}

/** Read again every moment while it is being checked. */
export function useUpload(id: string): Data<Upload> {
  const upload = useData<Upload>(`/uploads/${id}`, { kinds: ['job'] });
  const isChecking = upload.data?.state === 'checking';
  useEffect(() => {
    if (!isChecking) return undefined;
    const timer = setInterval(upload.reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [isChecking, id]);
  return upload;
}

/** Documents that were dropped with the file go after it, under the names that its rows give them. */
function useWaitingDocuments(id: string, { data, reload }: Data<Upload>): Problem | null {
  const order = useOrder();
  const isReady = data !== null && data.state !== 'checking';
  useEffect(() => {
    if (!isReady) return;
    const documents = takeDocuments(id);
    if (documents.length > 0) order.run(() => sendDocuments(data, documents).finally(reload));
  }, [isReady, id]);
  return order.problem;
}

function State({ upload }: { readonly upload: Upload }) {
  const {
    id,
    batch,
    state,
    rows,
    faulty,
    documentsMissing,
    corrected,
    sums,
    code,
    reason,
    bytes: size,
  } = upload;
  if (state === 'refused')
    return (
      <Note kind="bad">
        <p role="alert">
          <b>{t('check.refused')}</b> {reason}
        </p>
        <span class="actions">
          {code === 'empty_file' ? null : (
            <Link to={`/drop/${id}/columns`} class="button main">
              {t('check.columns')}
            </Link>
          )}
          <Link to="/drop" class="button plain">
            {t('check.again')}
          </Link>
        </span>
      </Note>
    );
  return (
    <>
      <ul class="figures">
        <li>
          <b>{count(rows)}</b>
          <span>
            {t('check.rows')} · {bytes(size)}
          </span>
        </li>
        <li>
          <b class={faulty > 0 ? 'bad-text' : undefined}>{count(faulty)}</b>
          <span>{t('check.toFix')}</span>
        </li>
        {documentsMissing > 0 ? (
          <li>
            <b class="warn-text">{count(documentsMissing)}</b>
            <span>{t('check.missing')}</span>
          </li>
        ) : null}
      </ul>
      {corrected === 0 ? null : <p class="soft">{t('check.corrected', { n: corrected })}</p>}
      {sums.length === 0 ? null : (
        <p class="sums">
          {sums.map(({ currency, amount: sum }) => (
            <span key={currency}>
              {currency ?? t('check.noCurrency')} <b>{amount(sum)}</b>
            </span>
          ))}
        </p>
      )}
      {state === 'checking' ? (
        <Checking upload={upload} />
      ) : (
        <p role="status">
          <Tag of={faulty > 0 ? 'rejected' : 'ok'}>
            {faulty > 0 ? t('check.faulty', { n: faulty }) : t('check.clean')}
          </Tag>{' '}
          {batch === null ? <Link to={`/drop/${id}/columns`}>{t('check.columns')}</Link> : null}
        </p>
      )}
    </>
  );
}

/** `reason`: why its check waits. */
function Checking({ upload: { checked, rows, reason } }: { readonly upload: Upload }) {
  return (
    <>
      {reason === null ? null : <p role="status">{reason}</p>}
      <Progress
        done={checked}
        total={rows}
        label={rows === 0 ? t('check.begins') : t('check.progress', { n: checked, rows })}
      />
    </>
  );
}

function Next({ upload: { id, state, faulty, rows, batch } }: { readonly upload: Upload }) {
  if (state !== 'checked' || batch !== null) return null;
  if (faulty === 0)
    return (
      <Link to={`/drop/${id}/cost`} class="button main">
        {t('check.cost')}
      </Link>
    );
  return (
    <>
      <Link to="/drop" class="button main">
        {t('check.again')}
      </Link>
      {faulty < rows ? (
        <Link to={`/drop/${id}/cost?skip=yes`} class="button plain">
          {t('check.others', { n: rows - faulty })}
        </Link>
      ) : null}
    </>
  );
}

function Documents({ upload, onSent }: { readonly upload: Upload; readonly onSent: () => void }) {
  const order = useOrder();
  const input = useRef<HTMLInputElement>(null);
  const { missing, documentsMissing } = upload;
  if (documentsMissing === 0) return null;
  return (
    <Note kind="warn">
      <p>
        <b>{t('check.documents', { n: documentsMissing })}</b> {missing.slice(0, 12).join(', ')}
        {documentsMissing > 12 ? ' …' : ''}
      </p>
      <Button busy={order.isBusy} onClick={() => input.current?.click()}>
        {t('check.addDocuments')}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".pdf,.png,.jpg,.jpeg"
        aria-label={t('check.addDocuments')}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = '';
          order.run(async () => {
            await sendDocuments(upload, files);
            onSent();
          });
        }}
      />
      <Trouble problem={order.problem} />
    </Note>
  );
}

function Sheet({ upload }: { readonly upload: Upload }) {
  const { id, checked, faulty, state, batch } = upload;
  const [onlyFaulty, setOnlyFaulty] = useState(false);
  const [current, setCurrent] = useState<Cell>({ row: 0, column: 0 });
  const known = onlyFaulty ? faulty : checked;
  const sheet = useSheet(id, onlyFaulty, known);
  const typing = useTyping();
  const field = useId();
  const finder = useOrder();
  const isFirst = useRef(true);

  const goToFault = (step: 1 | -1): void =>
    finder.run(async () => {
      if (onlyFaulty) {
        const row = Math.max(0, Math.min(faulty - 1, current.row + step));
        setCurrent({ row, column: sheet.rowAt(row)?.faults[0]?.index ?? 0 });
        return;
      }
      const found = await nextFault(id, current, step);
      if (found === null)
        throw new Problem(0, 'no_fault', t(step === 1 ? 'check.lastFault' : 'check.firstFault'));
      setCurrent(found);
    });
  // The first fault comes to the reader; the ones after it do not.
  useEffect(() => {
    if (faulty === 0 || !isFirst.current) return;
    isFirst.current = false;
    finder.run(async () => {
      const found = await nextFault(id, { row: 0, column: -1 }, 1);
      if (found !== null) setCurrent(found);
    });
  }, [faulty > 0]);

  const onFilter = (isOn: boolean): void => {
    setOnlyFaulty(isOn);
    setCurrent({ row: 0, column: 0 });
  };
  const rowAt = (index: number) => typing.shown(sheet.rowAt(index));
  const row = rowAt(current.row);
  const fault =
    row?.faults.find(({ index }) => index === current.column) ??
    row?.faults.find(({ index }) => index === null);
  return (
    <>
      {faulty === 0 ? null : <FaultBar {...{ onlyFaulty, onFilter, goToFault }} />}
      <Grid
        label={t('check.sheet')}
        header={sheet.header}
        rowCount={known}
        rowAt={rowAt}
        onSeen={sheet.onSeen}
        current={current}
        onMove={setCurrent}
        onFault={goToFault}
        onEdit={() => document.querySelector<HTMLInputElement>(`#${CSS.escape(field)} input`)?.select()}
      />
      <Explain
        row={row}
        header={sheet.header}
        current={current}
        fault={fault}
        problem={finder.problem?.message ?? null}
        onType={state === 'checked' && batch === null ? typing.type : null}
        field={field}
      />
      <Unsent id={id} typing={typing} />
      {faulty === 0 ? null : <FaultList id={id} isDone={state === 'checked'} />}
    </>
  );
}

/** The first way for who reads by ear: the faults as a plain list, in the order of the file. */
function FaultList({ id, isDone }: { readonly id: string; readonly isDone: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('check.asList')}</summary>
      {isOpen ? <Faults key={String(isDone)} id={id} /> : null}
    </details>
  );
}

function Faults({ id }: { readonly id: string }) {
  const { rows, more, data, problem } = usePages<Fault>(`/uploads/${id}/faults?limit=100`);
  if (data === null) return <Waiting problem={problem} />;
  return (
    <>
      <Table
        columns={[
          { name: t('check.row'), isHead: true, value: ({ row }) => row },
          { name: t('check.column'), value: ({ column }) => column },
          { name: t('check.what'), value: ({ message }) => message },
        ]}
        rows={rows}
        keyOf={(_, at) => String(at)}
      />
      {more}
    </>
  );
}
