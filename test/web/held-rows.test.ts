// A held row stands beside the payment that made paydrop ask, with what differs between the two.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { HEADER, line, lineTo } from '../app/desk.ts';
import { visitor, type Visitor } from './with-people.ts';
import { openWeb, order, sent, until, type Web } from './with-web.ts';

let web: Web;
let marie: Visitor;
let before: string;
let held: string;

const csv = (...lines: readonly string[]): string => `${[HEADER, ...lines].join('\n')}\n`;

beforeAll(async () => {
  web = await openWeb('tracking: { pollEvery: 1s }\nlimits: { perRow: 1000000 XAF }');
  marie = await visitor(web, 'Marie Ngo', 'checker');
  const october = [lineTo('ada', 'A-1', '100'), lineTo('ben', 'B-1', '200'), lineTo('cyr', 'C-1', '300')];
  before = await submitted('october.csv', october, ({ state }) => state === 'closed');
  const [zoe, cyr] = [lineTo('zoe', '', '500'), lineTo('cyr', 'C-9', '300')];
  const november = [
    lineTo('ada', 'A-1', '150'),
    lineTo('bob', 'B-1', '200'),
    cyr,
    zoe,
    zoe,
    line('D-1', '40000'),
  ];
  held = await submitted(
    'november.csv',
    november,
    ({ outcomes }) => (outcomes as { held: number }).held === 6,
  );
});
afterAll(() => web.close());

async function submitted(
  name: string,
  lines: readonly string[],
  is: Parameters<typeof until>[2],
): Promise<string> {
  const { body } = await web.json('/api/v1/uploads', sent(name, csv(...lines)));
  const { body: taken } = await web.json(`/api/v1/uploads/${String(body['id'])}/submission`, order({}));
  await until(web, `/api/v1/files/${String(taken['batch'])}`, is);
  return String(taken['batch']);
}

type Pair = {
  readonly row: Readonly<Record<string, string>>;
  readonly met:
    | (Readonly<Record<'batch' | 'file' | 'acceptedAt', string>> & {
        readonly row: Readonly<Record<string, string>>;
        readonly differs: readonly string[];
      })
    | null;
};

async function pairs(
  query: string,
): Promise<{ readonly data: readonly Pair[]; readonly next: string | null }> {
  const { status, body } = await marie.json('GET', `/files/${held}/held?${query}`);
  expect(status).toBe(200);
  return body as unknown as { readonly data: readonly Pair[]; readonly next: string | null };
}

const told = ({ row, met }: Pair) => [
  ...[row['row'], row['errorCode']],
  met && [
    met.batch,
    met.file,
    met.row['row'],
    met.row['reference'],
    met.row['outcome'],
    met.differs.join(' '),
  ],
];

it('by the same reference, by the same payment, and in the same file', async () => {
  const { data } = await pairs('');
  expect(data.map(told)).toEqual([
    ['2', 'reference_paid_differently', [before, 'october.csv', '2', 'A-1', 'paid', 'amount']],
    ['3', 'reference_paid_differently', [before, 'october.csv', '3', 'B-1', 'paid', 'account']],
    ['4', 'same_payment_other_reference', [before, 'october.csv', '4', 'C-1', 'paid', 'reference']],
    ['5', 'equal_rows', [held, 'november.csv', '6', null, 'held', '']],
    ['6', 'equal_rows', [held, 'november.csv', '5', null, 'held', '']],
    ['7', 'over_row_limit', null],
  ]);
  const [first] = data;
  expect(first?.row).toMatchObject({ askedAmount: '150', askedCurrency: 'CNY', receiver: 'Li Wei' });
  expect(first?.met?.row).toMatchObject({ askedAmount: '100', askedCurrency: 'CNY', receiver: 'Li Wei' });
  expect(Date.parse(first?.met?.acceptedAt ?? '')).toBeGreaterThan(0);
});

it('of one hold alone, in pages', async () => {
  const { data, next } = await pairs('code=equal_rows&limit=1');
  expect(data.map(({ row }) => row['row'])).toEqual(['5']);
  const rest = await pairs(`code=equal_rows&limit=1&after=${String(next)}`);
  expect(rest.data.map(({ row }) => row['row'])).toEqual(['6']);
  expect((await marie.json('GET', '/files/20200101-00000000/held')).status).toBe(404);
});
