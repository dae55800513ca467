// The pages under docs/ and the schema of the config, which are made from the code: where each lies, and what it holds.
import { readFileSync } from 'node:fs';

import { format, resolveConfig } from 'prettier';

import { program } from '../../src/cli/main.ts';
import { textIn } from '../../src/messages/messages.ts';
import { ROOT } from '../house/sources.ts';
import { cliPage } from './cli-page.ts';
import { configPage } from './config-page.ts';
import { configSample } from './config-sample.ts';
import { configJsonSchema } from './config-schema.ts';
import { teachAFormatPage } from './known-layouts.ts';
import { licencesPage } from './licences-page.ts';
import { messagesPage } from './messages-page.ts';
import { statesPage } from './states-page.ts';

/** Only its end is generated. */
const TEACHING = 'docs/teach-a-format.md';

export type Page = { readonly path: string; readonly text: string };

export async function generatedPages(): Promise<readonly Page[]> {
  const context = {
    signal: new AbortController().signal,
    finish: () => undefined,
    language: 'en' as const,
    text: textIn('en'),
  };
  const pages: readonly Page[] = [
    { path: 'docs/cli.md', text: cliPage(program(context)) },
    { path: 'docs/config.md', text: configPage() },
    { path: 'docs/licences.md', text: licencesPage() },
    { path: 'docs/messages.md', text: messagesPage() },
    { path: 'docs/states.md', text: statesPage() },
    {
      path: TEACHING,
      text: teachAFormatPage(readFileSync(new URL(`../../${TEACHING}`, import.meta.url), 'utf8')),
    },
    { path: 'config/paydrop.yaml', text: configSample() },
    { path: 'config/paydrop.schema.json', text: JSON.stringify(configJsonSchema()) },
  ];
  return Promise.all(
    pages.map(async ({ path, text }) => ({
      path,
      text: await format(text, { ...(await resolveConfig(ROOT + path)), filepath: path }),
    })),
  );
}
