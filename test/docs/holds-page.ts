// docs/holds.md: every hold, from the table of the code.
import { say } from '../../src/base/language.ts';
import { HOLD_CODES, HOLDS, type HoldRule } from '../../src/payouts/hold.ts';
import { code, generated, table } from './markdown.ts';

export function holdsPage(): string {
  return [
    generated(
      'Held rows',
      'For clerks and the helpdesk. A held row waits: nothing of it is sent. In `result` its outcome is `held`, and `payout.errorCode` has the code. `paydrop release` lets it go on; `paydrop release --skip` cancels it, once the service has shown that it was not paid.',
    ),
    '## What each code means\n',
    table(
      ['code', 'what it means, and what to do', 'signification'],
      HOLD_CODES.map((name) => [code(name), say(HOLDS[name].words, 'en'), say(HOLDS[name].words, 'fr')]),
    ),
    '\n## What happens to the row\n',
    'A payment that the service shows as confirmed or final keeps the status of the service. Nobody can cancel it or pay it again; a release follows it to its end.\n',
    table(
      ['code', 'who lifts it', 'what follows'],
      HOLD_CODES.map((name) => [code(name), LIFTS[HOLDS[name].lifts], after(HOLDS[name])]),
    ),
    '',
  ].join('\n');
}

const LIFTS: Readonly<Record<HoldRule['lifts'], string>> = {
  release: '`release`',
  itself: 'paydrop itself',
  never: 'nobody',
};

function after({ lifts, limit, transfer }: HoldRule): string {
  if (lifts === 'itself') return 'paydrop looks again, and the row goes on';
  if (lifts === 'never') return NEVER[transfer ?? 'unchecked'];
  const price =
    limit === undefined
      ? ''
      : '. The release lifts the limit for the present cost of the row; at a worse price the row is held again';
  return `the row is looked up at the service, then goes on where it stood${price}`;
}

const NEVER: Readonly<Record<NonNullable<HoldRule['transfer']> | 'unchecked', string>> = {
  own: 'the row is followed, and ends as the service says; or cancel it',
  unchecked: 'look the transfer up at the service; or cancel the row',
  foreign: 'the transfer is never confirmed; cancel the row',
  earlier: 'a release follows the transfer that is being paid, once no other can pay',
};
