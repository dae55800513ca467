// The small things that every screen is made of.
import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

import type { Problem } from './api.ts';
import { chooseTheme, moment, fullMoment, t, tCode, theme, type Theme, THEMES } from './language.ts';

export function Heading({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · paydrop`;
  }, [title]);
  return (
    <div class="heading">
      <h1 tabIndex={-1}>{title}</h1>
      {children === undefined ? null : <div class="actions">{children}</div>}
    </div>
  );
}

type ButtonProps = {
  readonly children: ComponentChildren;
  readonly onClick?: () => void;
  readonly kind?: 'main' | 'plain' | 'danger' | 'quiet';
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly label?: string;
  /** That do the same from anywhere on the page, as ARIA names them. */
  readonly keys?: string;
};

/** Says that it waits instead of going away: focus stays where it is. */
export function Button({
  children,
  onClick,
  kind = 'plain',
  busy,
  disabled,
  type = 'button',
  label,
  keys,
}: ButtonProps) {
  const isOff = busy === true || disabled === true;
  return (
    <button
      type={type}
      class={`button ${kind}`}
      aria-disabled={isOff ? 'true' : undefined}
      aria-busy={busy === true ? 'true' : undefined}
      aria-label={label}
      aria-keyshortcuts={keys}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
    </button>
  );
}

/** Something went wrong, with paydrop's own sentence. */
export function Trouble({ problem }: { readonly problem: Problem | null }) {
  if (problem === null) return null;
  return (
    <p class="note bad" role="alert">
      <b>{t('sign.problem')}</b> {problem.message}
    </p>
  );
}

export function Note({
  kind = 'plain',
  children,
}: {
  readonly kind?: 'plain' | 'warn' | 'good' | 'bad';
  readonly children: ComponentChildren;
}) {
  return <div class={`note ${kind}`}>{children}</div>;
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** What is shown could not be read again: it stays, and says of when it is. */
export function Stale({ problem }: { readonly problem: Problem | null }) {
  if (problem === null) return null;
  return (
    <p class="note warn" role="status">
      {problem.message}
    </p>
  );
}

/** While something is read for the first time; what was read before stays on the screen. */
export function Waiting({ problem }: { readonly problem?: Problem | null }) {
  if (problem !== null && problem !== undefined) return <Trouble problem={problem} />;
  return (
    <p class="empty" role="status">
      {t('part.loading')}
    </p>
  );
}

/** Sign and word: a colour never stands alone. */
const SIGNS: Readonly<Record<string, readonly [tone: string, sign: string]>> = {
  paid: ['good', '✓'],
  closed: ['good', '✓'],
  approved: ['good', '✓'],
  ok: ['good', '✓'],
  done: ['good', '✓'],
  checked: ['good', '✓'],
  failed: ['bad', '✕'],
  rejected: ['bad', '✕'],
  refused: ['bad', '✕'],
  declined: ['bad', '✕'],
  problem: ['bad', '✕'],
  held: ['warn', '▲'],
  'awaiting-approval': ['warn', '▲'],
  waiting: ['warn', '▲'],
  warning: ['warn', '▲'],
  outdated: ['warn', '▲'],
  'awaiting-funds': ['warn', '▲'],
  'awaiting-key': ['warn', '▲'],
  'awaiting-service': ['warn', '▲'],
  'awaiting-doubt': ['warn', '▲'],
  'awaiting-documents': ['warn', '▲'],
  'needs-decision': ['warn', '▲'],
  interrupted: ['warn', '▲'],
  'done-not-paid': ['bad', '✕'],
  'in-transit': ['busy', '●'],
  'asking-prices': ['busy', '●'],
  submitted: ['busy', '●'],
  paying: ['busy', '●'],
  tracking: ['busy', '●'],
  running: ['busy', '●'],
  checking: ['busy', '●'],
};

export function Tag({ of, children }: { readonly of: string; readonly children?: ComponentChildren }) {
  const [tone, sign] = SIGNS[of] ?? ['plain', '○'];
  return (
    <span class={`tag ${tone}`}>
      <span aria-hidden="true">{sign}</span> {children ?? tCode('state', of) ?? of}
    </span>
  );
}

export function When({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined || at === '') return <>–</>;
  return (
    <time dateTime={at} title={fullMoment(at)}>
      {moment(at)}
    </time>
  );
}

type FieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'date';
  readonly hint?: string;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
};

export function Field({ label, value, onInput, type = 'text', hint, required, autoFocus }: FieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (autoFocus === true) input.current?.focus();
  }, [autoFocus]);
  const rest = {
    id,
    ref: input,
    value,
    required,
    autoComplete: 'off',
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => onInput(currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'date' ? <input type="date" {...rest} /> : <input type="text" {...rest} />}
      {hint === undefined ? null : (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Checks<T extends string>({
  legend,
  all,
  chosen,
  words,
  onChange,
}: {
  readonly legend: string;
  readonly all: readonly T[];
  readonly chosen: readonly T[];
  readonly words: (each: T) => string;
  readonly onChange: (chosen: readonly T[]) => void;
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {all.map((each) => (
        <label class="check" key={each}>
          <input
            type="checkbox"
            checked={chosen.includes(each)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, each] : chosen.filter((other) => other !== each))
            }
          />
          {words(each)}
        </label>
      ))}
    </fieldset>
  );
}

/** The colours that the reader wants. */
export function Light() {
  const [light, setLight] = useState<Theme>(theme);
  return (
    <label>
      <span class="hint">{t('shell.theme')}</span>
      <select
        value={light}
        onChange={({ currentTarget: { value } }) => {
          const next = THEMES.find((each) => each === value) ?? 'system';
          chooseTheme(next);
          setLight(next);
        }}
      >
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {t(`shell.theme.${each}`)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Groups of four signs, as they are read out over a telephone. */
export function Digest({ text }: { readonly text: string }) {
  const groups =
    text
      .slice(0, 32)
      .toUpperCase()
      .match(/.{1,4}/g) ?? [];
  return (
    <code class="digest" aria-label={groups.join(' ')}>
      {groups.map((group, at) => (
        <span key={at}>{group}</span>
      ))}
    </code>
  );
}

/** What a file and its batch are known by, for whoever compares them with another paper or another screen. */
export function FileIdentity({ batch, sha256 }: { readonly batch: string; readonly sha256: string }) {
  return (
    <dl class="facts">
      <dt>{t('batch.id')}</dt>
      <dd>
        <code>{batch}</code>
      </dd>
      <dt>{t('batch.hash')}</dt>
      <dd>
        <Digest text={sha256} />
      </dd>
    </dl>
  );
}

export function Progress({
  done,
  total,
  label,
}: {
  readonly done: number;
  readonly total: number;
  readonly label: string;
}) {
  const id = useId();
  return (
    <div class="progress">
      <span id={id}>{label}</span>
      <progress aria-labelledby={id} max={Math.max(total, 1)} value={done} />
    </div>
  );
}

// Small pictures of numbers, each with a table of the same numbers under it. The browser draws them, as wide as the screen is.

export type Bar = { readonly label: string; readonly value: string; readonly share: number };

/** One bar a line, of the share that each has of its whole; hidden from readers by ear, who have the table. */
export function Bars({ bars }: { readonly bars: readonly Bar[] }) {
  return (
    <div class="bars" aria-hidden="true">
      {bars.map(({ label, value, share }) => (
        <div key={label}>
          <p>
            <span>{label}</span>
            <span>{value}</span>
          </p>
          <progress max="1" value={Math.max(0, Math.min(1, share))} />
        </div>
      ))}
    </div>
  );
}

/** The share of one decimal text in another, for the length of a bar alone: no amount is computed with it. */
export function shareOf(part: string, whole: string): number {
  const [a, b] = [lengthOf(part), lengthOf(whole)];
  return b === 0 ? 0 : a / b;
}

function lengthOf(text: string): number {
  return Math.abs(Number(text));
}
