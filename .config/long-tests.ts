// The tests that take long: they kill processes, start real servers, wait out storms, or go through thousands of schedules. `npm run test:all` runs
// them, `npm test` does not, so that it stays under three minutes on two cores.
export const LONG_TESTS: readonly string[] = [
  'test/crash/**/*.test.ts',
  'test/{ledger,app}/cluster.test.ts',
  'test/ledger/postgres-ledger.test.ts',
  'test/simulation/**/*.test.ts',
  'test/{app/,}sftp/**/*.test.ts',
  'test/**/no-text-overlaps.test.ts',
  'test/app/watch/**/*.test.ts',
  'test/app/webhooks/{flood,polling,strangers,with-sandbox}.test.ts',
  'test/app/{reserve-then-confirm,after-closing,older-ledger,rebuilt-unseen,wrong-clock,unreadable-notes}.test.ts',
  'test/app/{rebuild,look-before-closing,same-payment,footer-below-total,status-messages,dropped-again}.test.ts',
  'test/app/telling/{told,channels}.test.ts',
  'test/app/{template,thousand-rows,bad-messages,payment-messages,message-days,message-rules,watch,revived-payment}.test.ts',
  'test/app/approval/{approve,approval-files}.test.ts',
  'test/app/schedule/{standing-file,simulated-month}.test.ts',
  'test/delivery/{stopped-batches,storms,look-together,long-outages}.test.ts',
  'test/cli/strange-words.test.ts',
  'test/web/{killed,at-once,leaks,strangers}.test.ts',
  'test/rows/pain001/oracle-at-length.test.ts',
  'test/rows/{workbook-refused,workbook-round-trip,workbook-bounds,workbook-cells,hostile-files}.test.ts',
  'test/results/xlsx-answers.test.ts',
];
