// Lists as tables that a screen reader can walk through; on a narrow screen each row becomes a block with its columns' names.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { ask, type List } from './api.ts';
import { useData, useOrder, type Data } from './data.ts';
import { t } from './language.ts';
import { Button, Choice, Field, Trouble } from './parts.tsx';
import { setFilters, usePlace } from './router.tsx';

export type Column<T> = {
  readonly name: string;
  readonly value: (row: T) => ComponentChildren;
  readonly isNumber?: boolean;
  /** What the row is called. */
  readonly isHead?: boolean;
};

export function Table<T>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  readonly caption?: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, at: number) => string;
}) {
  return (
    <div class="table">
      <table class="stack">
        {caption === undefined ? null : <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber === true ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={keyOf(row, at)}>
              {columns.map(({ name, value, isNumber, isHead }) =>
                isHead === true ? (
                  <th key={name} scope="row">
                    {value(row)}
                  </th>
                ) : (
                  <td key={name} data-label={name} class={isNumber === true ? 'number' : undefined}>
                    {value(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A list that grows on request: entries on the screen stay where they are. */
export function usePages<T>(
  path: string,
  on: Parameters<typeof useData>[1] = {},
): Data<List<T>> & { readonly rows: readonly T[]; readonly more: ComponentChildren } {
  const first = useData<List<T>>(path, on);
  const [behind, setBehind] = useState<{
    readonly path: string;
    readonly rows: readonly T[];
    readonly next: string | null;
  } | null>(null);
  const order = useOrder();
  const kept = behind?.path === path ? behind : null;
  const next = kept === null ? (first.data?.next ?? null) : kept.next;
  const read = async (): Promise<void> => {
    if (next === null) return;
    const list = await ask<List<T>>(
      `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(next)}`,
    );
    setBehind({ path, rows: [...(kept?.rows ?? []), ...list.data], next: list.next });
  };
  const more =
    next === null ? null : (
      <>
        <Button busy={order.isBusy} onClick={() => order.run(read)}>
          {t('part.more')}
        </Button>
        <Trouble problem={order.problem} />
      </>
    );
  return { ...first, rows: [...(first.data?.data ?? []), ...(kept?.rows ?? [])], more };
}

/** Above a list: one choice, named `by` in the address, and words to look for. */
export function ListFilters({
  by,
  label,
  options,
  findLabel,
}: {
  readonly by: string;
  readonly label: string;
  readonly options: Parameters<typeof Choice>[0]['options'];
  readonly findLabel: string;
}) {
  const { query: filters } = usePlace();
  const [text, setText] = useState(filters.get('find') ?? '');
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        setFilters({ find: text.trim() });
      }}
    >
      <Choice
        label={label}
        value={filters.get(by) ?? ''}
        options={options}
        onChange={(value) => setFilters({ [by]: value })}
      />
      <Field label={findLabel} value={text} onInput={setText} />
      <Button type="submit">{t('batch.search')}</Button>
    </form>
  );
}
