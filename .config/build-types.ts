// `npm run build`: the types of the library, `src/index.ts`, and of what it shows; of the rest of the program the package has none.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

const CONFIG = fileURLToPath(new URL('./tsconfig.build.json', import.meta.url));
const LIBRARY = fileURLToPath(new URL('../dist/types/index.d.ts', import.meta.url));

function declarations(): ReadonlyMap<string, string> {
  const { config } = ts.readConfigFile(CONFIG, (path) => ts.sys.readFile(path)) as {
    readonly config: unknown;
  };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(CONFIG));
  const found = new Map<string, string>();
  const keep: ts.WriteFileCallback = (name, text) => void found.set(resolve(name), text);
  const { diagnostics } = ts.createProgram(fileNames, options).emit(undefined, keep, undefined, true);
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, HOST));
  return found;
}

const HOST: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
  getNewLine: () => '\n',
};

/** Whatever one declaration file takes from others, itself included. */
function reachedFrom(first: string, all: ReadonlyMap<string, string>): ReadonlySet<string> {
  const reached = new Set([first]);
  for (const path of reached)
    for (const { fileName } of ts.preProcessFile(all.get(path) ?? '').importedFiles)
      if (fileName.startsWith('.'))
        reached.add(resolve(dirname(path), fileName.replace(/\.[jt]s$/, '.d.ts')));
  return reached;
}

const all = declarations();
rmSync(dirname(LIBRARY), { recursive: true, force: true });
for (const path of reachedFrom(LIBRARY, all)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, all.get(path) ?? '');
}
