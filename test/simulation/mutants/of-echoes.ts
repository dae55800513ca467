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
    file: 'delivery/make-call.ts',
    find: 'const differs = price === null || transferDifferences(row, value, price, id).length > 0;',
    replace: 'const differs = price === null && transferDifferences === null;',
  },
  {
    name: 'what was created is not compared',
    file: 'delivery/make-call.ts',
    find: 'const differs = transferDifferences(row, value, price, id).length > 0;',
    replace: 'const differs = transferDifferences === null;',
  },
  {
    name: 'what was created otherwise than asked is priced anew',
    file: 'payouts/row-machine/on-transfer.ts',
    find: "const code = by === 'create' ? 'echo_mismatch' : 'id_collision';",
    replace: `if (by === 'create') return { ...row, price: null, quotation: row.quotation + 1, due: 0 };
  const code = by === 'list' ? 'echo_mismatch' : 'id_collision';`,
  },
  {
    name: 'what was created otherwise than asked is the transfer of its row',
    file: 'payouts/row-machine/on-transfer.ts',
    find: `const foreign = known === null ? { foreign: transfer } : {};
  return held({ ...row,`,
    replace: `const foreign = known === null && by !== 'create' ? { foreign: transfer } : {};
  return held({ ...row, transfer: by === 'create' ? transfer : known,`,
    shownBy: 'test/delivery/checks-before-paying.test.ts',
  },
  {
    name: 'what was found under our id and differs is the transfer of its row',
    file: 'payouts/row-machine/on-transfer.ts',
    find: `const foreign = known === null ? { foreign: transfer } : {};
  return held({ ...row,`,
    replace: `const foreign = known === null && by === 'create' ? { foreign: transfer } : {};
  return held({ ...row, transfer: by === 'create' ? known : transfer,`,
    shownBy: 'test/delivery/checks-before-paying.test.ts',
  },
  {
    name: 'what was quoted is not compared',
    file: 'delivery/make-call.ts',
    find: 'const differs = quotationDifferences(row, value).length > 0;',
    replace: 'const differs = quotationDifferences === null;',
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
    file: 'delivery/make-call.ts',
    find: 'uploadAttachment(transferId, { contentType, bytes })',
    replace: 'uploadAttachment(transferId, { contentType, bytes: bytes.slice(1) })',
  },
  {
    name: 'the payee of a payment is lost on the way',
    file: 'delivery/requests.ts',
    find: 'deliveryMethodInfo: payout.deliveryMethodInfo,',
    replace: "deliveryMethodInfo: { ...payout.deliveryMethodInfo, msisdn: '+8613800000000' },",
  },
];
