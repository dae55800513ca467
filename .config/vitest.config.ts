// The test run: real parts only, so the time limits are those of real I/O; two workers, because the project is built for two cores. A worker
// keeps the modules that it has loaded from one file to the next: loading them anew for each file took a good part of the time. So nothing that a
// module sets up may end with the file that was the first to import it.
//
// `fast` is what `npm test` runs; `long` and `page` are what `npm run test:all` runs besides.
import { defineConfig } from 'vitest/config';

import { LONG_TESTS } from './long-tests.ts';

/** In a real browser. */
const PAGE_TESTS = ['test/page/**/*.test.ts'];

/** Bounds of hanging, not of speed: beside twenty other processes, starting or stopping a database takes half a minute. */
const HANGING_MS = 120_000;

/** A test of the page walks through a dozen screens in a browser, which takes a processor to itself. */
const HANGING_IN_BROWSER_MS = 400_000;

const EVERY_PROJECT = {
  testTimeout: HANGING_MS,
  hookTimeout: HANGING_MS,
  pool: 'forks',
  isolate: false,
  restoreMocks: true,
  // A bound of hanging: on a busy machine a second passes before anything happens.
  expect: { poll: { timeout: 60_000 } },
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
      {
        test: {
          ...EVERY_PROJECT,
          testTimeout: HANGING_IN_BROWSER_MS,
          hookTimeout: HANGING_IN_BROWSER_MS,
          name: 'page',
          include: [...PAGE_TESTS],
        },
      },
    ],
  },
});
