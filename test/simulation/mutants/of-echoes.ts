// Bugs in the comparison of what was asked with what the service says it made, and in what is sent.
import type { Mutant } from './mutant.ts';

const blind = (name: string, find: string, replace = ''): Mutant => ({
  name,
  file: 'delivery/requests.ts',
  find,
  replace,
});

export const MUTANTS_OF_ECHOES: readonly Mutant[] = [
  {
    name: 'what was found under our id (10011) is adopted unseen',
    file: 'delivery/settle.ts',
    find: 'if (price === null || transferDifferences(due, found, price).length > 0)',
    replace: 'if (price === null && transferDifferences === null)',
  },
  {
    name: 'what was created is not compared',
    file: 'delivery/calls.ts',
    find: 'if (transferDifferences(due, transfer, price, request.externalId).length > 0) {',
    replace: 'if (transferDifferences === null) {',
  },
  {
    name: 'what was created otherwise than asked is priced anew',
    file: 'delivery/calls.ts',
    find: "return { kind: 'held', code: 'echo_mismatch', learned: {}, foreign: toKnownTransfer(transfer) };",
    replace: 'return requote(due.row.progress);',
  },
  {
    name: 'what was created otherwise than asked is the transfer of its row',
    file: 'delivery/calls.ts',
    find: 'learned: {}, foreign: toKnownTransfer(transfer) };',
    replace: 'learned: { transfer: toKnownTransfer(transfer) } };',
    shownBy: 'test/delivery/checks-before-paying.test.ts',
  },
  {
    name: 'what was found under our id and differs is the transfer of its row',
    file: 'delivery/settle.ts',
    find: '...words, learned: {}, foreign: toKnownTransfer(found) };',
    replace: '...words, learned: { transfer: toKnownTransfer(found) } };',
    shownBy: 'test/delivery/checks-before-paying.test.ts',
  },
  {
    name: 'what was quoted is not compared',
    file: 'delivery/calls.ts',
    find: 'if (quotationDifferences(due, quotation).length > 0)',
    replace: 'if (quotationDifferences === null)',
  },
  blind('the account is not compared', '...deliveryDifferences(payout, transfer)]', ']'),
  blind('an added account is not noticed', ', ...addedFields(asked, echoed)]', ']'),
  blind('the amount sent is not compared', '    sendAmount: same(transfer.sendAmount, price.sendAmount),\n'),
  blind(
    'the amount received is not compared',
    '    receiveAmount: same(transfer.receiveAmount, price.receiveAmount),\n',
  ),
  blind(
    'the purpose is not compared',
    '    purposeOfRemittance: transfer.purposeOfRemittance === payout.purposeOfRemittance,\n',
  ),
  blind(
    'the currency received is not compared',
    '    destinationCurrency: transfer.destinationCurrency === payout.targetCurrency,\n',
  ),
  blind(
    'the amount asked for is not compared',
    "    amount: same(side === 'source' ? quotation.sourceAmount : quotation.destinationAmount, amount),\n",
  ),
  blind(
    'ids are compared letter for letter',
    'transfer.externalId.toLowerCase() === id',
    'transfer.externalId === id',
  ),
  {
    name: 'amounts are read as floats',
    file: 'base/exact-json.ts',
    find: 'return toDecimalText(this.text);',
    replace: 'return toDecimalText(String(Number(this.text)));',
  },
  {
    name: 'amounts are sent as floats',
    file: 'service/http-payout-service.ts',
    find: '{ sourceAmount: exactNumber(request.sourceAmount) }',
    replace: '{ sourceAmount: exactNumber(String(Number(request.sourceAmount))) }',
  },
  {
    name: 'another document is attached',
    file: 'delivery/confirm.ts',
    find: '{ contentType: document.contentType, bytes }',
    replace: '{ contentType: document.contentType, bytes: bytes.slice(1) }',
  },
  {
    name: 'the payee of a payment is lost on the way',
    file: 'delivery/requests.ts',
    find: 'deliveryMethodInfo: payout.deliveryMethodInfo,',
    replace: "deliveryMethodInfo: { ...payout.deliveryMethodInfo, msisdn: '+8613800000000' },",
  },
];
