// Bugs in how the list is read, when many rows are followed by it at once.
import type { Mutant } from './mutant.ts';

const byList = (name: string, find: string, replace: string): Mutant => ({
  name,
  file: 'delivery/poll-by-list.ts',
  find,
  replace,
});

export const MUTANTS_OF_LISTS: readonly Mutant[] = [
  {
    name: 'a page of the list proves that a transfer was never confirmed',
    file: 'delivery/observe.ts',
    find: "const mayProve = !isListedOnly && inList?.value.status === 'created';",
    replace: 'const mayProve = false;',
    shownBy: 'test/delivery/look-at-held.test.ts',
  },
  byList(
    'a row that is missing from the list has failed',
    'if (transfer === null || shown === null) return null;',
    `if (transfer !== null && shown === null && listed.size > 0)
    return { kind: 'refused', stage: 'failed', learned: {} };
  if (transfer === null || shown === null) return null;`,
  ),
  byList(
    'a row that the list says anything of is paid',
    'const verdict = judgeTransfer(due.row.progress, shown.value, lookOf(due, tools, shown.serverTime));',
    `const verdict: Verdict = { ...judgeTransfer(due.row.progress, shown.value, lookOf(due, tools, shown.serverTime)), kind: 'advanced', stage: 'paid' } as Verdict;`,
  ),
  byList(
    'the list is believed about another amount',
    "if (shown.value.status === 'created' || !isSameTransfer(transfer, shown.value)) return null;",
    "if (shown.value.status === 'created' || isSameTransfer === null) return null;",
  ),
  byList(
    'what the list shows of one row is taken for all',
    'return listed.get(keyOf(transfer)) ?? null;',
    `const first = [...listed.values()][0];
  return first === undefined ? null : { ...first, value: { ...first.value, ...transfer, id: transfer.transferId, status: first.value.status, statusCode: first.value.statusCode } };`,
  ),
  {
    name: 'a list without an answer stops the run',
    file: 'delivery/observe.ts',
    find: `await readList(tools, known, listed);
  } catch (error) {
    if (!isFault(error)) throw error;`,
    replace: `await readList(tools, known, listed);
  } catch (error) {
    if (!isFault(error) || error.context.httpStatus !== null) throw error;`,
  },
];
