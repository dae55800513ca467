// One call of each operation, and what came of it in a few words.
import { isFault, Refused, type Operation } from '../../src/service/errors.ts';
import type { Answer, PayoutService } from '../../src/service/payout-service.ts';
import { walletQuotation, walletTransfer } from './requests.ts';

export const CALLS: Readonly<Record<Operation, (service: PayoutService) => Promise<Answer<unknown>>>> = {
  payoutCorridors: (service) => service.payoutCorridors(),
  createQuotation: (service) => service.createQuotation(walletQuotation('e-1')),
  quotation: (service) => service.quotation('q-1'),
  quotationByExternalId: (service) => service.quotationByExternalId('e-1'),
  createTransfer: (service) => service.createTransfer(walletTransfer('q-1', 'e-1')),
  transfer: (service) => service.transfer('t-1'),
  transferByExternalId: (service) => service.transferByExternalId('e-1'),
  transfers: (service) => service.transfers({}),
  uploadAttachment: (service) =>
    service.uploadAttachment('t-1', { contentType: 'application/pdf', bytes: Buffer.from('%PDF-') }),
  confirmTransfer: (service) => service.confirmTransfer('t-1'),
  balances: (service) => service.balances(),
};

/** `success`, `Refused 10011`, or the fault's class and reason: `Unanswered timeout`. What is no fault is thrown on. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'success';
  } catch (error) {
    if (!isFault(error)) throw error;
    return error instanceof Refused ? `Refused ${String(error.errorCode)}` : `${error.name} ${error.reason}`;
  }
}
