// How a file's columns are read, where their headers do not say it: each with some of its values, what it is taken for and how sure that is; tried on every row,
// and kept as a profile for the next file of its name.
import { useEffect, useState } from 'preact/hooks';

import type { Proposal } from '../contract/columns.ts';
import { ask, Problem, wordsOf } from './api.ts';
import { useUpload } from './check.tsx';
import { useOrder } from './data.ts';
import { addWords, count, percent, t } from './language.ts';
import { Asks, Checklist, Hints, IGNORE, Meanings, Questions } from './column-questions.tsx';
import {
  Everywhere,
  FileForm,
  Sames,
  type Said,
  type Saying,
  SplitResults,
  Splits,
  titleOf,
} from './column-rules.tsx';
import { Button, Field, Heading, Tag, Trouble, Waiting } from './parts.tsx';
import { go, Link } from './router.tsx';
import { Table } from './table.tsx';
import { columnWords } from './words/columns.ts';

addWords(columnWords);

const NOTHING: Said = { columns: {}, constants: {}, values: {}, split: {}, same: {} };

export function Columns({ params: [id = ''] }: { readonly params: readonly string[] }) {
  const upload = useUpload(id);
  const [said, say] = useState<Said>(NOTHING);
  const { proposal, problem, isReading } = useProposal(id, said);
  const title = upload.data === null ? t('columns.title') : t('columns.of', { file: upload.data.name });
  return (
    <>
      <Heading title={title}>
        <Link to={`/drop/${id}`} class="button quiet">
          {t('cost.back')}
        </Link>
      </Heading>
      <p class="soft">{t('columns.words')}</p>
      <Trouble problem={upload.problem ?? problem} />
      {proposal === null ? (
        problem === null ? (
          <Waiting />
        ) : problem.code === 'profile_unfit' ? (
          <NameAmount onSay={(header) => say({ ...NOTHING, columns: { [header]: 'amount' } })} />
        ) : null
      ) : (
        <>
          <Questions proposal={proposal} said={said} onSay={say} />
          <Asks proposal={proposal} said={said} onSay={say} />
          <Hints proposal={proposal} said={said} onSay={say} />
          <Meanings said={said} onSay={say} />
          <SplitResults proposal={proposal} said={said} onSay={say} />
          <ColumnTable proposal={proposal} said={said} onSay={say} />
          <Checklist proposal={proposal} said={said} onSay={say} />
          <OtherWays proposal={proposal} said={said} onSay={say} />
          <Faults proposal={proposal} />
          <Save id={id} proposal={proposal} said={said} isReading={isReading} />
        </>
      )}
    </>
  );
}

/** The one thing without which nothing can be shown of a file: typed as it stands there. */
function NameAmount({ onSay }: { readonly onSay: (header: string) => void }) {
  const [header, setHeader] = useState('');
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (header.trim() !== '') onSay(header.trim());
      }}
    >
      <Field label={t('columns.amountIs')} value={header} onInput={setHeader} required />
      <Button type="submit" kind="main">
        {t('columns.tryIt')}
      </Button>
    </form>
  );
}

/** Asked again with each word, which ends the reading that is under way. */
function useProposal(id: string, said: Said) {
  const [proposal, setProposal] = useState<Proposal | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isReading, setReading] = useState(true);
  useEffect(() => {
    const asking = new AbortController();
    const { signal } = asking;
    setReading(true);
    ask<Proposal>(`/uploads/${id}/reading`, { method: 'POST', body: said, signal })
      .then(
        (next) => {
          if (signal.aborted) return;
          setProposal(next);
          setProblem(null);
        },
        (error: unknown) => {
          if (!signal.aborted)
            setProblem(error instanceof Problem ? error : new Problem(0, 'page', wordsOf(error)));
        },
      )
      .finally(() => {
        if (!signal.aborted) setReading(false);
      });
    return () => asking.abort();
  }, [id, said]);
  return { proposal, problem, isReading };
}

function ColumnTable({ proposal: { columns, known, headerPlace }, said, onSay }: Saying) {
  return (
    <Table
      caption={t(headerPlace === '0' ? 'columns.letters' : 'columns.caption', { row: headerPlace })}
      columns={[
        {
          name: t('columns.inFile'),
          isHead: true,
          value: ({ letter, header }) => (
            <>
              <span class="soft">{letter}</span> {header}
            </>
          ),
        },
        {
          name: t('columns.values'),
          value: ({ samples }) => <span class="soft">{samples.join(' · ')}</span>,
        },
        {
          name: t('columns.takenFor'),
          value: ({ header, column }) => (
            <select
              aria-label={t('columns.takenForOf', { header })}
              value={said.columns[header] ?? column ?? IGNORE}
              onChange={({ currentTarget: { value } }) =>
                onSay({ ...said, columns: { ...said.columns, [header]: value } })
              }
            >
              <option value={IGNORE}>{t('columns.ignored')}</option>
              {column === null || known.some((each) => each.column === column) ? null : (
                <option value={column}>{column}</option>
              )}
              {groupsOf(known).map(([group, columns]) => (
                <optgroup key={group} label={t(`columns.group.${group}`)}>
                  {columns.map((each) => (
                    <option key={each} value={each}>
                      {titleOf(known, each)}
                    </option>
                  ))}
                </optgroup>
              ))}
            </select>
          ),
        },
        { name: t('columns.sure'), value: (each) => <Sure column={each} /> },
      ]}
      rows={columns}
      keyOf={({ letter }) => letter}
    />
  );
}

const GROUPS = ['payment', 'payee', 'account', 'way', 'document', 'sender'] as const;
type ColumnGroup = (typeof GROUPS)[number];

const GROUP_OF: Readonly<Record<string, ColumnGroup>> = {
  ...{ payoutCorridorId: 'way', destinationCountryIsoCode: 'way', transactionMode: 'way' },
  ...{ deliveryMethod: 'way', purposeOfRemittance: 'way', bankName: 'account' },
  ...{ reference: 'document', documentReferenceNumber: 'document', attachment: 'document' },
};

/** By what they are about, each in the order of the reader's alphabet. */
function groupsOf(known: Proposal['known']): readonly (readonly [ColumnGroup, readonly string[]])[] {
  const groupOf = (column: string): ColumnGroup => {
    if (column.startsWith('receiver.')) return 'payee';
    if (column.startsWith('delivery.')) return 'account';
    return column.startsWith('sender.') ? 'sender' : (GROUP_OF[column] ?? 'payment');
  };
  return GROUPS.map((group) => [
    group,
    known
      .filter(({ column }) => groupOf(column) === group)
      .sort((one, other) => one.words.localeCompare(other.words))
      .map(({ column }) => column),
  ]);
}

function Sure({ column: { column, confidence, from } }: { readonly column: Proposal['columns'][number] }) {
  if (from === 'stated') return <Tag of="ok">{t('columns.stated')}</Tag>;
  if (column === null || confidence === null) return null;
  return from === 'cells' ? (
    <Tag of="warning">{t('columns.guess', { share: percent(confidence) })}</Tag>
  ) : (
    <>{percent(confidence)}</>
  );
}

/** What seldom has to be said; open where something is asked that no press answers. */
function OtherWays(saying: Saying) {
  const { questions } = saying.proposal;
  return (
    <details open={questions.some(({ answers }) => answers.length === 0)}>
      <summary>{t('columns.otherWays')}</summary>
      <Everywhere {...saying} />
      <Splits {...saying} />
      <Sames {...saying} />
      <FileForm {...saying} />
    </details>
  );
}

function Faults({ proposal: { trial, known } }: { readonly proposal: Proposal }) {
  if (trial === null || trial.faults.length === 0) return null;
  const groups = [...Map.groupBy(trial.faults, ({ rows, words }) => `${String(rows)} ${words}`).values()];
  return (
    <>
      <h2>{t('columns.trial')}</h2>
      <Table
        columns={[
          { name: t('files.rows'), isNumber: true, value: ([fault]) => count(fault?.rows ?? 0) },
          {
            name: t('check.column'),
            isHead: true,
            value: (faults) => faults.map(({ column }) => titleOf(known, column)).join(', '),
          },
          { name: t('check.what'), value: ([fault]) => fault?.words },
        ]}
        rows={groups}
        keyOf={(faults) => faults.map(({ code, column }) => `${code} ${column}`).join()}
      />
    </>
  );
}

/** Whether the rows can be paid as they are read now. */
function Payable({ trial, isReading }: Pick<Proposal, 'trial'> & { readonly isReading: boolean }) {
  if (trial === null && !isReading) return null;
  const { payable = 0, rows = 0 } = trial ?? {};
  return (
    <p role="status" class="decision-sum">
      {isReading ? (
        t('part.loading')
      ) : (
        <Tag of={payable === rows ? 'ok' : payable === 0 ? 'rejected' : 'warning'}>
          {t('columns.payable', { n: payable, rows })}
        </Tag>
      )}
    </p>
  );
}

function Save({
  id,
  proposal: { name: proposed, files, questions, trial },
  said,
  isReading,
}: {
  readonly id: string;
  readonly proposal: Proposal;
  readonly said: Said;
  readonly isReading: boolean;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const [isThere, setThere] = useState(false);
  const order = useOrder();
  const name = typed ?? proposed;
  const save = (mayReplace: boolean): void =>
    order.run(async () => {
      try {
        await ask(`/uploads/${id}/profile`, { method: 'POST', body: { ...said, name, mayReplace } });
      } catch (error) {
        setThere(error instanceof Problem && error.code === 'profile_exists');
        throw error;
      }
      go(`/drop/${id}`);
    });
  const isOff = isReading || questions.length > 0 || trial?.mayBeSaved !== true;
  return (
    <>
      <h2>{t('columns.keep')}</h2>
      <p class="soft">{t('columns.keepWords', { files })}</p>
      <div class="filters">
        <Field label={t('columns.name')} value={name} onInput={setTyped} />
      </div>
      <form
        class="decision"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isOff) save(false);
        }}
      >
        <div class="decision-line">
          <Payable trial={trial} isReading={isReading} />
          <Button type="submit" kind="main" busy={order.isBusy} disabled={isOff}>
            {t('columns.save')}
          </Button>
          {isThere ? (
            <Button kind="danger" busy={order.isBusy} onClick={() => save(true)}>
              {t('columns.replace')}
            </Button>
          ) : null}
        </div>
        <Trouble problem={order.problem} />
      </form>
    </>
  );
}
