// What to do about a fault is told for whoever reads it: nothing that the page downloads, or a program fetches, says what to type at a terminal.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { COMMAND } from '../messages/commands.ts';
import { HEADER, line, lineTo } from '../app/desk.ts';
import { dataOf, openWeb, order, sent, type Told, until, type Web } from './with-web.ts';

const csv = (...lines: readonly string[]): string => `${[HEADER, ...lines].join('\n')}\n`;

/** Two equal payments without a reference, which are held, and one that no corridor pays. */
const HELD = csv(line('', '100'), line('', '100'), lineTo('Zhao', 'Z-1', '100').replace('CHN', 'BRA'));
/** A file that waits for a person, as it is over the limit. */
const OVER_LIMIT = csv(lineTo('Chen', 'C-1', '15000'));

let web: Web;
beforeAll(async () => {
  web = await openWeb('policy: { onInvalidRows: skip-rows }\nlimits: { perFile: 500000 XAF }');
});
afterAll(() => web.close());

const kindsIn = (body: Told['body']) => dataOf({ body }).map(({ kind }) => String(kind));

async function submitted(name: string, content: string): Promise<string> {
  const { body } = await web.json('/api/v1/uploads', sent(name, content));
  const upload = `/api/v1/uploads/${String(body['id'])}`;
  const { body: taken } = await web.json(`${upload}/submission`, order({ skipRows: true }));
  return `/api/v1/files/${String(taken['batch'])}`;
}

it('of rows that are held or wrong stands in each answer without a command', async () => {
  const file = await submitted('held.csv', HELD);
  const all = await until(web, `${file}/answers`, (body) => kindsIn(body).includes('result'));
  const bytes = kindsIn(all).map(async (kind) => (await web.ask(`${file}/answers/${kind}`)).text());
  const answers = await Promise.all(bytes);
  expect(answers.filter((answer) => COMMAND.test(answer))).toEqual([]);
  expect(answers.join('')).toContain('if not, cancel one and release the other.');
  expect(answers.join('')).toContain('The template of each corridor names it.');
});

it('of a file over its limit stands in the rows without a command', async () => {
  const file = await submitted('over.csv', OVER_LIMIT);
  const rows = await until(web, `${file}/rows`, (body) => JSON.stringify(body).includes('limits.perFile'));
  const [row] = dataOf({ body: rows });
  expect(row?.['reason']).toContain('a release lifts the limits of a file');
  expect(row?.['reason']).not.toMatch(COMMAND);
});
