// `npm run build`: the page as the package carries it.
import { mkdir, rm, writeFile } from 'node:fs/promises';

import { bundlePage } from '../src/web/serve-page.ts';

const folder = process.argv[2] ?? new URL('../dist/page', import.meta.url).pathname;
const files = await bundlePage();
if (files === null) throw new Error('The page is built with esbuild, which npm ci installs.');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [name, text] of files) await writeFile(`${folder}/${name}`, text);
