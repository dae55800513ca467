// Which paydrop runs, as its package says.
import { readFileSync } from 'node:fs';

/** The same relative path leads there from the sources and from the built program. */
const PACKAGE = new URL('../../package.json', import.meta.url);

export function buildVersion(): string {
  const told: unknown = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  if (typeof told === 'object' && told !== null && 'version' in told && typeof told.version === 'string')
    return told.version;
  throw new Error('package.json names no version.');
}
