// Plants a bug in the row machine as it is loaded, without a copy of the sources: the text of one module is another one from then on.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

import type { PlantedBug } from './planted-bugs.ts';

/** Call it before the machine is imported for the first time. */
export function plant(bug: PlantedBug): void {
  if ('options' in bug) return;
  const place = new URL(
    bug.file.includes('/') ? `../../${bug.file}` : `../../src/payouts/row-machine/${bug.file}`,
    import.meta.url,
  ).href;
  registerHooks({
    load: (url, context, nextLoad) => {
      if (url !== place) return nextLoad(url, context);
      const parts = readFileSync(fileURLToPath(url), 'utf8').split(bug.find);
      if (parts.length !== 2)
        throw new Error(`The place of "${bug.name}" is found ${String(parts.length - 1)} times.`);
      return { format: 'module-typescript', source: parts.join(bug.replace), shortCircuit: true };
    },
  });
}
