// The JSON Schema of the config with a description of every key, for editors and for docs/config.md.
import { z } from 'zod';

import { configSchema } from '../../src/app/config/config.ts';
import { KEY_DESCRIPTIONS } from '../../src/app/config/key-descriptions.ts';

export type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly [key: string]: unknown;
};

export type Key = { readonly path: string; readonly schema: Schema };

export function configJsonSchema(): Schema {
  const schema = JSON.parse(
    JSON.stringify(z.toJSONSchema(configSchema, { target: 'draft-7', io: 'input' })),
  ) as Schema;
  return described(schema, '');
}

/** Every key of the file, sections before what stands in them. Keys that a person chooses, such as those of `sender`, are not listed. */
export function keysOf(schema: Schema, before = ''): readonly Key[] {
  const [own] = [schema, ...(schema.anyOf ?? [])].filter(({ properties, items }) => properties ?? items);
  if (own?.items !== undefined) return keysOf(own.items, `${before}[]`);
  return Object.entries(own?.properties ?? {}).flatMap(([name, each]) => {
    const path = before === '' ? name : `${before}.${name}`;
    return [{ path, schema: each }, ...keysOf(each, path)];
  });
}

/** The overrides of a folder or profile are the keys of `policy` once more. */
export function describedAt(path: string): string | undefined {
  return (
    KEY_DESCRIPTIONS[path] ??
    KEY_DESCRIPTIONS[path.replace(/^(?:schedules|tenants)\[\]\.policy\./, 'policy.')]
  );
}

function described(schema: Schema, before: string): Schema {
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: described(items, `${before}[]`) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((each) => described(each, before)) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => {
              const path = before === '' ? name : `${before}.${name}`;
              const description = describedAt(path);
              return [
                name,
                {
                  ...(description === undefined ? {} : { description: plain(description) }),
                  ...described(each, path),
                },
              ];
            }),
          ),
        }),
  };
}

/** Without the marks of Markdown. */
export function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}
