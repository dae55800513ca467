// What people say about a file or a row, oldest first, and the line in which the reader says something.
import { useState } from 'preact/hooks';

import type { FileComment } from '../contract/comments.ts';
import type { List } from '../contract/schema.ts';
import { ask, query } from './api.ts';
import { useData, useOrder } from './data.ts';
import { t } from './language.ts';
import { Button, Field, Trouble, When } from './parts.tsx';

type CommentsProps = {
  readonly batch: string;
  /** Null for the whole file, with what was said about its rows. */
  readonly row?: string | null;
};

export function Comments({ batch, row = null }: CommentsProps) {
  const path = `/files/${batch}/comments`;
  const { data, put } = useData<List<FileComment>>(`${path}${query({ row, limit: 200 })}`);
  const [text, setText] = useState('');
  const order = useOrder();
  const said = data?.data ?? [];
  const send = async (): Promise<void> => {
    const body = { text: text.trim(), ...(row === null ? {} : { row }) };
    const made = await ask<FileComment>(path, { method: 'POST', body });
    put({ data: [...said, made], next: null });
    setText('');
  };
  return (
    <section>
      {row === null ? <h2>{t('comments.title')}</h2> : <h3>{t('comments.title')}</h3>}
      {said.length === 0 ? null : (
        <ul>
          {said.map((each) => (
            <li key={each.number}>
              <b>{each.by}</b>{' '}
              <span class="soft">
                <When at={each.at} />
                {each.row === null || row !== null ? null : ` · ${t('row.title', { row: each.row })}`}
              </span>
              : {each.text}
            </li>
          ))}
        </ul>
      )}
      <form
        class="filters no-print"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') order.run(send);
        }}
      >
        <Field label={t('comments.say')} value={text} onInput={setText} />
        <Button type="submit" busy={order.isBusy} disabled={text.trim() === ''}>
          {t('comments.send')}
        </Button>
      </form>
      <Trouble problem={order.problem} />
    </section>
  );
}
