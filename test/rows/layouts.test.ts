// The market's layouts: recognised by their headers, read as their makers document them, and asked about where they leave open what is paid.
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';

import { IGNORE, parseProfile } from '../../src/app/config/profile-file.ts';
import { mapHeader } from '../../src/rows/header.ts';
import { LAYOUTS, type Layout } from '../../src/rows/market-layouts.ts';
import { recogniseLayout } from '../../src/rows/layouts.ts';
import { underProfile } from '../../src/rows/profile.ts';
import { saidOfRows } from '../../src/rows/said-of-rows.ts';
import { cellOf } from '../../src/rows/row.ts';
import { tableWords } from '../../src/rows/totals-row.ts';
import { fileOf, readTable, refusalOf } from './read-table.ts';

const ALL = Object.entries(LAYOUTS as Readonly<Record<string, Layout>>);

/** What the columns of a file mean, under its headers. */
const meanings = async (text: string) =>
  Object.fromEntries(
    (await readTable(text)).table.columns.map(({ header, canonical }) => [header, canonical]),
  );

const rowsOf = async (text: string) => {
  const file = underProfile(await readTable(text), null);
  return { table: file.table, rows: await Array.fromAsync(file.rows()) };
};

describe('the table of layouts', () => {
  it.each(ALL)(
    '%s is recognised by its own headers, in any writing, and by none of the others',
    (id, { knownBy }) => {
      const headers = knownBy.map((each) => (typeof each === 'string' ? each : (each[0] ?? '')));
      expect(recogniseLayout(headers)).toBe(id);
      expect(recogniseLayout(headers.map((header) => ` ${header.toUpperCase()} * `))).toBe(id);
      for (const left of headers)
        expect(recogniseLayout(headers.filter((header) => header !== left))).not.toBe(id);
    },
  );

  it.each(ALL)(
    '%s is recognised in an answer, beside whose first column stands what is wrong',
    (id, { knownBy }) => {
      const headers = knownBy.map((each) => (typeof each === 'string' ? each : (each[0] ?? '')));
      const answer = [...headers.toSpliced(1, 0, 'payout.error'), 'payout.batch', 'payout.row'];
      const { columns, layout } = mapHeader(answer, new Map());
      const { columns: before } = mapHeader(headers, new Map());
      expect(layout).toBe(id);
      const meaningOf = (all: typeof columns) =>
        new Map(all.map(({ header, canonical }) => [header, canonical]));
      expect(
        [...meaningOf(before)].filter(([header, canonical]) => meaningOf(columns).get(header) !== canonical),
      ).toEqual([]);
    },
  );

  it.each(ALL)('%s says of its columns what a profile may say, by the schema of profiles', (_, layout) => {
    const { name, columns, same = {} } = layout;
    const stated = new Map(
      Object.entries(columns).map(([header, canonical]) => [header, canonical ?? IGNORE]),
    );
    const { profile } = parseProfile(stringify({ columns: stated, same }), name, null);
    expect([...profile.columns.values()]).toEqual(Object.values(columns));
    expect(Object.fromEntries(profile.same)).toEqual(same);
  });

  it('leaves files of paydrop and of accounting programs alone', () => {
    expect(recogniseLayout(['reference', 'amount', 'currency', 'receiver.name'])).toBeNull();
    expect(recogniseLayout(['Nom', 'Montant', 'Devise', 'IBAN'])).toBeNull();
  });
});

const WISE = `name,recipientEmail,paymentReference,receiverType,amountCurrency,amount,sourceCurrency,targetCurrency,IBAN,accountNumber,sortCode
Ama Boateng,ama@firm.test,November,PERSON,target,120.50,EUR,GBP,,41882290,601613
Lena Vogt,lena@firm.test,November,PERSON,source,80,EUR,EUR,DE89370400440532013000,,
`;

describe('a Wise batch', () => {
  it('names its columns, takes IBAN and account number together, and no sort code', async () => {
    expect(await meanings(WISE)).toMatchObject({
      name: 'receiver.name',
      amountCurrency: 'currency',
      IBAN: 'delivery.bankAccountNumber',
      accountNumber: 'delivery.bankAccountNumber',
      sortCode: null,
      receiverType: null,
    });
    const { table, rows } = await rowsOf(WISE);
    const said = (column: string) => rows.map((row) => cellOf(table, row, column));
    expect(said('delivery.bankAccountNumber')).toEqual(['41882290', 'DE89370400440532013000']);
    expect(said('delivery.bankAccountHolderFullName')).toEqual(['Ama Boateng', 'Lena Vogt']);
  });

  it('takes a payment reference that all rows share for their text, and says so', async () => {
    const { table, rows } = await rowsOf(WISE);
    expect(rows.map((row) => cellOf(table, row, 'reference'))).toEqual(['', '']);
    const words = tableWords(table).map(({ en }) => en);
    expect(words[0]).toBe('Read as: Wise batch payments.');
    expect(words[1]).toContain('"paymentReference" says «November» in every row');
  });

  it('keeps references that differ', async () => {
    const { table, rows } = await rowsOf(WISE.replace('November', 'October'));
    expect(rows.map((row) => cellOf(table, row, 'reference'))).toEqual(['October', 'November']);
  });
});

describe('what a layout leaves open', () => {
  const RAZORPAYX = (
    amount: string,
  ) => `RazorpayX Account Number,${amount},Payout Currency,Payout Mode,Payout Reference Id,Fund Account Type,Fund Account Name,Fund Account Number,Contact Name
2323230000000001,1500,INR,NEFT,R-1,bank_account,Asha Rao,50100000000011,Asha Rao
2323230000000001,900,INR,UPI,R-2,vpa,Ravi Nair,50100000000022,Ravi Nair
`;

  it('is asked of each row: paise or rupees, and accounts that are none', async () => {
    const { rows } = await rowsOf(RAZORPAYX('Payout Amount'));
    expect(rows.map(({ faults }) => faults?.map(({ column }) => column))).toEqual([
      ['amount'],
      ['amount', 'Fund Account Type'],
    ]);
    expect(rows[0]?.faults?.[0]?.words.en).toContain('in paise and in rupees');
  });

  it('is no question where the header says rupees', async () => {
    const { rows } = await rowsOf(RAZORPAYX('Payout Amount (in Rupees)'));
    expect(rows.map(({ faults }) => faults?.length ?? 0)).toEqual([0, 1]);
  });

  it('never takes the account that pays for the one that is paid', async () => {
    expect(await meanings(RAZORPAYX('Payout Amount'))).toMatchObject({
      'RazorpayX Account Number': null,
      'Fund Account Number': 'delivery.bankAccountNumber',
    });
  });

  it('is asked of a receiver that is no telephone number', async () => {
    const { table, rows } = await rowsOf(
      `id,request_id,payment_mode,payer_identifier_type,payer_identifier,payee_identifier_type,payee_identifier,amount,currency,note
1,a-1,mojaloop,MSISDN,237650000001,MSISDN,237650000002,500,XAF,
2,a-2,mojaloop,MSISDN,237650000001,IBAN,CM2110002000300277976315008,700,XAF,
`,
    );
    const [first] = rows.map((row) => cellOf(table, row, 'delivery.msisdn'));
    expect(first).toBe('237650000002');
    expect(rows.map(({ faults }) => faults?.[0]?.code)).toEqual([undefined, 'value_not_listed']);
  });
});

describe('credit transfers of ISO 20022 as a table', () => {
  const TRANSFERS = `payment_information_id,payment_method,requested_execution_date,debtor_name,payment_instruction_id,payment_end_to_end_id,payment_currency,payment_amount,creditor_name,creditor_country_code,creditor_account_IBAN,reference_number,payment_id,currency,instruction_id
P-1,TRF,2026-11-28,Wouri SARL,9,E-1,EUR,300,Green Energy,DE,DE89370400440532013000,Invoice-1,E-1,EUR,7
P-1,CHK,2026-11-28,Wouri SARL,9,E-2,EUR,200,Global Tech,CM,DE89370400440532013000,Invoice-2,E-2,EUR,7
`;

  it('are read as the message that is made of it: ids, invoice, day, and where the payee lives', async () => {
    expect(await meanings(TRANSFERS)).toMatchObject({
      payment_end_to_end_id: 'reference',
      payment_id: null,
      instruction_id: null,
      payment_instruction_id: null,
      reference_number: 'documentReferenceNumber',
      requested_execution_date: 'executionDate',
      creditor_country_code: 'receiver.countryIsoCode',
      payment_method: null,
    });
  });

  it('are not paid where they ask for a cheque', async () => {
    const { rows } = await rowsOf(TRANSFERS);
    expect(rows.map(({ faults = [] }) => faults.map(({ words }) => words.en))).toEqual([
      [],
      ['The payment method is «CHK». paydrop only makes transfers (TRF).'],
    ]);
  });

  it('have another id as their reference where none goes from end to end', async () => {
    const text = TRANSFERS.replace('payment_end_to_end_id', 'x');
    expect(await meanings(text)).toMatchObject({ x: null, payment_id: 'reference' });
  });
});

describe('a payment list of HOPE', () => {
  it('pays what is due, not its value in dollars, and knows what was delivered', async () => {
    const { table, rows } = await rowsOf(
      `payment_id,household_id,collector_name,currency,entitlement_quantity,entitlement_quantity_usd,delivered_quantity
RCPT-1,HH-1,Awa Sow,XAF,30000,50.00,
RCPT-2,HH-2,Ali Bah,XAF,45000,75.00,45000
RCPT-3,HH-3,Ines Obi,XAF,15000,25.00,0.00
`,
    );
    expect(rows.map((row) => cellOf(table, row, 'amount'))).toEqual(['30000', '45000', '15000']);
    expect(rows.map((row) => saidOfRows(table)?.(row)?.code)).toEqual([undefined, 'said_paid', undefined]);
  });
});

describe('a column that says of a row that it is paid, or is not to be paid', () => {
  const said = async (header: string, cells: readonly string[], amount = 'Montant') => {
    const lines = cells.map((cell, index) => `R-${String(index)},${String(100 + index)},${cell}`);
    const { table, rows } = await rowsOf(`Référence,${amount},${header}\n${lines.join('\n')}\n`);
    return rows.map((row) => saidOfRows(table)?.(row)?.code === 'said_paid');
  };

  it.each([
    ['Statut', ['À payer', 'Payé', 'Annulé', 'Bloqué', 'NE PAS PAYER', 'En litige'], [1, 2, 3, 4, 5]],
    ['Status', ['to pay', 'Cancelled', 'On hold', 'Draft', 'Rejected', 'open'], [1, 2, 3, 4]],
    ['Bon à payer', ['Oui', 'Non', 'x', ''], [1, 3]],
    ['Déjà payé', ['', '0', '40000', 'oui'], [2, 3]],
    ['Montant payé', ['0.00', '400', ''], [1]],
  ])('%s: %j', async (header, cells, held) => {
    expect(await said(header, cells)).toEqual(cells.map((_, index) => held.includes(index)));
  });

  it('does not hold what is left to pay of a sum of which a part is paid', async () => {
    expect(await said('Déjà payé', ['40000', '0'], 'Reste à payer')).toEqual([false, false]);
  });

  it.each(['Montant dû', 'Montant net'])('%s may be the whole, and is held', async (amount) => {
    expect(await said('Déjà payé', ['40000', '0'], amount)).toEqual([true, false]);
  });
});

describe('columns that may both say where money goes, or how much', () => {
  it.each([
    ['Téléphone,Compte Alipay', '+237677123456,+8614289754372'],
    ['Téléphone,ID WeChat', '+237677123456,+8614289754372'],
    ['N° compte,Coordonnées bancaires', '401YIWU,1208020109200614873'],
    ['N° compte,Bank details', '401YIWU,1208020109200614873'],
    ['Montant dû,Montant à régler', '1000,600'],
    ['Montant,À régler ce mois', '1000,600'],
    ['Amount,Outstanding', '1000,600'],
  ])('%s are refused where they differ', async (headers, cells) => {
    const isAmount = /^(?:Montant|Amount)/.test(headers);
    const [more, amount] = isAmount ? ['', ''] : [',Montant,Mode de paiement', ',100,Alipay'];
    const text = `Référence,${headers}${more}\nR-1,${cells}${amount}\n`;
    expect((await refusalOf(fileOf(text))).code).toBe('column_twice');
  });
});

describe('files that nobody can be paid by', () => {
  it('are refused as what they are: bills of Xero line by line', async () => {
    const { code, words } = await refusalOf(
      fileOf(
        '*ContactName,*InvoiceNumber,*InvoiceDate,*Quantity,*UnitAmount,Currency,Total\nFirm,I-1,2026-11-01,2,10,EUR,20\n',
      ),
    );
    expect(code).toBe('amount_column_missing');
    expect(words.en).toContain('one row for each line of a bill');
    expect(words.fr).toContain('Xero');
  });

  it('are refused as what they are: PayPal payouts without a header', async () => {
    const { code, words } = await refusalOf(
      fileOf('ama@firm.test,12.50,USD,id-1,Thanks\nlena@firm.test,8,USD,,\n'),
    );
    expect(code).toBe('header_not_found');
    expect(words.en).toContain('PayPal');
  });
});

describe('columns of one meaning', () => {
  const cell = async (text: string, column: string) => {
    const { table, rows } = await rowsOf(text);
    return rows.map((row) => cellOf(table, row, column));
  };

  it('are taken together where they say the same, or one of them is empty', async () => {
    const text =
      'Name,Amount,Currency,Payment currency,IBAN,Account number\nA B,10,EUR,EUR,FR76,\nC D,20,XAF,,,123\n';
    expect(await cell(text, 'currency')).toEqual(['EUR', 'XAF']);
    expect(await cell(text, 'delivery.bankAccountNumber')).toEqual(['FR76', '123']);
  });

  it('refuse the file at the first row in which they differ', async () => {
    const { code, words } = await refusalOf(
      fileOf('Name,Amount,IBAN,Account number\nA B,10,FR76,\nC D,20,FR77,123\nE F,30,FR78,456\n'),
    );
    expect(code).toBe('column_twice');
    expect(words.en).toContain('differ in row 3');
    expect(words.fr).toContain('diffèrent à la ligne 3');
  });

  it('refuse amounts of which one is empty: they may be two', async () => {
    const { code } = await refusalOf(fileOf('Name,Amount,Net pay\nA B,10,\nC D,20,20\n'));
    expect(code).toBe('column_twice');
  });

  it('take the amount once where two columns state the same', async () => {
    const { table } = await readTable('Name,Amount,Net pay\nA B,10,10\nC D,20,20\n');
    expect(table.sums.get('amount')).toBe('30');
  });

  it('leave codes for the column that holds the names', async () => {
    const text = 'Supplier Name,Supplier Name(T),Amount\n204632,ARC LTD,10\n204633,BUILD CO,20\n';
    expect(await cell(text, 'receiver.name')).toEqual(['ARC LTD', 'BUILD CO']);
    expect((await meanings(text))['Supplier Name']).toBeNull();
  });

  it('never tell by two columns in which batch a row was before', async () => {
    const { code } = await refusalOf(fileOf('Name,Amount,payout.batch,payout.batch\nA B,10,x,x\n'));
    expect(code).toBe('column_twice');
  });

  it('tell one payment from another where a reference is no text of payments', async () => {
    expect(await cell('Name,Amount,Reference\nA B,10,R-1\nC D,20,R-1\n', 'reference')).toEqual([
      'R-1',
      'R-1',
    ]);
  });
});
