// The test run: real parts only, so the time limits are those of real I/O; two workers, because the project is built for two cores.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    pool: 'forks',
  },
});
