// Real money leaves a terminal only after a yes; a script, which has none, is asked nothing.
import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { run } from '../../src/app/desk/commands.ts';
import { filesToAgreeOn, wouldPay, type WouldPay } from '../../src/app/desk/preview-file.ts';
import { type Language, sameWords } from '../../src/base/language.ts';
import { isAgreed } from '../../src/cli/run.ts';
import { textIn } from '../../src/messages/messages.ts';
import { line, openDesk, PATIENT, type Desk } from '../app/desk.ts';

const PAYABLE: WouldPay = {
  name: 'payroll.csv',
  payments: 12,
  sums: [{ currency: 'XAF', rows: 12, amount: '5025000' }],
  held: 0,
  duplicate: 0,
  rejected: 0,
  cost: [sameWords('Debit XAF 5,100,375. Available: 9,000,000.')],
};

async function asked(
  typed: string | null,
  {
    found = [PAYABLE],
    language = 'en',
    signal = new AbortController().signal,
  }: {
    readonly found?: readonly WouldPay[];
    readonly language?: Language;
    readonly signal?: AbortSignal;
  } = {},
): Promise<{ readonly agreed: boolean; readonly shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  if (typed !== null) input.end(typed);
  const context = { language, signal, text: textIn(language) };
  const agreed = await isAgreed(found, context, { input, output });
  return { agreed, shown: String(output.read() ?? '') };
}

it.each([
  ['y\n', true],
  ['Yes\n', true],
  ['s\n', false],
  ['stop\n', false],
  ['\n', false],
  ['n\n', false],
  ['yesterday\n', false],
  ['', false],
])('%j is taken for yes: %s', async (typed, agreed) => {
  expect(await asked(typed)).toEqual({
    agreed,
    shown:
      'payroll.csv: 12 payments, 5,025,000 XAF\n  Debit XAF 5,100,375. Available: 9,000,000.\nThis is real money. Pay it? [y/N] ',
  });
});

it.each([
  ['fr', ['o', 'Oui'], ['y', 's', 'non', 'n']],
  ['es', ['s', 'Sí', 'si'], ['y', 'o', 'no', 'n']],
] as const)('takes the yes of %s, and no other', async (language, yes, no) => {
  const agreedTo = async (word: string) => (await asked(`${word}\n`, { language })).agreed;
  expect(await Promise.all(yes.map(agreedTo))).toEqual(yes.map(() => true));
  expect(await Promise.all(no.map(agreedTo))).toEqual(no.map(() => false));
});

it('takes Ctrl-C for no', async () => {
  const stop = new AbortController();
  const answer = asked(null, { signal: stop.signal });
  stop.abort();
  expect((await answer).agreed).toBe(false);
});

it('reads no more of the terminal once it is answered: the command would never end', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.write('n\n');
  const context = { language: 'en', signal: new AbortController().signal, text: textIn('en') } as const;
  expect(await isAgreed([PAYABLE], context, { input, output })).toBe(false);
  expect(input.isPaused()).toBe(true);
});

it('asks nothing where nothing would be paid: the run says why', async () => {
  expect(await asked(null, { found: [] })).toEqual({ agreed: true, shown: '' });
});

it.each([
  ['en', '  Not paid: 2 held for your decision, 3 to correct.'],
  ['fr', '  Non payées\u00a0: 2 retenues jusqu’à votre décision, 3 à corriger.'],
] as const)('says in %s what of the file is not paid', async (language, words) => {
  const found = [{ ...PAYABLE, held: 2, rejected: 3 }];
  expect((await asked('n\n', { found, language })).shown.split('\n')[2]).toBe(words);
});

describe('what would be paid', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(() => desk.close());

  const control = { signal: new AbortController().signal, again: false };

  it('leaves out rows that would be held, or that were paid before, and rows to correct', async () => {
    const paydrop = await desk.open('policy: { onInvalidRows: skip-rows }');
    const earlier = await desk.file('earlier.csv', [line('A-1', '100')]);
    await run(paydrop, [earlier], PATIENT, { again: false, by: [] });
    const file = await desk.file('pay.csv', [
      ...[line('A-1', '100'), line('', '200'), line('', '200')],
      ...[line('A-4', '400'), line('A-5', 'none')],
    ]);
    const asked = { held: 2, duplicate: 1, rejected: 1, payments: 1 };
    const [found, ...others] = await wouldPay(paydrop, [file], control);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ name: 'pay.csv', ...asked, sums: [{ rows: 1, amount: '400.00' }] });
    // Debit, fees and balance, of the one row that is paid.
    expect(found?.cost?.[0]?.en).toMatch(/^XAF: .* fees = [\d,.]+\. Available: /);
    const { results } = await run(paydrop, [file], PATIENT, { again: false, by: [] });
    expect(results[0]?.summary.outcomes).toMatchObject({ paid: 1, held: 2, duplicate: 1, rejected: 1 });
  });

  it.each([
    ['has other payments', [line('A-1', '100')], [line('A-1', '900')]],
    ['was refused when its reader was asked', [line('A-1', 'none')], [line('A-1', '100')]],
  ])('is all that is paid: a file that %s is refused', async (_what, shown, saved) => {
    const paydrop = await desk.open();
    const file = await desk.file('pay.csv', shown);
    const agreed = await filesToAgreeOn([file]);
    await desk.file('pay.csv', saved);
    const order = { again: false, by: [], agreed };
    expect((await run(paydrop, [file], PATIENT, order)).results[0]?.summary.state).toBe('refused');
    expect(await paydrop.ledger.batches()).toEqual([]);
    const now = await run(paydrop, [file], PATIENT, { ...order, agreed: await filesToAgreeOn([file]) });
    expect(now.results[0]?.summary.outcomes).toMatchObject({ paid: 1 });
  });

  it('is nothing of a file that is refused for one row, or whose bytes were taken, unless they are paid again', async () => {
    const paydrop = await desk.open();
    const wrong = await desk.file('wrong.csv', [line('A-1', '100'), line('A-2', 'none')]);
    const taken = await desk.file('taken.csv', [line('', '300')]);
    await run(paydrop, [taken], PATIENT, { again: false, by: [] });
    expect(await wouldPay(paydrop, [wrong, taken], control)).toEqual([]);
    const again = await wouldPay(paydrop, [wrong, taken], { ...control, again: true });
    expect(again).toMatchObject([{ name: 'taken.csv', payments: 1, held: 0 }]);
    const { results } = await run(paydrop, [taken], PATIENT, { again: true, by: [] });
    expect(results[0]?.summary.outcomes).toMatchObject({ paid: 1 });
  });
});
