// Lists of Chad, where offices write Arabic beside French: headers, the words below them, and their other spellings.
import { describe, expect, it } from 'vitest';

import { toDeliveryMethod, toPurpose, toTransactionMode } from '../../src/payouts/corridor.ts';
import { toCountryCode } from '../../src/payouts/read-parties.ts';
import { findHeader } from '../../src/rows/header.ts';
import { foldHeader } from '../../src/rows/known-columns.ts';

const canonicals = (...headers: readonly string[]) =>
  findHeader([headers], new Map())?.columns.map(({ canonical }) => canonical);

describe('a list in Arabic', () => {
  it('of salaries is understood by its headers', () => {
    expect(
      canonicals(
        'الرقم',
        'اللقب',
        'الاسم الأول',
        'صافي الراتب',
        'العملة',
        'رقم الهاتف',
        'البلد',
        'غرض الدفع',
      ),
    ).toEqual([
      null,
      'receiver.lastName',
      'receiver.firstName',
      'amount',
      'currency',
      'delivery.msisdn',
      'destinationCountryIsoCode',
      'purposeOfRemittance',
    ]);
  });

  it('of suppliers is, also in the other spelling of a letter and with stretched words', () => {
    const headers = [
      'اسم المورد',
      'رقم الحساب البنكي',
      'رمز السويفت',
      'المبلغ (XAF)',
      'رقم الفاتورة',
      'المدينة',
      'العنوان',
    ];
    const found = [
      'receiver.name',
      'delivery.bankAccountNumber',
      'delivery.bankAccountSwiftCode',
      'amount',
      'documentReferenceNumber',
      'receiver.city',
      'receiver.address',
    ];
    expect(canonicals(...headers)).toEqual(found);
    expect(canonicals(...headers.map((each) => each.replaceAll('ة', 'ه')))).toEqual(found);
    expect(canonicals(...headers.map((each) => each.replace('م', 'مـــ')))).toEqual(found);
    // A mark of direction before a word changes nothing.
    expect(canonicals(...headers.map((each) => `\u200f${each}`))).toEqual(found);
  });

  it('may say its values in Arabic too', () => {
    expect(toCountryCode('الصين')).toBe('CHN');
    expect(toDeliveryMethod('تحويل بنكي')).toBe('bankTransfer');
    expect(toTransactionMode('موظف')).toBe('B2C');
    expect(toPurpose('رواتب')).toBe('SALARY_PAYMENT');
  });

  it('is folded once for all', () => {
    for (const header of ['المدينة', 'إلى', 'الإيميـــل']) {
      const folded = foldHeader(header);
      expect(foldHeader(folded)).toBe(folded);
    }
  });

  it.each(['رقم', 'ملاحظات', 'القسم', 'الحساب'])('«%s» alone means nothing certain', (header) => {
    expect(canonicals(header, 'المبلغ', 'العملة')).toEqual([null, 'amount', 'currency']);
  });
});
