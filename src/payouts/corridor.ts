// Finds the corridor of a row: by its id, or by enough of its properties to leave exactly one.
import { type Words, inEachLanguage, joinWords, sameWords } from '../base/language.ts';
import { remembering, withoutMonth } from '../base/plain-text.ts';
import { sentence } from '../messages/messages.ts';
import { foldHeader, namedHeader, plainHeader } from '../rows/known-columns.ts';
import { readCurrency } from '../rows/read-amount.ts';
import {
  DELIVERY_METHODS,
  type LISTED_PURPOSES,
  type PayoutCorridor,
  TRANSACTION_MODES,
} from '../service/wire.ts';
import { countryName, toCountryCode } from './read-parties.ts';
import type { RowReader } from './row-reader.ts';

/** The columns by which a corridor can be chosen without its id. */
const CHOOSERS = [
  'destinationCountryIsoCode',
  'targetCurrency',
  'transactionMode',
  'deliveryMethod',
  'bankName',
] as const;
type Chooser = (typeof CHOOSERS)[number];

/** At most this many candidates are shown when a row leaves several. */
const SHOWN_MOST = 4;

type Found = {
  /** Null after rejecting the row with the reasons. */
  readonly corridor: PayoutCorridor | null;
  /** Those that the row leaves, where it is to say more. */
  readonly left: readonly PayoutCorridor[];
};

/** The one enabled corridor of the row. */
export function findCorridor(reader: RowReader, corridors: readonly PayoutCorridor[]): Found {
  const id = reader.text('payoutCorridorId');
  const wanted = readChoosers(reader);
  if (wanted === null) return { corridor: null, left: [] };
  if (id !== '') return { corridor: corridorById(reader, id, wanted, corridors), left: [] };
  if (Object.keys(wanted).length === 0)
    return { corridor: rejectMissing(reader, corridors), left: corridors.filter(isEnabled) };
  const fitting = fittingCorridors(wanted, corridors);
  const [only] = fitting;
  if (only === undefined) return { corridor: rejectNone(reader, wanted, corridors), left: [] };
  return fitting.length === 1
    ? { corridor: only, left: [] }
    : { corridor: rejectSeveral(reader, wanted, fitting), left: fitting };
}

function isEnabled(corridor: PayoutCorridor): boolean {
  return corridor.isEnabled;
}

/** Where a bank or a currency is still open, the answers to these decide it, or the row is told. */
const FIRST_CHOOSERS = ['destinationCountryIsoCode', 'transactionMode', 'deliveryMethod'] as const;

const firstChoices = remembered((corridors: readonly PayoutCorridor[]) =>
  choicesOf(FIRST_CHOOSERS, corridors.filter(isEnabled)),
);

function rejectMissing(reader: RowReader, corridors: readonly PayoutCorridor[]): null {
  const words = reader.words('corridor.findCorridor', { choices: firstChoices(corridors) });
  return reader.reject('corridor_missing', 'payoutCorridorId', words);
}

/**
 * The bank is that of the account wherever some corridor takes any bank: of the corridors that fit otherwise, those of this very bank are taken, else those
 * without one. Only where each has a bank of its own is the payee's bank a choice of corridor. A bank that none of them names decides neither between supplier
 * and employee nor between ways of delivery.
 */
function fittingCorridors(wanted: Wanted, corridors: readonly PayoutCorridor[]): readonly PayoutCorridor[] {
  const { bankName, ...others } = wanted;
  const found = corridors.filter((corridor) => isEnabled(corridor) && fits(corridor, others));
  if (bankName === undefined) return found;
  const bank = foldHeader(bankName);
  const ofBank = found.filter((corridor) => foldHeader(corridor.bankName ?? '') === bank);
  if (ofBank.length > 0) return ofBank;
  const ofAny = found.filter((corridor) => corridor.bankName === null);
  return ofAny.length === 0 || kindsAmong(ofAny) === kindsAmong(found) ? ofAny : found;
}

const kindsAmong = (corridors: readonly PayoutCorridor[]): number =>
  new Set(corridors.map((each) => `${each.transactionMode} ${each.deliveryMethod}`)).size;

type Wanted = Partial<Record<Chooser, string>>;

/** Built once for each list, because a million rows search the same one. If two corridors have one id, the first counts. */
const corridorsById = remembered(
  (corridors: readonly PayoutCorridor[]): ReadonlyMap<string, PayoutCorridor> =>
    new Map(corridors.map((corridor) => [corridor.id, corridor] as const).toReversed()),
);

function corridorById(
  reader: RowReader,
  id: string,
  wanted: Wanted,
  corridors: readonly PayoutCorridor[],
): PayoutCorridor | null {
  const corridor = corridorsById(corridors).get(id);
  const reject = (code: 'corridor_unknown' | 'corridor_disabled', words: Words) =>
    reader.reject(code, 'payoutCorridorId', words);
  if (corridor === undefined)
    return reject('corridor_unknown', sentence('corridor.corridorById.thereCorridorAccount', { id }));
  if (!corridor.isEnabled)
    return reject('corridor_disabled', sentence('corridor.corridorById.corridorSwitchedOff', { id }));
  const isToldOnly = corridor.bankName === null;
  const contradicted = CHOOSERS.find(
    (chooser) =>
      wanted[chooser] !== undefined &&
      !(chooser === 'bankName' && isToldOnly) &&
      !agrees(corridor, chooser, wanted[chooser]),
  );
  if (contradicted === undefined) return corridor;
  return reader.reject(
    'corridor_none',
    contradicted,
    sentence('corridor.corridorById.corridorRowSays', {
      id,
      contradicted: plainHeader(contradicted),
      value: corridor[contradicted],
      value2: wanted[contradicted],
    }),
  );
}

function readChoosers(reader: RowReader): Wanted | null {
  const before = reader.rejections.length;
  const wanted: Wanted = {};
  for (const chooser of CHOOSERS) {
    const text = reader.text(chooser);
    const value = text === '' ? null : readChooser(reader, chooser, text);
    if (value !== null) wanted[chooser] = value;
  }
  return reader.rejections.length === before ? wanted : null;
}

function readChooser(reader: RowReader, chooser: Chooser, text: string): string | null {
  switch (chooser) {
    case 'destinationCountryIsoCode':
      return (
        toCountryCode(text) ??
        reader.reject('value_not_listed', chooser, sentence('corridor.readChooser', { text }))
      );
    case 'transactionMode':
      return toTransactionMode(text) ?? notListed(reader, chooser, text, TRANSACTION_MODES);
    case 'deliveryMethod':
      return toDeliveryMethod(text) ?? notListed(reader, chooser, text, DELIVERY_METHODS);
    case 'targetCurrency':
      // A sign of several currencies gives several codes; the existing corridors decide.
      return (readCurrency(text)?.codes ?? [text.toUpperCase()]).join('/');
    case 'bankName':
      return text;
  }
}

function notListed(reader: RowReader, column: Chooser, text: string, values: readonly string[]): null {
  return reader.reject(
    'value_not_listed',
    column,
    sentence('corridor.notListed', { text, join: values.join(', ') }),
  );
}

function fits(corridor: PayoutCorridor, wanted: Wanted): boolean {
  return CHOOSERS.every(
    (chooser) => wanted[chooser] === undefined || agrees(corridor, chooser, wanted[chooser]),
  );
}

function agrees(corridor: PayoutCorridor, chooser: Chooser, value: string): boolean {
  const values = chooser === 'targetCurrency' ? value.split('/') : [value];
  return values.some((each) => (corridor[chooser] ?? '').toLowerCase() === each.toLowerCase());
}

/** A message states the currency that arrives for each amount: where that alone fits no corridor, it is at fault. */
function rejectNone(reader: RowReader, wanted: Wanted, corridors: readonly PayoutCorridor[]): null {
  const { targetCurrency, ...others } = wanted;
  const { bankName, ...anyBank } = wanted;
  const atOthers = bankName === undefined ? [] : fittingCorridors(anyBank, corridors);
  if (atOthers.length > 0) {
    const named = { describe: describe(wanted), choices: choicesOf(['bankName'], atOthers) };
    return reader.reject('corridor_none', 'bankName', sentence('corridor.rejectNone.bank', named));
  }
  const isStated = reader.table.message !== undefined && targetCurrency !== undefined;
  const words = sentence('corridor.rejectNone', { describe: describe(wanted) });
  return isStated && fittingCorridors(others, corridors).length > 0
    ? reader.reject('amount_currency_contradicts', 'targetCurrency', words)
    : reader.reject('corridor_none', firstColumn(wanted), words);
}

function rejectSeveral(reader: RowReader, wanted: Wanted, fitting: readonly PayoutCorridor[]): null {
  const missing = CHOOSERS.filter(
    (chooser) => new Set(fitting.map((corridor) => corridor[chooser])).size > 1,
  );
  const shown = fitting.slice(0, SHOWN_MOST).map(({ id }) => id);
  return reader.reject(
    'corridor_ambiguous',
    firstColumn(wanted),
    reader.words('corridor.rejectSeveral', {
      describe: describe(wanted),
      length: fitting.length,
      join: shown.join(', '),
      more: fitting.length - shown.length,
      // Where the file is a message, which has no columns.
      missing: joinWords(
        (missing.length === 0 ? ['payoutCorridorId'] : missing).map((each) => reader.named(each)),
        ', ',
      ),
      choices: choicesOf(missing.length === 0 ? ['payoutCorridorId'] : missing, fitting),
    }),
  );
}

// What may be written in the columns that choose a corridor: a person who is only told the column does not know the words.

/** `Transaction type (transactionMode): Supplier (B2B), Employee (B2C)`, for each column. */
function choicesOf(
  choosers: readonly (Chooser | 'payoutCorridorId')[],
  corridors: readonly PayoutCorridor[],
): Words {
  const each = choosers.map((chooser) => {
    const choices = corridorChoices(chooser, corridors);
    const shown = choices.slice(0, CHOICES_MOST);
    const more = choices.length > shown.length ? [sameWords('…')] : [];
    const words = joinWords([...shown, ...more], ', ');
    return sentence('labelled', { label: namedHeader(chooser), words });
  });
  return joinWords(each, sentence('list.semicolon'));
}

/** As many as are read in one glance. */
const CHOICES_MOST = 8;

/** What corridors are told apart by in one column, in words that are read back as what they mean. */
export function corridorChoices(
  chooser: Chooser | 'payoutCorridorId',
  corridors: readonly PayoutCorridor[],
): readonly Words[] {
  const values = [
    ...new Set(corridors.map((each) => (chooser === 'payoutCorridorId' ? each.id : each[chooser]) ?? '')),
  ];
  return values
    .filter((value) => value !== '')
    .map((value) => {
      if (chooser === 'transactionMode') return MODE_WORDS[value] ?? sameWords(value);
      if (chooser === 'deliveryMethod') return methodWords(value);
      if (chooser !== 'destinationCountryIsoCode') return sameWords(value);
      return inEachLanguage((language) => countryName(value, language) ?? value);
    });
}

const METHOD_WORDS: Readonly<Record<string, Words>> = {
  bankTransfer: sentence('template.bankTransfer'),
  alipay: sameWords('Alipay'),
  wechat: sameWords('WeChat'),
  unionpayCard: sentence('template.unionpayCard'),
};

export function methodWords(deliveryMethod: string): Words {
  return METHOD_WORDS[deliveryMethod] ?? sameWords(deliveryMethod);
}

const MODE_WORDS: Readonly<Record<string, Words>> = {
  B2B: sentence('corridor.mode.B2B'),
  B2C: sentence('corridor.mode.B2C'),
};

/** Made once for each list. */
function remembered<List extends object, Made>(make: (list: List) => Made): (list: List) => Made {
  const made = new WeakMap<List, { readonly value: Made }>();
  return (list) => {
    const found = made.get(list) ?? { value: make(list) };
    made.set(list, found);
    return found.value;
  };
}

function firstColumn(wanted: Wanted): string {
  return CHOOSERS.find((chooser) => wanted[chooser] !== undefined) ?? 'payoutCorridorId';
}

function describe(wanted: Wanted): Words {
  const each = Object.entries(wanted).map(([chooser, value]) =>
    joinWords([plainHeader(chooser), sameWords(value)]),
  );
  return joinWords(each, ', ');
}

// Values as people write them in English, French, Spanish, German, Portuguese and Arabic, and the interface's name for each. The table needs an exact match, folded like
// headers: paydrop asks about an unknown word and never guesses.

const METHODS: Readonly<Record<string, readonly string[]>> = {
  bankTransfer: [
    ...['Virement', 'Virement bancaire', 'Virement international', 'Virement SWIFT', 'Banque'],
    ...['Bank transfer', 'Wire', 'Wire transfer', 'Transfer', 'Bank'],
    ...['Transferencia', 'Transferencia bancaria', 'Transferencia internacional', 'Transferencia SWIFT'],
    'Banco',
    ...['Überweisung', 'Banküberweisung', 'Auslandsüberweisung', 'Transferência', 'Transferência bancária'],
    ...['تحويل بنكي', 'تحويل مصرفي', 'حوالة بنكية', 'حوالة مصرفية', 'بنك'],
  ],
  alipay: ['Ali Pay', 'علي باي'],
  wechat: ['WeChat Pay', 'Weixin', 'Weixin Pay', 'وي تشات'],
  unionpayCard: ['UnionPay', 'Carte UnionPay', 'UnionPay card', 'Tarjeta UnionPay', 'China UnionPay'],
};

/** These words describe the receiver; the sender of a spreadsheet here is a business. */
const MODES: Readonly<Record<string, readonly string[]>> = {
  B2B: [
    ...[
      'Fournisseur',
      'Entreprise',
      'Société',
      'Personne morale',
      'Supplier',
      'Vendor',
      'Business',
      'Company',
    ],
    ...['Proveedor', 'Empresa', 'Sociedad', 'Persona jurídica', 'مورد', 'شركة', 'مؤسسة'],
  ],
  B2C: [
    ...['Salarié', 'Employé', 'Particulier', 'Personne physique', 'Employee', 'Individual', 'Person'],
    ...['Asalariado', 'Empleado', 'Trabajador', 'Particular', 'Persona física', 'موظف', 'عامل', 'فرد'],
  ],
};

export const PURPOSES: Readonly<Record<string, readonly string[]>> = {
  SALARY_PAYMENT: [
    ...['Salaire', 'Salaires', 'Paie', 'Paye', 'Rémunération', 'Salary', 'Salaries', 'Wages', 'Payroll'],
    ...['Nómina', 'Nóminas', 'Sueldo', 'Sueldos', 'Salario', 'Salarios', 'Remuneración'],
    ...['Lohn', 'Löhne', 'Gehalt', 'Gehälter', 'Salário', 'Salários', 'Vencimento'],
    ...['راتب', 'الراتب', 'رواتب', 'الرواتب', 'أجر', 'أجور'],
  ],
  EXPORTED_GOODS: [
    ...['Marchandises', 'Achat de marchandises', 'Biens', 'Goods', 'Exported goods', 'Purchase of goods'],
    ...['Mercancías', 'Bienes', 'Compra de mercancías', 'Ware', 'Waren', 'Warenlieferung', 'Mercadorias'],
    ...['بضائع', 'بضاعة', 'شراء بضائع', 'سلع'],
    ...[
      'Fournisseur',
      'Fournisseurs',
      'Paiement fournisseur',
      'Facture fournisseur',
      'Supplier',
      'Supplier payment',
      'Proveedor',
      'Proveedores',
      'Pago a proveedor',
      'Pago a proveedores',
      'Factura de proveedor',
    ],
  ],
  SERVICE_CHARGES: [
    ...['Service', 'Services', 'Prestation', 'Prestations', 'Prestation de services'],
    ...['Prestations de services', 'Honoraires', 'Service charges', 'Fees', 'Servicio', 'Servicios'],
    ...[
      'Honorarios',
      'Prestación de servicios',
      'Prestaciones de servicios',
      'Dienstleistung',
      'Dienstleistungen',
      'Honorar',
      'Serviço',
      'Serviços',
    ],
    ...['خدمة', 'خدمات', 'أتعاب'],
  ],
  FAMILY_SUPPORT: [
    ...['Soutien familial', 'Aide familiale', 'Famille', 'Family', 'Family support', 'Ayuda familiar'],
    ...['Apoyo familiar', 'Familia', 'دعم الأسرة', 'دعم عائلي'],
  ],
  EDUCATION: [
    ...['Éducation', 'Études', 'Scolarité', 'Frais de scolarité', 'Tuition', 'School fees', 'Educación'],
    ...['Escolaridad', 'Gastos escolares', 'Estudios', 'تعليم', 'دراسة'],
  ],
  OTHER: [
    ...['Autre', 'Autres', 'Divers', 'Others', 'Miscellaneous', 'Otro', 'Otros', 'Varios', 'أخرى'],
    'غير ذلك',
  ],
};

/** The interface's purposes, as people write them. Each word is read back as its purpose. */
export const PURPOSE_WORDS: Readonly<Record<(typeof LISTED_PURPOSES)[number], Words>> = {
  EXPORTED_GOODS: sentence('purpose.EXPORTED_GOODS'),
  SERVICE_CHARGES: sentence('purpose.SERVICE_CHARGES'),
  SALARY_PAYMENT: sentence('purpose.SALARY_PAYMENT'),
  FAMILY_SUPPORT: sentence('purpose.FAMILY_SUPPORT'),
  EDUCATION: sentence('purpose.EDUCATION'),
  OTHER: sentence('purpose.OTHER'),
};

/** The interface's own value, for itself in any case or for a plain word; null for anything else. */
export const toDeliveryMethod = reader(METHODS);
export const toTransactionMode = reader(MODES, ['C2B', 'C2C']);
const purposeOf = reader(PURPOSES);

/** A salary also before its month: `Salaire novembre`. `Payé` says that it is paid already, and `Vencimento 11/2026` is the day on which something is due. */
export const toPurpose = remembering((text) => {
  if (/payé/iu.test(text.normalize('NFC'))) return null;
  const rest = /^\s*(?:paye|vencimento)/i.test(text) ? null : withoutMonth(text);
  return purposeOf(text) ?? (rest !== null && purposeOf(rest) === SALARY ? SALARY : null);
});
const SALARY = 'SALARY_PAYMENT';

/** True for words that name a supplier instead of a purchase: goods are the usual case, and worth a look. */
export function namesSupplier(text: string): boolean {
  return /fournisseur|supplier|proveedor/i.test(text);
}

function reader(
  table: Readonly<Record<string, readonly string[]>>,
  more: readonly string[] = [],
): (text: string) => string | null {
  const values = new Map<string, string>();
  for (const value of [...Object.keys(table), ...more]) values.set(foldHeader(value), value);
  for (const [value, words] of Object.entries(table))
    for (const word of words) values.set(foldHeader(word), value);
  return remembering((text) => {
    const whole = values.get(foldHeader(text));
    if (whole !== undefined) return whole;
    // `Salarié (B2C)`: the value in brackets decides, unless the word before it means another value of its kind.
    const { word = '', own = '' } = WITH_VALUE.exec(text)?.groups ?? {};
    const named = Object.hasOwn(table, own) || more.includes(own) ? own : null;
    const meant = values.get(foldHeader(word));
    return named !== null && (meant === undefined || meant === named) ? named : null;
  });
}

const WITH_VALUE = /^\s*(?<word>[^()]{1,60}?)\s*\(\s*(?<own>\w{1,40})\s*\)\s*$/u;
