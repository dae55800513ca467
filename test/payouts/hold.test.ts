// The one table of holds: a code is added there with its sentences, and nowhere else.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { HOLD_CODES, HOLDS, isLimitCode } from '../../src/payouts/hold.ts';

const SRC = new URL('../../src', import.meta.url).pathname;
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), 'utf8') }));

/** A list of codes, or a table by code. */
const LIST = /\b(Record|Set)<HoldCode\b|readonly HoldCode\[\]/;

/** What the owner of a file can do. */
const ADVICE =
  /\b(release|cancel|ask|look|call|check|put|find out|settle|give|repeat|You have nothing to do)\b/i;

describe('the table of holds', () => {
  it('is the only list of their codes in the program', () => {
    expect(FILES.filter(({ text }) => LIST.test(text)).map(({ name }) => name)).toEqual([
      join('payouts', 'hold.ts'),
    ]);
  });

  it.each(HOLD_CODES)('%s: says what to do', (code) => {
    expect(HOLDS[code].words.en).toMatch(ADVICE);
  });

  it.each(HOLD_CODES)("%s: goes on with no transfer that may be another one's", (code) => {
    const { lifts, transfer } = HOLDS[code];
    if (transfer === 'foreign' || transfer === 'earlier') expect(lifts).toBe('never');
  });

  it('knows which codes are limits', () => {
    expect(HOLD_CODES.filter(isLimitCode)).toEqual([
      'over_row_limit',
      'over_payee_limit',
      'over_fee_limit',
      'under_rate_limit',
    ]);
  });
});
