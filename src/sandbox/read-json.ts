// Reading a JSON body and telling what is wrong with it, field by field, as the interface's validation errors do.
import type { z } from 'zod';

import { ExactNumber, parseExactJson } from '../base/exact-json.ts';
import { invalid, type Answer } from './answers.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON object in a body, its numbers exact; else the answer that says that there is none. */
export function readJsonObject(body: Uint8Array): { readonly json: JsonObject } | Answer {
  try {
    const json = parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return isObject(json) ? { json } : invalid(['body must be a JSON object']);
  } catch {
    // Broken UTF-8, broken JSON and JSON nested beyond the parser's depth are all the caller's mistake.
    return invalid(['body must be a JSON object in UTF-8']);
  }
}

/** One sentence for each offending field, beginning with its name. */
export function faultsOf(error: z.ZodError): readonly string[] {
  return error.issues.map(({ path, message }) => [path.join('.') || 'body', message].join(' '));
}

function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}
