// Values as people write them in English, French and Spanish, and what the interface calls them. Exact matches of a table, folded like
// headers: a word that is not here is asked about, never guessed.
import { foldHeader } from '../rows/known-columns.ts';

const METHODS: Readonly<Record<string, readonly string[]>> = {
  bankTransfer: [
    ...['Virement', 'Virement bancaire', 'Virement international', 'Virement SWIFT', 'Banque'],
    ...['Bank transfer', 'Wire', 'Wire transfer', 'Transfer', 'Bank'],
    ...['Transferencia', 'Transferencia bancaria', 'Transferencia internacional', 'Banco'],
  ],
  alipay: ['Ali Pay'],
  wechat: ['WeChat Pay', 'Weixin', 'Weixin Pay'],
  unionpayCard: ['UnionPay', 'Carte UnionPay', 'UnionPay card', 'Tarjeta UnionPay', 'China UnionPay'],
};

/** Said of the receiver; whoever pays from a spreadsheet here is a business. */
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
    ...['Proveedor', 'Empresa', 'Sociedad', 'Persona jurídica'],
  ],
  B2C: [
    ...['Salarié', 'Employé', 'Particulier', 'Personne physique', 'Employee', 'Individual', 'Person'],
    ...['Empleado', 'Particular', 'Persona física'],
  ],
};

const PURPOSES: Readonly<Record<string, readonly string[]>> = {
  SALARY_PAYMENT: [
    ...['Salaire', 'Salaires', 'Paie', 'Paye', 'Rémunération', 'Salary', 'Salaries', 'Wages', 'Payroll'],
    ...['Nómina', 'Sueldo', 'Sueldos', 'Salario', 'Salarios'],
  ],
  EXPORTED_GOODS: [
    ...['Marchandises', 'Achat de marchandises', 'Biens', 'Goods', 'Exported goods', 'Purchase of goods'],
    ...['Mercancías', 'Bienes', 'Compra de mercancías'],
    ...[
      'Fournisseur',
      'Fournisseurs',
      'Paiement fournisseur',
      'Facture fournisseur',
      'Supplier',
      'Supplier payment',
      'Proveedor',
      'Pago a proveedores',
    ],
  ],
  SERVICE_CHARGES: [
    ...['Service', 'Services', 'Prestation', 'Prestations', 'Prestation de services', 'Honoraires'],
    ...['Service charges', 'Fees', 'Servicio', 'Servicios', 'Honorarios'],
  ],
  FAMILY_SUPPORT: [
    'Soutien familial',
    'Aide familiale',
    'Famille',
    'Family',
    'Family support',
    'Ayuda familiar',
    'Familia',
  ],
  EDUCATION: [
    'Éducation',
    'Études',
    'Scolarité',
    'Frais de scolarité',
    'Tuition',
    'School fees',
    'Educación',
    'Estudios',
  ],
  OTHER: ['Autre', 'Autres', 'Divers', 'Others', 'Miscellaneous', 'Otro', 'Otros', 'Varios'],
};

/** The interface's own value, for itself in any case or for a plain word; null for anything else. */
export const toDeliveryMethod = reader(METHODS);
export const toTransactionMode = reader(MODES, ['C2B', 'C2C']);
export const toPurpose = reader(PURPOSES);

/** True for words that name a supplier and not what was bought: goods are the usual case, and worth a look. */
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
  return (text) => values.get(foldHeader(text)) ?? null;
}
