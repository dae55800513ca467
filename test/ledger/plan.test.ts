// A plan is carried out at once, or as its answers come: what it finds is the same, and of statements that fail the first says why.
import { describe, expect, it } from 'vitest';

import {
  carryOut,
  carryOutInTime,
  find,
  lock,
  native,
  type Plan,
  send,
  type Statement,
} from '../../src/ledger/plan.ts';
import { inSqlite } from '../../src/ledger/sqlite/dialect.ts';

function* three(): Plan<readonly unknown[]> {
  yield* lock('a');
  yield* send('b');
  const found = yield* find('c', [1]);
  return [...found, yield* native(() => 'own')];
}

describe('a plan', () => {
  it('asks the same in both ways, in its order', async () => {
    const asked: string[] = [];
    const ask = ({ text, values }: Statement) => {
      asked.push(text);
      return [{ values: values.length }];
    };
    const found = [{ values: 1 }, 'own'];
    expect(carryOut(three(), ask)).toEqual(found);
    expect(await carryOutInTime(three(), (statement) => Promise.resolve(ask(statement)))).toEqual(found);
    expect(asked).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('that nothing is awaited of fails where a statement fails', async () => {
    const failing = () => Promise.reject(new Error('refused'));
    await expect(carryOutInTime(send('a'), failing)).rejects.toThrow('refused');
  });

  it('fails for the reason of the first statement, not of those behind it', async () => {
    const failing = ({ text }: Statement) => Promise.reject(new Error(text === 'c' ? 'because of b' : text));
    const plan = function* (): Plan<void> {
      yield* send('b');
      yield* find('c');
    };
    await expect(carryOutInTime(plan(), failing)).rejects.toThrow(/^b$/);
  });
});

describe('the words of SQLite', () => {
  it.each([
    ['WHERE id = ANY ($2::text[]) AND a = $1', 'WHERE id IN (SELECT value FROM json_each(?2)) AND a = ?1'],
    [
      'SELECT n FROM unnest($1::int[]) AS n',
      'SELECT n FROM (SELECT value AS n FROM json_each(?1)) AS listed',
    ],
    ['SELECT 1 LIMIT $12 FOR UPDATE SKIP LOCKED', 'SELECT 1 LIMIT +?12 '],
    [`record::json -> 'a' ->> 'b' = $1::text`, `record -> 'a' ->> 'b' = ?1`],
  ])('%s', (text, put) => {
    expect(inSqlite(text)).toBe(put);
  });
});
