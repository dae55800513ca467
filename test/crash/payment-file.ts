// Files to pay, every row to another payee: wallets and bank accounts, amounts sent and amounts received, three currencies, a document, and
// here and there a payment that the network fails or the service refuses at its confirm.
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const COLUMNS = [
  'reference',
  'payoutCorridorId',
  'sourceCurrency',
  'sourceAmount',
  'destinationAmount',
  'purposeOfRemittance',
  'attachment',
  'receiver.firstName',
  'receiver.lastName',
  'receiver.registeredName',
  'receiver.address',
  'receiver.city',
  'receiver.countryIsoCode',
  'delivery.msisdn',
  'delivery.bankAccountHolderFullName',
  'delivery.bankAccountNumber',
  'delivery.bankAccountSwiftCode',
] as const;
type Cells = Partial<Record<(typeof COLUMNS)[number], string>>;

/** Last digits by which the sandbox fails a payment at the network, refuses its confirm, or has its staff fail it without a word. */
const UNLUCKY = ['0100002', '0010027', '0100005', '0077002'] as const;

/** One row in so many is unlucky. */
const UNLUCKY_EVERY = 17;

/** One row in so many goes to a bank, with a document; one in so many says what is sent, which is priced before the file is accepted. */
const BANK_EVERY = 9;
const SENT_EVERY = 13;

/** Writes the file and its document; gives its text. */
export async function writePaymentFile(path: string, rows: number, mark: string): Promise<string> {
  const lines = Array.from({ length: rows }, (_none, index) => lineOf(index, mark));
  const text = `${[COLUMNS.join(','), ...lines].join('\n')}\n`;
  await writeFile(path, text);
  await writeFile(join(dirname(path), documentOf(mark)), `%PDF-1.4\n% ${mark}\n%%EOF\n`);
  return text;
}

function lineOf(index: number, mark: string): string {
  const cells = index % BANK_EVERY === 4 ? bankRow(index, mark) : walletRow(index, mark);
  return COLUMNS.map((column) => cells[column] ?? '').join(',');
}

function walletRow(index: number, mark: string): Cells {
  const isSent = index % SENT_EVERY === 5;
  return {
    ...common(index, mark),
    payoutCorridorId: index % 2 === 0 ? 'chn-cny-b2c-wechat' : 'chn-cny-b2c-alipay',
    sourceCurrency: isSent ? 'EUR' : 'XAF',
    ...(isSent
      ? { sourceAmount: `${String(100 + (index % 300))}.25` }
      : { destinationAmount: `${String(100 + (index % 400))}.50` }),
    purposeOfRemittance: 'SALARY_PAYMENT',
    'receiver.firstName': 'Li',
    'receiver.lastName': `Wei ${mark}${numberOf(index)}`,
    'delivery.msisdn': `+861${seriesOf(mark)}${String(Math.floor(index / UNLUCKY_EVERY) % 10)}${lastDigits(index)}`,
  };
}

function bankRow(index: number, mark: string): Cells {
  const name = `Hengda ${mark}${numberOf(index)} Ltd`;
  return {
    ...common(index, mark),
    payoutCorridorId: 'chn-cny-b2b-bank',
    sourceCurrency: 'USD',
    destinationAmount: `${String(1_000 + index)}.75`,
    purposeOfRemittance: 'EXPORTED_GOODS',
    attachment: documentOf(mark),
    'receiver.registeredName': name,
    'receiver.address': '388 Chouzhou Road',
    'receiver.city': 'Yiwu',
    'delivery.bankAccountHolderFullName': name,
    'delivery.bankAccountNumber': `62${seriesOf(mark)}${numberOf(index)}${lastDigits(index)}`,
    'delivery.bankAccountSwiftCode': 'ICBKCNBJZJP',
  };
}

function common(index: number, mark: string): Cells {
  return { reference: `${mark}-${numberOf(index)}`, 'receiver.countryIsoCode': 'CHN' };
}

/** Two digits by which the accounts of one file differ from those of another: the same amount to the same account is held in the second. */
function seriesOf(mark: string): string {
  const sum = [...Buffer.from(mark, 'utf8')].reduce((total, byte) => total + byte, 0);
  return String(30 + (sum % 70));
}

function numberOf(index: number): string {
  return String(index).padStart(5, '0');
}

function lastDigits(index: number): string {
  const isUnlucky = index % UNLUCKY_EVERY === 6;
  return isUnlucky
    ? (UNLUCKY[Math.floor(index / UNLUCKY_EVERY) % UNLUCKY.length] ?? '')
    : `5${numberOf(index)}0`;
}

function documentOf(mark: string): string {
  return `invoice-${mark}.pdf`;
}
