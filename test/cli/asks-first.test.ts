// Real money leaves a terminal only after a yes; a script, which has none, is asked nothing.
import { PassThrough } from 'node:stream';

import { expect, it } from 'vitest';

import { isAgreed } from '../../src/cli/run.ts';
import { textIn } from '../../src/messages/messages.ts';
import { noOutcomes } from '../../src/results/summary.ts';
import type { Result } from '../../src/app/desk/commands.ts';

function checked(pending: number): Result {
  return {
    summary: {
      batch: '20261122-3f9a2c11',
      state: 'checked',
      sandbox: false,
      file: { name: 'payroll.csv', sha256: 'ab', rows: 12 },
      outcomes: { ...noOutcomes(), pending },
      totals: [],
      received: [],
      waitingFor: null,
      startedAt: '2026-11-22T09:00:00Z',
      finishedAt: null,
      answers: [],
      check: {
        payments: 12,
        sums: [{ currency: 'XAF', rows: 12, amount: '5025000' }],
        rejected: 0,
        faults: [],
        wouldHold: [],
      },
    },
    words: [],
  };
}

async function asked(
  typed: string | null,
  { pending = 12, language = 'en' as const, signal = new AbortController().signal } = {},
): Promise<{ readonly agreed: boolean; readonly shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  if (typed !== null) input.end(typed);
  const context = { language, signal, text: textIn(language) };
  const agreed = await isAgreed([checked(pending)], context, { input, output });
  return { agreed, shown: String(output.read() ?? '') };
}

it.each([
  ['y\n', true],
  ['Yes\n', true],
  ['oui\n', true],
  ['\n', false],
  ['n\n', false],
  ['yesterday\n', false],
  ['', false],
])('%j is taken for yes: %s', async (typed, agreed) => {
  expect(await asked(typed)).toEqual({
    agreed,
    shown: 'payroll.csv: 12 payments, 5,025,000 XAF\nThis is real money. Pay it? [y/N] ',
  });
});

it('takes Ctrl-C for no', async () => {
  const stop = new AbortController();
  const answer = asked(null, { signal: stop.signal });
  stop.abort();
  expect((await answer).agreed).toBe(false);
});

it('asks nothing of a file of which nothing could be paid: the run says why', async () => {
  expect(await asked(null, { pending: 0 })).toEqual({ agreed: true, shown: '' });
});
