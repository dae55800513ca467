// The sources as the rules of the house see them: path, text and syntax tree. Syntax decides, because a word in a comment breaks no rule.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type TextFile = {
  /** From the top of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
};

export type Source = TextFile & { readonly ast: ts.SourceFile };

/** What a clone does not hold: installed, built, and left by a run. */
const NOT_OURS: ReadonlySet<string> = new Set(['node_modules', 'dist', 'workspace', '.git']);

/** Every file of the repository. */
export function everyFile(folder: string = ROOT): readonly TextFile[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return everyFile(path);
      return [{ path: relative(ROOT, path).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }];
    });
}

export function parse({ path, text }: TextFile): Source {
  return { path, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true) };
}

/** A made-up house, for the proof that a rule can fail. */
export function houseOf(files: Readonly<Record<string, string>>): readonly Source[] {
  return Object.entries(files).map(([path, text]) => parse({ path, text }));
}

/** The node and everything below it. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

/** `src/rows/row.ts:12`, for a person who has to go there. */
export function placeOf({ path, ast }: Source, node: ts.Node): string {
  return `${path}:${ast.getLineAndCharacterOfPosition(node.getStart(ast)).line + 1}`;
}
