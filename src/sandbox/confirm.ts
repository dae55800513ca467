// `POST /transfers/{id}/confirm`: the one call that pays. Its checks stand in an order that tells a caller who lost the first answer the
// truth: confirmed before, then too late, then the document.
import { emptySuccess, refusal, type Answer } from './answers.ts';
import { endingOf } from './magic-values.ts';
import { refuseAtConfirm, submit } from './payout-network.ts';
import type { QuotationRecord, TransferRecord } from './records.ts';
import type { Sandbox, SandboxRequest } from './sandbox.ts';
import { quotationOf } from './transfer-view.ts';

export function confirmTransfer(sandbox: Sandbox, { id }: SandboxRequest): Answer {
  const transfer = sandbox.state.transfers.get(id);
  if (transfer === undefined) return refusal(10014);
  if (transfer.status !== 'created') return refusal(10015);
  const quotation = quotationOf(sandbox.state, transfer);
  // What happens to a transfer that is confirmed too late is not shown: it stays `created`, and its funds stay reserved.
  if (sandbox.clock.now() >= Date.parse(quotation.expiredAt)) return refusal(10016);
  if (lacksDocument(sandbox, transfer, quotation)) return refusal(10022);
  if (endingOf(transfer).kind === 'refusedAtConfirm') {
    refuseAtConfirm(sandbox, transfer);
    return refusal(10027);
  }
  submit(sandbox, transfer);
  return emptySuccess;
}

function lacksDocument({ state }: Sandbox, transfer: TransferRecord, quotation: QuotationRecord): boolean {
  const method = state.corridors.get(quotation.payoutCorridorId)?.deliveryMethod;
  return method === 'bankTransfer' && !transfer.hasAttachment;
}
