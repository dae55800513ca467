// Whether each exported name is used by another file: a reader takes an `export` for a promise to somebody.
import ts from 'typescript';

import type { Source, TextFile } from './sources.ts';

/** The face of the package: its users are not in this repository. */
const FACE = 'src/index.ts';

/** Each exported name of the house that stands in no other file of the repository. */
export function exportsForNobody(house: readonly Source[], files: readonly TextFile[]): readonly string[] {
  const users = new Map<string, number>();
  for (const { text } of files.filter(({ path }) => /\.tsx?$/.test(path)))
    for (const word of new Set(text.match(/[\p{L}\d_$]+/gu))) users.set(word, (users.get(word) ?? 0) + 1);
  return house
    .filter(({ path }) => path !== FACE)
    .flatMap(({ path, ast }) =>
      ast.statements
        .flatMap(exportedNames)
        .filter((name) => (users.get(name) ?? 0) < 2)
        .map((name) => `${path} ${name}`),
    );
}

function exportedNames(statement: ts.Statement): readonly string[] {
  const isExported =
    ts.canHaveModifiers(statement) &&
    statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  if (!isExported) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}
