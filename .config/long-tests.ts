// The tests that take long: they kill processes, start real servers, or go through thousands of schedules. `npm run test:all` runs them, `npm test` does not.
export const LONG_TESTS: readonly string[] = ['test/crash/**/*.test.ts'];
