// What people say about a file, or about a row of it.
import { z } from 'zod';

import { type Body, moment, page, text } from './schema.ts';

const rowName = text.min(1).max(100);

export const comment = z.object({ number: z.int(), row: text.nullable(), by: text, at: moment, text });
export type FileComment = Body<typeof comment>;

/** Without `row`, all of the file. */
export const commentsQuery = z.strictObject({ ...page, row: rowName.optional() });
export type CommentsQuery = Body<typeof commentsQuery>;

export const commenting = z.strictObject({ text: text.min(1).max(300), row: rowName.optional() });
export type Commenting = Body<typeof commenting>;
