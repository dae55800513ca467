// Where a file comes in: dropped or chosen, with its documents, or begun from a template.
import type { TargetedDragEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { ask, askAll, type List, Problem } from './api.ts';
import { useData, useOrder } from './data.ts';
import { ReasonDialog } from './dialog.tsx';
import { bytes, count, t, tCode } from './language.ts';
import { Button, Choice, Heading, Note, Tag, Trouble, When } from './parts.tsx';
import { go, Link } from './router.tsx';
import type { Upload } from './shapes.ts';
import { Table } from './table.tsx';

const DOCUMENT = /\.(?:pdf|png|jpe?g)$/i;

export type Dropped = { readonly payments: readonly File[]; readonly documents: readonly File[] };

export function sorted(files: Iterable<File>): Dropped {
  const { true: documents = [], false: payments = [] } = Object.groupBy([...files], ({ name }) =>
    DOCUMENT.test(name) ? 'true' : 'false',
  );
  return { payments, documents };
}

export function sendFile(path: string, name: string, content: Blob): Promise<Upload> {
  return ask<Upload>(path, {
    method: 'POST',
    body: content,
    headers: { 'x-file-name': encodeURIComponent(name) },
  });
}

/** Documents under the names that rows give them, in any folder; a document that no row names keeps its own name. */
export async function sendDocuments(
  { id, missing }: Pick<Upload, 'id' | 'missing'>,
  documents: readonly File[],
): Promise<void> {
  for (const file of documents) {
    const named = missing.find((path) => path.slice(path.lastIndexOf('/') + 1) === file.name);
    await sendFile(`/uploads/${id}/documents`, named ?? file.name, file);
  }
}

export function Drop() {
  const order = useOrder();
  const [isOver, setOver] = useState(false);
  const [sent, setSent] = useState<File | null>(null);
  const input = useRef<HTMLInputElement>(null);

  const take = (files: Iterable<File>): void => {
    const { payments, documents } = sorted(files);
    const [file, ...others] = payments;
    order.run(async () => {
      if (file === undefined) throw new Problem(0, 'no_file', t('drop.noFile'));
      if (others.length > 0) throw new Problem(0, 'one_file', t('drop.oneFile'));
      setSent(file);
      const { id } = await sendFile('/uploads', file.name, file);
      keepDocuments(id, documents);
      go(`/drop/${id}`);
    });
  };
  const drop = (event: TargetedDragEvent<HTMLElement>): void => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer?.files ?? []);
  };
  return (
    <>
      <Heading title={t('drop.title')} />
      <div
        class={isOver ? 'dropzone over' : 'dropzone'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <b>{t('drop.here')}</b>
        <p class="soft">{t('drop.kinds')}</p>
        <Button kind="main" busy={order.isBusy} onClick={() => input.current?.click()}>
          {t('drop.choose')}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={t('drop.choose')}
          onChange={({ currentTarget }) => {
            take(currentTarget.files ?? []);
            currentTarget.value = '';
          }}
        />
        {order.isBusy && sent !== null ? (
          <p role="status">{t('drop.sending', { name: sent.name, size: bytes(sent.size) })}</p>
        ) : null}
      </div>
      <Trouble problem={order.problem} />
      <Note>{t('drop.nothingPaid')}</Note>
      <Unsubmitted />
      <Template />
    </>
  );
}

/** What the reader has sent and not submitted: a closed tab loses nothing. */
function Unsubmitted() {
  const sent = useData<List<Upload>>('/uploads', { kinds: ['job'] });
  const [removing, setRemoving] = useState<Upload | null>(null);
  const order = useOrder();
  const uploads = sent.data?.data ?? [];
  if (uploads.length === 0) return null;
  const close = (): void => {
    setRemoving(null);
    order.clear();
  };
  return (
    <>
      <Table
        caption={t('drop.unsubmitted')}
        columns={[
          {
            name: t('files.file'),
            isHead: true,
            value: ({ id, name }) => <Link to={`/drop/${id}`}>{name}</Link>,
          },
          {
            name: t('files.state'),
            value: ({ state, faulty }) => <Tag of={state === 'checked' && faulty > 0 ? 'rejected' : state} />,
          },
          { name: t('files.rows'), isNumber: true, value: ({ rows }) => count(rows) },
          { name: t('check.toFix'), isNumber: true, value: ({ faulty }) => count(faulty) },
          { name: t('drop.sent'), value: ({ sentAt }) => <When at={sentAt} /> },
          {
            name: t('people.remove'),
            value: (upload) => (
              <Button
                kind="quiet"
                label={t('drop.removeOf', { file: upload.name })}
                onClick={() => setRemoving(upload)}
              >
                {t('people.remove')}
              </Button>
            ),
          },
        ]}
        rows={uploads}
        keyOf={({ id }) => id}
      />
      {removing === null ? null : (
        <ReasonDialog
          title={t('drop.removeOf', { file: removing.name })}
          words={<p>{t('drop.removeWords')}</p>}
          action={t('people.remove')}
          kind="danger"
          needsReason={false}
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={close}
          onGo={() =>
            order.run(async () => {
              await ask(`/uploads/${removing.id}`, { method: 'DELETE' });
              sent.reload();
              close();
            })
          }
        />
      )}
    </>
  );
}

type Corridor = { readonly id: string } & Readonly<Record<string, unknown>>;

function Template() {
  const [corridors, setCorridors] = useState<readonly Corridor[]>([]);
  const [chosen, choose] = useState('');
  const reading = useOrder();
  useEffect(() => reading.run(async () => setCorridors(await askAll<Corridor>('/corridors'))), []);
  const [first] = corridors;
  if (first === undefined) return <Trouble problem={reading.problem} />;
  const id = chosen === '' ? first.id : chosen;
  return (
    <>
      <h2>{t('drop.template')}</h2>
      <p class="soft">{t('drop.templateWords')}</p>
      <div class="filters">
        <Choice
          label={t('drop.corridor')}
          value={id}
          options={corridors.map((corridor) => [corridor.id, corridorWords(corridor)])}
          onChange={choose}
        />
        <a class="button plain" href={`/api/v1/templates/${encodeURIComponent(id)}.xlsx`} download>
          {t('drop.templateGet')}
        </a>
      </div>
    </>
  );
}

function corridorWords(corridor: Corridor): string {
  const said = ['destinationCountryIsoCode', 'targetCurrency', 'deliveryMethod', 'transactionMode'].flatMap(
    (name) => {
      const value = corridor[name];
      return typeof value === 'string' ? [tCode('corridor', value) ?? value] : [];
    },
  );
  return said.length === 0 ? corridor.id : said.join(' · ');
}

// Documents that came with the file are sent once it is known by which names its rows call them.

const waiting = new Map<string, readonly File[]>();

function keepDocuments(upload: string, documents: readonly File[]): void {
  if (documents.length > 0) waiting.set(upload, documents);
}

export function takeDocuments(upload: string): readonly File[] {
  const kept = waiting.get(upload) ?? [];
  waiting.delete(upload);
  return kept;
}
