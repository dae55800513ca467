// Bugs in what the word of a person does to held rows.
import type { Mutant } from './mutant.ts';

export const MUTANTS_OF_DECISIONS: readonly Mutant[] = [
  {
    name: 'a row that may be paid is closed without a look',
    file: 'app/workflow/decisions/look-before-closing.ts',
    find: 'if (!isDoubtful(progress)) return true;',
    replace: 'if (progress.hold !== null) return true;',
    shownBy: 'test/app/look-before-closing.test.ts',
  },
  {
    name: 'a row that was confirmed is closed by the word of a person',
    file: 'payouts/progress.ts',
    find: 'if (confirmedAt !== null) return !isToClose || !isForPerson(progress);',
    replace: 'if (confirmedAt !== null) return !isToClose;',
    shownBy: 'test/app/close-in-time.test.ts',
  },
  {
    name: 'a row that is let go is no longer in doubt',
    file: 'app/workflow/decisions/look-before-closing.ts',
    find: '    lookedBy: null,',
    replace: "    lookedBy: null,\n    confirm: 'none',",
    shownBy: 'test/app/decide-held.test.ts',
  },
  {
    name: 'who decides about one attempt that is back decides about all that may come back',
    file: 'app/workflow/decisions/look-before-closing.ts',
    find: "attempt.revived === 'seen' ?",
    replace: "attempt.revived !== 'decided' ?",
    shownBy: 'test/app/decide-held.test.ts',
  },
  {
    name: 'what is let go is sent without a look',
    file: 'app/workflow/decisions/look-before-closing.ts',
    find: '    lookedBy: null,',
    replace: '    lookedBy: progress.lookedBy,',
    shownBy: 'test/app/decide-held.test.ts',
  },
  {
    name: 'earlier attempts are not looked at before a later one is sent',
    file: 'payouts/row-machine/next.ts',
    find: ".find(({ revived }) => revived !== 'decided');",
    replace: ".find(({ revived }) => revived === 'seen');",
    shownBy: 'test/delivery/revived.test.ts',
  },
  {
    name: 'what differs from its row is confirmed once it is let go',
    file: 'app/workflow/decisions/look-before-closing.ts',
    find: "if (HOLDS[hold.code].lifts === 'release') return true;",
    replace: "if (hold.code === 'echo_mismatch' || HOLDS[hold.code].lifts === 'release') return true;",
    shownBy: 'test/app/look-before-closing.test.ts',
  },
  {
    name: 'what was cancelled stands in the ledger alone',
    file: 'app/workflow/decisions/release-rows.ts',
    find: 'await keepManifest(records, batch.id, addClosed(closed));',
    replace: 'await keepManifest(records, batch.id, addClosed(closed.slice(closed.length)));',
    shownBy: 'test/app/look-before-closing.test.ts',
  },
  {
    name: 'what is left of a file that was cancelled is paid',
    file: 'app/workflow/decisions/release-rows.ts',
    find: 'if (left.length > 0) return { ...lists(), left, file: null, stillHeld: 0, unasked: null };',
    replace: '',
    shownBy: 'test/app/limits.test.ts',
  },
  {
    name: 'a row whose confirm is under way is closed at once',
    file: 'app/workflow/decisions/look-before-closing.ts',
    find: 'return mayHaveBeenConfirmed(progress) || progress.begunBy === null',
    replace: "return progress.confirm !== 'none' || progress.begunBy === null",
    shownBy: 'test/app/close-in-time.test.ts',
  },
];
