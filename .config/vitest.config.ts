// The test run: real parts only, so the time limits are those of real I/O; two workers, because the project is built for two cores. A worker
// keeps the modules that it has loaded from one file to the next: loading them anew for each file took a good part of the time. So nothing that a
// module sets up may end with the file that was the first to import it.
//
// `fast` is what `npm test` runs; `long` and `page` are what `npm run test:all` runs besides.
import { defineConfig } from 'vitest/config';

import { LONG_TESTS } from './long-tests.ts';

/** In a real browser. */
const PAGE_TESTS = ['test/page/**/*.test.ts'];

const EVERY_PROJECT = {
  testTimeout: 30_000,
  hookTimeout: 30_000,
  pool: 'forks',
  isolate: false,
  restoreMocks: true,
  // A bound of hanging: on a busy machine a second passes before anything happens.
  expect: { poll: { timeout: 20_000 } },
  setupFiles: '.config/close-at-end.ts',
} as const;

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: '.config/scratch.ts',
    projects: [
      {
        test: {
          ...EVERY_PROJECT,
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...LONG_TESTS, ...PAGE_TESTS],
        },
      },
      { test: { ...EVERY_PROJECT, name: 'long', include: [...LONG_TESTS] } },
      { test: { ...EVERY_PROJECT, name: 'page', include: [...PAGE_TESTS] } },
    ],
  },
});
