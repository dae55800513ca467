// The part of docs/messages.md about held rows: every hold, from the table of the code.
import { joinWords, LANGUAGES, say, type Words } from '../../src/base/language.ts';
import { HOLD_CODES, HOLDS, type HoldRule } from '../../src/payouts/hold.ts';
import { code, table } from './markdown.ts';

export function heldRows(): readonly string[] {
  return [
    '\n## A held row\n',
    'A held row waits for a person, or for what the words name: nothing of it is sent. In `result` its outcome is `held`, and `payout.errorCode` has the code. `paydrop release` lets it go on; `paydrop release --skip` cancels it, once the service has shown that it was not paid.\n',
    table(
      [
        'code',
        'what it means, and what to do',
        'ce que cela signifie, et que faire',
        'qué significa, y qué hacer',
      ],
      HOLD_CODES.map((name) => [
        code(name),
        ...LANGUAGES.map((language) => say(HOLDS[name].words, language)),
      ]),
    ),
    '\n### What happens to a held row\n',
    'A payment that the service shows as confirmed or final keeps the status of the service. Nobody can cancel it or pay it again; a release follows it to its end.\n',
    table(
      ['code', 'who lifts it', 'what follows', 'la suite', 'qué sigue'],
      HOLD_CODES.map((name) => {
        const follows = after(HOLDS[name]);
        return [code(name), LIFTS[HOLDS[name].lifts], ...LANGUAGES.map((language) => follows[language])];
      }),
    ),
  ];
}

const LIFTS: Readonly<Record<HoldRule['lifts'], string>> = {
  release: '`release`',
  itself: 'paydrop itself',
  never: 'nobody',
};

function after({ lifts, limit, transfer }: HoldRule): Words {
  if (lifts === 'itself') return LOOKS_AGAIN;
  if (lifts === 'never') return NEVER[transfer ?? 'unchecked'];
  return limit === undefined ? LOOKED_UP : joinWords([LOOKED_UP, LIMIT], '. ');
}

const LOOKS_AGAIN: Words = {
  en: 'paydrop looks again, and the row goes on',
  fr: 'paydrop vérifie de nouveau, et la ligne continue',
  es: 'paydrop lo comprueba de nuevo, y la fila continúa',
};

const LOOKED_UP: Words = {
  en: 'the row is looked up at the service, then goes on where it stood',
  fr: 'la ligne est recherchée auprès du service, puis reprend où elle en était',
  es: 'la fila se busca en el servicio y después continúa donde estaba',
};

const LIMIT: Words = {
  en: 'The release lifts the limit for the present cost of the row; at a worse price the row is held again',
  fr: 'La décision lève la limite pour le coût actuel de la ligne ; à un prix moins favorable, elle est retenue de nouveau',
  es: 'La liberación levanta el límite para el coste actual de la fila; a un precio menos favorable, se retiene de nuevo',
};

const NEVER: Readonly<Record<NonNullable<HoldRule['transfer']> | 'unchecked', Words>> = {
  own: {
    en: 'the row is followed, and ends as the service says; or cancel it',
    fr: 'la ligne est suivie et finit comme le dit le service ; ou annulez-la',
    es: 'la fila se sigue y termina como dice el servicio; o anúlela',
  },
  unchecked: {
    en: 'look the transfer up at the service; or cancel the row',
    fr: 'vérifiez le transfert auprès du service ; ou annulez la ligne',
    es: 'verifique la transferencia con el servicio; o anule la fila',
  },
  foreign: {
    en: 'the transfer is never confirmed; cancel the row',
    fr: "le transfert n'est jamais confirmé ; annulez la ligne",
    es: 'la transferencia no se confirma nunca; anule la fila',
  },
  earlier: {
    en: 'a release follows the transfer that is being paid, once no other can pay',
    fr: 'une décision suit le transfert en cours de paiement, dès qu’aucun autre ne peut payer',
    es: 'una liberación sigue la transferencia que se está pagando, cuando ninguna otra puede pagar',
  },
};
