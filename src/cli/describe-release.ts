// What a release came to, in words: a person has decided about money, and has to read which rows went on, which were closed, and which were not.
import type { ReleaseEnd } from '../app/workflow/decisions/release-rows.ts';
import { joinWords, type Words } from '../base/language.ts';

const OF_FILE: Readonly<Record<NonNullable<ReleaseEnd['file']>, Words | null>> = {
  limits: {
    en: 'This file may go over the limits of a file and a day.',
    fr: 'Ce fichier peut dépasser les limites par fichier et par jour.',
  },
  refusals: {
    en: 'This file may go on in spite of its refusals.',
    fr: 'Ce fichier peut continuer malgré ses refus.',
  },
  approval: null,
  'stop-file': null,
  'missed-time': {
    en: 'This file goes on although its time has passed.',
    fr: 'Ce fichier continue bien que son heure soit passée.',
  },
};

export function describeRelease(batch: string, end: ReleaseEnd, skip: boolean): Words {
  const { released, followed, file } = end;
  const isMoved = released.length + followed.length > 0 || file !== null;
  const goesOn = {
    en: `"paydrop resume ${batch}" goes on.`,
    fr: `« paydrop resume ${batch} » poursuit.`,
  };
  if (end.unasked !== null) return UNASKED[end.unasked];
  return joinWords([
    ...(file === null ? [] : [OF_FILE[file] ?? []].flat()),
    ...moved(end, isMoved, skip),
    ...(isMoved ? [goesOn] : []),
    ...notMoved(batch, end, skip),
  ]);
}

/** Nobody's ledger proves that nothing was paid. */
const UNASKED: Readonly<Record<NonNullable<ReleaseEnd['unasked']>, Words>> = {
  service: {
    en: 'Nothing was cancelled. Before a row is cancelled it is looked up at the payout service, which cannot be reached, or does not answer as it should. Check the connection, then try again.',
    fr: "Rien n'a été annulé. Avant d'être annulée, une ligne est recherchée auprès du service de paiement, qui est injoignable ou ne répond pas comme il le devrait. Vérifiez la connexion, puis réessayez.",
  },
  credentials: {
    en: 'Nothing was cancelled. Before a row is cancelled it is looked up at the payout service, which refused the API key. Put the right key in place, then try again.',
    fr: "Rien n'a été annulé. Avant d'être annulée, une ligne est recherchée auprès du service de paiement, qui a refusé la clé d'API. Mettez la bonne clé en place, puis réessayez.",
  },
};

function moved({ released, followed }: ReleaseEnd, isMoved: boolean, skip: boolean): readonly Words[] {
  const [en, fr] = skip ? ['Cancelled', 'Annulée'] : ['Released', 'Libérée'];
  const none = skip
    ? { en: 'No row was cancelled.', fr: "Aucune ligne n'a été annulée." }
    : { en: 'No row was released.', fr: "Aucune ligne n'a été libérée." };
  return [
    ...(isMoved ? [] : [none]),
    ...of(released, (rows) => ({ en: `${en}: row ${rows}.`, fr: `${fr} : ligne ${rows}.` })),
    ...of(followed, (rows) => ({
      en: `Not cancelled: row ${rows}. It was confirmed, or had ended, so only the service can say whether it is paid; it is followed to its end.`,
      fr: `Non annulée : ligne ${rows}. Elle a été confirmée, ou avait pris fin : seul le service peut dire si elle est payée ; elle est suivie jusqu'au bout.`,
    })),
  ];
}

function notMoved(
  batch: string,
  { onlySkip, left, notHeld, closedBefore, stillHeld }: ReleaseEnd,
  skip: boolean,
): readonly Words[] {
  const unseen = left.flatMap(({ row, tryAgainAt }) => (tryAgainAt === null ? [row] : []));
  return [
    ...of(onlySkip, (rows) => ({
      en: `A transfer of row ${rows} may still pay: look it up at the service, then cancel the row with --skip.`,
      fr: `Un transfert de la ligne ${rows} peut encore payer : vérifiez-le auprès du service, puis annulez la ligne avec --skip.`,
    })),
    ...left.flatMap(({ row, tryAgainAt }) => (tryAgainAt === null ? [] : [tooEarly(row, tryAgainAt, skip)])),
    ...of(unseen, (rows) => ({
      en: `Not cancelled: row ${rows}. A transfer of it may exist and may be paid, and nobody has seen it yet. Release it without --skip first: it is looked up before anything is sent.`,
      fr: `Non annulée : ligne ${rows}. Un transfert peut exister et être payé, et personne ne l'a encore vu. Libérez-la d'abord sans --skip : il est recherché avant tout envoi.`,
    })),
    ...of(closedBefore, (rows) => ({
      en: `Not released: row ${rows}. A person has cancelled it before, and it stays cancelled: "paydrop resume ${batch}" cancels it again. If it is owed after all, pay it from a new file.`,
      fr: `Non libérée : ligne ${rows}. Une personne l'a déjà annulée, et elle le reste : « paydrop resume ${batch} » l'annule de nouveau. Si elle est tout de même due, payez-la par un nouveau fichier.`,
    })),
    ...(stillHeld === 0 ? [] : [stillHeldWords(batch, stillHeld)]),
    ...of(notHeld, (rows) => ({ en: `Not held: row ${rows}.`, fr: `Non retenue : ligne ${rows}.` })),
  ];
}

/** What stopped the file, and what holds a row, are decided one by one. */
function stillHeldWords(batch: string, held: number): Words {
  const [en, fr] =
    held === 1
      ? ['1 row stays held', '1 ligne reste retenue']
      : [`${String(held)} rows stay held`, `${String(held)} lignes restent retenues`];
  return {
    en: `${en}: "paydrop status ${batch}" says why, and "paydrop release ${batch} --rows LIST --by NAME --reason TEXT" lets them go.`,
    fr: `${fr} : « paydrop status ${batch} » dit pourquoi, et « paydrop release ${batch} --rows LISTE --by NOM --reason TEXTE » les libère.`,
  };
}

function tooEarly(row: string, tryAgainAt: string, skip: boolean): Words {
  const at = `${tryAgainAt.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`;
  return {
    en: `Not ${skip ? 'cancelled' : 'released'}: row ${row}. Its payment may still be made by what was sent already. After ${at}, say "paydrop resume", which looks at it once more, and then try again.`,
    fr: `Non ${skip ? 'annulée' : 'libérée'} : ligne ${row}. Ce qui a déjà été envoyé peut encore la payer. Après le ${at}, lancez « paydrop resume », qui la vérifie encore une fois, puis réessayez.`,
  };
}

function of(rows: readonly string[], words: (rows: string) => Words): readonly Words[] {
  return rows.length === 0 ? [] : [words(rows.join(', '))];
}
