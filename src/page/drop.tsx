// Where a file comes in: dropped or chosen, with its documents, or begun from a template.
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Corridor } from '../contract/money.ts';
import type { List } from '../contract/schema.ts';
import type { Upload } from '../contract/uploads.ts';
import { ask, askAll } from './api.ts';
import { useData, useOrder } from './data.ts';
import { ReasonDialog } from './dialog.tsx';
import { bytes, count, t, tCode } from './language.ts';
import { Button, Choice, Heading, Progress, Tag, Trouble, When } from './parts.tsx';
import { go, Link } from './router.tsx';
import { Table } from './table.tsx';
import { enqueue, forget, type Sending, useQueue } from './upload-queue.ts';

export function Drop() {
  const queue = useQueue();
  const input = useRef<HTMLInputElement>(null);
  // One file leads to its check by itself; of several, each is opened when the reader wants.
  const [only] = queue;
  const isAlone = queue.length === 1 && only?.state === 'sent';
  useEffect(() => {
    if (!isAlone || only.upload === null) return;
    forget(only.key);
    go(`/drop/${only.upload}`);
  }, [isAlone]);
  return (
    <>
      <Heading title={t('nav.drop')} />
      <div class="dropzone">
        <b>{t('drop.here')}</b>
        <p class="soft">{t('drop.kinds')}</p>
        <Button kind="main" onClick={() => input.current?.click()}>
          {t('drop.choose')}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={t('drop.choose')}
          onChange={({ currentTarget }) => {
            enqueue(currentTarget.files ?? []);
            currentTarget.value = '';
          }}
        />
        <p class="soft">{t('drop.nothingPaid')}</p>
      </div>
      <Queue queue={queue} />
      <Unsubmitted />
      <Template />
    </>
  );
}

function Queue({ queue }: { readonly queue: readonly Sending[] }) {
  if (queue.length === 0) return null;
  return (
    <ul class="queue" aria-label={t('drop.queue')}>
      {queue.map((each) => (
        <li key={each.key}>
          <InQueue sending={each} />
          <Button
            kind="quiet"
            label={t('drop.forgetOf', { file: each.file.name })}
            onClick={() => forget(each.key)}
          >
            {t(each.state === 'sending' || each.state === 'waiting' ? 'part.cancel' : 'part.close')}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function InQueue({ sending: { file, state, sent, upload, problem } }: { readonly sending: Sending }) {
  if (state === 'failed')
    return (
      <div>
        <b>{file.name}</b>
        <Trouble problem={problem} />
      </div>
    );
  if (state === 'sent' && upload !== null)
    return (
      <span>
        <Link to={`/drop/${upload}`}>{file.name}</Link> <span class="soft">{t('drop.isThere')}</span>
      </span>
    );
  return (
    <Progress
      done={sent}
      total={file.size}
      label={t(state === 'waiting' ? 'drop.waits' : 'drop.sending', {
        name: file.name,
        size: bytes(file.size),
      })}
    />
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
