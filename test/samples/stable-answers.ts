// The answers of a run without what differs from run to run, so that they can be compared byte for byte: the day in the batch's name,
// the moments, and the ids that the service draws. What we compute ourselves, amounts, hashes and external ids, stays as it is.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** The service draws its ids (UUID version 4); ours are computed (version 5). */
const DRAWN_ID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
/** The parts of a batch's answers in the order in which its drawn ids are counted: the result holds all of them. */
const KINDS = ['result', 'reconciliation', 'rejected', 'refused', 'summary', 'ack', 'duplicate'] as const;

/** The answers of a batch by their names without the batch, such as `payroll.result.csv`. */
export async function stableAnswers(outbox: string, batch: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(outbox)).filter((name) => name.includes(`.${batch}.`));
  const drawn = new Map<string, string>();
  const stable = names.sort(byKind).map(async (name) => {
    const text = await readFile(join(outbox, name), 'utf8');
    return [name.replace(`.${batch}.`, '.'), text] as const;
  });
  const texts = await Promise.all(stable);
  return new Map(texts.map(([name, text]) => [name, withPlaceholders(text, batch, drawn)]));
}

/** The same id is the same placeholder in every answer, so that a result and its reconciliation must name the same transfer. */
function withPlaceholders(text: string, batch: string, drawn: Map<string, string>): string {
  return text
    .replaceAll(batch, `<day>${batch.slice('yyyymmdd'.length)}`)
    .replace(MOMENT, '<time>')
    .replace(DRAWN_ID, (id) => {
      const known = drawn.get(id) ?? `<id-${drawn.size + 1}>`;
      drawn.set(id, known);
      return known;
    });
}

function byKind(one: string, other: string): number {
  return rank(one) - rank(other);
}

function rank(name: string): number {
  return KINDS.findIndex((kind) => name.includes(`.${kind}.`));
}
