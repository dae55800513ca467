// Reads the table of folders out of docs/architecture.md, so that what a newcomer reads there is what the rules hold.

const HEADER = /^\|\s*folder\s*\|\s*may import\s*\|$/m;

/** Folder → what it may import, or null when the text has no such table. */
export function readImportTable(markdown: string): Readonly<Record<string, readonly string[]>> | null {
  const header = HEADER.exec(markdown);
  if (header === null) return null;
  const lines = markdown.slice(header.index).split('\n').slice(2);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  const table: Record<string, readonly string[]> = {};
  for (const line of end < 0 ? lines : lines.slice(0, end)) {
    const [, folders = '', allowed = ''] = line.split('|');
    const above = Object.keys(table);
    for (const folder of namesIn(folders)) table[folder] = readAllowed(allowed, folder, above);
  }
  return table;
}

function readAllowed(cell: string, folder: string, above: readonly string[]): readonly string[] {
  const [, except] = /^\s*all above(?: but ([\w/]+))?\s*$/.exec(cell) ?? [cell, null];
  if (except !== null) return above.filter((name) => name !== except);
  return cell.split(',').flatMap((part) => {
    const [, name, only] = /^\s*([\w/]+)(?: \((\w+) only\))?\s*$/.exec(part) ?? [];
    return name === undefined || (only !== undefined && only !== folder) ? [] : [name];
  });
}

function namesIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([\w/]+)`/g)].map(([, name = '']) => name);
}

const ROOMS_HEADER = /^\|\s*room\s*\|/m;

/** The rooms of the workflow, in the order of their table. */
export function readRooms(markdown: string): readonly string[] {
  const header = ROOMS_HEADER.exec(markdown);
  const lines = header === null ? [] : markdown.slice(header.index).split('\n').slice(2);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(0, end).flatMap((line) => /^\|\s*`([\w.-]+)`/.exec(line)?.[1] ?? []);
}
