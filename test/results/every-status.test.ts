// Each outcome and each code as a status message: both versions, all three details, valid in libxml2, with the ISO code that a table of its own says.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { sameWords } from '../../src/base/language.ts';
import type { BatchRecord, RowRecord } from '../../src/ledger/records.ts';
import { waitFor, WAITING_FOR, type WaitKind } from '../../src/ledger/wait.ts';
import { HOLD_CODES } from '../../src/payouts/hold.ts';
import { FRESH, type Progress } from '../../src/payouts/progress.ts';
import { type Rejection, REJECTION_CODES } from '../../src/payouts/rejection.ts';
import { refusedFor, statusOf, type TxStatus } from '../../src/results/status-codes.ts';
import {
  REPORT_DETAILS,
  REPORT_VERSIONS,
  type Reported,
  statusReport,
  textsOf,
} from '../../src/results/status-report.ts';
import { FILE_REFUSAL_CODES } from '../../src/rows/file-refused.ts';
import { readStatus, returnsOfOdoo } from '../invariants/status-messages.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-tests-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** `code` or `code:column` → its ISO code. */
const REJECTED: Readonly<Record<string, string>> = Object.fromEntries(
  `
  row_is_total NARR, row_below_total NARR, number_destroyed AC03, number_not_text AC03,
  corridor_missing AG06, corridor_unknown FF03, corridor_none AG03, corridor_ambiguous FF03, corridor_disabled AG03,
  value_not_listed CH16, value_not_listed:deliveryMethod FF05, value_not_listed:receiver.countryIsoCode BE11,
  source_currency_missing AC10, source_currency_not_in_corridor AC10, amount_missing AM12, amount_twice AM12,
  amount_currency_missing AM11, amount_currency_unrelated AM03, amount_not_a_number AM12, amount_not_positive AM01,
  amount_too_many_decimals CH20, amount_outside_bounds AM02, amount_outside_bounds:below AM06,
  amount_currency_contradicts CURR, purpose_missing FF07, purpose_malformed FF07, sender_missing RR02,
  sender_outside_cemac BE10, receiver_field_missing RR03, receiver_field_missing:receiver.registeredName BE22,
  receiver_field_missing:receiver.city BE04, receiver_field_missing:receiver.countryIsoCode BE11,
  receiver_field_missing:receiver.registrationNumber BE17, receiver_field_missing:receiver.msisdn BE18,
  delivery_field_missing AC03, delivery_field_missing:delivery.bankAccountSwiftCode RC07,
  delivery_field_missing:delivery.msisdn BE23, delivery_field_missing:delivery.cardNumber AC16,
  delivery_field_missing:delivery.bankAccountHolderFullName BE22, telephone_malformed BE23,
  telephone_malformed:receiver.msisdn BE18, name_without_letters BE21, text_unprintable RR10, text_too_long CH16,
  text_too_long:receiver.lastName BE20, attachment_missing MINF, attachment_path CH16, attachment_not_found MINF,
  attachment_not_a_file MINF, attachment_too_large AMSE, attachment_kind CH16, reference_repeated DU04,
  refused_by_service CH16, element_unsupported CH17, element_unsupported:PmtMtd AG03, element_unsupported:ChqInstr AG03,
  element_unsupported:ChrgBr BE19, element_unsupported:IntrmyAgt1 RC11, element_unsupported:CdtrAgtAcct RC11,
  element_unsupported:LclInstrm FF05, element_unsupported:UltmtCdtr RR03, element_unsupported:UltmtDbtr RR02,
  account_malformed AC03, account_malformed:delivery.bankAccountSwiftCode RC07,
  iban_wrong AC03, country_contradicts AG06, person_name_undecided BE21
  `
    .split(',')
    .map((entry) => entry.trim().split(' ') as [string, string]),
);

const HELD: Readonly<Record<string, string>> = {
  ...{ reference_paid_differently: 'DU04', reference_undecided: 'DU04', similar_reference: 'DU04' },
  ...{
    earlier_row_paid: 'DUPL',
    same_payment_recently: 'DUPL',
    equal_rows: 'DUPL',
    same_bytes_again: 'DUPL',
    same_content: 'DUPL',
    said_paid: 'DUPL',
  },
  ...{
    new_account: 'AC15',
    over_row_limit: 'AM14',
    over_payee_limit: 'AM14',
    quotation_mismatch: 'AM09',
    price_moved: 'AM09',
  },
  ...{ document_refused: 'MINF', document_demanded: 'MINF', too_many_attempts: 'FF10' },
};

const FAILED: Readonly<Record<string, string>> = {
  ...{ '100000': 'NARR', '100001': 'NARR', '100002': 'MS03', '100003': 'AC03', '100004': 'RR04' },
  ...{ '100005': 'AM14', '100006': 'ED05', '100008': 'ED05', '10001': 'CH16', '10003': 'AG03' },
  ...{ '10018': 'RR03', '10019': 'AC03', '10022': 'MINF', '10027': 'ED05', '99999': 'NARR' },
  ...{ '100003:alipay': 'BE23', '100003:wechat': 'BE23', '100003:unionpayCard': 'AC16' },
};

/** Of a whole file; a code that is not here is never reported. */
const REFUSED: Readonly<Record<string, string>> = {
  ...{ too_many_rows: 'NARR', profiles_several: 'NARR', control_differs: 'AM10', control_unreadable: 'NARR' },
  ...{ quotations_too_short: 'FF10', execution_date_unreadable: 'DT01', execution_dates_differ: 'DT01' },
  ...{ execution_date_too_far: 'CH03', execution_date_standing: 'DT01', message_invalid: 'FF01' },
  ...{ debtor_currency_differs: 'AC10', standing_file_withdrawn: 'CUST', rows_rejected: 'NARR' },
};

const WAITING: Readonly<Record<string, string>> = { funds: 'AM04', documents: 'MINF' };

type Case = {
  readonly name: string;
  readonly status: TxStatus;
  /** Empty where nothing is to be explained. */
  readonly iso: string;
  readonly own: string;
  readonly row: RowRecord;
  readonly batch: BatchRecord;
};

const SENDING = { state: 'sending', wait: null, decisions: [] } as unknown as BatchRecord;

function rowOf(progress: Partial<Progress>, more: object = {}): RowRecord {
  return {
    payout: null,
    rejections: [],
    ...more,
    progress: { ...FRESH, ...progress },
  } as unknown as RowRecord;
}

/** Long, with what XML must escape, and letters of two and four bytes. */
const WORDS = `Montant « à payer » & <somme> "x" 𝄞 ${'mot '.repeat(60)}`;

const rejected: readonly Case[] = Object.entries(REJECTED).map(([name, iso]) => {
  const [code = '', column = 'X'] = name.split(':');
  const rejection: Omit<Rejection, 'code'> & { readonly code: string } = {
    code,
    column,
    words: sameWords(WORDS),
    ...(column === 'below' ? { isBelow: true } : {}),
  };
  const row = rowOf({ stage: 'rejected' }, { rejections: [rejection] });
  return { name, iso, own: code, status: 'RJCT', row, batch: SENDING };
});

const held: readonly Case[] = HOLD_CODES.map((code) => {
  const hold = { code, reason: sameWords(WORDS), errorCode: null, since: '' };
  return {
    name: code,
    iso: HELD[code] ?? 'NARR',
    own: code,
    status: 'PDNG',
    row: rowOf({ hold }),
    batch: SENDING,
  };
});

const failed: readonly Case[] = Object.entries(FAILED).map(([name, iso]) => {
  const [own = '', deliveryMethod = 'bankTransfer'] = name.split(':');
  const why = { errorCode: own, reason: sameWords(WORDS) };
  const row = rowOf({ stage: 'failed', why }, { payout: { deliveryMethod } });
  return { name, iso, own, status: 'RJCT', row, batch: SENDING };
});

const closed: readonly Case[] = ['cancelled', 'declined'].map((own) => {
  const row = rowOf({ stage: 'rejected', why: { errorCode: own, reason: sameWords(WORDS) } });
  return { name: own, iso: 'CUST', own, status: 'RJCT', row, batch: SENDING };
});

const waiting: readonly Case[] = WAITING_FOR.map((own) => {
  const kind: WaitKind = own === 'operator' ? 'pause' : own;
  const batch = { ...SENDING, wait: waitFor(kind, sameWords(WORDS)) };
  return {
    name: `waits for ${own}`,
    iso: WAITING[own] ?? 'NARR',
    own,
    status: 'PDNG',
    row: rowOf({}),
    batch,
  };
});

const plain: readonly Case[] = [
  { name: 'paid', status: 'ACSC', iso: '', own: '', row: rowOf({ stage: 'paid' }), batch: SENDING },
  { name: 'submitted', status: 'ACSP', iso: '', own: '', row: rowOf({ stage: 'confirmed' }), batch: SENDING },
  { name: 'pending', status: 'ACCP', iso: '', own: '', row: rowOf({}), batch: SENDING },
  ...['duplicate_reference', 'duplicate_row'].map((own): Case => {
    const why = { errorCode: own, reason: sameWords(WORDS) };
    return {
      name: own,
      status: 'PDNG',
      iso: 'DUPL',
      own,
      row: rowOf({ stage: 'duplicate', why }),
      batch: SENDING,
    };
  }),
];

const CASES = [...plain, ...rejected, ...held, ...failed, ...closed, ...waiting];

/** Ids at their longest, and as no program should write them. */
const idOf = (index: number): string => `${String(index).padStart(3, '0')} <&">é`.padEnd(35, '=');

function reported(detail: (typeof REPORT_DETAILS)[number]): readonly Reported[] {
  return CASES.map(({ row, batch }, index) => {
    const { status, reasons } = statusOf(row, batch);
    return {
      ...{ pmtInfId: `P-${String(index % 3)}`, instrId: idOf(index), endToEndId: idOf(index) },
      uetr: '0b5e9d2a-5d0e-4d6a-9c39-6a0c1b6d7e1f',
      amount: '<InstdAmt Ccy="CNY">1.5</InstdAmt>',
      isInOwnCurrency: false,
      ...{ status, reasons, texts: textsOf(row, reasons, batch.wait?.words ?? null, 'fr') },
      transferId: index % 2 === 0 ? 'f2a3b1d8-0b5e-4d6a-9c39-6a0c1b6d7e1f' : 'T-1',
      isListed: detail !== 'rejected' || status === 'RJCT',
    };
  });
}

const HEAD = {
  msgId: '20261124-3f9a2c11-S1',
  createdAt: '2026-11-24T00:00:00Z',
  original: { msgId: '  PAY/1', name: 'pain.001.001.09' },
  isSandbox: true,
};

async function written(
  head: Parameters<typeof statusReport>[0],
  pages: readonly (readonly Reported[])[],
): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of statusReport(head, ReadableStream.from(pages), folder))
    parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

const ADDED_CHARS_MAX = 105;

describe.each(REPORT_VERSIONS)('a status message of version %s', (version) => {
  it.each(REPORT_DETAILS)('has each outcome and each code once, with %s', async (detail) => {
    const payments = reported(detail);
    const text = await written({ version, ...HEAD }, [payments.slice(0, 50), payments.slice(50)]);
    const { transactions, count, perStatus } = readStatus(text);
    const listed = CASES.filter(({ status }) => detail !== 'rejected' || status === 'RJCT');
    expect(transactions.map(({ endToEndId }) => endToEndId)).toEqual(
      listed.map((each) => idOf(CASES.indexOf(each))),
    );
    expect(
      transactions.map(({ status, codes }, index) => [listed[index]?.name, status, codes.join(' ')]),
    ).toEqual(listed.map(({ name, status, iso }) => [name, status, iso]));
    for (const [index, { texts, instrId, endToEndId }] of transactions.entries()) {
      expect(instrId).toBe(endToEndId);
      expect(texts.find((each) => Array.from(each).length > ADDED_CHARS_MAX)).toBeUndefined();
      const { iso, own, name } = listed[index] ?? { iso: '', own: '', name: '' };
      if (iso !== '') expect(texts[0]?.startsWith(own), name).toBe(true);
    }
    expect(count).toBe(CASES.length);
    const counts = Object.groupBy(CASES, ({ status }) => status);
    expect(perStatus).toEqual(
      Object.fromEntries(Object.entries(counts).map(([status, found]) => [status, found.length])),
    );
    const unpaid = CASES.flatMap(({ status }, index) => (status === 'RJCT' ? [idOf(index)] : []));
    if (detail === 'rejected') expect(returnsOfOdoo([text])).toEqual(unpaid);
  });

  it.each(Object.entries(REFUSED))('is written for a file that is refused for %s', async (code, iso) => {
    const whole = refusedFor(code, undefined);
    expect(whole).toEqual({ iso, own: code });
    const [payment] = reported('all').slice(-1);
    const rejection = { status: 'RJCT' as const, reasons: [{ iso: 'NARR', own: code }], texts: [WORDS] };
    const text = await written(
      { version, ...HEAD, reason: { iso, text: `${code} ${WORDS}` } },
      payment === undefined ? [] : [[{ ...payment, ...rejection, isListed: true }]],
    );
    const { group, groupReasons } = readStatus(text);
    expect([group, groupReasons]).toEqual(['RJCT', ['NARR', iso]]);
  });
});

describe('the table', () => {
  it('has every code that a row may have', () => {
    const codes = new Set(Object.keys(REJECTED).map((name) => name.split(':')[0]));
    expect([...codes].sort()).toEqual([...REJECTION_CODES].sort());
    expect(HOLD_CODES).toEqual(expect.arrayContaining(Object.keys(HELD)));
    expect(new Set(CASES.map(({ status }) => status))).toEqual(
      new Set(['ACCP', 'PDNG', 'ACSP', 'ACSC', 'RJCT']),
    );
  });

  it.each(FILE_REFUSAL_CODES.filter((code) => !(code in REFUSED)))('no message may report %s', (code) => {
    expect(refusedFor(code, 'NARR')).toBeNull();
  });
});
