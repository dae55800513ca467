// Most lines of most exports have no quotes, or quotes around every cell and none within. They can be split exactly without a parser.

/** The lines of a text that ends with a line end or with its last line; `with ends` leaves each its own line end. */
export function splitLines(text: string, ends?: 'with ends'): readonly string[] {
  if (ends === 'with ends') return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
  const unified = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  return (unified.endsWith('\n') ? unified.slice(0, -1) : unified).split('\n');
}

/** The cells of a line that starts a record, or null when only a parser can tell them. */
export function splitLine(line: string, delimiter: string): string[] | null {
  const end = line.endsWith('\r\n') ? 2 : line.endsWith('\n') || line.endsWith('\r') ? 1 : 0;
  const text = end === 0 ? line : line.slice(0, -end);
  if (!text.includes('"')) return text.split(delimiter);
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return null;
  const cells = text.slice(1, -1).split(`"${delimiter}"`);
  return cells.some((cell) => cell.includes('"')) ? null : cells;
}

/** True when a quote that was opened in the text is still open at its end. */
export function hasOddQuotes(text: string): boolean {
  let isOdd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}
