// What our own status messages have told of rejections: their form is known, and they are never rewritten.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { referenceKey } from '../payouts/payment-keys.ts';

const STATUS_NAME = /\.(?<batch>\d{8}-[0-9a-f-]+)\.status-(?<number>\d+)\.[a-z]+$/;
const LISTED =
  /<OrgnlEndToEndId>(?<id>[^<]*)<\/OrgnlEndToEndId>(?:<OrgnlUETR>[^<]*<\/OrgnlUETR>)?<TxSts>(?<status>[A-Z]{4})</g;

/** Adds the batches that reported a rejection in this folder, and the last reported ids of the payments. */
export async function addTold(
  folder: string,
  { batches, references }: { readonly batches: Set<string>; readonly references: Set<string> },
): Promise<void> {
  const messages = (await readdir(folder).catch(() => [])).flatMap((name) => {
    const { batch, number } = STATUS_NAME.exec(name)?.groups ?? {};
    return batch === undefined ? [] : [{ name, batch, number: Number(number) }];
  });
  for (const { name, batch } of messages.toSorted((a, b) => a.number - b.number)) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => '');
    if (text.includes('<TxSts>RJCT<') || text.includes('<GrpSts>RJCT<')) batches.add(batch);
    for (const { groups } of text.matchAll(LISTED)) {
      const id = asCompared(unescaped(groups?.['id'] ?? ''));
      if (groups?.['status'] === 'RJCT') references.add(id);
      else references.delete(id);
    }
  }
}

/** In any spelling: a person looks at every row that is held for it. */
export function asCompared(reference: string): string {
  const key = referenceKey(reference);
  return key === '' ? reference.trim() : key;
}

function unescaped(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
