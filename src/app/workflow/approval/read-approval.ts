// What a file that approves says. It may be empty: then its name and its way here say all. What it does say has to be understood and to agree,
// and nothing of it is repeated anywhere.
import { readPlainFile } from '../../../base/plain-file.ts';

/** Four lines; more is something else. */
const BYTES_MOST = 1_000;

export type Statement = {
  readonly batch: string | null;
  readonly total: string | null;
  readonly sha256: string | null;
  readonly question: string | null;
};

const NOTHING: Statement = { batch: null, total: null, sha256: null, question: null };

/** The text of a plain file; null when it is none, too long, or gone. A link is not followed: it would be somebody else's file. */
export async function readPlainText(path: string): Promise<string | null> {
  const bytes = await readPlainFile(path, { bytesMax: BYTES_MOST });
  return typeof bytes === 'string' ? null : Buffer.from(bytes).toString('utf8');
}

/** `batch: …`, `sha256: …`, `total: …` and `question: …`, a line each, all optional. Null for anything else. */
export function readStatement(text: string): Statement | null {
  let statement = NOTHING;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const [, name, value = ''] = /^\s*(batch|total|sha256|question)\s*:\s*(.*?)\s*$/i.exec(line) ?? [];
    if (name === undefined) return null;
    statement = { ...statement, [name.toLowerCase()]: value };
  }
  return statement;
}
