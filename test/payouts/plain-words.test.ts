// Values as people write them, and the interface's names for them; paydrop asks about a word that is in no table.
import { describe, expect, it } from 'vitest';

import { LANGUAGES } from '../../src/base/language.ts';
import { PURPOSE_WORDS, toDeliveryMethod, toPurpose, toTransactionMode } from '../../src/payouts/corridor.ts';
import { fitsWord } from '../../src/payouts/recognize.ts';
import { CORRIDORS } from '../../src/sandbox/corridors.ts';

describe('plain words', () => {
  it.each([
    ['Virement', 'bankTransfer'],
    ['VIREMENT BANCAIRE', 'bankTransfer'],
    ['Transferencia bancaria', 'bankTransfer'],
    ['bank-transfer', 'bankTransfer'],
    ['WeChat Pay', 'wechat'],
    ['AliPay', 'alipay'],
    ['Carte UnionPay', 'unionpayCard'],
  ])('the method %s is %s', (word, value) => expect(toDeliveryMethod(word)).toBe(value));

  it.each([
    ['Salaire', 'SALARY_PAYMENT'],
    ['NÓMINA', 'SALARY_PAYMENT'],
    ['Nóminas', 'SALARY_PAYMENT'],
    ['Prestación de servicios', 'SERVICE_CHARGES'],
    ['Factura de proveedor', 'EXPORTED_GOODS'],
    ['Gastos escolares', 'EDUCATION'],
    ['Apoyo familiar', 'FAMILY_SUPPORT'],
    ['salary_payment', 'SALARY_PAYMENT'],
    ['Prestation de services', 'SERVICE_CHARGES'],
    ['Prestations de services', 'SERVICE_CHARGES'],
    ['Fournisseur', 'EXPORTED_GOODS'],
    ['Lohn', 'SALARY_PAYMENT'],
    ['Salaire (SALARY_PAYMENT)', 'SALARY_PAYMENT'],
    ['Frais de scolarité', 'EDUCATION'],
    ['Autre', 'OTHER'],
  ])('the purpose %s is %s', (word, value) => expect(toPurpose(word)).toBe(value));

  it.each([
    ['Salaire novembre', 'SALARY_PAYMENT'],
    ['SALAIRE DÉCEMBRE', 'SALARY_PAYMENT'],
    ['Salaires 11/2026', 'SALARY_PAYMENT'],
    ['Salary Nov 2026', 'SALARY_PAYMENT'],
    ['Salaire du mois de novembre 2026', 'SALARY_PAYMENT'],
    ['Nómina de noviembre', 'SALARY_PAYMENT'],
    ['Gehalt März 2026', 'SALARY_PAYMENT'],
    // What else stands there may mean something else.
    ['Salaire et marchandises novembre', null],
    ['Salaire Marsouin', null],
    ['Avance salaire novembre', null],
    ['Salaire 250000', null],
    ['Salaire 1999999', null],
    ['novembre 2026', null],
    ['Salaire de', null],
    // The invoice of a supplier may be for services, and that word is also the day on which one is due.
    ['Facture fournisseur novembre', null],
    ['Supplier 11/2026', null],
    ['Pago a proveedor noviembre', null],
    ['Vencimento 30/11/2026', null],
    // That something is paid already is no order to pay it; a number is no month, and a name may be one.
    ['Payé', null],
    ['Paye\u0301 le 12 novembre', null],
    ['Payé 12/11/2026', null],
    ['Salary 50', null],
    ['Services 2', null],
    ['Famille Mai', null],
    ['Mars Services', null],
    ['Prestations de services - août', null],
  ])('beside a month, the purpose %s is %s', (word, value) => expect(toPurpose(word)).toBe(value));

  it.each(Object.entries(PURPOSE_WORDS))(
    'what people are told to write for %s is read as that',
    (purpose, words) => {
      expect(LANGUAGES.map((language) => toPurpose(words[language]))).toEqual(LANGUAGES.map(() => purpose));
    },
  );

  it.each([
    ['Fournisseur', 'B2B'],
    ['Salarié', 'B2C'],
    ['Asalariado', 'B2C'],
    ['c2b', 'C2B'],
    ['Salarié (B2C)', 'B2C'],
    ['Employee of ours (B2C)', 'B2C'],
    // The word and the value behind it say two things.
    ['Particulier (B2B)', null],
    ['Salarié (constructor)', null],
    ['Salarié (de nuit)', null],
  ])('the mode %s is %s', (word, value) => expect(toTransactionMode(word)).toBe(value));

  it.each(['Carte', 'Espèces', 'Chèque', 'Loyer', ''])('%s is none of them', (word) => {
    expect([toDeliveryMethod(word), toPurpose(word), toTransactionMode(word)]).toEqual([null, null, null]);
  });

  it.each([
    [
      ['Chine', 'Alipay'],
      ['chn-cny-b2c-alipay', 'chn-cny-c2c-alipay'],
    ],
    [['china', 'salarié', 'wechat'], ['chn-cny-b2c-wechat']],
    [['ngn', 'B2B'], ['nga-ngn-b2b-bank']],
    [['nowhere'], []],
  ])('the words %j fit the corridors %j', (words, ids) => {
    const fitting = CORRIDORS.filter((corridor) => words.every((word) => fitsWord(corridor, word)));
    expect(fitting.map(({ id }) => id)).toEqual(ids);
  });
});
