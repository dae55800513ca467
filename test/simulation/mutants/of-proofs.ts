// Bugs in the proof that a transfer is dead, and in what is remembered of a confirm that may have arrived.
import type { Mutant } from './mutant.ts';

export const MUTANTS_OF_PROOFS: readonly Mutant[] = [
  {
    name: 'our own clock decides about an expiry',
    file: 'delivery/judge-transfer.ts',
    find: `const isOver = times.serverTime !== null && times.serverTime > (expiryOf(known) ?? Infinity);
      if (isOver || !mayConfirm(known, times.latestNow))
        return judgeExpiry(progress, known, times.serverTime);`,
    replace: `const isOver = times.now > (expiryOf(known) ?? Infinity);
      if (isOver) return judgeExpiry(progress, known, times.now);`,
  },
  {
    name: 'the fence needs no second read',
    file: 'delivery/judge-expiry.ts',
    find: 'if (progress.stillCreatedAt === null) {',
    replace: 'if (progress.stillCreatedAt === 0) {',
  },
  {
    name: 'the second read may follow at once',
    file: 'delivery/judge-expiry.ts',
    find: 'export const SECOND_READ_MS = 60_000;',
    replace: 'export const SECOND_READ_MS = 1;',
  },
  {
    name: 'the fence behind a confirm is shorter than reads lag',
    file: 'delivery/judge-expiry.ts',
    find: 'export const FENCE_CONFIRMED_MS = 15 * 60_000;',
    replace: 'export const FENCE_CONFIRMED_MS = 60_000;',
  },
  {
    name: 'there is no fence where nothing was confirmed',
    file: 'delivery/judge-expiry.ts',
    find: 'export const FENCE_UNCONFIRMED_MS = 60_000;',
    replace: 'export const FENCE_UNCONFIRMED_MS = 0;',
  },
  {
    name: 'every expired transfer counts as unconfirmed',
    file: 'delivery/judge-expiry.ts',
    find: 'if (mayHaveBeenConfirmed(progress)) return',
    replace: 'if (progress.stage === null) return',
  },
  {
    name: 'what the record of another run says of a confirm is not believed',
    file: 'delivery/judge-expiry.ts',
    find: 'if (mayHaveBeenConfirmed(progress)) return',
    replace:
      "if (mayHaveBeenConfirmed(progress) && !(progress.inherited && progress.stage === 'created')) return",
  },
  {
    name: 'no confirm has to be refused before a transfer is dead',
    file: 'delivery/judge-expiry.ts',
    find: 'if (progress.confirmLateAt === null) {',
    replace: 'if (progress.confirmLateAt === 0) {',
  },
  {
    name: 'an intent on record says nothing of a confirm',
    file: 'payouts/progress.ts',
    find: "return mayBeConfirmed || stage === 'confirming';",
    replace: 'return mayBeConfirmed && stage !== null;',
  },
  {
    name: 'a found transfer was never confirmed',
    file: 'delivery/find-transfer.ts',
    find: "return known || isInherited(due) || stage === 'ready';",
    replace: 'return known && !isInherited(due);',
  },
  // What a rebuilt row starts with says the same once more; without either of the two nothing changes.
  {
    name: 'a transfer found for a rebuilt row was never confirmed',
    file: 'delivery/find-transfer.ts',
    find: "return known || isInherited(due) || stage === 'ready';",
    replace: "return (known || isInherited(due)) && stage !== 'ready';",
  },
  {
    name: "another run's intent is forgotten when the document is demanded again",
    file: 'delivery/taken-over.ts',
    find: "const isForeignIntent = !due.isOwnRecord && stage === 'confirming';",
    replace: 'const isForeignIntent = !due.isOwnRecord && stage === null;',
    shownBy: 'test/delivery/adopted-transfers.test.ts',
  },
  {
    name: "a look that shows nothing makes another run's row our own",
    file: 'delivery/taken-over.ts',
    find: "if (due.isOwnRecord || !('learned' in verdict)) return verdict;",
    replace: "if (due.isOwnRecord || !('learned' in verdict) || verdict.kind === 'advanced') return verdict;",
    shownBy: 'test/delivery/kept-doubts.test.ts',
  },
  {
    name: 'a confirm that was refused for its document is forgotten',
    file: 'delivery/judge.ts',
    find: 'learned: { unsure: true, mayBeConfirmed: true, uploads',
    replace: 'learned: { unsure: true, uploads',
    from: 1_000,
  },
  {
    name: 'a confirm that met a refused key is forgotten',
    file: 'delivery/recorder.ts',
    find: 'progress: { ...row.progress, inherited: true }',
    replace: 'progress: row.progress',
    from: 3_000,
  },
  {
    name: 'a confirm without an answer was never sent',
    file: 'service/send.ts',
    find: "if (OPERATIONS[operation] === 'read' && error.reason !== 'timeout')",
    replace: "if (OPERATIONS[operation] !== null && error.reason !== 'timeout')",
  },
  {
    name: 'dead attempts are forgotten',
    file: 'delivery/judge-expiry.ts',
    find: 'deadAttempts: [...progress.deadAttempts, dead],',
    replace: 'deadAttempts: [dead].slice(1),',
  },
  {
    name: 'a transfer without a readable time is dead',
    file: 'delivery/judge-expiry.ts',
    find: `  if (serverTime === null)
    return { kind: 'waiting', lookAgainMs: SECOND_READ_MS, learned: { transfer, unsure: true } };`,
    replace: `  if (serverTime === null) return dead(progress, transfer, 'expired-unconfirmed', expiredAt);`,
  },
];
