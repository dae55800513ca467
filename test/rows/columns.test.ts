// What a header means, in the words of payroll and accounting programs.
import { describe, expect, it } from 'vitest';

import { canonicalOf, foldHeader, headerCurrency, PLAIN_COLUMNS } from '../../src/rows/known-columns.ts';
import {
  EMAIL_HEADERS,
  HEADER_ALIASES,
  PHONE_HEADERS,
  SURNAME_HEADERS,
} from '../../src/rows/header-aliases.ts';
import { fileOf, readTable, refusalOf } from './read-table.ts';

const canonical = async (header: string) =>
  (await readTable(`${header}\n${'1,'.repeat(header.split(',').length - 1)}1\n`)).table.columns.map(
    (column) => column.canonical,
  );

describe('headers', () => {
  it.each([
    ['Montant', 'amount'],
    ['Importe', 'amount'],
    ['Net à payer', 'amount'],
    ['NET A PAYER :', 'amount'],
    ['Devise', 'currency'],
    ['Moneda', 'currency'],
    ['Pays', 'destinationCountryIsoCode'],
    ['Country', 'destinationCountryIsoCode'],
    ['País', 'destinationCountryIsoCode'],
    ['Bénéficiaire', 'receiver.name'],
    ['Beneficiary', 'receiver.name'],
    ['Fournisseur', 'receiver.name'],
    ['Beneficiario', 'receiver.name'],
    ['Référence', 'reference'],
    ['Réf.', 'reference'],
    ['Méthode', 'deliveryMethod'],
    ['Method', 'deliveryMethod'],
    ['Pièce jointe', 'attachment'],
    ['Document', 'attachment'],
    ['N° de compte', 'delivery.bankAccountNumber'],
    ['Account number', 'delivery.bankAccountNumber'],
    ['Beneficiary A/C No.', 'delivery.bankAccountNumber'],
    ['Destination account', 'delivery.bankAccountNumber'],
    ['Recipient phone number', 'receiver.msisdn'],
    ['Names of employees', null],
    ['Name of employee', 'receiver.name'],
    ['Total net pay', 'amount'],
    ['iban', 'delivery.bankAccountNumber'],
    ['BIC', 'delivery.bankAccountSwiftCode'],
    ['Ausführungsdatum', 'executionDate'],
    ['Data de execução', 'executionDate'],
    ['Montant (FCFA)', 'amount'],
    ['Montant net à virer [XAF] *', 'amount'],
    ['Net salary USD', 'amount'],
    ['Montant en F CFA', 'amount'],
    ['creditor_account_IBAN', 'delivery.bankAccountNumber'],
    ['Receiver phone', 'receiver.msisdn'],
    ['destination_country-iso code', 'destinationCountryIsoCode'],
    ['DELIVERY.BANKACCOUNTNUMBER', 'delivery.bankAccountNumber'],
    ['receiver_registered_name', 'receiver.registeredName'],
    ['receiver.taxNumber', 'receiver.taxNumber'],
    ['Delivery . bankCode', 'delivery.bankCode'],
    ['Payout.Row', 'payout.row'],
    ['payout.error', 'payout.error'],
  ])('«%s» is %s', (header, name) => {
    expect(canonicalOf(header)).toBe(name);
  });

  it.each([
    'Compte',
    'Amount (net of VAT)',
    'Montant TTC (ABC)',
    'Account',
    'Matricule',
    'Libellé',
    'Date',
    '__proto__',
    'constructor',
    'toString',
    '',
    'x'.repeat(5_000),
  ])('«%s» is unknown', (header) => {
    expect(canonicalOf(header)).toBeNull();
  });

  it.each(PLAIN_COLUMNS)('the canonical name %s is its own header', (name) => {
    expect(canonicalOf(name)).toBe(name);
  });

  it('no alias stands in two places', () => {
    const all = [
      ...Object.values(HEADER_ALIASES).flat(),
      ...PHONE_HEADERS,
      ...EMAIL_HEADERS,
      ...SURNAME_HEADERS,
    ];
    expect(all.map(foldHeader).toSorted()).toEqual([...new Set(all.map(foldHeader))].toSorted());
  });

  it('every alias leads to its own column', () => {
    const led = Object.entries(HEADER_ALIASES).flatMap(([name, aliases]) =>
      aliases.map((alias) => [name, canonicalOf(alias)]),
    );
    expect(led.filter(([name, found]) => name !== found)).toEqual([]);
  });

  it('a telephone is a wallet, unless the file pays to accounts or cards', async () => {
    expect(await canonical('Ref,Amount,Téléphone,Email')).toEqual([
      'reference',
      'amount',
      'delivery.msisdn',
      'delivery.email',
    ]);
    expect(await canonical('Ref,Amount,Phone,E-mail,IBAN')).toContain('receiver.msisdn');
    expect(await canonical('Ref,Amount,Móvil,Correo,Card number')).toContain('receiver.email');
  });

  it('a name is the surname beside a first name, else the whole name', async () => {
    expect(await canonical('Nom,Montant')).toEqual(['receiver.name', 'amount']);
    expect(await canonical('Nom,Prénom,Montant')).toEqual([
      'receiver.lastName',
      'receiver.firstName',
      'amount',
    ]);
    expect(await canonical('Nombre,Apellidos,Importe')).toEqual([
      'receiver.firstName',
      'receiver.lastName',
      'amount',
    ]);
  });

  it("a profile's own headers win", async () => {
    const { table } = await readTable('Kto;Betrag;Montant\n1;2;3\n', {
      headerAliases: new Map([
        ['betrag', 'amount'],
        ['kto', 'delivery.bankAccountNumber'],
        ['montant', 'payout.ignored'],
      ]),
    });
    expect([...table.indexOf]).toEqual([
      ['delivery.bankAccountNumber', 0],
      ['amount', 1],
      ['payout.ignored', 2],
    ]);
  });
});

describe('unknown and repeated columns', () => {
  it('unknown ones are listed and ignored, whatever they are called', async () => {
    const { table } = await readTable('reference,amount,__proto__,Note,Note\nA,1,x,y,z\n');
    expect(table.unknown.map(({ index, header }) => [index, header])).toEqual([
      [2, '__proto__'],
      [3, 'Note'],
      [4, 'Note'],
    ]);
    expect([...table.indexOf.keys()]).toEqual(['reference', 'amount']);
  });

  it('two for one meaning refuse the file and are both named', async () => {
    const refused = await refusalOf(fileOf('\nreference,Montant,Net à payer\nA,1,2\n'));
    expect(refused.code).toBe('column_twice');
    expect(refused.message).toContain('«Montant» (B2) and «Net à payer» (C2) both mean "amount"');
  });

  it('two unlisted fields that differ by case only are one', async () => {
    expect((await refusalOf(fileOf('amount,receiver.taxId,receiver.TaxID\n1,2,3\n'))).code).toBe(
      'column_twice',
    );
  });
});

describe('finding the header', () => {
  it('a title that happens to hold aliases is not taken for it', async () => {
    const { table } = await readTable(
      'Montant;1000;Devise;XAF\n\nRéférence;Bénéficiaire;Montant;Devise\nA;B;1;XAF\n',
    );
    expect(table.headerPlace).toBe('3');
  });

  it('is looked for in the first 30 rows', async () => {
    expect((await readTable(`${'title\n'.repeat(29)}reference,amount\nA,1\n`)).table.headerPlace).toBe('30');
    expect((await refusalOf(fileOf(`${'title\n'.repeat(30)}reference,amount\nA,1\n`))).code).toBe(
      'header_not_found',
    );
  });

  it('an empty column before the table and one inside it are no fault while nothing stands in them', async () => {
    const { table, read } = await readTable(',reference,,amount\n,A,,1\n');
    expect([...table.indexOf]).toEqual([
      ['reference', 1],
      ['amount', 3],
    ]);
    expect(read[0]?.cells).toEqual(['', 'A', '', '1']);
  });
});

describe('headers as programs write them', () => {
  it.each([
    ['Vendor #,Vendor,Amount', [null, 'receiver.name', 'amount']],
    ['File #,Name,Net Pay', [null, 'receiver.name', 'amount']],
    ['Invoice #,Account #,Amount', ['documentReferenceNumber', 'delivery.bankAccountNumber', 'amount']],
    ['name,amount_xaf', ['receiver.name', 'amount']],
    ['NOM,MONTANT_XAF', ['receiver.name', 'amount']],
    ['name,netSalaryKES', ['receiver.name', 'amount']],
    ['name,amountPhp', ['receiver.name', 'amount']],
    // Three letters behind any other header are no currency.
    ['name,amount,account_all,name_mad', ['receiver.name', 'amount', null, null]],
    ['name,amount,total_pay', ['receiver.name', 'amount', null]],
    ['name,amount,currency,amount_usd', ['receiver.name', 'amount', 'currency', null]],
    ['name,Amount,Currency,Amount (USD)', ['receiver.name', 'amount', 'currency', null]],
  ])('%s', async (header, meanings) => {
    expect(await canonical(header)).toEqual(meanings);
  });

  it('tell the currency of their amounts', () => {
    const written = [
      'amount_xaf',
      'netSalaryKES',
      'amount_fcfa',
      'Amount (USD)',
      'amount_pay',
      'account_usd',
    ];
    expect(written.map((header) => headerCurrency(header)?.written)).toEqual([
      'XAF',
      'KES',
      'FCFA',
      'USD',
      undefined,
      undefined,
    ]);
  });

  it('with two amounts of which none is told by a currency beside it are refused', async () => {
    const refusal = await refusalOf(fileOf('name,amount,amount_usd\nAda,100,2\nBo,200,4\n'));
    expect(refusal.code).toBe('column_twice');
  });
});

describe('a column of names', () => {
  const meanings = async (text: string) =>
    (await readTable(text)).table.columns.map(({ canonical }) => canonical);

  it.each(['V001', 'EMP-0042', '0x1f2e3d4c5b6a'])('that holds codes such as %s is none', async (code) => {
    const rows = [1, 2, 3].map((row) => `${code}${String(row)},${String(row)}00`);
    expect(await meanings(`Vendor,Amount\n${rows.join('\n')}\n`)).toEqual([null, 'amount']);
  });

  it('gives way to the one that holds the names', async () => {
    expect(await meanings('Vendor,Vendor name,Amount\nV001,Ada Ngo,1\nV002,Bo SARL,2\n')).toEqual([
      null,
      'receiver.name',
      'amount',
    ]);
  });

  it('may have a firm among them that is called like a code, or one alone', async () => {
    expect(await meanings('Vendor,Amount\nAGRO2000,1\nBo SARL,2\n')).toEqual(['receiver.name', 'amount']);
    expect(await meanings('Vendor,Amount\nAGRO2000,1\n')).toEqual(['receiver.name', 'amount']);
  });
});

describe('a firm beside the name of who is paid', () => {
  const refused = async (text: string) => (await refusalOf(fileOf(text))).fault.en;

  it('is nobody’s guess where a row names both: it may be whom the vendor is paid by', async () => {
    expect(await refused('Company,Vendor name,Amount\nOwn SA,Ada SARL,1\nOwn SA,Bo SARL,2\n')).toContain(
      'Columns «Company» (A1) and «Vendor name» (B1)',
    );
  });

  it.each([
    ['in a row of its own', 'Company,Beneficiary,Amount\nAda SARL,,1\n,Bo Mba,2\n'],
    ['by the same name', 'Company,Beneficiary,Amount\nAda SARL,Ada SARL,1\n'],
  ])('is read where it stands %s', async (_, text) => {
    const { table } = await readTable(text);
    expect(table.columns.map(({ canonical }) => canonical)).toEqual([
      'receiver.registeredName',
      'receiver.name',
      'amount',
    ]);
  });

  it.each(['Employee name', 'Nom du salarié', 'Staff name', 'Mitarbeiter'])(
    'is the employer where it stands beside %s',
    async (header) => {
      const { table } = await readTable(`Company,${header},Amount\nOwn SA,Ada Ngo,1\nOwn SA,Bo Mba,2\n`);
      expect(table.columns.map(({ canonical }) => canonical)).toEqual([null, 'receiver.name', 'amount']);
    },
  );

  it('is not asked about where the names are codes', async () => {
    const { table } = await readTable('Company,Vendor,Amount\nAda SARL,V001,1\nBo SARL,V002,2\n');
    expect(table.columns.map(({ canonical }) => canonical)).toEqual([
      'receiver.registeredName',
      null,
      'amount',
    ]);
  });
});
