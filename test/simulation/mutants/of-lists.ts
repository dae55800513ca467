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
    'return listed.get(keyOf(transfer)) ?? null;',
    `const first = [...listed.values()][0] ?? null;
  return listed.get(keyOf(transfer)) ?? (first && { ...first, value: { ...first.value, ...transfer, id: transfer.transferId, status: 'failed', statusCode: '100002' } });`,
  ),
  {
    name: 'a row that the list says anything of is paid',
    file: 'delivery/carry-row.ts',
    find: 'return { ...at, state: apply({ ...at.state, mustLook: false }, event, this.#now(at.due)) };',
    replace: `const state = apply({ ...at.state, mustLook: false }, event, this.#now(at.due));
    return { ...at, state: { ...state, end: 'paid', finalAt: this.#now(at.due).local, hold: null, closing: null, mustLook: false } };`,
  },
  {
    name: 'the list is believed about another amount',
    file: 'delivery/carry-row.ts',
    find: 'differs: transfer === null || !isSameTransfer(transfer, value),',
    replace: 'differs: transfer === null,',
  },
  byList(
    'what the list shows of one row is taken for all',
    'return listed.get(keyOf(transfer)) ?? null;',
    `const first = [...listed.values()][0];
  return first === undefined ? null : { ...first, value: { ...first.value, ...transfer, id: transfer.transferId, status: first.value.status, statusCode: first.value.statusCode } };`,
  ),
  {
    name: 'a list without an answer stops the run',
    file: 'delivery/observe.ts',
    find: `if (together.length >= least) await readList(tools, together, listed);
  } catch (error) {
    if (!isFault(error)) throw error;`,
    replace: `if (together.length >= least) await readList(tools, together, listed);
  } catch (error) {
    if (!isFault(error) || error.context.httpStatus !== null) throw error;`,
  },
];
