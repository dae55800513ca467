// Runs the search in a process of its own, which may load a machine with a bug in it, and reads what it says.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { CONFIGURATIONS } from './configurations.ts';

/** Planted bugs that show within so many worlds are planted in every test run, the others in the long one. */
export const SHORT_WORLDS = 25_000;

export type Explored = {
  readonly name: string;
  readonly broken: string | null;
  readonly isWhole: boolean;
  readonly fairRuns: number;
  readonly standings: Readonly<Record<string, number>>;
};

/** One for each configuration that was asked for. */
export function explored(options: readonly string[]): Promise<readonly Explored[]> {
  const file = join(import.meta.dirname, 'explore.ts');
  return new Promise((resolve, reject) => {
    execFile(execPath, [file, '--json', ...options], (_, stdout, stderr) => {
      // A violation that nobody expects ends it with 1, and is told all the same.
      if (stdout === '') reject(new Error(stderr));
      else
        resolve(
          stdout
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line) as Explored),
        );
    });
  });
}

/** A violation that is known, or none; a configuration that is known to break must not be found whole. */
export function isAsExpected({ name, broken, isWhole }: Explored): boolean {
  const allows = CONFIGURATIONS.find((each) => each.name === name)?.allows;
  return broken === null ? allows === undefined || !isWhole : (allows?.test(broken) ?? false);
}
