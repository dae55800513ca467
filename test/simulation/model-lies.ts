// What a service in error may make of a request: another payment than was asked for.
import type { TransferFacts } from '../invariants/journal.ts';
import type { Quotation } from './model-records.ts';
import type { Random } from './random.ts';

export function wrongQuotation(exact: Quotation, random: Random): Quotation {
  const wrong = random.pick<Partial<Quotation>>([
    exact.mode === 'SOURCE_AMOUNT'
      ? { sourceAmount: exact.sourceAmount + 1n }
      : { destinationAmount: exact.destinationAmount - 1n },
    { payoutCorridorId: 'another' },
    { transferType: 'C2C' },
    { targetCurrency: 'USD' },
  ]);
  return { ...exact, ...wrong };
}

export function wrongTransfer(exact: TransferFacts, random: Random): TransferFacts {
  const info = exact.deliveryMethodInfo;
  const [field = 'msisdn'] = Object.keys(info);
  const wrong = random.pick<Partial<TransferFacts>>([
    { receiveAmount: exact.receiveAmount + 1n },
    { sendAmount: exact.sendAmount + 1n },
    { feeAmount: exact.feeAmount + 1n },
    { deliveryMethodInfo: { ...info, [field]: `${String(info[field])}0` } },
    { deliveryMethodInfo: { ...info, cardNumber: '6222000000000000' } },
    { purposeOfRemittance: 'GIFT' },
    { destinationCurrency: 'USD' },
  ]);
  return { ...exact, ...wrong };
}
