// Bugs in the reading of payment messages: whose account, how many, which way, and under which name.
import type { Mutant } from './mutant.ts';

const MAPPING = 'test/rows/pain001/mapping.test.ts';
const REFUSED = 'test/rows/pain001/refused-messages.test.ts';
const TOLD = 'test/app/status-messages.test.ts';
const REPORTED = 'test/app/reported-rejected.test.ts';
const PAID = 'test/app/payment-messages.test.ts';
const ADVISED = 'test/app/debit-advices.test.ts';
const DAYS = 'test/app/message-days.test.ts';
const RULES = 'test/app/message-rules.test.ts';
const CHANGED = 'test/app/approval/approve.test.ts';

export const MUTANTS_OF_MESSAGES: readonly Mutant[] = [
  {
    name: 'a rebuilt ledger pays what an answer reported as rejected',
    file: 'app/workflow/resolve-doubt/unseen-rows.ts',
    find: 'if (isUnpaid && errorCode !== undefined) {',
    replace: "if (isUnpaid && errorCode === 'never') {",
    shownBy: REPORTED,
  },
  {
    name: 'a rejection that was told is forgotten where a transfer has the id of its row',
    file: 'app/workflow/resolve-doubt/unseen-rows.ts',
    find: 'if (isUnpaid && errorCode !== undefined) {',
    replace: 'if (transfer === null && errorCode !== undefined) {',
    shownBy: REPORTED,
  },
  {
    name: 'a ledger from before a rejection was told passes for the latest',
    file: 'app/workflow/close/told-status.ts',
    find: 'await raiseEpoch(paydrop, batch.id, { rejected: facts });',
    replace: 'await keepManifest(paydrop, batch.id, { rejected: facts });',
    shownBy: REPORTED,
  },
  {
    name: 'what one day of a message reports of another is not kept there',
    file: 'app/workflow/close/tell-status.ts',
    find: 'for (const day of days) await keepRejected(paydrop, day);',
    replace: 'await keepRejected(paydrop, batch);',
    shownBy: REPORTED,
  },
  {
    name: 'a corrected row is no reason against the row that it came from',
    file: 'ledger/sqlite/encounters-query.ts',
    find: "FROM_PLACE(`${WITHOUT_DATE('m.batch')} || '/' || m.row`)",
    replace: "FROM_PLACE(`'-' || ${WITHOUT_DATE('m.batch')} || '/' || m.row`)",
    shownBy: REPORTED,
  },
  {
    name: 'a message that debits any account is paid',
    file: 'rows/pain001/around-payment.ts',
    find: 'return bare(account) === bare(other);',
    replace: "return bare(account) === bare(other) || other !== '';",
    shownBy: REFUSED,
  },
  {
    name: 'the number of payments is compared as text',
    file: 'rows/pain001/around-payment.ts',
    find: 'BigInt(stated) !== BigInt(count)',
    replace: 'stated !== String(count)',
    shownBy: REFUSED,
  },
  {
    name: 'a sum is compared in floating point',
    file: 'rows/pain001/around-payment.ts',
    find: '(exact === null || compareDecimals(exact, sum) !== 0)',
    replace: 'Number(exact) !== Number(sum)',
    shownBy: REFUSED,
  },
  {
    name: 'the category of a block wins over that of the payment',
    file: 'rows/pain001/map-payment.ts',
    find: "    elementAt(payment, 'PmtTpInf', 'CtgyPurp') ??\n    elementAt(block, 'PmtTpInf', 'CtgyPurp')",
    replace:
      "    elementAt(block, 'PmtTpInf', 'CtgyPurp') ??\n    elementAt(payment, 'PmtTpInf', 'CtgyPurp')",
    shownBy: MAPPING,
  },
  {
    name: 'an account is ours in whatever folder its message lies',
    file: 'app/workflow/take/read-batch-file.ts',
    find: 'isFromHere: origin === null || folder === null ||',
    replace: "isFromHere: origin === null || folder !== '' ||",
    shownBy: RULES,
  },
  {
    name: 'the copy of a message is read again whatever it holds by now',
    file: 'app/workflow/take/profile-for.ts',
    find: '    (hash) => hash === sha256,',
    replace: "    (hash) => hash !== '' || sha256 === '',",
    shownBy: CHANGED,
  },
  {
    name: 'the number of a status message is used again after a kill',
    file: 'app/workflow/close/told-status.ts',
    find: '  if (hash !== told.sha256) {',
    replace: "  if (hash !== '') {",
    shownBy: TOLD,
  },
  {
    name: 'a check tells the program that its message is accepted',
    file: 'app/desk/check-file.ts',
    find: '  const answer = await writeToFix(paydrop, batch, read, check, found.rejected);',
    replace:
      "  const answer = await writeToFix(paydrop, batch, read, check, found.rejected);\n  const place = answersOfUntaken(paydrop, batch);\n  await publishJson(place, place.nameOf('status-1', 'xml'), {});",
    shownBy: TOLD,
  },
  {
    name: 'an amount to debit is one that arrives',
    file: 'rows/pain001/map-payment.ts',
    find: "cells.sourceAmount = plainDecimal(equivalent?.text ?? '');",
    replace: "cells.amount = plainDecimal(equivalent?.text ?? '');",
    shownBy: MAPPING,
  },
  {
    name: 'the bank of the later versions is not read',
    file: 'rows/pain001/map-delivery.ts',
    find: "textAt(bank, 'BICFI') || textAt(bank, 'BIC')",
    replace: "textAt(bank, 'BIC')",
    shownBy: MAPPING,
  },
  {
    name: 'a town is cut out of a line of the address',
    file: 'rows/pain001/map-payment.ts',
    find: "textAt(payee, 'PstlAdr', 'TwnNm')",
    replace: "textAt(payee, 'PstlAdr', 'TwnNm') || textAt(payee, 'PstlAdr', 'AdrLine')",
    shownBy: MAPPING,
  },
  {
    name: 'an echo loses its blanks',
    file: 'rows/pain001/map-payment.ts',
    find: "cells['iso.endToEndId'] = endToEndId;",
    replace: "cells['iso.endToEndId'] = endToEndId.trim();",
    shownBy: MAPPING,
  },
  {
    name: 'a purpose that nobody knows is passed on',
    file: 'rows/pain001/map-payment.ts',
    find: 'PURPOSES.get(code) ?? code.toLowerCase()',
    replace: 'PURPOSES.get(code) ?? code',
    shownBy: PAID,
  },
  {
    name: 'of two payments of one reference the first is paid',
    file: 'rows/pain001/around-payment.ts',
    find: 'if (hash !== undefined && hash === sorted[index - 1]) found.add(hash);',
    replace: 'if (hash === undefined) found.add(0n);',
    shownBy: PAID,
  },
  {
    name: 'the text before a comment is lost',
    file: 'rows/pain001/read-message.ts',
    find: 'current.text += content;',
    replace: 'current.text = content;',
    shownBy: REFUSED,
  },
  {
    name: 'a document type is let through',
    file: 'rows/pain001/read-message.ts',
    find: "      throw new FileRefused('xml_bomb', sentence('readMessage.doctype'));",
    replace: '      this.#untold = 0;',
    shownBy: REFUSED,
  },
  {
    name: 'a message is paid again under its own name',
    file: 'app/workflow/take/take-batch.ts',
    find: 'if (!again) await assertMessageIsNew(paydrop, path, batch);',
    replace: 'if (again) await assertMessageIsNew(paydrop, path, batch);',
    shownBy: PAID,
  },
  {
    name: 'a duplicate is told as rejected',
    file: 'results/status-codes.ts',
    find: "return { status: 'PDNG', reasons: [{ iso: DUPLICATE, own: errorCode ?? '' }] };",
    replace: "return { status: 'RJCT', reasons: [{ iso: DUPLICATE, own: errorCode ?? '' }] };",
    shownBy: TOLD,
  },
  {
    name: 'what is paid is listed where rejections alone are',
    file: 'app/workflow/close/tell-status.ts',
    find: "return status !== before && (detail === 'changes' || status === 'RJCT');",
    replace: "return status !== before && status !== 'ACCP';",
    shownBy: TOLD,
  },
  {
    name: 'a rejection is told in every message',
    file: 'app/workflow/close/tell-status.ts',
    find: "return status !== before && (detail === 'changes' || status === 'RJCT');",
    replace: "return status === 'RJCT' || (detail === 'changes' && status !== before);",
    shownBy: TOLD,
  },
  {
    name: 'a line of a reason is longer than its schema allows',
    file: 'results/status-report.ts',
    find: 'const LINE_CHARS = 105;',
    replace: 'const LINE_CHARS = 106;',
    shownBy: TOLD,
  },
  {
    name: 'a refused message whose payments are made elsewhere is rejected',
    file: 'app/workflow/close/tell-status.ts',
    find: 'return met !== null && met.other.batch !== batch.id;',
    replace: "return met !== null && met.other.batch === '';",
    shownBy: TOLD,
  },
  {
    name: 'the program of a bank’s file is told of its refusal',
    file: 'rows/pain001/around-payment.ts',
    find: 'return isAnyDebtor || debtor?.isFromHere === true;',
    replace: 'return isAnyDebtor || debtors.length > 0 || debtor?.isFromHere === true;',
    shownBy: TOLD,
  },
  {
    name: 'a row that was told as rejected is paid from a spreadsheet',
    file: 'app/workflow/take/tell-refused.ts',
    find: 'if (isFromThere || (reference !== null && told.references.has(asCompared(reference))))',
    replace: 'if (isFromThere && reference === null)',
    shownBy: TOLD,
  },
  {
    name: 'a day of a message is accepted before the others are checked',
    file: 'app/workflow/check/check-batch.ts',
    find: 'days.every(isAgreeing);',
    replace: 'days.some(isAgreeing);',
    shownBy: DAYS,
  },
  {
    name: 'what is wrong on one day of a message refuses that day alone',
    file: 'app/workflow/check/check-batch.ts',
    find: 'for (const { id } of days) if ((await rowsToFix(paydrop, id)) > 0) return true;',
    replace:
      'for (const { id } of days) if (id === batch.id && (await rowsToFix(paydrop, id)) > 0) return true;',
    shownBy: DAYS,
  },
  {
    name: 'the second day of a message is paid under the ids of the first',
    file: 'app/workflow/take/same-bytes.ts',
    find: 'onDayOf(occurrenceOf(batch.fileId), day))',
    replace: 'occurrenceOf(batch.fileId))',
    shownBy: DAYS,
  },
  {
    name: 'each day of a message numbers its status messages by itself',
    file: 'app/workflow/close/told-status.ts',
    find: 'if (other !== null && other.number > last.number) last = other;',
    replace: 'if (other !== null && other.number < 0) last = other;',
    shownBy: DAYS,
  },
  {
    name: 'a rebuilt day of a message is paid at once',
    file: 'app/workflow/take/decide-pay-at.ts',
    find: '  if (whole === undefined) return null;\n  const dues',
    replace: '  if (whole !== undefined) return null;\n  const dues',
    shownBy: DAYS,
  },
  {
    name: 'a debit is told in every advice',
    file: 'app/workflow/close/finish-batch.ts',
    find: 'if (was !== is) yield',
    replace: 'if (was !== is || is === true) yield',
    shownBy: ADVISED,
  },
  {
    name: 'the fee is left out of a debit that is told',
    file: 'results/debit-advice.ts',
    find: 'const debited = debitOf(transfer);',
    replace: 'const debited = transfer.sendAmount;',
    shownBy: ADVISED,
  },
  {
    name: 'what nobody knows any more of is told as debited again',
    file: 'app/workflow/close/finish-batch.ts',
    find: 'if (kept?.advised === undefined && (await wasAdvised(paydrop, batch))) return [];',
    replace: 'if (kept?.advised === null) return [];',
    shownBy: ADVISED,
  },
];
