// The test run: real parts only, so the time limits are those of real I/O; two workers, because the project is built for two cores. A worker
// keeps the modules that it has loaded from one file to the next: loading them anew for each file took a good part of the time. So nothing that a
// module sets up may end with the file that was the first to import it.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    pool: 'forks',
    isolate: false,
    restoreMocks: true,
    globalSetup: '.config/scratch.ts',
    setupFiles: '.config/close-at-end.ts',
  },
});
