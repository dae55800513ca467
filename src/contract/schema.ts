// What the bodies of requests and replies are made of. Amounts are decimal text, times ISO 8601 in UTC.
import { z } from 'zod';

/** The value of a schema, as it is read: nobody changes what was sent. */
export type Body<Schema extends z.ZodType> = Unchanged<z.output<Schema>>;
type Unchanged<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Unchanged<Value[Key]> }
  : Value;

export const text = z.string();
export const decimal = text.regex(/^-?\d+(\.\d+)?$/);
export const moment = z.iso.datetime();
export const day = z.iso.date();
/** A SHA-256 in hexadecimal digits. */
export const digest = text.regex(/^[0-9a-f]{64}$/);
/** What asks for nothing more. */
export const nothing = z.strictObject({});
export const named = z.object({ name: text });

// Lists, a page at a time.

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), next: text.nullable() });
export type List<Item> = { readonly data: readonly Item[]; readonly next: string | null };

/** The most entries of a page, and the default. */
const LIMIT = { most: 200, usual: 50 } as const;
const limit = z.coerce.number().int().min(1).max(LIMIT.most);
export const page = { limit: limit.default(LIMIT.usual), after: text.optional() };
/** Of a list that is short nearly always, so that one page is all of it. */
export const shortList = z.strictObject({ ...page, limit: limit.default(LIMIT.most) });

/** Of a fault (RFC 9457). */
export const problem = z.object({
  type: text,
  title: text,
  status: z.int(),
  code: text,
  detail: text,
});
export type ProblemBody = Body<typeof problem>;
