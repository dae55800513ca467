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
    file: 'app/workflow/take/ready-files.ts',
    find: '[...names, ...returned].flat()',
    replace: '[...names, ...returned.slice(0, 0)].flat()',
    shownBy: 'test/app/watch/take-dropped.test.ts',
  },
  {
    name: 'a refused confirm (10027) is sent again',
    file: 'delivery/judge.ts',
    find: "followed(progress, now, { why: { errorCode: '10027', reason: NETWORK_REFUSED } })",
    replace: 'later({ lookedBy: now < 0 ? null : progress.lookedBy }, 1_000)',
  },
  {
    name: 'a refused confirm (10027) has failed, without a look',
    file: 'delivery/judge.ts',
    find: "followed(progress, now, { why: { errorCode: '10027', reason: NETWORK_REFUSED } })",
    replace:
      "({ kind: 'refused', stage: 'failed', learned: { why: { errorCode: `10027${String(now + progress.doubts).slice(99)}`, reason: NETWORK_REFUSED } } })",
  },
  {
    name: 'a confirm sent twice (10015) is paid',
    file: 'delivery/judge.ts',
    find: '10015: (_fault, progress, { now }) => followed(progress, now, {}),',
    replace: "10015: () => ({ kind: 'advanced', stage: 'paid', learned: {} }),",
  },
  {
    name: 'missing funds (10024) reject the row',
    file: 'delivery/judge.ts',
    find: `function fundsOut({ context }: Refused): Verdict {
  return {`,
    replace: `function fundsOut(fault: Refused): Verdict {
  const { context } = fault;
  if (context.operation !== 'confirmTransfer') return rejectNow(fault);
  return {`,
  },
  {
    name: 'a refused key rejects the row',
    file: 'delivery/judge.ts',
    find: `    case 'credentials':
      return {`,
    replace: `    case 'credentials':
      if (context.operation === 'createQuotation') return { kind: 'refused', stage: 'rejected', learned };
      return {`,
    shownBy: 'test/delivery/judge.test.ts',
  },
  {
    name: 'a refused key is asked with again and again',
    file: 'delivery/judge.ts',
    find: `        breaker: 'credentials',
        retryAfterMs,
        final: true,`,
    replace: `        breaker: 'service',
        retryAfterMs,
        final: false,`,
  },
  {
    name: 'a quotation id that was used (10002) rejects the row',
    file: 'delivery/calls.ts',
    find: 'if (!(error instanceof Refused && error.errorCode === 10002)) throw error;',
    replace: `if (error instanceof Refused && error.errorCode === 10002) throw new Refused(10001, '', error.context);
    throw error;`,
  },
  {
    name: 'a transfer id that was used (10011) is a collision',
    file: 'delivery/judge.ts',
    find: '10011: (_fault, progress) => standsAlready(progress)',
    replace: "10011: (_fault, progress) => held(progress.doubts < 0 ? 'document_refused' : 'id_collision')",
  },
  {
    name: 'a create that was told of its transfer is rejected beside it',
    file: 'delivery/judge.ts',
    find: 'const mayArriveUntil = arrivesUntil(progress);',
    replace: 'const mayArriveUntil = null;',
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
    file: 'delivery/judge.ts',
    find: "if (operation === 'createTransfer') return { lookedBy: null, mayArriveUntil",
    replace: "if (operation === 'createTransfer') return { mayArriveUntil",
  },
  {
    name: 'a confirm without an answer is repeated without a look',
    file: 'delivery/judge.ts',
    find: "if (operation === 'confirmTransfer') return { lookedBy: null, confirm: 'sent' };",
    replace: "if (operation === 'confirmTransfer') return { confirm: 'sent' };",
  },
  {
    name: 'mutations are repeated by the transport',
    file: 'service/http-payout-service.ts',
    find: "if (OPERATIONS[fault.context.operation] === 'mutation') return { again: false };",
    replace: 'if (tries > 2) return { again: false };',
  },
  {
    name: 'a refused create is believed without a look',
    file: 'delivery/judge.ts',
    find: `function refusedUnlessFound(fault: Refused): Verdict {`,
    replace: `function refusedUnlessFound(fault: Refused): Verdict {
  if (fault.errorCode > 0)
    return { kind: 'refused', stage: 'rejected', learned: { errorCode: String(fault.errorCode), reason: null } };`,
    shownBy: 'test/delivery/judge.test.ts',
  },
  {
    name: 'a refused price is believed while a create of the row may still arrive',
    file: 'delivery/step.ts',
    find: ': unlessCreated(verdict, due);',
    replace: ': verdict;',
  },
  {
    name: 'a create without an answer is forgotten once a look was in vain',
    file: 'delivery/judge.ts',
    find: '{ lookedBy: null, mayArriveUntil: arrivesUntil(progress) }',
    replace: '{ lookedBy: null, mayArriveUntil: null }',
    shownBy: 'test/delivery/refused-creates.test.ts',
  },
  {
    name: 'a refused create is believed after one look, however stale',
    file: 'delivery/judge.ts',
    find: 'const isTold = until === null && (!isFirst || serverTime !== null);',
    replace: 'const isTold = until !== Infinity && (!isFirst || serverTime !== null);',
  },
  {
    name: 'a refusal is believed although another run may have sent the row',
    file: 'delivery/judge.ts',
    find: 'if (!isForGood || isCertainlyUnpaid(',
    replace:
      'if (!isForGood || (progress.mayArriveUntil ?? doubtSince ?? progress.price) === null || isCertainlyUnpaid(',
    shownBy: 'test/delivery/refused-after-loss.test.ts',
  },
  {
    name: 'a refusal of what another run may have sent is in doubt anew with each look',
    file: 'delivery/judge.ts',
    find: 'const since = isFirst && serverTime !== null ? isoTime(serverTime) : progress.mayArriveUntil;',
    replace: 'const since = progress.mayArriveUntil;',
    shownBy: 'test/delivery/refused-after-loss.test.ts',
  },
  {
    name: 'a missing document (10022) is not sent again',
    file: 'delivery/confirm.ts',
    find: 'if (document === null || isAttached(progress))',
    replace: "if (document === null || progress.document !== 'none')",
    shownBy: 'test/delivery/checks-before-paying.test.ts',
  },
  {
    name: 'what is held is sent again at the next look',
    file: 'delivery/settle-held.ts',
    find: "return { is: 'quiet', seen: stillCreated(asked, known, shown.serverTime), isStillCreated: true };",
    replace:
      "return { is: 'quiet', seen: { progress: { ...row.progress, stage: 'created', hold: null }, dueAt: 0, event: 'tried again' }, isStillCreated: true };",
  },
  {
    name: 'a clock that was set makes a storm of looks',
    file: 'delivery/judge-transfer.ts',
    find: 'Math.abs(since) / 2',
    replace: 'since / 2',
  },
  {
    name: 'a submitted transfer is looked at without a pause',
    file: 'delivery/judge-transfer.ts',
    find: 'Math.min(look.pollEveryMs, Math.max(POLL_FIRST_MS, Math.abs(since) / 2))',
    replace: 'Math.min(look.pollEveryMs, since * 0 + 100)',
  },
  {
    name: 'a failed transfer is called paid',
    file: 'delivery/judge-transfer.ts',
    find: "return { kind: 'refused', stage: 'failed', learned };",
    replace:
      "return known.statusCode === '100001' ? { kind: 'advanced', stage: 'paid', learned } : { kind: 'refused', stage: 'failed', learned };",
  },
  {
    name: 'a submitted transfer is called paid',
    file: 'delivery/judge-transfer.ts',
    find: `    case 'confirmed':
      return pollAgain(progress, known, look);
    default:`,
    replace: `    case 'confirmed':
      return { kind: 'advanced', stage: 'paid', learned: { ...ended(progress, known, look) } };
    default:`,
  },
];
