// The search over all that is on record: a few words, and every file and payment that has them, as links. Keys alone are enough (command palette).
import { useEffect, useRef, useState } from 'preact/hooks';

import type { FoundPayments, FoundPayment } from '../contract/search.ts';
import { ask, Problem, query, wordsOf } from './api.ts';
import { Dialog } from './dialog.tsx';
import { t, withCurrency } from './language.ts';
import { Button, Field, Trouble, When } from './parts.tsx';
import { Link } from './router.tsx';
import { RowTag } from './row-tag.tsx';

/** As long as somebody types on. */
const TYPING_MS = 200;
const LIMIT = 20;

export function Find({ onClose }: { readonly onClose: () => void }) {
  const [words, setWords] = useState('');
  const { found, problem } = useFound(words.trim());
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    if (event.isComposing || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    const next = links[at + (event.key === 'ArrowDown' ? 1 : -1)];
    const field = list.current?.querySelector('input');
    event.preventDefault();
    (next ?? (at <= 0 && event.key === 'ArrowUp' ? field : links[at]))?.focus();
  };
  return (
    <Dialog title={t('find.title')} onClose={onClose}>
      <div ref={list} class="find" onKeyDown={move}>
        <Field label={t('find.words')} hint={t('find.hint')} value={words} onInput={setWords} autoFocus />
        <Trouble problem={problem} />
        <p role="status" class="soft">
          {found === null ? '' : statusWords(found)}
        </p>
        {found === null ? null : <Results found={found} onFollow={onClose} />}
      </div>
      <div class="actions">
        <Button onClick={onClose}>{t('part.close')}</Button>
      </div>
    </Dialog>
  );
}

/** What the words find, once nobody types on; what was found before stays until then. */
function useFound(words: string): { readonly found: FoundPayments | null; readonly problem: Problem | null } {
  const [found, setFound] = useState<FoundPayments | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (words === '') {
      setFound(null);
      setProblem(null);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      ask<FoundPayments>('/search', {
        method: 'POST',
        body: { words, limit: LIMIT },
        signal: stop.signal,
      }).then(
        (now) => {
          setFound(now);
          setProblem(null);
        },
        (error: unknown) => {
          if (!stop.signal.aborted)
            setProblem(error instanceof Problem ? error : new Problem(0, 'page', wordsOf(error)));
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [words]);
  return { found, problem };
}

function statusWords({ files, payments, isMore, isWhole }: FoundPayments): string {
  const n = files.length + payments.length;
  const count = isMore
    ? t(n === 0 ? 'find.tooMany' : 'find.first')
    : n === 0
      ? t('find.nothing')
      : t('find.count', { n });
  return isWhole ? count : `${count} ${t('find.building')}`;
}

function Results({ found, onFollow }: { readonly found: FoundPayments; readonly onFollow: () => void }) {
  const { files, payments } = found;
  return (
    <ul class="found">
      {files.map(({ batch, file, acceptedAt, rows }) => (
        <li key={batch}>
          <Link to={`/files/${batch}`} onFollow={onFollow}>
            {file}
          </Link>
          <small class="soft">
            {t('batch.rowsOf', { n: rows })} · <When at={acceptedAt} />
          </small>
        </li>
      ))}
      {payments.map((payment) => (
        <li key={`${payment.batch}/${payment.row.row}`}>
          <Payment {...payment} onFollow={onFollow} />
        </li>
      ))}
    </ul>
  );
}

function Payment({
  batch,
  file,
  acceptedAt,
  row,
  onFollow,
}: FoundPayment & { readonly onFollow: () => void }) {
  const { receiver, account } = row;
  const money = withCurrency(row['askedAmount'], row['askedCurrency']);
  const said = [receiver, account, row['reference']].filter((each) => each !== null && each !== '');
  return (
    <>
      <Link to={`/files/${batch}${query({ row: row.row })}`} onFollow={onFollow}>
        {said.length === 0 ? t('row.title', { row: row.row }) : said.join(' · ')}
      </Link>
      <span>
        {money} <RowTag row={row} />
      </span>
      <small class="soft">
        {t('row.title', { row: row.row })} · {file} · <When at={acceptedAt} />
      </small>
    </>
  );
}
