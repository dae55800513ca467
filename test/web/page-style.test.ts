// The look of the page has one scale: sizes of type, weights, spaces and colours stand as tokens in one file, and every rule takes them from there.
import { readdir, readFile } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

const FOLDER = new URL('../../src/page/style/', import.meta.url);
const SCALED = /^(?:font-size|font-weight|gap|margin[\w-]*|padding[\w-]*|border-radius)$/;
/** A token, a share of what is around, or nothing at all. */
const VALUE = /^(?:var\(--[\w-]+\)|calc\([^;]*var\(--[\w-]+\)[^;]*\)|0|auto|inherit|\d+vh|50%|14mm)$/;

/** Each declaration that has a value of its own, as `file: property: value`. */
function strays(file: string, text: string): readonly string[] {
  return [...text.matchAll(/^\s*([\w-]+):\s*([^;{}]+);/gm)].flatMap(([, property = '', value = '']) => {
    if (/#[0-9a-f]{3,8}\b/i.test(value)) return [`${file}: ${property}: ${value}`];
    if (!SCALED.test(property)) return [];
    const parts = value.match(/calc\((?:[^()]|\([^()]*\))*\)|var\([^()]*\)|\S+/g) ?? [];
    return parts.every((part) => VALUE.test(part)) ? [] : [`${file}: ${property}: ${value}`];
  });
}

describe('the style of the page', () => {
  it('takes sizes, weights, spaces and colours from the tokens', async () => {
    const files = (await readdir(FOLDER)).filter((name) => name !== 'tokens.css');
    expect(files.length).toBeGreaterThan(5);
    const found = await Promise.all(
      files.map(async (name) => strays(name, await readFile(new URL(name, FOLDER), 'utf8'))),
    );
    expect(found.flat()).toEqual([]);
  });

  it('is noticed where it does not', () => {
    expect(
      strays('a.css', 'a {\n  font-size: 13px;\n  color: #fff;\n  margin: 0 var(--s8);\n}'),
    ).toHaveLength(2);
  });

  it('has six sizes, two weights and seven spaces', async () => {
    const text = await readFile(new URL('tokens.css', FOLDER), 'utf8');
    const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
    expect([count(/--text-\d+:/g), count(/--(?:regular|strong):/g), count(/--s\d+:/g)]).toEqual([6, 2, 7]);
  });
});
