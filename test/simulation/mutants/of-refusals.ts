// Bugs in how a response of the service, or its absence, is judged.
import type { Mutant } from './mutant.ts';

export const MUTANTS_OF_REFUSALS: readonly Mutant[] = [
  {
    name: 'a stop file with a line of text is taken as a file of payments',
    file: 'inbox/inbox-entries.ts',
    find: '  if (isStopName(name)) return',
    replace: "  if (name === 'STOP') return",
    shownBy: 'test/app/stop-file.test.ts',
  },
  {
    name: 'a remark that says not to pay is not read',
    file: 'rows/said-of-rows.ts',
    find: '|| isOrder(cell)',
    replace: "|| (cell === 'no' && isOrder(cell))",
    shownBy: 'test/app/examined-file.test.ts',
  },
  {
    name: 'a document that a corrected file brings stays in the inbox',
    file: 'app/workflow/ready-files.ts',
    find: '[...names, ...returned].flat()',
    replace: '[...names, ...returned.slice(0, 0)].flat()',
    shownBy: 'test/app/watch/take-dropped.test.ts',
  },
  {
    name: 'a refused confirm (10027) is sent again',
    file: 'payouts/row-machine/on-refused.ts',
    find: 'return { ...onItsWay({ ...row, tries: 0 }, now), networkRefusal: NETWORK_REFUSED };',
    replace: 'return { ...row, due: now.local + 1_000 };',
  },
  {
    name: 'a refused confirm (10027) has failed, without a look',
    file: 'payouts/row-machine/on-refused.ts',
    find: 'return { ...onItsWay({ ...row, tries: 0 }, now), networkRefusal: NETWORK_REFUSED };',
    replace: "return { ...row, end: 'failed', why: NETWORK_REFUSED, finalAt: now.local, due: 0 };",
  },
  {
    name: 'a confirm sent twice (10015) is paid',
    file: 'payouts/row-machine/on-refused.ts',
    find: 'return { ...confirmTaken(row, now), mustLook: true };',
    replace: "return { ...confirmTaken(row, now), end: 'paid', finalAt: now.local, due: 0 };",
  },
  {
    name: 'missing funds (10024) reject the row',
    file: 'delivery/make-call.ts',
    find: 'if (errorCode === 10024) return',
    replace: `if (errorCode === 10024 && call.do !== 'confirm')
    return { on: 'refused', call: call.do, errorCode: 10001, words, at };
  if (errorCode === 10024) return`,
  },
  {
    name: 'a refused key rejects the row',
    file: 'delivery/make-call.ts',
    find: 'if (fault instanceof Unavailable) {',
    replace: `if (fault instanceof Unavailable && fault.reason === 'credentials' && call.do === 'quote')
    return { on: 'refused', call: 'quote', errorCode: 10001, words: '', at };
  if (fault instanceof Unavailable) {`,
  },
  {
    name: 'a refused key is asked with again and again',
    file: 'delivery/paced-transport.ts',
    find: 'if (isFinal) this.#stop =',
    replace: "if (isFinal && fault.reason === 'redirected') this.#stop =",
  },
  {
    name: 'a quotation id that was used (10002) rejects the row',
    file: 'payouts/row-machine/on-refused.ts',
    find: 'return { ...row, isQuotationThere: true, due: 0 };',
    replace: "return closing(row, 'rejected', noOf(refusal), now);",
  },
  {
    name: 'a transfer id that was used (10011) is a collision',
    file: 'payouts/row-machine/on-refused.ts',
    find: 'case 10011:',
    replace: `case 10011:
      return held(row, 'id_collision', now);`,
    shownBy: 'test/delivery/later-attempt.test.ts',
  },
  {
    name: 'a create that was told of its transfer is rejected beside it',
    file: 'payouts/row-machine/on-refused.ts',
    find: 'case 10011:',
    replace: `case 10011:
      return { ...lookedForLater(row, now), mustLook: true };`,
    shownBy: 'test/delivery/refused-creates.test.ts',
  },
  {
    name: 'a broken server (10001 without 400) has refused',
    file: 'service/read-answer.ts',
    find: 'if (errorCode === 10001 && context.httpStatus !== 400)',
    replace: 'if (errorCode === 10001 && context.httpStatus === null)',
  },
  {
    name: 'any page with 200 confirms',
    file: 'service/read-answer.ts',
    find: "return expected.empty === 'ignored' || body.isEmpty || body.json === null ? (null as T) : NO_SUCCESS;",
    replace: 'return null as T;',
    from: 103_000,
  },
  {
    name: 'a create without an answer is repeated without a look',
    file: 'payouts/row-machine/apply.ts',
    find: "event.call === 'create' || event.call === 'confirm' ?",
    replace: "event.call === 'confirm' ?",
  },
  {
    name: 'a confirm without an answer is repeated without a look',
    file: 'payouts/row-machine/apply.ts',
    find: "event.call === 'create' || event.call === 'confirm' ?",
    replace: "event.call === 'create' ?",
  },
  {
    name: 'mutations are repeated by the transport',
    file: 'service/http-payout-service.ts',
    find: "if (OPERATIONS[fault.context.operation] === 'mutation') return { again: false };",
    replace: 'if (tries > 2) return { again: false };',
  },
  {
    name: 'a refused create is believed without a look',
    file: 'payouts/row-machine/on-refused.ts',
    find: 'case 10019:',
    replace: `case 10019:
      return { ...row, end: 'rejected', why: noOf(refusal), finalAt: now.local, due: 0 };`,
  },
  {
    name: 'a refused price is believed while a create of the row may still arrive',
    file: 'payouts/row-machine/on-refused.ts',
    find: `return closing(row, 'rejected', noOf(refusal), now);
    case 10002:`,
    replace: `return { ...row, end: 'rejected', why: noOf(refusal), finalAt: now.local, due: 0 };
    case 10002:`,
  },
  {
    name: 'a create without an answer is forgotten once a look was in vain',
    file: 'payouts/row-machine/on-transfer.ts',
    find: `  // Never seen, never given up: created again under the same id.
  return { ...row,`,
    replace: '  return { ...row, mayLandUntil: null,',
    shownBy: 'test/delivery/refused-creates.test.ts',
  },
  {
    name: 'a refused create is believed after one look, however stale',
    file: 'payouts/row-machine/on-transfer.ts',
    find: 'return until === null ? ownIsOver(asked, at, now)',
    replace: 'return until !== Infinity ? ownIsOver(asked, at, now)',
  },
  {
    name: 'a refusal is believed although another run may have sent the row',
    file: 'payouts/proof.ts',
    find: 'return isVouched(row, by) && isUntouched &&',
    replace: 'return isUntouched &&',
    shownBy: 'test/delivery/refused-after-loss.test.ts',
  },
  {
    name: 'a refusal of what another run may have sent is in doubt anew with each look',
    file: 'payouts/row-machine/on-transfer.ts',
    find: '|| isVouched(row, now) || row.mayLandUntil !== null) return row;',
    replace: '|| isVouched(row, now)) return row;',
    shownBy: 'test/explore/row-machine.test.ts',
  },
  {
    name: 'a missing document (10022) is not sent again',
    file: 'payouts/row-machine/next.ts',
    find: "const isMissing = row.document === 'none' || row.document === 'demanded';",
    replace: "const isMissing = row.document === 'none';",
    shownBy: 'test/delivery/checks-before-paying.test.ts',
  },
  {
    name: 'what is held is sent again at the next look',
    file: 'delivery/look-at-held.ts',
    find: 'const seen = isSame(progress, row.progress)',
    replace: `const seen = isQuiet && shown?.transfer.status === 'created'
    ? { progress: { ...progress, hold: null }, dueAt: 0, event: 'tried again' }
    : isSame(progress, row.progress)`,
  },
  {
    name: 'a clock that was set makes a storm of looks',
    file: 'payouts/row-machine/changes.ts',
    find: 'Math.abs(now.local - row.confirmedAt)',
    replace: 'now.local - row.confirmedAt',
  },
  {
    name: 'a submitted transfer is looked at without a pause',
    file: 'payouts/row-machine/changes.ts',
    find: 'Math.min(now.terms.pollEveryMs, Math.max(POLL_FIRST_MS, since / 2))',
    replace: 'Math.min(now.terms.pollEveryMs, since < 0 ? POLL_FIRST_MS : 100)',
  },
  {
    name: 'a failed transfer is called paid',
    file: 'payouts/row-machine/on-transfer.ts',
    find: 'return onFailed(seen, shown.at, now);',
    replace:
      "return transfer.statusCode === '100001' ? ended(seen, 'paid', null, now) : onFailed(seen, shown.at, now);",
  },
  {
    name: 'a submitted transfer is called paid',
    file: 'payouts/row-machine/on-transfer.ts',
    find: 'return onItsWay(seen, now);',
    replace: "return ended({ ...seen, confirmedAt: seen.confirmedAt ?? now.local }, 'paid', null, now);",
  },
];
