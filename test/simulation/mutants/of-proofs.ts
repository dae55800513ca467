// Bugs in the proof that a transfer is dead, and in what is remembered of a confirm that may have arrived.
import type { Mutant } from './mutant.ts';

export const MUTANTS_OF_PROOFS: readonly Mutant[] = [
  {
    name: 'our own clock decides about an expiry',
    file: 'delivery/judge-transfer.ts',
    find: `const isOver = look.serverTime !== null && look.serverTime > (expiryOf(known) ?? Infinity);
      if (isOver || !mayConfirm(known, look.latestNow)) return judgeExpiry(progress, known, look);`,
    replace: `const isOver = look.now > (expiryOf(known) ?? Infinity);
      if (isOver) return judgeExpiry(progress, known, { ...look, serverTime: look.now });`,
  },
  {
    name: 'the fence needs no second read',
    file: 'payouts/attempt.ts',
    find: 'const first = silentAt !== null && silentAt > provable ? silentAt : at;',
    replace: 'const first = silentAt ?? provable - SECOND_LOOK_MS;',
  },
  {
    name: 'the second read may follow at once',
    file: 'payouts/attempt.ts',
    find: 'const SECOND_LOOK_MS = 60_000;',
    replace: 'const SECOND_LOOK_MS = 1;',
  },
  {
    name: 'the fence behind a confirm is shorter than reads lag',
    file: 'payouts/attempt.ts',
    find: 'const FENCE_CONFIRMED_MS = 15 * 60_000;',
    replace: 'const FENCE_CONFIRMED_MS = 60_000;',
  },
  {
    name: 'there is no fence where nothing was confirmed',
    file: 'payouts/attempt.ts',
    find: 'const FENCE_UNCONFIRMED_MS = 60_000;',
    replace: 'const FENCE_UNCONFIRMED_MS = 0;',
  },
  {
    name: 'every expired transfer counts as unconfirmed',
    file: 'payouts/attempt.ts',
    find: 'confirm: confirmOf(progress),',
    replace: "confirm: confirmOf({ ...progress, stage: 'created', confirm: 'none' }),",
  },
  {
    name: 'what the record of another run says of a confirm is not believed',
    file: 'payouts/attempt.ts',
    find: 'confirm: confirmOf(progress),',
    replace: "confirm: begunBy === null && progress.stage === 'created' ? 'none' : confirmOf(progress),",
  },
  {
    name: 'no confirm has to be refused before a transfer is dead',
    file: 'payouts/attempt.ts',
    find: "return confirm === 'intended' || confirm === 'sent';",
    replace: 'return confirm.length > 99;',
  },
  {
    name: 'an intent on record says nothing of a confirm',
    file: 'payouts/attempt.ts',
    find: "return stage === 'confirming' ? 'intended' : 'none';",
    replace: "return stage === null ? 'intended' : 'none';",
  },
  {
    name: 'a found transfer was never confirmed',
    file: 'delivery/settle.ts',
    find: "return isOwn ? confirm : furthest(confirm, 'sent');",
    replace: 'return isOwn ? confirm : furthest(confirm, confirm);',
  },
  // What a rebuilt row starts with says the same once more; without either of the two nothing changes.
  {
    name: 'a transfer found for a rebuilt row was never confirmed',
    file: 'delivery/settle.ts',
    find: "return isOwn ? confirm : furthest(confirm, 'sent');",
    replace: "return isOwn || stage === 'ready' ? confirm : furthest(confirm, 'sent');",
  },
  {
    name: 'what a run finds after its own create is its own, whoever else uses the account',
    file: 'delivery/settle.ts',
    find: "const isOwn = isReserving && begunBy === run && stage !== 'ready' && rebuiltAt === null;",
    replace: "const isOwn = begunBy === run && stage !== 'ready';",
    shownBy: 'test/delivery/adopted-transfers.test.ts',
  },
  {
    name: "another run's intent is forgotten when the document is demanded again",
    file: 'payouts/attempt.ts',
    find: "const isOthersIntent = stage === 'confirming' &&",
    replace: 'const isOthersIntent = stage === null &&',
    shownBy: 'test/delivery/adopted-transfers.test.ts',
  },
  {
    name: "a look that shows nothing makes another run's row our own",
    file: 'payouts/attempt.ts',
    find: 'begunBy: begunBy === run ? run : null,',
    replace: 'begunBy: begunBy === null ? run : begunBy,',
    shownBy: 'test/delivery/kept-doubts.test.ts',
  },
  {
    name: 'a run vouches for what it did under every lease that it ever had',
    file: 'ledger/records.ts',
    find: 'return owner === run ? `${run}/${String(token)}` : run;',
    replace: 'return owner === run && token < 0 ? `${run}/${String(token)}` : run;',
    shownBy: 'test/ledger/sqlite-ledger.test.ts',
  },
  {
    name: 'what a run began under an earlier lease is its own under a later one',
    file: 'payouts/attempt.ts',
    find: 'begunBy: begunBy === run ? run : null,',
    replace: "begunBy: begunBy?.split('/')[0] === run.split('/')[0] ? run : null,",
    shownBy: 'test/delivery/kept-doubts.test.ts',
  },
  {
    name: 'a run goes on with an older copy that was put back under it',
    file: 'ledger/sqlite/history.ts',
    find: "get(seq)?.['hash'] === hash",
    replace: "get(seq)?.['hash'] !== hash || seq >= 0",
    shownBy: 'test/ledger/history.test.ts',
  },
  {
    name: 'a confirm that was refused for its document is forgotten',
    file: 'delivery/judge.ts',
    find: "learned: { lookedBy: null, confirm: 'sent', document",
    replace: 'learned: { lookedBy: null, document',
    from: 1_000,
  },
  {
    name: 'a confirm that met a refused key is forgotten',
    file: 'delivery/recorder.ts',
    find: 'progress: { ...row.progress, begunBy: null }',
    replace: 'progress: row.progress',
    from: 3_000,
  },
  {
    name: 'a confirm without an answer was never sent',
    file: 'service/http-payout-service.ts',
    find: "if (OPERATIONS[operation] === 'read' && error.reason !== 'timeout')",
    replace: "if (OPERATIONS[operation] !== null && error.reason !== 'timeout')",
  },
  {
    name: 'dead attempts are forgotten',
    file: 'delivery/next-attempt.ts',
    find: 'deadAttempts: [...progress.deadAttempts, dead],',
    replace: 'deadAttempts: [dead].slice(1),',
  },
  {
    name: 'a transfer without a readable time is dead',
    file: 'payouts/attempt.ts',
    find: `  if (at === null) return { lookAgainAt: null };
  if (transfer !== null &&`,
    replace: `  if (at === null) return 'no';
  if (transfer !== null &&`,
  },
  {
    name: 'whoever began an attempt, nobody else may have gone further with it',
    file: 'payouts/attempt.ts',
    find: "return begunBy === run && confirm === 'none';",
    replace: "return begunBy !== '' && run !== '' && confirm === 'none';",
    shownBy: 'test/payouts/attempt.test.ts',
  },
  {
    name: 'a lost ledger leaves no doubt',
    file: 'payouts/attempt.ts',
    find: 'return Math.max(byExpiry, doubtSince === null ? -Infinity : doubtSince + FENCE_CONFIRMED_MS);',
    replace: 'return Math.max(byExpiry, doubtSince === null ? -Infinity : -Infinity);',
    shownBy: 'test/payouts/attempt.test.ts',
  },
  {
    name: 'what was not shown a minute after its expiry was never created',
    file: 'payouts/attempt.ts',
    find: 'const isKnown = attempt.transfer !== null || shown !== null;',
    replace: 'const isKnown = attempt.number > 0 || shown !== null;',
    shownBy: 'test/payouts/attempt.test.ts',
  },
  {
    name: 'another run’s attempt of which nothing is known was never sent',
    file: 'payouts/attempt.ts',
    find: 'const isUnknown = end === -Infinity && attempt.begunBy !== run;',
    replace: 'const isUnknown = end === 0;',
    shownBy: 'test/payouts/attempt.test.ts',
  },
  {
    name: 'a first silence counts whatever came to light since',
    file: 'payouts/attempt.ts',
    find: 'const first = silentAt !== null && silentAt > provable ? silentAt : at;',
    replace: 'const first = silentAt ?? at;',
    shownBy: 'test/payouts/attempt.test.ts',
  },
  {
    name: 'the last expiry that was told counts, though an earlier look told a later one',
    file: 'payouts/attempt.ts',
    find: 'return Math.max(...known.map',
    replace: 'return Math.min(...known.map',
    shownBy: 'test/payouts/attempt.test.ts',
  },
  {
    name: 'a failure is the end of the row, whatever another run made of it',
    file: 'payouts/attempt.ts',
    find: "if (attempt.begunBy === run && doubtSince === null) return 'yes';",
    replace: "if (attempt.number > 0) return 'yes';",
    shownBy: 'test/payouts/attempt.test.ts',
  },
];
