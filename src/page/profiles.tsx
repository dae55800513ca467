// How files are read, and what somebody proposes to change about it: a proposal reads its author's own files alone until another person, who has seen which column it
// pays to, confirms it.
import { useState } from 'preact/hooks';

import type { ReadingProfile } from '../contract/columns.ts';
import type { List } from '../contract/schema.ts';
import { ask } from './api.ts';
import { useData, useOrder } from './data.ts';
import { ReasonDialog } from './dialog.tsx';
import { moment, t } from './language.ts';
import { Button, Empty, Heading, Note, Stale, Tag, Trouble, Waiting } from './parts.tsx';
import { orderSigned, useSession } from './session.ts';
import { type TableColumn, Table } from './table.tsx';

export function Profiles() {
  const { data, problem, reload } = useData<List<ReadingProfile>>('/profiles', { kinds: ['profile'] });
  const [done, setDone] = useState<{ readonly words: string; readonly digest: string } | null>(null);
  const all = data?.data ?? [];
  // paydrop reads its profiles again within a moment: what was decided is not offered once more meanwhile.
  const proposals = all.filter(({ isProposal, digest }) => isProposal && digest !== done?.digest);
  const standing = all.filter(({ isProposal }) => !isProposal);
  const end = (words: string, digest: string): void => {
    setDone({ words, digest });
    reload();
  };
  return (
    <>
      <Heading title={t('profiles.title')} />
      <p class="soft">{t('profiles.words')}</p>
      {done === null ? null : (
        <Note kind="good">
          <span role="status">{done.words}</span>
        </Note>
      )}
      {data === null ? <Waiting problem={problem} /> : <Stale problem={problem} />}
      {data === null || all.length > 0 ? null : <Empty>{t('profiles.none')}</Empty>}
      {proposals.map((profile) => (
        <Proposed
          key={profile.digest}
          profile={profile}
          before={standing.find(({ name }) => name === profile.name) ?? null}
          onEnd={end}
        />
      ))}
      {standing.length === 0 ? null : <Standing profiles={standing} />}
    </>
  );
}

type ProposedProps = {
  readonly profile: ReadingProfile;
  /** The profile of its name that reads everybody's files until then. */
  readonly before: ReadingProfile | null;
  readonly onEnd: (words: string, digest: string) => void;
};

function Proposed({ profile, before, onEnd }: ProposedProps) {
  const { name, files, author, text } = profile;
  return (
    <section class="card">
      <h2>
        {name} <Tag of="waiting">{t('profiles.waits')}</Tag>
      </h2>
      <p>
        {t('profiles.proposed', { who: author ?? '–', files: files.join(', ') })}{' '}
        {before === null ? null : <b class="bad-text">{t('profiles.replaces')}</b>}
      </p>
      <Columns profile={profile} before={before} />
      <details>
        <summary class="soft">{t('profiles.text')}</summary>
        <pre>{text}</pre>
      </details>
      <Orders profile={profile} onEnd={onEnd} />
    </section>
  );
}

type ProfileLine = ReadingProfile['columns'][number];

/** Beside what it replaces, each column that is read as something else. */
function Columns({ profile: { columns }, before }: Pick<ProposedProps, 'profile' | 'before'>) {
  const readBefore = (header: string): ProfileLine | undefined =>
    before?.columns.find((each) => each.header === header);
  const hasSample = columns.some(({ samples }) => samples.length > 0);
  const isOther = (line: ProfileLine): boolean =>
    before !== null && (readBefore(line.header)?.column ?? null) !== line.column;
  const all: readonly TableColumn<ProfileLine>[] = [
    { name: t('columns.inFile'), isHead: true, value: ({ header }) => header },
    ...(hasSample
      ? [
          {
            name: t('columns.values'),
            value: ({ samples }: ProfileLine) => <span class="soft">{samples.join(' · ')}</span>,
          },
        ]
      : []),
    {
      name: t('columns.takenFor'),
      value: (line) =>
        isOther(line) ? (
          <b class="bad-text">{line.title ?? t('columns.ignored')}</b>
        ) : (
          (line.title ?? <span class="soft">{t('columns.ignored')}</span>)
        ),
    },
    ...(before === null
      ? []
      : [
          {
            name: t('profiles.before'),
            value: (line: ProfileLine) =>
              isOther(line) ? (readBefore(line.header)?.title ?? t('columns.ignored')) : null,
          },
        ]),
  ];
  return <Table columns={all} rows={columns} keyOf={({ header }) => header} />;
}

function Orders({ profile, onEnd }: Omit<ProposedProps, 'before'>) {
  const { session } = useSession();
  const { name, digest, author, mayConfirm, whyNotWords } = profile;
  const [isRemoving, setRemoving] = useState(false);
  const order = useOrder();
  const path = `/profiles/${encodeURIComponent(name)}`;
  const confirm = async (): Promise<void> => {
    await orderSigned(session.signing, 'POST', `${path}/confirmation`, { digest });
    onEnd(t('profiles.confirmed', { name }), digest);
  };
  const remove = async (): Promise<void> => {
    await ask(path, { method: 'DELETE' });
    onEnd(t('profiles.removed', { name }), digest);
  };
  return (
    <>
      {mayConfirm || whyNotWords === null ? null : <p class="soft">{whyNotWords}</p>}
      <div class="actions">
        {mayConfirm ? (
          <Button kind="main" busy={order.isBusy} onClick={() => order.run(confirm)}>
            {t('profiles.confirm')}
          </Button>
        ) : null}
        {mayConfirm || author === session.person.name ? (
          <Button kind="danger" label={t('profiles.removeOf', { name })} onClick={() => setRemoving(true)}>
            {t('profiles.remove')}
          </Button>
        ) : null}
      </div>
      {isRemoving ? (
        <ReasonDialog
          title={t('profiles.removeOf', { name })}
          words={<p>{t('profiles.removeWords')}</p>}
          action={t('profiles.remove')}
          kind="danger"
          needsReason={false}
          isBusy={order.isBusy}
          problem={order.problem}
          onClose={() => setRemoving(false)}
          onGo={() => order.run(remove)}
        />
      ) : (
        <Trouble problem={order.problem} />
      )}
    </>
  );
}

function Standing({ profiles }: { readonly profiles: readonly ReadingProfile[] }) {
  return (
    <Table
      caption={t('profiles.standing')}
      columns={[
        { name: t('people.name'), isHead: true, value: ({ name }) => name },
        { name: t('profiles.files'), value: ({ files }) => files.join(', ') },
        {
          name: t('columns.title'),
          value: ({ columns }) =>
            columns
              .filter(({ title }) => title !== null)
              .map(({ header, title }) => `${header} → ${title ?? ''}`)
              .join(' · '),
        },
        {
          name: t('profiles.by'),
          value: ({ author, confirmed }) =>
            confirmed === null
              ? (author ?? t('profiles.byConfig'))
              : t('profiles.byBoth', {
                  author: author ?? '–',
                  by: confirmed.by,
                  at: moment(confirmed.at),
                }),
        },
      ]}
      rows={profiles}
      keyOf={({ name }) => name}
    />
  );
}
