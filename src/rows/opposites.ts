// Words by which a file says of a row that nobody is to pay it by transfer: money that comes in, cash and cheques, people who have left, rows on
// hold. Each has its opposite, which says nothing. In English, French, Spanish, German, Portuguese, Dutch and Italian; all are compared folded.
import { plainWords } from './header-aliases.ts';
import { foldHeader } from './known-columns.ts';

function listed(text: string): readonly string[] {
  return text.trim().split(/,\s*/);
}

function folded(text: string): ReadonlySet<string> {
  return new Set(listed(text).map(foldHeader));
}

/** Money that comes in. */
const INCOMING = `
  encaissement, encaissements, à encaisser, recette, recettes, recouvrement, à recevoir, remboursement reçu, money in, cash in, incoming,
  incoming payment, incoming transfer, inflow, receive, to receive, receivable, customer payment,
  règlement client, encaissement client, ingreso, ingresos, cobro, cobros, por cobrar, a cobrar, a recibir, recaudo,
  zahlungseingang, geldeingang, einnahme, einnahmen, einzahlung, eingehend, zu erhalten, recebimento, recebimentos, a receber,
  receita, receitas, bij, bijschrijving, ontvangst, ontvangsten, te ontvangen, inkomsten, incasso, incassi, entrate, da ricevere
`;
/** The same, where the column is one of directions. */
const INCOMING_UNDER = `
  in, entrée, entrées, entrant, entrante, entrants, entrada, entradas, eingang, eingänge, entrata, avere, ingoing, inbound, inward, received, receipt, receipts,
  collection, reçu, recibido, cobrado, erhalten, recebido, ontvangen, ricevuto, deposit, dépôt, depósito, abono
`;
/** Ways of paying beside a transfer. */
const OTHER_WAYS = `
  cash, in cash, by cash, cash payment, paid in cash, pay in cash, cash pickup, petty cash, espèce, espèces, en espèces, par espèces,
  paiement en espèces, payé en espèces, liquide, en liquide, argent liquide, numéraire, en numéraire, caisse, petite caisse, par caisse, main propre,
  en main propre, de la main à la main, efectivo, en efectivo, pago en efectivo, metálico, en metálico, caja, caja chica, dinheiro,
  em dinheiro, numerário, em numerário, em espécie, caixa, bargeld, barzahlung, in bar, bar ausgezahlt, kasse, kontant, contant, contanten,
  in contanten, kas, contanti, in contanti, cassa, chèque, chèques, par chèque, chèque bancaire, chèque barré, cheque, cheques, by cheque,
  cashier cheque, check, by check, cashier check, paper check, en cheque, talón, scheck, verrechnungsscheck, per scheck, em cheque, assegno, chq,
  direct debit, sepa direct debit, prélèvement, prélèvement automatique, prélèvement sepa, domiciliación, domiciliado, domiciliación bancaria,
  adeudo directo, lastschrift, sepa-lastschrift, einzug, bankeinzug, débito direto, débito automático, domiciliering, automatische incasso,
  domiciliazione, par compensation, offset, netting, set off, verrechnung, compensación, compensação, verrekening, traite, lcr,
  lettre de change, billet à ordre, effet de commerce, bill of exchange, promissory note, pagaré, letra de cambio, wechsel, barter, troc, in kind,
  en nature, en especie, bon d'achat, do not transfer, ne pas virer, hors virement
`;
const OTHER_WAYS_UNDER = `
  bar, contado, compensation, card, credit card, debit card, carte bancaire, cb, tarjeta de crédito, kreditkarte, cartão de crédito, creditcard, carta di credito, hand,
  counter, guichet, au guichet, agence, over the counter, mandat, money order
`;
/** People who are no longer there. */
const GONE = `
  left, has left, left company, left the company, resigned, resignation, terminated, termination, dismissed, fired, laid off, redundant, deceased,
  dead, died, retired, inactive, not active, non active, no longer active, archived, former, former employee, ex employee, ex-employee, absconded,
  quit, exited, offboarded, unpaid leave, leave without pay, lwp, blacklisted, no show, sorti, sortie des effectifs, sorti des effectifs,
  démissionnaire, démission, démissionné, a démissionné, démissionnée, licencié, licenciée, licenciement, licencié(e), révoqué, révoquée,
  radié, radiée, remercié, remerciée, décédé, décédée, décédé(e), décès, inactif, inactive, inactif(ve), non actif, non active, plus actif, archivé,
  archivée, abandon de poste, fin de contrat, contrat terminé, contrat rompu, rupture de contrat, mis à pied, mise à pied, congé sans solde,
  congés sans solde, en disponibilité, ancien salarié, ancien employé, ex-salarié, ex-employé, a quitté, a quitté la société, parti en retraite,
  parti à la retraite, retraité, retraitée, baja, de baja, dado de baja, dada de baja, baja definitiva, cesado, cesada, cese, despedido, despedida,
  renunció, renunciado, dimitido, fallecido, fallecida, inactivo, inactiva, jubilado, jubilada, retirado, retirada, desvinculado, desvinculada,
  excedencia, ex empleado, desligado, desligada, demitido, demitida, inativo, inativa, falecido, falecida, aposentado, aposentada, reformado,
  afastado, afastada, exonerado, exonerada, ausgeschieden, ausgetreten, gekündigt, entlassen, inaktiv, nicht aktiv, verstorben, pensioniert,
  im ruhestand, in rente, verrentet, freigestellt, uit dienst, inactief, niet actief, overleden, ontslagen, vertrokken, met pensioen, gepensioneerd,
  onbetaald verlof, licenziato, licenziata, dimesso, dimissionario, deceduto, deceduta, inattivo, inattiva, cessato, cessata, pensionato
`;
const GONE_UNDER = `
  parti, partie, sortie, départ, gone, departed, away, absent, absente, absents, closed, clos, ended, expired, expiré, terminé, terminée, finished,
  off, disabled, désactivé, désactivée, deactivated, desactivado, desativado, deaktiviert, deleted, supprimé, removed, retrait, retraite, rente, ausente,
  abwesend, afwezig, assente, saiu, salió, cerrado, fermé, geschlossen, gesloten, ex
`;
/** Rows that are left out. */
const LEFT_OUT = `
  hold, on hold, held, to hold, put on hold, salary hold, hold salary, withhold, withheld, skip, skipped, to skip, exclude, excluded, to exclude,
  exclu, exclue, exclus, à exclure, exclure, excluir, excluido, excluida, excluído, excluída, a excluir, ausgeschlossen, ausschliessen, ausschließen,
  uitgesloten, uitsluiten, escluso, esclusa, escludere, ignore, ignored, ignorer, ignorar, omit, omitted, omis, omitir, not to pay, do not pay,
  don't pay, no pay, not payable, stop, stop payment, payment stop, stopped, ne pas payer, à ne pas payer, ne pas régler, ne pas virer, à ne pas virer,
  non payable, no pagar, no abonar, não pagar, nao pagar, nicht zahlen, nicht bezahlen, nicht überweisen, nicht auszahlen, niet betalen, niet uitbetalen,
  non pagare, blocked, block, bloqué, bloquée, bloquer, à bloquer, gelé, gelée, frozen, freeze, opposition, en opposition, suspendu, suspendue,
  suspended, suspend, suspendido, suspendida, suspenso, suspensa, ausgesetzt, gesperrt, zurückgestellt, geblokkeerd, opgeschort, sospeso, sospesa,
  bloccato, retenido, retenida, retido, retida, parked, en litige, litige, disputed, dispute, cancelled, canceled, cancel, annulé, annulée, à annuler,
  annulation, anulado, anulada, cancelado, cancelada, storniert, storno, geannuleerd, annullato, void, voided, deleted, supprimé, supprimée,
  à supprimer, reversed, extourné, draft, brouillon, borrador, entwurf, rascunho, bozza, test, essai, prueba, duplicate, doublon, duplicado,
  duplikat, dubbel, duplicato, already paid, déjà payé, déjà payée, déjà réglé, ya pagado, ya pagada, já pago, já paga, bereits bezahlt,
  schon bezahlt, reeds betaald, al betaald, già pagato, not due, next month, mois prochain, avoir, credit note, credit memo, note de crédit,
  nota de crédito, gutschrift, creditnota, nota di credito
`;

const ANYWHERE: ReadonlySet<string> = folded(
  [INCOMING, OTHER_WAYS, GONE, LEFT_OUT].map((text) => text.trim()).join(', '),
);

/** Words that a row may begin with, and go on: `Chèque n° 123`, `Sorti le 30/06`. */
const BEGINNINGS: readonly string[] = listed(
  [OTHER_WAYS, GONE, LEFT_OUT].map((text) => text.trim()).join(', '),
)
  .map(plainWords)
  .filter((text) => text.length > 3);

type OppositeKind = {
  /** In the words of a header, as `plainWords` gives them. */
  readonly header: RegExp;
  readonly under: ReadonlySet<string>;
};

const DIRECTION: OppositeKind = {
  header:
    /\b(?:sens|direction|flow|flux|nature|type|kind|genre|d c|dr cr|cr dr|c d|s h|af bij|bij af|in out|soll haben|debit credit|mouvement|movement|operation|op|sign|signe|signo|sinal|richtung|richting|segno|verso|sentido|tipo|art|movimiento|movimento|bewegung|buchung|naturaleza|natureza|dc|drcr|crdr|in|out|e s|r d|p r)\b/,
  under: folded(INCOMING_UNDER),
};
const WAY: OppositeKind = {
  header:
    /\b(?:mode|modes|moyen|moyens|method|methode|metodo|medio|meio|forma|formas|way|via|canal|channel|instrument|paid by|pay by|payment by|paid via|paye par|regle par|reglement|versement|payment|paiement|paiment|zahlungsart|zahlungsweg|zahlungsweise|zahlung|auszahlung|bezahlart|betaalwijze|betaalmethode|betaling|modalite|modalites|modalita|pago|pagamento|cobro)\b/,
  under: folded(OTHER_WAYS_UNDER),
};
const STANDING: OppositeKind = {
  header:
    /\b(?:status|statut|statuts|state|etat|situation|situacion|situacao|estado|position|standing|zustand|stand|toestand|stato|situazione|presence|effectif|active|actif|activo|ativo|aktiv|actief|attivo)\b/,
  under: folded(GONE_UNDER),
};

const KINDS: readonly OppositeKind[] = [DIRECTION, WAY, STANDING];

/** Terms of payment say when a row is due, and honest rows differ by them: `Condiciones de pago` with `30 días` and `Contado`. */
const TERMS =
  /\b(?:terms?|conditions?|condicion(?:es)?|condicao|condicoes|delais?|echeances?|plazos?|prazos?|zahlungsbedingung(?:en)?|zahlungsziel|betalingstermijn|betaaltermijn|termijn|termini|scadenza)\b/;

function kindsOf(words: string): readonly OppositeKind[] {
  return TERMS.test(words) ? [] : KINDS.filter(({ header }) => header.test(words));
}

const STATUS_WORD =
  /\b(?:status|statut|statuts|state|etat|estado|estatus|situation|situacion|situacao|zustand|stand|stato|toestand)\b/;
const OF_PAYMENT =
  /\b(?:payments?|payouts?|transfers?|disbursements?|remittances?|invoices?|bills?|salary|salaries|paiements?|reglements?|versements?|virements?|factures?|salaires?|paie|pagos?|abonos?|transferencias?|facturas?|salarios?|pagamentos?|faturas?|fatturas?|bonifico|zahlung|uberweisung|rechnung|gehalt|lohn|betaling|factuur|salaris)\b/;
const IN_ONE_WORD = /\b(?:zahlungs|rechnungs|uberweisungs|lohn|gehalts|betaal|betalings|factuur)status\b/;

/** A standing and a payment in one header, in whatever order and with whatever stands between: `Estado pago`, `Status of the invoice`. */
export function isStatusOfPayment(header: string): boolean {
  const words = plainWords(header);
  return IN_ONE_WORD.test(words) || (STATUS_WORD.test(words) && OF_PAYMENT.test(words));
}

/** Letters and words for the two sides of an account. Whose account it is, and so which of them is paid, only a person knows. */
const SIDES: readonly (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = [
  [
    'd, dr, db, deb, dbt, debit, débit, debet, débito, debe, dare, deve, soll, s',
    'c, cr, crd, cdt, cred, credit, crédit, crédito, haber, avere, haver, haben, h',
  ],
  ['e', 's'],
  ['r', 'd'],
  ['p', 'r'],
  ['+', '-'],
].map(([one = '', other = '']) => [sideOf(one), sideOf(other)] as const);

/** A sign has no letter that would be left of it. */
function sideOf(text: string): ReadonlySet<string> {
  return new Set(listed(text).map(foldSide));
}

function foldSide(cell: string): string {
  return /^[+−-]$/.test(cell.trim()) ? cell.trim().replace('−', '-') : foldHeader(cell);
}

/** A letter or two may say anything, unless the header speaks of directions. */
const WORD_LEAST = 4;

/** Which of the cells of a column are sides of an account, where both sides stand in it; else none. */
export function bothSides(header: string, cells: readonly string[]): ReadonlySet<string> {
  const filled = cells.filter((cell) => cell.trim() !== '');
  const isSaid = DIRECTION.header.test(plainWords(header));
  const isOf = (side: ReadonlySet<string>) => (cell: string) =>
    side.has(foldSide(cell)) && (isSaid || cell.trim().length >= WORD_LEAST);
  const found = SIDES.map(([one, other]) => [isOf(one), isOf(other)] as const).find(
    ([isOne, isOther]) =>
      filled.some(isOne) && filled.some(isOther) && filled.every((cell) => isOne(cell) || isOther(cell)),
  );
  return new Set(found === undefined ? [] : filled.map((cell) => cell.trim()));
}

/** Words of headers that say yes of a row that is paid. */
const GOOD_HEADERS = `
  active, actif, active, actifs, activo, activa, ativo, ativa, aktiv, actief, attivo, attiva, include, included, including, inclure, inclus, incluse,
  à inclure, incluir, incluido, incluído, einschliessen, einbezogen, inbegrepen, meenemen, incluso, includere, payable, eligible, éligible, elegible,
  elegível, pay, to pay, à payer, payer, a pagar, pagar, zu zahlen, zahlen, auszahlen, te betalen, betalen, da pagare, pagare, in scope, enabled,
  selected, select, selection, sélection, sélectionné, selected for payment, present, présent, présente, en poste, en activité, in service, in dienst,
  en servicio, valid, valide, ok, go, release, released, virement, par virement, bank transfer, by bank, by transfer, transfer, transferencia,
  transferência, überweisung, bonifico, overboeking, payroll, on payroll, à virer, virer
`;
/** Words of headers that say yes of a row that is not paid. */
const BAD_HEADERS = `
  ${LEFT_OUT.trim()}, ${GONE.trim()}, cash, in cash, paid in cash, cash payment, espèces, en espèces, payé en espèces, efectivo, en efectivo,
  em dinheiro, bar, barzahlung, contant, contanti, par chèque, by cheque, exclusion, retenu, retenue salaire, retenir, à retenir, salary withheld,
  salaire retenu, salaire bloqué, salaire suspendu, payment hold, payment on hold, hold payment, payment blocked, paiement bloqué, paiement suspendu,
  retener, retenido, retenida, reter, retido, zurückhalten, zurückgehalten, zurückgestellt, einbehalten, einbehaltung, withhold, withhold payment,
  freeze payment, suspension, suspension de paiement, gel, sperre, zahlsperre, bloqueo, bloqueio, blokkering, blocco, exit, départ
`;

/** The same, of which any entry but a no stops the row: the reason, or who has said so. */
const STOP_HEADERS = `
  hold, on hold, put on hold, salary hold, hold salary, withheld, payment hold, payment on hold, hold payment, exclude, excluded, exclusion, exclu,
  exclure, à exclure, excluir, excluido, excluído, skip, block, blocked, stop, stop payment, do not pay, ne pas payer, no pagar, não pagar,
  nicht zahlen, niet betalen, suspended, suspension, suspendu, suspension de paiement, opposition, litige, en litige, dispute, gel, sperre, zahlsperre,
  gesperrt, bloqueo, bloqueio, geblokkeerd, retenu, reason for hold, hold reason, exclusion reason, motif d'exclusion, motif de suspension
`;

const GOOD = wordsOf(GOOD_HEADERS);
const BAD = wordsOf(BAD_HEADERS);
const STOP = wordsOf(STOP_HEADERS);

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(listed(text).map(plainWords));
}

/** What such headers have around them: `Is active (Y/N)`, `Employé actif ?`. */
const AROUND =
  /\b(?:is|est|are|the|a|to be|row|ligne|employee|employe|employes|employee s|staff|worker|salarie|salariee|agent|agents|personnel|this|month|mois|ce|cette|y n|yes no|o n|oui non|s n|si no|sim nao|j n|ja nein|ja nee|flag|indicator|indicateur|in payroll|from payroll|from run|from payment|de la paie|du paiement|in run)\b/g;

function bareHeader(header: string): readonly string[] {
  const words = plainWords(header);
  return [words, words.replace(AROUND, ' ').replace(/ +/g, ' ').trim()];
}

const NO = folded(
  'no, n, false, 0, non, nein, nee, não, nao, falso, faux, falsch, onwaar, off, never, jamais, none, aucun, ✗, ✘, ☐',
);
const YES = folded(
  'yes, y, true, 1, x, oui, o, vrai, si, s, sim, verdadero, verdadeiro, ja, j, wahr, waar, vero, on, ok',
);
const CHECKED = /^[✓✔☑✅]/u;
const UNCHECKED = /^[✗✘☐❌]/u;

function isNo(cell: string): boolean {
  return UNCHECKED.test(cell) || NO.has(foldHeader(cell));
}

function isYes(cell: string): boolean {
  return CHECKED.test(cell) || YES.has(foldHeader(cell));
}

/** Columns of the day on which somebody left. */
const LEAVING =
  /\b(?:sortie|sorti|depart|relieving|relieved|leaving|left|exit|termination|terminated|resignation|resigned|last working|last day|separation|cessation|demission|licenciement|deces|baja|cese|egreso|salida|retiro|desligamento|saida|demissao|austritt|ausscheiden|austritts|kundigung|uit dienst|uitdiensttreding|vertrek|ontslag|cessazione|dimissioni|uscita)\b/;
const OF_DAY = /\b(?:date|fecha|data|datum|le|on|day|jour|dia|tag|el|am)\b|datum$|tag$/;

// What people write into remarks. Each is a class: a no with any word for paying, a word for being settled near one for cash, a contract near one for its end.

const NOT_TO =
  /\b(?:ne (?:pas|plus) (?:le |la |les |l['’])?(?:payer|r[ée]gler|virer|verser|traiter|transf[ée]rer|envoyer|ex[ée]cuter|inclure|d[ée]caisser|d[ée]bloquer|lib[ée]rer|prendre)|(?:do not|don['’]t|must not|should not|may not|never) (?:be )?(?:pay|paid|process|transfer|send|sent|release|execute|submit|include|disburse|wire|make)|not to be (?:paid|sent|processed|released)|(?:no|n[ãa]o) (?:se )?(?:pagar|abonar|transferir|enviar|procesar|processar|ejecutar|executar|liberar|incluir|liquidar|girar)|nicht (?:mehr )?(?:be|aus)?(?:zahlen|überweisen|anweisen|ausführen|freigeben|senden|einbeziehen|berücksichtigen)|niet (?:uit)?(?:betalen|overmaken)|non (?:pagare|versare|bonificare))/iu;
const HELD_BACK =
  /(?<!\p{L})(?:zurück(?:zu)?(?:halten|stellen)|einbehalten|with(?:hold|held)|hold (?:back|the (?:payment|salary)|this (?:payment|salary))|retener (?:el |este )?(?:pago|salario)|reter (?:o )?pagamento|(?:zahlung|auszahlung|gehalt|lohn) (?:gesperrt|sperren|ausgesetzt|aussetzen|gestoppt|stoppen))/iu;
const SETTLED =
  'pa(?:id|y|yable)|settled|received|collected|handed|given|pay[ée]|r[ée]gl[ée]|vers[ée]|sold[ée]|re[çc]u|per[çc]u|remis|donn[ée]|[àa] payer|pag[ao]|pagad[oa]|cobrad[oa]|entreg(?:ad[oa]|ue)|liquidad[oa]|recibid[oa]|recebid[oa]|bezahlt|gezahlt|ausgezahlt|erhalten|übergeben|ausgehändigt|beglichen|betaald|ontvangen|pagat[oa]';
const CASH =
  'cash|che(?:que|ck)|esp[eè]ces?|liquide|ch[eè]que|caisse|num[ée]raire|mains? propres?|efectivo|met[áa]lico|caja|en mano|dinheiro|numer[áa]rio|bar|bargeld|kasse|scheck|contant|contanti';
const SETTLED_IN_CASH = [SETTLED, CASH].map((words) => `(?<!\\p{L})(?:${words})`);
const IN_CASH = new RegExp(
  `${SETTLED_IN_CASH.join('(?:e|es|s)?(?!\\p{L}).{0,25}?')}(?!\\p{L})|${SETTLED_IN_CASH.toReversed().join('(?!\\p{L}).{0,25}?')}(?:e|es|s)?(?!\\p{L})`,
  'iu',
);
const ENDED =
  /(?<!\p{L})(?:contra(?:t|ct|to)|vertrag|arbeitsvertrag|arbeitsverhältnis|employment|emploi|empleo)(?!\p{L}).{0,20}?(?<!\p{L})(?:r[ée]sili|rompu|termin[ée]|terminated|ended|expir|fini(?!\p{L})|finaliz|rescindid|beendet|gekündigt|ausgelaufen|abgelaufen|over(?!\p{L}))/iu;

const ORDERS: readonly RegExp[] = [
  ...[NOT_TO, HELD_BACK, IN_CASH, ENDED],
  /\b(?:d[ée]j[àa] (?:pay|r[ée]gl|vers|vir[ée]|per[çc]u|re[çc]u)|already (?:paid|received|settled|transferred)|ya (?:fue )?(?:pagad|cobrad|recibid)|j[áa] (?:foi )?(?:pag[ao]|recebid)|(?:bereits|schon) (?:bezahlt|überwiesen|erhalten)|(?:reeds|al) (?:betaald|ontvangen)|gi[àa] pagat)/iu,
  /\b(?:paiement|salaire|versement|virement)s? (?:bloqu|suspendu|retenu|gel[ée])|\b(?:payment|salary) (?:blocked|on hold|withheld|stopped|suspended)\b|\bput on hold\b|\bstop payment\b/iu,
  /\b(?:ne fait plus partie|n['’]est plus (?:l[àa]|en poste|employ|salari|dans)|ne travaille plus|a quitt[ée]|has left|left the (?:company|firm)|no longer (?:with|works|employed|active)|ya no (?:trabaja|labora)|n[ãa]o trabalha mais|arbeitet nicht mehr|werkt niet meer|non lavora pi[ùu]|d[ée]missionn|licenci[ée]e?\b|d[ée]c[ée]d[ée]|deceased|resigned|terminated on|uit dienst|ausgeschieden)/iu,
  /^(?:parti|partie|left|sorti|gone)(?:\b|$)|\b(?:duplicate|double|copy) of\b|\bdoublon\b|\bduplicad[oa] de\b|\bduplikat von\b|\b[àa] (?:annuler|bloquer|supprimer|exclure|ne pas)\b|\bto be (?:cancelled|excluded|removed|skipped)\b/iu,
];
const IN_HAN = /已付|勿付|不要付款|暂停付款|现金|离职|已离职|作废|重复/u;

/** Whether a remark says that the row is not to be paid. */
export function isOrder(cell: string): boolean {
  // Most cells are short words or numbers.
  if (cell.length < 2 || /^[\d\s.,:/-]*$/.test(cell)) return false;
  return ORDERS.some((order) => order.test(cell)) || IN_HAN.test(cell);
}

type OppositeRule = (cell: string) => boolean;

/** How to tell the cells of a column that stop their rows. `cells`: the different cells of the column, where they are few. */
export function oppositeRule(header: string, cells: readonly string[] | null): OppositeRule {
  const [words = '', bare = ''] = bareHeader(header);
  const under = kindsOf(words);
  const isGood = GOOD.has(words) || GOOD.has(bare);
  const isBad = BAD.has(words) || BAD.has(bare);
  const isStop = STOP.has(words) || STOP.has(bare);
  const isLeaving = LEAVING.test(words) && OF_DAY.test(words);
  // A box that is ticked in some rows says no of the others.
  const isTicked =
    isGood &&
    cells !== null &&
    cells.some(isYes) &&
    cells.every((cell) => isYes(cell) || isNo(cell) || cell.trim() === '');
  // Of days in all rows none tells a row from the others.
  const saysLeft = isLeaving && (cells === null || cells.some((cell) => cell.trim() === ''));
  return (cell) => {
    if (cell === '') return isTicked;
    if (isGood && isNo(cell)) return true;
    if (isBad && isYes(cell)) return true;
    if (isStop && !isNo(cell) && /\p{L}/u.test(cell)) return true;
    if (saysLeft && /\d/.test(cell)) return true;
    const fold = foldHeader(cell);
    if (ANYWHERE.has(fold) || under.some((kind) => kind.under.has(fold))) return true;
    return under.length > 0 && beginsSo(cell);
  };
}

function beginsSo(cell: string): boolean {
  const words = plainWords(cell);
  return BEGINNINGS.some((word) => words.startsWith(`${word} `));
}

/** What stands where nothing stops a row: the other side of the same words. */
const USUAL = folded(`
  virement, virement bancaire, par virement, transfer, bank transfer, bank, banque, banco, wire, transferencia, transferência, überweisung, overboeking,
  bonifico, actif, active, activo, activa, ativo, aktiv, actief, attivo, present, présent, en poste, en activité, employed, current, out, outgoing,
  outflow, money out, décaissement, décaissements, dépense, dépenses, sortie, pay, paid out, payment, disbursement, egreso, gasto, pago, despesa,
  ausgabe, auszahlung, zahlungsausgang, ausgang, af, afschrijving, uitgave, uitgaven, uscita, outbound, salida, saída,
  eft, ach, bacs, sepa, swift, rtgs, neft, giro, wire transfer, credit transfer, virement sepa, virement international, virement swift, banktransfer,
  banküberweisung, banktransaktion, par banque, via banque, beschäftigt, angestellt, employé, employee, in service, en service, en alta, alta, vigente,
  en fonction, en función, in dienst, im dienst, in work, working, on payroll, occupé, contratado
`);

/** Words of employment and of documents, by which rows differ that are all paid. */
const HARMLESS = folded(`
  cdi, cdd, intérim, interim, stage, stagiaire, cadre, non cadre, agent, ouvrier, employé, maîtrise, agent de maîtrise, apprenti, consultant,
  journalier, permanent, temporary, temporaire, contract, contractor, contractuel, full time, part time, full-time, part-time, intern, trainee,
  temps plein, temps partiel, casual, probation, période d'essai, indefinido, temporal, becario, unbefristet, befristet, vollzeit, teilzeit, homme,
  femme, h, f, m, male, female, monthly, weekly, mensuel, invoice, facture, factura, rechnung, fatura, factuur, salaire, salary, prime, bonus,
  overdue, late, past due, en retard, échu, échue, en attente, impayé, impayée, non payé, non payée, pendiente, por pagar, impagado, retrasado, retrasada,
  vencido, vencida, atrasado, atrasada, pendente, em aberto, offen, ausstehend, fällig, überfällig, openstaand, te laat, scaduto, scaduta, in attesa,
  married, single, marié, mariée, célibataire, pending, open, unpaid, à payer, to pay, due, new, nouveau, approved, approuvé, validé, ok, posted,
  alipay, wechat, unionpay, carte unionpay, unionpay card, mobile wallet, portefeuille, portefeuille mobile, orange money, mtn, momo, mobile money, wallet, wave, moov, airtel, mpesa, m-pesa
`);

/** Whether a column of few different cells may say which rows are paid: its header or a cell is of these kinds. */
export function isOfKinds(header: string, cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (
    filled.length === 0 ||
    filled.every((cell) => HARMLESS.has(foldHeader(cell)) || /^[\d\s.,/-]+$/.test(cell))
  )
    return false;
  const words = plainWords(header);
  return (
    kindsOf(words).length > 0 ||
    filled.some((cell) => USUAL.has(foldHeader(cell)) || ANYWHERE.has(foldHeader(cell)))
  );
}

/** Whether a cell is the usual one of such a column: a transfer, somebody in service, money that goes out. */
export function isUsual(cell: string): boolean {
  return USUAL.has(foldHeader(cell));
}

/** Whether a cell is one by which honest rows differ. */
export function isHarmless(cell: string): boolean {
  return HARMLESS.has(foldHeader(cell));
}
