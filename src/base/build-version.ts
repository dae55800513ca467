// Which paydrop runs, as its package says.
import { readFileSync } from 'node:fs';

import { z } from 'zod';

const packageSchema = z.object({ version: z.string() });

/** The package lies in the same place above the sources and above what is built of them. */
export function buildVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return packageSchema.parse(JSON.parse(text)).version;
}
