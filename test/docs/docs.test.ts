// README and docs: small enough, every link leads somewhere, and the generated pages are those of the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { generatedPages } from './generated-pages.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const GENERATED = await generatedPages();
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('README', () => {
  it('has at most 250 lines and 12 KB', () => {
    const text = read('README.md');
    expect(text.split('\n').length).toBeLessThanOrEqual(251);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(12 * 1024);
  });

  it('leads to every page', () => {
    const linked = PAGES.flatMap(linksOf);
    expect(PAGES.filter((page) => page !== 'README.md' && !linked.includes(page))).toEqual([]);
  });
});

describe('a link', () => {
  it.each(PAGES)('%s: leads to a file that is there', (page) => {
    expect(linksOf(page).filter((target) => !existsSync(join(ROOT, target)))).toEqual([]);
  });

  it.each(PAGES)('%s: leads to a heading that is there', (page) => {
    expect(anchorsOf(page).filter(({ file, anchor }) => !headingsOf(file).includes(anchor))).toEqual([]);
  });
});

describe('a line to type', () => {
  it.each(PAGES)('%s: shows a refusal, and ends with it, where it calls an address', (page) => {
    const lines = read(page).match(/\bcurl .*/g) ?? [];
    expect(lines.filter((line) => !/^curl -sS --fail-with-body /.test(line))).toEqual([]);
  });

  it.each(PAGES)('%s: names the short command of a clone', (page) => {
    expect(read(page)).not.toMatch(/npm start|node src\/main\.ts/);
  });
});

describe('a generated page', () => {
  it.each(GENERATED.map(({ path, text }) => [path, text] as const))(
    '%s: is the one of the code; "npm run docs" writes it',
    (path, text) => expect(read(path)).toBe(text),
  );
});

/** Paths of the files that a page links to, from the root. */
function linksOf(page: string): readonly string[] {
  return targetsOf(page)
    .map((target) => target.split('#')[0] ?? '')
    .filter((target) => target !== '')
    .map((target) => join(dirname(page), target));
}

function anchorsOf(page: string): readonly { readonly file: string; readonly anchor: string }[] {
  return targetsOf(page)
    .filter((target) => target.includes('#'))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { file: path === '' ? page : join(dirname(page), path), anchor };
    });
}

function targetsOf(page: string): readonly string[] {
  return [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));
}

function headingsOf(page: string): readonly string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}
