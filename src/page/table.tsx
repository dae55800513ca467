// Lists as tables (with pagination) that a screen reader can walk through; on a narrow screen each row becomes a block with its columns' names.
import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';

import { useOrder, type Listing } from './data.ts';
import { t } from './language.ts';
import { Button, Choice, Empty, Field, Stale, Trouble, Waiting } from './parts.tsx';
import { setFilters, usePlace } from './router.tsx';

export type TableColumn<T> = {
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
  groupOf,
}: {
  readonly caption?: string;
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, at: number) => string;
  /** What rows that follow each other have in common, such as their day: it stands above them. */
  readonly groupOf?: ((row: T) => string) | undefined;
}) {
  const isFirst = (at: number): boolean => {
    const [row, before] = [rows[at], rows[at - 1]];
    return row !== undefined && (before === undefined || groupOf?.(row) !== groupOf?.(before));
  };
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
            <Fragment key={keyOf(row, at)}>
              {groupOf !== undefined && isFirst(at) ? (
                <tr class="day">
                  <th scope="rowgroup" colSpan={columns.length}>
                    {groupOf(row)}
                  </th>
                </tr>
              ) : null}
              <tr>
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
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A list that grows on request. What is shown stays while it cannot be read, and says of when it is. */
export function ListTable<T>({
  listing: { rows, problem, hasMore, more },
  columns,
  keyOf,
  empty,
  caption,
  groupOf,
}: {
  readonly listing: Listing<T>;
  readonly columns: readonly TableColumn<T>[];
  readonly keyOf: (entry: T) => string;
  readonly empty: string;
  readonly caption?: string;
  readonly groupOf?: (entry: T) => string;
}) {
  if (rows === null) return <Waiting problem={problem} />;
  return (
    <>
      <Stale problem={problem} />
      {rows.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <Table
          columns={columns}
          rows={rows}
          keyOf={keyOf}
          groupOf={groupOf}
          {...(caption === undefined ? {} : { caption })}
        />
      )}
      {hasMore ? <More onMore={more} /> : null}
    </>
  );
}

export function More({ onMore }: { readonly onMore: () => Promise<void> }) {
  const order = useOrder();
  return (
    <>
      <Button busy={order.isBusy} onClick={() => order.run(onMore)}>
        {t('part.more')}
      </Button>
      <Trouble problem={order.problem} />
    </>
  );
}

/** Words to look for in a list. */
export function Search({
  label,
  read = (text) => text,
  children,
}: {
  readonly label: string;
  /** What of the words stands in the address. */
  readonly read?: (text: string) => string;
  readonly children?: ComponentChildren;
}) {
  const { query: filters } = usePlace();
  const [text, setText] = useState(filters.get('find') ?? '');
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        setFilters({ find: read(text.trim()) });
      }}
    >
      {children}
      <Field label={label} value={text} onInput={setText} />
      <Button type="submit">{t('batch.search')}</Button>
    </form>
  );
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
  return (
    <Search label={findLabel}>
      <Choice
        label={label}
        value={filters.get(by) ?? ''}
        options={options}
        onChange={(value) => setFilters({ [by]: value })}
      />
    </Search>
  );
}
