// Compares every reply that a test gets with the table of routes, so that the readers of that table (the description, the page) read what the server
// really says.
import { z } from 'zod';

import { ROUTES } from '../../src/web/routes.ts';

const WAYS = ROUTES.map((route) => ({
  route,
  isAt: new RegExp(`^/api/v1${route.path.replaceAll(/:\w+/g, '[^/]+')}${route.ending ?? ''}$`),
  // What a path names itself is meant before what has a hole in its place.
  holes: route.path.split(':').length,
})).sort((one, other) => one.holes - other.holes);

/** Throws where a reply is described, and is another. */
export function assertAsDescribed(method: string, url: string, status: number, body: unknown): void {
  const { pathname } = new URL(url);
  const { route } = WAYS.find((way) => way.route.method === method && way.isAt.test(pathname)) ?? {};
  const described = route?.replies?.[status];
  if (described === undefined || typeof described === 'string') return;
  const read = exact(described).safeParse(body);
  if (!read.success)
    throw new Error(`${method} ${pathname} is not as described: ${z.prettifyError(read.error)}`);
}

const read = new Map<z.ZodType, z.ZodType>();

/** A field that is told and not described is as wrong as one that is described and not told. */
function exact(schema: z.ZodType): z.ZodType {
  const known =
    read.get(schema) ??
    (schema instanceof z.ZodUnion
      ? z.union(schema.options.map((option) => exact(option as z.ZodType)))
      : schema instanceof z.ZodObject && !isLoose(schema)
        ? z.strictObject(schema.shape)
        : schema);
  read.set(schema, known);
  return known;
}

function isLoose(schema: z.ZodObject): boolean {
  return schema.def.catchall !== undefined;
}
