// docs/config.md: every key of the config with its default and what it does.
import { configJsonSchema, describedAt, keysOf, type Key } from './config-schema.ts';
import { code, generated, table } from './markdown.ts';

export function configPage(): string {
  const keys = keysOf(configJsonSchema());
  const sections = keys.filter(({ path }) => !path.includes('.'));
  return [
    generated(
      'Every key of the config',
      'For operators. [config/paydrop.yaml](../config/paydrop.yaml) is a file to copy; `config/paydrop.schema.json` makes an editor complete and explain the keys. Every key has a default. `[]` stands for an item of a list. Durations: `500ms`, `2s`, `15m`, `1h`, `5d`. Sizes: `512MB`. Paths start at the folder of the config file.',
    ),
    ...sections.flatMap((section) => chapter(section, keys)),
    '',
  ].join('\n');
}

function chapter(section: Key, keys: readonly Key[]): readonly string[] {
  const inside = keys.filter(
    ({ path }) => path.startsWith(`${section.path}.`) || path.startsWith(`${section.path}[]`),
  );
  const rows = (inside.length === 0 ? [section] : inside.filter(isShown)).map((key) => [
    code(key.path),
    defaultOf(key),
    describedAt(key.path) ?? '',
  ]);
  return [
    `\n## ${section.path}\n`,
    ...(inside.length === 0 ? [] : [`${describedAt(section.path) ?? ''}\n`]),
    table(['key', 'default', 'what it does'], rows),
  ];
}

/** The overrides of a folder are the keys of `policy` once more. */
function isShown({ path }: Key): boolean {
  return !/\[\]\.policy\./.test(path);
}

function defaultOf({ schema }: Key): string {
  const value = schema['default'];
  return typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    value === null
    ? code(String(value))
    : '';
}
