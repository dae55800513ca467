// How a file's columns are read, where their headers do not say it: each with some of its values, what it is taken for and how sure that is; tried on every row,
// and kept as a profile for the next file of its name.
import { useEffect, useRef, useState } from 'preact/hooks';

import { ask, Problem, wordsOf } from './api.ts';
import { useUpload } from './check.tsx';
import { useOrder } from './data.ts';
import { count, percent, t } from './language.ts';
import { Button, Choice, Field, Heading, Note, Tag, Trouble, Waiting } from './parts.tsx';
import { go, Link } from './router.tsx';
import type { Proposal, Said } from './shapes.ts';
import { Table } from './table.tsx';

const NOTHING: Said = { columns: {}, constants: {} };
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
          <Everywhere proposal={proposal} said={said} onSay={say} />
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

/** Asked again with each word; of several answers the one to the last counts. */
function useProposal(id: string, said: Said) {
  const [proposal, setProposal] = useState<Proposal | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isReading, setReading] = useState(true);
  const turn = useRef(0);
  useEffect(() => {
    const mine = ++turn.current;
    setReading(true);
    ask<Proposal>(`/uploads/${id}/reading`, { method: 'POST', body: said })
      .then(
        (next) => {
          if (mine !== turn.current) return;
          setProposal(next);
          setProblem(null);
        },
        (error: unknown) => {
          if (mine === turn.current)
            setProblem(error instanceof Problem ? error : new Problem(0, 'page', wordsOf(error)));
        },
      )
      .finally(() => {
        if (mine === turn.current) setReading(false);
      });
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

type Saying = { readonly proposal: Proposal; readonly said: Said; readonly onSay: (said: Said) => void };

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
              {known.map(({ column: each, words }) => (
                <option key={each} value={each}>
                  {words === each ? each : `${words} (${each})`}
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

/** Facts that no column states: one value for every row. */
function Everywhere({ proposal: { known, trial }, said, onSay }: Saying) {
  const missing = trial?.faults
    .map(({ column }) => column)
    .find((each) => known.some((one) => one.column === each));
  const [column, setColumn] = useState<string | null>(null);
  const [value, setValue] = useState('');
  const chosen = column ?? missing ?? known[0]?.column ?? '';
  return (
    <>
      <h2>{t('columns.everywhere')}</h2>
      <ul>
        {Object.entries(said.constants).map(([name, text]) => (
          <li key={name}>
            <code>{name}</code>: {text}{' '}
            <Button
              kind="quiet"
              label={t('columns.removeOf', { column: name })}
              onClick={() => {
                const { [name]: gone, ...rest } = said.constants;
                if (gone !== undefined) onSay({ ...said, constants: rest });
              }}
            >
              {t('people.remove')}
            </Button>
          </li>
        ))}
      </ul>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (value.trim() === '') return;
          onSay({ ...said, constants: { ...said.constants, [chosen]: value.trim() } });
          setValue('');
          setColumn(null);
        }}
      >
        <Choice
          label={t('check.column')}
          value={chosen}
          options={known.map(({ column: each, words }) => [
            each,
            words === each ? each : `${words} (${each})`,
          ])}
          onChange={setColumn}
        />
        <Field label={t('columns.value')} value={value} onInput={setValue} />
        <Button type="submit">{t('columns.add')}</Button>
      </form>
      <div class="filters">
        <Choice
          label={t('columns.mark')}
          value={said.decimalMark ?? ''}
          options={[
            ['', t('columns.markAuto')],
            [',', t('columns.markComma')],
            ['.', t('columns.markPoint')],
          ]}
          onChange={(mark) => {
            const { columns, constants } = said;
            onSay(
              mark === ',' || mark === '.'
                ? { columns, constants, decimalMark: mark }
                : { columns, constants },
            );
          }}
        />
      </div>
    </>
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
  const isOff = isReading || questions.length > 0 || (trial?.payable ?? 0) === 0;
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
