// A file that was dropped, cell by cell: what is wrong stands in its cell while the check goes on, and nothing is registered yet.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { List } from '../contract/schema.ts';
import type { CellFault, Upload } from '../contract/uploads.ts';
import { TYPED_MOST } from '../contract/words.ts';
import type { TypedRow } from './typing.ts';
import { ask, BACKGROUND, Problem } from './api.ts';
import { useData, useListing, useOrder, type Data, type Order } from './data.ts';
import { FaultPanel } from './fault-panel.tsx';
import { Grid, type Cell, type GridColumn } from './grid.tsx';
import { amount, bytes, count, t } from './language.ts';
import { Button, Heading, Note, Progress, Tag, Trouble, Waiting } from './parts.tsx';
import { go, Link } from './router.tsx';
import { gridColumns, nextFault, useSheet } from './sheet.tsx';
import { ListTable } from './table.tsx';
import { type Typing, useTyping } from './typing.ts';
import { sendDocuments, takeDocuments } from './upload-queue.ts';

/** How often a check that goes on is looked at: the first fault must be seen at once. */
const LOOK_MS = 250;

export function Check({ params: [id = ''] }: { readonly params: readonly string[] }) {
  const upload = useUpload(id);
  const { data, problem } = upload;
  const documents = useWaitingDocuments(id, upload);
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
      <Trouble problem={documents.problem ?? problem} />
      {documents.left > 0 ? (
        <Progress
          done={documents.sent}
          total={documents.sent + documents.left}
          label={t('check.withDocuments', { n: documents.left })}
        />
      ) : (
        <Found upload={data} reload={upload.reload} />
      )}
    </>
  );
}

function Found({ upload: data, reload }: { readonly upload: Upload; readonly reload: () => void }) {
  return (
    <>
      <State upload={data} />
      {data.batch === null ? (
        <Documents upload={data} onSent={reload} />
      ) : (
        <Note kind="good">
          {t('check.submitted')} <Link to={`/files/${data.batch}`}>{data.batch}</Link>
        </Note>
      )}
      {data.state === 'refused' || data.batch !== null ? null : data.checked === 0 ? (
        <div class="sheet" aria-hidden="true">
          <div class="grid skeleton" />
        </div>
      ) : (
        <Sheet upload={data} />
      )}
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

/** Documents that were dropped with the file go after it, under the names that its rows give them; what is found without them is nobody's news. */
function useWaitingDocuments(
  id: string,
  { data, reload }: Data<Upload>,
): { readonly left: number; readonly sent: number; readonly problem: Problem | null } {
  const order = useOrder();
  const [documents] = useState(() => takeDocuments(id));
  const [sent, setSent] = useState(0);
  const isReady = data !== null && data.state !== 'checking';
  const begun = useRef(false);
  useEffect(() => {
    if (!isReady || begun.current || documents.length === 0) return;
    begun.current = true;
    order.run(async () => {
      try {
        await sendDocuments(data, documents, () => setSent((n) => n + 1));
      } finally {
        setSent(documents.length);
        reload();
      }
    });
  }, [isReady, id]);
  return { left: documents.length - sent, sent, problem: order.problem };
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
        <Sums sums={sums} />
      </ul>
      {corrected === 0 ? null : <p class="soft">{t('check.corrected', { n: corrected })}</p>}
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

/** A row whose currency cannot be told is counted among those to fix: its amount is no sum of anything. */
function Sums({ sums }: Pick<Upload, 'sums'>) {
  return (
    <>
      {sums
        .filter(({ currency }) => currency !== null)
        .map(({ currency, amount: sum }) => (
          <li key={currency}>
            <b>{amount(sum)}</b>
            <span>{currency}</span>
          </li>
        ))}
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

/** Where somebody stood in the file whose corrections were checked again. */
let stoodAt: { readonly id: string; readonly cell: Cell } | null = null;

function Sheet({ upload }: { readonly upload: Upload }) {
  const { id, checked, faulty, corrected, state, batch } = upload;
  const [onlyFaulty, setOnlyFaulty] = useState(false);
  const [current, setCurrent] = useState<Cell>(stoodAt?.id === id ? stoodAt.cell : { row: 0, column: 0 });
  const known = onlyFaulty ? faulty : checked;
  const isOpen = state === 'checked' && batch === null;
  const sheet = useSheet(id, onlyFaulty, known);
  const typing = useTyping(id, isOpen);
  const rowAt = (index: number): TypedRow | undefined => typing.withTyped(sheet.rowAt(index));
  const columns = useColumns(sheet, onlyFaulty);
  const { finder, goToFault } = useFaults(upload, { onlyFaulty, current, setCurrent, rowAt, typing });
  const checking = useChecking(id, typing, current);
  const onFilter = (isOn: boolean): void => {
    setOnlyFaulty(isOn);
    setCurrent({ row: 0, column: -1 });
  };
  // The filter leads to a fault, not to the first cell.
  const firstFault = onlyFaulty && current.column === -1 ? sheet.rowAt(0)?.faults[0] : undefined;
  useEffect(() => {
    if (firstFault !== undefined) setCurrent({ row: 0, column: firstFault.index ?? 0 });
  }, [firstFault]);
  const onType = (block: readonly (readonly string[])[], from: Cell): void => {
    const start = columns.findIndex(({ index }) => index === from.column);
    const cells = block.flatMap((line, down) => {
      const row = sheet.rowAt(from.row + down);
      return line.flatMap((text, right) => {
        const column = columns[start + right]?.index;
        return row === undefined || column === undefined ? [] : [{ row: row.position, column, text }];
      });
    });
    typing.type(...cells);
  };
  return (
    <>
      <div class="sheet">
        <Grid
          label={t('check.sheet')}
          columns={columns}
          rowCount={known}
          rowAt={rowAt}
          onSeen={sheet.onSeen}
          current={current}
          onMove={setCurrent}
          onFault={goToFault}
          onType={isOpen ? onType : null}
          onUndo={typing.undo}
        />
        <FaultPanel
          {...{
            id,
            current,
            typing,
            isOpen,
            faulty,
            corrected,
            onlyFaulty,
            onFilter,
            goToFault,
            finder,
            checking,
          }}
          row={rowAt(current.row)}
          own={sheet.rowAt(current.row)}
          columns={columns}
          loaded={sheet.loaded()}
        />
      </div>
      {faulty === 0 ? null : <FaultList id={id} isDone={state === 'checked'} />}
    </>
  );
}

/** The same ones until the file or the filter is another: the rows are drawn again with them. */
function useColumns(sheet: ReturnType<typeof useSheet>, onlyFaulty: boolean): readonly GridColumn[] {
  const { header, columns } = sheet;
  const faulty = onlyFaulty
    ? new Set(sheet.loaded().flatMap(({ faults }) => faults.flatMap(({ index }) => index ?? [])))
    : new Set<number>();
  const which = [...faulty].sort((one, other) => one - other).join();
  return useMemo(() => gridColumns({ header, columns }, faulty), [header, columns, which]);
}

type FaultWays = {
  readonly onlyFaulty: boolean;
  readonly current: Cell;
  readonly setCurrent: (cell: Cell) => void;
  readonly rowAt: (index: number) => TypedRow | undefined;
  readonly typing: Typing;
};

function useFaults(
  { id, faulty, state }: Upload,
  { onlyFaulty, current, setCurrent, rowAt, typing }: FaultWays,
): { readonly finder: Order; readonly goToFault: (step: 1 | -1) => void } {
  const finder = useOrder();
  const isFirst = useRef(true);
  const isTyped = ({ row, column }: Cell): boolean =>
    typing.typed.some((each) => each.row === row && each.column === column);
  const goToFault = (step: 1 | -1): void =>
    finder.run(async () => {
      if (onlyFaulty) {
        const row = Math.max(0, Math.min(faulty - 1, current.row + step));
        setCurrent({ row, column: rowAt(row)?.faults[0]?.index ?? 0 });
        return;
      }
      // What was corrected meanwhile is passed by.
      for (let [found, tries] = [await nextFault(id, current, step), 0]; found !== null; tries += 1) {
        if (!isTyped(found) || tries > TYPED_MOST) {
          setCurrent(found);
          return;
        }
        found = await nextFault(id, found, step);
      }
      throw new Problem(0, 'no_fault', t(step === 1 ? 'check.lastFault' : 'check.firstFault'));
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
  // Ready to be typed over, unless the reader is somewhere else by now.
  const isReady = state === 'checked' && faulty > 0;
  useEffect(() => {
    const { activeElement } = document;
    const isFree =
      activeElement === null || activeElement === document.body || activeElement.tagName === 'H1';
    if (isReady && isFree) document.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true });
  }, [isReady]);
  return { finder, goToFault };
}

/** Checks what was typed as a new file in the place of this one: by the button, or by itself once every fault has been typed over. */
function useChecking(
  id: string,
  { typed, restored, clear }: Typing,
  cell: Cell,
): Order & { readonly send: () => void } {
  const order = useOrder();
  const send = (): void =>
    order.run(async () => {
      const made = await ask<Pick<Upload, 'id'>>(`/uploads/${id}/corrections`, {
        method: 'POST',
        body: { cells: typed },
      });
      stoodAt = { id: made.id, cell };
      clear();
      go(`/drop/${made.id}`, { replace: true });
    });
  useEffect(() => {
    if (typed.length === 0 || typed.length === restored) return undefined;
    let isStill = true;
    const timer = setTimeout(() => {
      if (document.querySelector('.grid-input') !== null) return;
      void isAllTyped(id, typed).then(
        (isAll) => {
          if (isAll && isStill) send();
        },
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      isStill = false;
      clearTimeout(timer);
    };
  }, [id, typed]);
  return { ...order, send };
}

/** A pause of typing. */
const PAUSE_MS = 1_200;
const FAULTS_MOST = 200;

async function isAllTyped(id: string, typed: Typing['typed']): Promise<boolean> {
  const faults = await ask<List<CellFault>>(`/uploads/${id}/faults?limit=${String(FAULTS_MOST)}`, {
    headers: BACKGROUND,
  });
  const places = new Set(typed.map(({ row, column }) => `${String(row)} ${String(column)}`));
  return (
    faults.next === null &&
    faults.data.every(({ position, index }) => places.has(`${String(position)} ${String(index)}`))
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
  const keyOf = ({ position, index, column, code }: CellFault): string =>
    `${String(position)} ${String(index)} ${column} ${code}`;
  const listing = useListing<CellFault>(`/uploads/${id}/faults?limit=100`, keyOf);
  return (
    <ListTable
      listing={listing}
      empty={t('check.clean')}
      keyOf={keyOf}
      columns={[
        { name: t('check.row'), isHead: true, value: ({ row }) => row },
        { name: t('check.column'), value: ({ column }) => column },
        { name: t('check.what'), value: ({ message }) => message },
      ]}
    />
  );
}
