// What a file of unknown headers leaves open, in the order in which a clerk can say it: which column is paid, then who is paid how from which balance, then
// what may fill the gaps; and a checklist of what the payments have by now.
import { useState } from 'preact/hooks';

import type { Ask, Hint, Proposal } from '../contract/columns.ts';
import { plainTitle, type Said, type Saying, titleOf, withHint, without } from './column-rules.tsx';
import { t, tCode } from './language.ts';
import { Button, Choice, Field, Note } from './parts.tsx';

/** As a profile names a column that is not read. */
export const IGNORE = 'ignore';

/** What only a person can say, answered by one press where it is about a column. */
export function Questions({ proposal: { questions, known }, said, onSay }: Saying) {
  if (questions.length === 0) return null;
  return (
    <Note kind="warn">
      <p>
        <b>{t('columns.questions')}</b>
      </p>
      <ul class="said">
        {questions.map(({ words, answers }) => (
          <li key={words}>
            {words}{' '}
            {answers.map(({ header, column }) => (
              <Button
                key={`${header} ${column}`}
                onClick={() => onSay({ ...said, columns: { ...said.columns, [header]: column } })}
              >
                {column === IGNORE
                  ? t('columns.answerNot', { header })
                  : t('columns.answerIs', { header, column: plainTitle(known, column) })}
              </Button>
            ))}
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** Those that are open, and those that were answered here, whose answer can be changed. */
function useAsks({ trial }: Proposal, { constants }: Said): readonly Ask[] {
  const [asked, setAsked] = useState<ReadonlyMap<string, Ask>>(new Map());
  const open = trial?.asks ?? [];
  if (open.some(({ column }) => !asked.has(column)))
    setAsked(new Map([...asked, ...open.map((ask) => [ask.column, ask] as const)]));
  const answered = [...asked.values()].filter(({ column }) => constants[column] !== undefined);
  const still = open.filter(({ column }) => constants[column] === undefined);
  return [...answered, ...still];
}

/** Who is paid how, from which balance and what for: said once for all rows, in one form. */
export function Asks({ proposal, said, onSay }: Saying) {
  const asks = useAsks(proposal, said);
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  if (asks.length === 0) return null;
  const valueOf = ({ column, choices, likely }: Ask, now = chosen): string => {
    const [only = '', ...others] = choices;
    return now[column] ?? said.constants[column] ?? likely ?? (others.length === 0 ? only : '');
  };
  const answersOf = (now: typeof chosen) =>
    asks.map((ask) => [ask.column, valueOf(ask, now)] as const).filter(([, value]) => value !== '');
  const apply = (answers: ReturnType<typeof answersOf>): void =>
    onSay({ ...said, constants: { ...said.constants, ...Object.fromEntries(answers) } });
  /** The last answer that was open has all of them tried. */
  const choose = (column: string, value: string): void => {
    const now = { ...chosen, [column]: value };
    setChosen(now);
    if (answersOf(now).length === asks.length) apply(answersOf(now));
  };
  const isNew = answersOf(chosen).some(([column, value]) => said.constants[column] !== value);
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        if (isNew) apply(answersOf(chosen));
      }}
    >
      <h2>{t('columns.asks')}</h2>
      <p class="soft">{t('columns.asksWords')}</p>
      <div class="answers">
        {asks.map((ask) => (
          <Asked
            key={ask.column}
            ask={ask}
            label={tCode('asked', ask.column) ?? plainTitle(proposal.known, ask.column)}
            value={valueOf(ask)}
            onChoose={(value) => choose(ask.column, value)}
            onType={(value) => setChosen({ ...chosen, [ask.column]: value })}
          />
        ))}
        <Button type="submit" kind={isNew ? 'main' : 'plain'} disabled={!isNew}>
          {t('columns.useAnswers')}
        </Button>
      </div>
    </form>
  );
}

function Asked({
  ask: { choices, meanings },
  label,
  value,
  onChoose,
  onType,
}: {
  readonly ask: Ask;
  readonly label: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly onType: (value: string) => void;
}) {
  if (choices.length === 0) return <Field label={label} value={value} onInput={onType} />;
  const options = choices.map((each, at) => {
    const meaning = meanings[at];
    return [each, meaning === undefined ? each : `${each} – ${meaning}`] as const;
  });
  return (
    <Choice
      label={label}
      value={value}
      options={[['', t('columns.choose')], ...options]}
      onChange={onChoose}
    />
  );
}

/** What would fill a gap of this file, to be confirmed by a press. */
export function Hints({ proposal: { known, trial }, said, onSay }: Saying) {
  const hints = trial?.hints ?? [];
  if (hints.length === 0) return null;
  const words = (hint: Hint): string => {
    if (hint.kind === 'names') return t(`columns.names.${hint.order}`);
    if (hint.kind === 'value') return t('columns.means', { word: hint.word, value: hint.value });
    const title = (column: string) => plainTitle(known, column);
    if (hint.kind === 'same')
      return t('columns.isSame', { column: title(hint.column), other: title(hint.other) });
    const [first, second] = hint.into.map(title);
    return t('columns.isSplit', { header: hint.header, first: first ?? '', second: second ?? '' });
  };
  return (
    <Note kind="warn">
      <p>
        <b>{t('columns.hints')}</b>
      </p>
      <ul class="said">
        {hints.map((hint) => (
          <li key={JSON.stringify(hint)}>
            {words(hint)}{' '}
            <Button label={`${t('columns.doSo')} ${words(hint)}`} onClick={() => onSay(withHint(said, hint))}>
              {t('columns.doSo')}
            </Button>
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** What words of the file were said to mean. */
export function Meanings({ said, onSay }: Pick<Saying, 'said' | 'onSay'>) {
  const values = Object.entries(said.values);
  if (values.length === 0) return null;
  return (
    <ul class="said">
      {values.map(([word, value]) => (
        <li key={word}>
          {t('columns.means', { word, value })}{' '}
          <Button
            kind="quiet"
            label={t('columns.removeMeaning', { word })}
            onClick={() => onSay({ ...said, values: without(said.values, word) })}
          >
            {t('people.remove')}
          </Button>
        </li>
      ))}
    </ul>
  );
}

type Need = {
  readonly column: string;
  readonly sign: '✓' | '▲';
  readonly words: string;
  /** Where the reader has said it: how it is taken back. */
  readonly undo?: { readonly label: string; readonly said: Said } | undefined;
};

/** What is there, each with where it comes from; and what rows lack still, by what this file's corridor asks for alone. */
export function Checklist({ proposal, said, onSay }: Saying) {
  const { known, trial, columns } = proposal;
  if (trial === null) return null;
  const open = columns.filter(({ column }) => column === null);
  return (
    <>
      <h2>{t('columns.checklist')}</h2>
      <ul class="checklist">
        {needsOf(proposal, said).map(({ column, sign, words, undo }) => (
          <li key={column} class={sign === '✓' ? 'good' : 'warn'}>
            <b aria-hidden="true">{sign}</b>
            <span>
              {plainTitle(known, column)} <span class="soft">{words}</span>
            </span>
            {undo === undefined ? null : (
              <Button kind="quiet" label={undo.label} onClick={() => onSay(undo.said)}>
                {t('people.remove')}
              </Button>
            )}
            {sign === '✓' || undo !== undefined || open.length === 0 ? null : (
              <select
                aria-label={t('columns.takeFrom', { column: plainTitle(known, column) })}
                value=""
                onChange={({ currentTarget: { value } }) =>
                  onSay({ ...said, columns: { ...said.columns, [value]: column } })
                }
              >
                <option value="">{t('columns.whichColumn')}</option>
                {open.map(({ header, letter }) => (
                  <option key={letter} value={header}>
                    {letter} {header}
                  </option>
                ))}
              </select>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function needsOf(proposal: Proposal, said: Said): readonly Need[] {
  const { known, trial } = proposal;
  const there = sourcesOf(proposal, said);
  const faults = trial?.faults ?? [];
  const rowsOf = (column: string): number =>
    Math.max(0, ...faults.filter((fault) => fault.column === column).map(({ rows }) => rows));
  const asked = (trial?.asks ?? []).map(({ column }) => column);
  const told = faults
    .map(({ column }) => column)
    .filter((column) => known.some((each) => each.column === column));
  const lacking = [...new Set([...asked, ...told])].filter((column) => !there.has(column));
  return [
    ...lacking.map((column) => ({
      column,
      sign: '▲' as const,
      words: rowsOf(column) === 0 ? t('columns.notSaid') : t('columns.lackingIn', { n: rowsOf(column) }),
    })),
    ...[...there].map(([column, { words, undo }]) => {
      const n = rowsOf(column);
      const isFaulty = n > 0;
      return {
        ...{ column, undo, sign: isFaulty ? ('▲' as const) : ('✓' as const) },
        words: isFaulty ? `${words} · ${t('columns.wrongIn', { n })}` : words,
      };
    }),
  ];
}

/** From where the payments have what they have, by column. */
function sourcesOf(
  { known, columns }: Proposal,
  said: Said,
): ReadonlyMap<string, Pick<Need, 'words' | 'undo'>> {
  const there = new Map<string, Pick<Need, 'words' | 'undo'>>();
  for (const { column, header } of columns)
    if (column !== null) there.set(column, { words: t('columns.fromColumn', { header }) });
  for (const [header, { into }] of Object.entries(said.split))
    for (const column of into) there.set(column, { words: t('columns.fromColumn', { header }) });
  for (const [column, other] of Object.entries(said.same))
    there.set(column, {
      words: t('columns.asOther', { other: titleOf(known, other) }),
      undo: {
        label: t('columns.removeSame', { column: titleOf(known, column) }),
        said: { ...said, same: without(said.same, column) },
      },
    });
  for (const [column, value] of Object.entries(said.constants))
    there.set(column, {
      words: t('columns.inEveryRow', { value }),
      undo: {
        label: t('columns.removeOf', { column: titleOf(known, column) }),
        said: { ...said, constants: without(said.constants, column) },
      },
    });
  return there;
}
