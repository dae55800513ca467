// `npm run docs`: writes the generated pages.
import { writeFileSync } from 'node:fs';

import { generatedPages } from './generated-pages.ts';

for (const { path, text } of await generatedPages()) {
  writeFileSync(new URL(`../../${path}`, import.meta.url), text);
  process.stdout.write(`${path}\n`);
}
