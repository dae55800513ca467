// The real client with a memory: every call that a process makes, and what came of it, so that the row machine can be told the same.
import { isFault, type Fault, type Operation } from '../../../src/service/errors.ts';
import type { Answer, PayoutService } from '../../../src/service/payout-service.ts';

/** What names the row: an id of ours, of a transfer or of a quotation; the list names none. */
export type Observed = {
  readonly operation: Operation;
  readonly id: string | null;
  readonly answer: Answer<unknown> | Fault;
};

export class ObservedCalls {
  #calls: Observed[] = [];

  /** Those that belong to a row, in their order; they are forgotten with it. */
  take(isOfRow: (call: Observed) => boolean): readonly Observed[] {
    const own = this.#calls.filter(isOfRow);
    // A page of the list belongs to many rows, and is old once another one is read.
    this.#calls = this.#calls.filter((call) => !own.includes(call) || call.operation === 'transfers');
    return own;
  }

  over(service: PayoutService): PayoutService {
    const seen = async <T>(
      operation: Operation,
      id: string | null,
      call: Promise<Answer<T>>,
    ): Promise<Answer<T>> => {
      try {
        const answer = await call;
        this.#keep({ operation, id, answer });
        return answer;
      } catch (error) {
        if (isFault(error)) this.#keep({ operation, id, answer: error });
        throw error;
      }
    };
    return {
      payoutCorridors: (filter) => service.payoutCorridors(filter),
      createQuotation: (request) =>
        seen('createQuotation', request.externalId, service.createQuotation(request)),
      quotation: (id) => seen('quotation', id, service.quotation(id)),
      quotationByExternalId: (id) => seen('quotationByExternalId', id, service.quotationByExternalId(id)),
      createTransfer: (request) =>
        seen('createTransfer', request.externalId, service.createTransfer(request)),
      transfer: (id) => seen('transfer', id, service.transfer(id)),
      transferByExternalId: (id) => seen('transferByExternalId', id, service.transferByExternalId(id)),
      transfers: (query) => seen('transfers', null, service.transfers(query)),
      uploadAttachment: (id, attachment) =>
        seen('uploadAttachment', id, service.uploadAttachment(id, attachment)),
      confirmTransfer: (id) => seen('confirmTransfer', id, service.confirmTransfer(id)),
      balances: () => service.balances(),
    };
  }

  #keep(call: Observed): void {
    this.#calls.push(call);
  }
}
