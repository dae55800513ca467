// How a file's columns are read, where their headers do not say it: each with some of its values, what it is taken for and how sure that is; tried on every row,
// and kept as a profile for the next file of its name.
import { useEffect, useState } from 'preact/hooks';

import type { Proposal } from '../contract/columns.ts';
import { ask, Problem, wordsOf } from './api.ts';
import { useUpload } from './check.tsx';
import { useOrder } from './data.ts';
import { count, percent, t } from './language.ts';
import {
  FileForm,
  Everywhere,
  Hints,
  Sames,
  type Said,
  type Saying,
  Splits,
  titleOf,
} from './column-rules.tsx';
import { Button, Field, Heading, Note, Tag, Trouble, Waiting } from './parts.tsx';
import { go, Link } from './router.tsx';
import { Table } from './table.tsx';

const NOTHING: Said = { columns: {}, constants: {}, split: {}, same: {} };
/** As a profile names a column that is not read. */
const IGNORE = 'ignore';

export function Columns({ params: [id = ''] }: { readonly params: readonly string[] }) {
  const upload = useUpload(id);
  const [said, say] = useState<Said>(NOTHING);
  const { proposal, problem, isReading } = useProposal(id, said);
  const title = upload.data === null ? t('columns.title') : t('columns.of', { file: upload.data.name });
  return (
    <>
      <Heading title={title} />
      <p class="soft">{t('columns.words')}</p>
      <Trouble problem={upload.problem ?? problem} />
      {proposal === null ? (
        problem === null ? (
          <Waiting />
        ) : null
      ) : (
        <>
          <Questions proposal={proposal} />
          <ColumnTable proposal={proposal} said={said} onSay={say} />
          <Hints proposal={proposal} said={said} onSay={say} />
          <Everywhere proposal={proposal} said={said} onSay={say} />
          <Splits proposal={proposal} said={said} onSay={say} />
          <Sames proposal={proposal} said={said} onSay={say} />
          <FileForm proposal={proposal} said={said} onSay={say} />
          <Trial proposal={proposal} isReading={isReading} />
          <Save id={id} proposal={proposal} said={said} isReading={isReading} />
        </>
      )}
      <p>
        <Link to={`/drop/${id}`}>{t('cost.back')}</Link>
      </p>
    </>
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

function Questions({ proposal: { questions } }: { readonly proposal: Proposal }) {
  if (questions.length === 0) return null;
  return (
    <Note kind="warn">
      <p>
        <b>{t('columns.questions')}</b>
      </p>
      <ul>
        {questions.map((question) => (
          <li key={question}>{question}</li>
        ))}
      </ul>
    </Note>
  );
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
              {known.map((each) => (
                <option key={each.column} value={each.column}>
                  {titleOf(known, each.column)}
                </option>
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

function Sure({ column: { column, confidence, from } }: { readonly column: Proposal['columns'][number] }) {
  if (from === 'stated') return <Tag of="ok">{t('columns.stated')}</Tag>;
  if (column === null || confidence === null) return null;
  return from === 'cells' ? (
    <Tag of="warning">{t('columns.guess', { share: percent(confidence) })}</Tag>
  ) : (
    <>{percent(confidence)}</>
  );
}

function Trial({
  proposal: { trial },
  isReading,
}: {
  readonly proposal: Proposal;
  readonly isReading: boolean;
}) {
  if (trial === null) return null;
  const { rows, payable, faults } = trial;
  return (
    <section>
      <h2>{t('columns.trial')}</h2>
      <p role="status">
        {isReading ? (
          t('part.loading')
        ) : (
          <Tag of={payable === rows ? 'ok' : payable === 0 ? 'rejected' : 'warning'}>
            {t('columns.payable', { n: payable, rows })}
          </Tag>
        )}
      </p>
      {faults.length === 0 ? null : (
        <Table
          columns={[
            { name: t('files.rows'), isNumber: true, value: (fault) => count(fault.rows) },
            { name: t('check.column'), isHead: true, value: ({ column }) => column },
            { name: t('check.what'), value: ({ words }) => words },
          ]}
          rows={faults}
          keyOf={({ code, column }) => `${code} ${column}`}
        />
      )}
    </section>
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
    <section>
      <h2>{t('columns.keep')}</h2>
      <p class="soft">{t('columns.keepWords', { files })}</p>
      <div class="filters">
        <Field label={t('columns.name')} value={name} onInput={setTyped} />
        <Button kind="main" busy={order.isBusy} disabled={isOff} onClick={() => save(false)}>
          {t('columns.save')}
        </Button>
        {isThere ? (
          <Button kind="danger" busy={order.isBusy} onClick={() => save(true)}>
            {t('columns.replace')}
          </Button>
        ) : null}
      </div>
      <Trouble problem={order.problem} />
    </section>
  );
}
