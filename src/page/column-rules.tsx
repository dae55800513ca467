// What no column says by itself: one value for every row, one column that holds two, a column that speaks for a missing one, and how the file is written.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import type { Hint, Proposal, Reading } from '../contract/columns.ts';
import { NAME_ORDERS, SPLIT_RULES } from '../contract/words.ts';
import { t } from './language.ts';
import { Button, Choice, Field, Note } from './parts.tsx';
import { Table } from './table.tsx';

/** What a person says of a file's columns. */
export type Said = Reading;

export type Saying = {
  readonly proposal: Proposal;
  readonly said: Said;
  readonly onSay: (said: Said) => void;
};

type KnownColumns = Proposal['known'];

/** A column's plain name; with the interface's in parentheses where two columns have the same one. */
export function titleOf(known: KnownColumns, column: string): string {
  const words = plainTitle(known, column);
  return known.filter((each) => each.words === words).length > 1 ? `${words} (${column})` : words;
}

export function plainTitle(known: KnownColumns, column: string): string {
  return known.find((each) => each.column === column)?.words ?? column;
}

const choicesOf = (known: KnownColumns, columns = known.map(({ column }) => column)) =>
  columns.map((column) => [column, titleOf(known, column)] as const);

/** The first column that rows lack. */
function missingOf({ known, trial }: Proposal): string {
  const missing = trial?.faults.find(({ column }) => known.some((each) => each.column === column));
  return missing?.column ?? known[0]?.column ?? '';
}

export function without<T>(said: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(said).filter(([each]) => each !== name));
}

export function withHint(said: Said, hint: Hint): Said {
  switch (hint.kind) {
    case 'split':
      return { ...said, split: { ...said.split, [hint.header]: { into: hint.into, by: hint.by } } };
    case 'same':
      return { ...said, same: { ...said.same, [hint.column]: hint.other } };
    case 'names':
      return { ...said, personNames: hint.order };
    case 'value':
      return { ...said, values: { ...said.values, [hint.word]: hint.value } };
  }
}

function Adding({ children, onAdd }: { readonly children: ComponentChildren; readonly onAdd: () => void }) {
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd();
      }}
    >
      {children}
    </form>
  );
}

/** Facts that no column states. */
export function Everywhere({ proposal, said, onSay }: Saying) {
  const { known } = proposal;
  const [column, setColumn] = useState<string | null>(null);
  const [value, setValue] = useState('');
  const chosen = column ?? missingOf(proposal);
  const add = (): void => {
    if (value.trim() === '') return;
    onSay({ ...said, constants: { ...said.constants, [chosen]: value.trim() } });
    setValue('');
    setColumn(null);
  };
  return (
    <>
      <h2>{t('columns.everywhere')}</h2>
      <Adding onAdd={add}>
        <Choice label={t('check.column')} value={chosen} options={choicesOf(known)} onChange={setColumn} />
        <Field label={t('columns.value')} value={value} onInput={setValue} />
        <Button type="submit">{t('columns.add')}</Button>
      </Adding>
    </>
  );
}

/** What the rules make of the first cells. */
export function SplitResults({ proposal: { known, splits }, said, onSay }: Saying) {
  return (
    <>
      {Object.entries(said.split).map(([name, { into }]) => (
        <SplitSamples
          key={name}
          header={name}
          titles={[plainTitle(known, into[0]), plainTitle(known, into[1])]}
          found={splits.find((each) => each.header === name)}
          onRemove={() => onSay({ ...said, split: without(said.split, name) })}
        />
      ))}
    </>
  );
}

/** One column of the file that holds two facts. */
export function Splits({ proposal, said, onSay }: Saying) {
  const { known, columns } = proposal;
  const named = columns.find(({ column }) => column === 'receiver.name') ?? columns[0];
  const [header, setHeader] = useState<string | null>(null);
  const [first, setFirst] = useState('receiver.lastName');
  const [second, setSecond] = useState('receiver.firstName');
  const [by, setBy] = useState<(typeof SPLIT_RULES)[number]>('capitals');
  const chosen = header ?? named?.header ?? '';
  const add = (): void =>
    onSay({ ...said, split: { ...said.split, [chosen]: { into: [first, second], by } } });
  return (
    <>
      <h2>{t('columns.split')}</h2>
      <Adding onAdd={add}>
        <Choice
          label={t('columns.splitWhich')}
          value={chosen}
          options={columns.map((each) => [each.header, `${each.letter} ${each.header}`])}
          onChange={setHeader}
        />
        <Choice
          label={t('columns.splitHow')}
          value={by}
          options={SPLIT_RULES.map((rule) => [rule, t(`columns.by.${rule}`)])}
          onChange={(value) => setBy(SPLIT_RULES.find((rule) => rule === value) ?? 'capitals')}
        />
        <Choice label={t('columns.first')} value={first} options={choicesOf(known)} onChange={setFirst} />
        <Choice label={t('columns.second')} value={second} options={choicesOf(known)} onChange={setSecond} />
        <Button type="submit">{t('columns.doSplit')}</Button>
      </Adding>
    </>
  );
}

function SplitSamples({
  header,
  titles,
  found,
  onRemove,
}: {
  readonly header: string;
  readonly titles: readonly [string, string];
  /** Undefined while it is read, and where it cannot be. */
  readonly found: Proposal['splits'][number] | undefined;
  readonly onRemove: () => void;
}) {
  return (
    <div role="status">
      {found === undefined ? null : (
        <Table
          caption={t('columns.splitOf', { header })}
          columns={[
            { name: t('columns.inFile'), isHead: true, value: ({ cell }) => cell },
            { name: titles[0], value: ({ parts }) => parts[0] },
            { name: titles[1], value: ({ parts }) => parts[1] },
          ]}
          rows={found.samples}
          keyOf={({ cell }, at) => `${String(at)} ${cell}`}
        />
      )}
      {found === undefined || found.whole === 0 ? null : (
        <Note kind="warn">{t('columns.whole', { n: found.whole })}</Note>
      )}
      <p>
        <Button onClick={onRemove}>{t('columns.unsplit', { header })}</Button>
      </p>
    </div>
  );
}

/** A column that the file has speaks for one that it lacks. */
export function Sames({ proposal, said, onSay }: Saying) {
  const { known, columns } = proposal;
  const [column, setColumn] = useState<string | null>(null);
  const [other, setOther] = useState<string | null>(null);
  const parts = Object.values(said.split).flatMap(({ into }) => into);
  const there = [...new Set([...columns.flatMap((each) => each.column ?? []), ...parts])];
  const chosen = column ?? missingOf(proposal);
  const from = other ?? there[0] ?? '';
  const add = (): void => {
    onSay({ ...said, same: { ...said.same, [chosen]: from } });
    setColumn(null);
  };
  return (
    <>
      <h2>{t('columns.same')}</h2>
      <Adding onAdd={add}>
        <Choice label={t('columns.lacking')} value={chosen} options={choicesOf(known)} onChange={setColumn} />
        <Choice
          label={t('columns.sameAs')}
          value={from}
          options={choicesOf(known, there)}
          onChange={setOther}
        />
        <Button type="submit">{t('columns.doSame')}</Button>
      </Adding>
    </>
  );
}

/** How the file is written, where it does not show it. */
export function FileForm({ proposal: { trial }, said, onSay }: Saying) {
  const asksNames = trial?.hints.some(({ kind }) => kind === 'names') === true;
  return (
    <div class="filters">
      <Choice
        label={t('columns.mark')}
        value={said.decimalMark ?? ''}
        options={[
          ['', t('columns.markAuto')],
          [',', t('columns.markComma')],
          ['.', t('columns.markPoint')],
        ]}
        onChange={(mark) => onSay({ ...said, decimalMark: mark === ',' || mark === '.' ? mark : undefined })}
      />
      {asksNames || said.personNames !== undefined ? (
        <Choice
          label={t('columns.names')}
          value={said.personNames ?? ''}
          options={[
            ['', t('columns.markAuto')],
            ...NAME_ORDERS.map((order) => [order, t(`columns.names.${order}`)] as const),
          ]}
          onChange={(value) => onSay({ ...said, personNames: NAME_ORDERS.find((each) => each === value) })}
        />
      ) : null}
    </div>
  );
}
