// The batch as a payment message: its rows are read from the message by the real reader, and what its program is told is written by the real code into
// a real folder. At the end the messages are read by a checker that shares no code with them, and by a program that takes each listed payment for one that
// came back.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Paydrop } from '../../src/app/parts.ts';
import { tellStatus } from '../../src/app/workflow/answers/tell-status.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
import type { BatchRecord, RowRecord } from '../../src/ledger/records.ts';
import { SETTLED } from '../../src/payouts/lifecycle.ts';
import { stageOrHeld } from '../../src/payouts/progress.ts';
import { validateRow } from '../../src/payouts/validate-row.ts';
import type { ReadFile } from '../../src/rows/format.ts';
import { readRows } from '../../src/rows/formats.ts';
import type { PayoutCorridor } from '../../src/service/wire.ts';
import type { Violation } from '../invariants/case-file.ts';
import {
  checkStatusMessages,
  type Ended,
  returnsOfOdoo,
  statusTexts,
} from '../invariants/status-messages.ts';
import { message, payment, PERSON } from '../rows/pain001/messages.ts';
import type { ClosedList } from './closed-list.ts';
import { DOCUMENT, type MadeRow, SENDER } from './make-rows.ts';
import { BATCH } from './session.ts';

export const MESSAGE = 'payroll.xml';

const FIRM = '<Id><OrgId></OrgId></Id>';

/** The message that says what these rows say; each row in a block of its own, because each debits an account of its currency. */
export function messageOf(rows: readonly MadeRow[]): string {
  const stated = `<NbOfTxs>${String(rows.length)}</NbOfTxs>`;
  const whole = rows.map(({ payout }) => {
    const own = `<Id><Othr><Id>PAYDROP-${payout.sourceCurrency}</Id></Othr></Id><Ccy>${payout.sourceCurrency}</Ccy>`;
    const debtor = `<Dbtr><Nm>House</Nm></Dbtr><DbtrAcct>${own}</DbtrAcct>`;
    return message([paymentOf(payout)], { stated, debtor, day: '2026-11-20' });
  });
  const blockIn = (text: string) => /<PmtInf>.*<\/PmtInf>/s.exec(text)?.[0] ?? '';
  const [first = ''] = whole;
  return first.replace(blockIn(first), () => whole.map(blockIn).join(''));
}

function paymentOf(payout: MadeRow['payout']): string {
  const { requested, receivingParty, deliveryMethodInfo, documentReferenceNumber, document } = payout;
  const text = (of: Readonly<Record<string, string>>, name: string) => of[name] ?? '';
  const isBank = payout.deliveryMethod === 'bankTransfer';
  const instructed = `<InstdAmt Ccy="${payout.targetCurrency}">${requested.amount}</InstdAmt>`;
  const equivalent = `<EqvtAmt><Amt Ccy="${payout.sourceCurrency}">${requested.amount}</Amt><CcyOfTrf>${payout.targetCurrency}</CcyOfTrf></EqvtAmt>`;
  const wallet = `<Id><Othr><Id>${text(deliveryMethodInfo, 'msisdn')}</Id><SchmeNm><Prtry>ALIPAY</Prtry></SchmeNm></Othr></Id>`;
  const account = `<Id><Othr><Id>${text(deliveryMethodInfo, 'bankAccountNumber')}</Id></Othr></Id><Nm>${text(deliveryMethodInfo, 'bankAccountHolderFullName')}</Nm>`;
  const located =
    document === null
      ? ''
      : `<RltdRmtInf><RmtLctnDtls><Mtd>URID</Mtd><ElctrncAdr>${document.name}</ElctrncAdr></RmtLctnDtls></RltdRmtInf>`;
  const about =
    documentReferenceNumber === null
      ? ''
      : `<RmtInf><Strd><RfrdDocInf><Nb>${documentReferenceNumber}</Nb></RfrdDocInf></Strd></RmtInf>`;
  return payment({
    reference: payout.reference ?? 'NOTPROVIDED',
    amount: requested.side === 'source' ? equivalent : instructed,
    name: isBank
      ? text(receivingParty, 'registeredName')
      : `${text(receivingParty, 'lastName')}, ${text(receivingParty, 'firstName')}`,
    party: isBank ? FIRM : PERSON,
    account: isBank ? account : wallet,
    purpose: `<Purp><Cd>${payout.purposeOfRemittance === 'SALARY_PAYMENT' ? 'SALA' : 'GDDS'}</Cd></Purp>`,
    remittance: located + about,
  });
}

const CORRIDOR = {
  sourceCurrencies: ['XAF', 'EUR', 'USD'],
  targetCurrency: 'CNY',
  destinationCountryIsoCode: 'CHN',
  bankName: null,
  isEnabled: true,
  minimumTransactionAmount: '0.01',
  maximumTransactionAmount: '99999999999999999999',
  requiredSendingEntityFields: ['registeredName'],
} as const;

const CORRIDORS = [
  {
    ...CORRIDOR,
    id: 'chn-cny-b2b-bank',
    ...{ transactionMode: 'B2B', deliveryMethod: 'bankTransfer' },
    requiredReceivingEntityFields: ['registeredName', 'countryIsoCode'],
    requiredDeliveryMethodFields: [['bankAccountHolderFullName', 'bankAccountNumber']],
  },
  {
    ...CORRIDOR,
    id: 'chn-cny-b2c-alipay',
    ...{ transactionMode: 'B2C', deliveryMethod: 'alipay' },
    requiredReceivingEntityFields: ['firstName', 'lastName', 'countryIsoCode'],
    requiredDeliveryMethodFields: [['msisdn']],
  },
] as unknown as readonly PayoutCorridor[];

/** The rows as the message says them; what the checker expects of each stays what it was made from. */
async function readAs(rows: readonly MadeRow[], file: ReadFile): Promise<readonly MadeRow[]> {
  const read: MadeRow[] = [];
  const context = { table: file.table, corridors: CORRIDORS, sender: SENDER } as const;
  for await (const row of file.rows()) {
    const made = rows[row.position];
    const document = () => {
      const wanted = made?.payout.document;
      return wanted === undefined || wanted === null ? null : { ...wanted, bytes: DOCUMENT };
    };
    const { payout, rejections } = validateRow(row, { ...context, document });
    if (made === undefined || payout === null)
      throw new Error(
        `Row ${row.place} of the message: ${rejections.map((each) => each.words.en).join(' ')}`,
      );
    read.push({ ...made, payout });
  }
  return read;
}

export class MessageBatch {
  readonly #workspace: ClosedList['workspace'];
  readonly #path: string;
  #closed = 0;
  #told = '';

  constructor({ workspace }: ClosedList, text: string) {
    this.#workspace = {
      ...workspace,
      outbox: join(workspace.root, 'outbox'),
      refused: join(workspace.root, 'refused'),
    };
    for (const folder of [this.#workspace.outbox, this.#workspace.refused]) mkdirSync(folder);
    this.#path = join(workspace.root, BATCH, MESSAGE);
    writeFileSync(this.#path, text);
  }

  async rows(made: readonly MadeRow[]): Promise<readonly MadeRow[]> {
    return readAs(made, await this.#read());
  }

  #read(): Promise<ReadFile> {
    const options = { rowsMax: 100, bytesMax: 1_000_000, decimalMark: 'auto', isAnyDebtor: true } as const;
    return readRows(this.#path, options);
  }

  /** Tells what is due; once all rows have their ends, also what has changed since it was told last. */
  async tell(
    asking: Pick<Paydrop, 'clock'>,
    ledger: Ledger,
    batch: BatchRecord,
    rows: readonly RowRecord[],
  ): Promise<void> {
    const ends = endsIn(rows);
    const isNew = ends !== null && ends !== this.#told;
    const config = { language: 'en', iso20022: { statusReports: STATUS_REPORTS } };
    const paydrop = { ...asking, ledger, workspace: this.#workspace, config } as unknown as Paydrop;
    const closed = ends === null ? null : this.#closed + (isNew ? 1 : 0);
    try {
      await tellStatus(paydrop, batch, { openFile: () => this.#read(), closed });
    } catch (error) {
      // Another process has the batch by now, and tells.
      if (error instanceof LeaseLost) return;
      throw error;
    }
    if (ends !== null) [this.#told, this.#closed] = [ends, closed ?? 0];
  }

  /** Whether the end of all rows is told. */
  isTold(rows: readonly RowRecord[]): boolean {
    const ends = endsIn(rows);
    return ends === null || ends === this.#told;
  }

  found(rows: readonly RowRecord[], outcomeOf: (row: string) => string): readonly Violation[] {
    const ended: readonly Ended[] = rows.map(({ row, reference }) => ({
      endToEndId: reference ?? '',
      outcome: outcomeOf(row),
    }));
    const texts = statusTexts(this.#workspace.outbox, BATCH);
    const returned = returnsOfOdoo(texts);
    const broken = [...checkStatusMessages(texts, ended, 'rejected')];
    for (const { endToEndId, outcome } of ended) {
      const times = returned.filter((each) => each === endToEndId).length;
      // A row that a person has closed may still be paid, and comes back only where it cannot.
      const isRight = outcome === 'rejected' ? times < 2 : times === (outcome === 'failed' ? 1 : 0);
      if (!isRight) broken.push(`${endToEndId} is ${outcome}, and comes back ${String(times)} times`);
    }
    return broken.map((words) => ({ invariant: 'status messages', row: null, words }));
  }
}

const STATUS_REPORTS = { detail: 'rejected', version: 'auto', pause: 15 * 60_000, sandbox: true };

function endsIn(rows: readonly RowRecord[]): string | null {
  const stages = rows.map(({ progress }) => stageOrHeld(progress));
  return stages.every((stage) => SETTLED.has(stage)) ? stages.join() : null;
}
