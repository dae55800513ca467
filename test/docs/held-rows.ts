// The part of docs/messages.md about held rows: every hold, from the table of the code.
import { say } from '../../src/base/language.ts';
import { HOLD_CODES, HOLDS, type HoldRule } from '../../src/payouts/hold.ts';
import { code, table } from './markdown.ts';

export function heldRows(): readonly string[] {
  return [
    '\n## A held row\n',
    'A held row waits for a person, or for what the words name: nothing of it is sent. In `result` its outcome is `held`, and `payout.errorCode` has the code. `paydrop release` lets it go on; `paydrop release --skip` cancels it, once the service has shown that it was not paid.\n',
    table(
      ['code', 'what it means, and what to do', 'ce que cela signifie, et que faire'],
      HOLD_CODES.map((name) => [code(name), say(HOLDS[name].words, 'en'), say(HOLDS[name].words, 'fr')]),
    ),
    '\n### What happens to a held row\n',
    'A payment that the service shows as confirmed or final keeps the status of the service. Nobody can cancel it or pay it again; a release follows it to its end.\n',
    table(
      ['code', 'who lifts it', 'what follows', 'la suite'],
      HOLD_CODES.map((name) => {
        const [en, fr] = after(HOLDS[name]);
        return [code(name), LIFTS[HOLDS[name].lifts], en, fr];
      }),
    ),
  ];
}

const LIFTS: Readonly<Record<HoldRule['lifts'], string>> = {
  release: '`release`',
  itself: 'paydrop itself',
  never: 'nobody',
};

/** In English and in French. */
type Both = readonly [en: string, fr: string];

function after({ lifts, limit, transfer }: HoldRule): Both {
  if (lifts === 'itself')
    return ['paydrop looks again, and the row goes on', 'paydrop vérifie de nouveau, et la ligne continue'];
  if (lifts === 'never') return NEVER[transfer ?? 'unchecked'];
  return limit === undefined ? LOOKED_UP : [LOOKED_UP[0] + LIMIT[0], LOOKED_UP[1] + LIMIT[1]];
}

const LOOKED_UP: Both = [
  'the row is looked up at the service, then goes on where it stood',
  'la ligne est recherchée auprès du service, puis reprend où elle en était',
];

const LIMIT: Both = [
  '. The release lifts the limit for the present cost of the row; at a worse price the row is held again',
  '. La décision lève la limite pour le coût actuel de la ligne ; à un prix moins favorable, elle est retenue de nouveau',
];

const NEVER: Readonly<Record<NonNullable<HoldRule['transfer']> | 'unchecked', Both>> = {
  own: [
    'the row is followed, and ends as the service says; or cancel it',
    'la ligne est suivie et finit comme le dit le service ; ou annulez-la',
  ],
  unchecked: [
    'look the transfer up at the service; or cancel the row',
    'vérifiez le transfert auprès du service ; ou annulez la ligne',
  ],
  foreign: [
    'the transfer is never confirmed; cancel the row',
    "le transfert n'est jamais confirmé ; annulez la ligne",
  ],
  earlier: [
    'a release follows the transfer that is being paid, once no other can pay',
    'une décision suit le transfert en cours de paiement, dès qu’aucun autre ne peut payer',
  ],
};
