// Who imports whom: the table of folders, no cycle between files, and nothing that no entrance leads to. Type imports count.
import { posix } from 'node:path';

import ts from 'typescript';

import type { Rule } from './rule.ts';
import { nodesOf, type Source } from './sources.ts';

/** Every room of `app` may import all of these. */
const ABOVE_APP: readonly string[] = [
  'contract',
  'base',
  'messages',
  'service',
  'sftp',
  'rows',
  'inbox',
  'payouts',
  'ledger',
  'delivery',
  'results',
  'sandbox',
];

/** What each folder of src may import besides itself, the rooms of `app` one by one. docs/architecture.md holds a copy, which is compared with this one. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  base: ['contract'],
  messages: ['base'],
  rows: ['contract', 'base', 'messages'],
  inbox: ['base', 'messages', 'rows'],
  service: ['base'],
  sftp: ['base', 'messages'],
  payouts: ['base', 'messages', 'rows', 'service'],
  ledger: ['base', 'messages', 'payouts'],
  delivery: ['base', 'messages', 'service', 'payouts', 'ledger'],
  results: ['contract', 'base', 'messages', 'rows', 'service', 'payouts', 'ledger'],
  sandbox: ['base', 'service'],
  'app/config': ABOVE_APP,
  'app/parts': [...ABOVE_APP, 'app/config'],
  'app/people': ['contract', 'base', 'ledger', 'inbox'],
  'app/notify': [...ABOVE_APP, 'app/config', 'app/parts', 'app/people'],
  'app/workflow': [...ABOVE_APP, 'app/config', 'app/parts', 'app/people', 'app/notify'],
  'app/search': ['base', 'messages', 'ledger', 'payouts', 'app/config', 'app/parts', 'app/people'],
  'app/intake': [
    ...ABOVE_APP,
    'app/config',
    'app/parts',
    'app/people',
    'app/notify',
    'app/workflow',
    'app/search',
  ],
  'app/desk': [
    ...ABOVE_APP,
    'app/config',
    'app/parts',
    'app/people',
    'app/notify',
    'app/workflow',
    'app/search',
  ],
  'app/daemon': [
    ...ABOVE_APP,
    'app/config',
    'app/parts',
    'app/people',
    'app/notify',
    'app/workflow',
    'app/search',
    'app/intake',
  ],
  web: ['contract', 'base', 'messages', 'app/people', 'app/desk', 'app/daemon'],
  // `app/config` for the daemon alone, which reads its config again while it runs.
  cli: ['contract', 'base', 'messages', 'app/config', 'app/people', 'app/desk', 'app/daemon', 'web'],
};

/** The program, and the face of the library. */
const ENTRANCES: readonly string[] = ['src/main.ts', 'src/index.ts'];

const WORKFLOW = 'src/app/workflow/';

/**
 * The rooms of the workflow, its folders and the files on top of it: each imports only rooms that stand before it, so that none leads round to itself.
 * docs/architecture.md lists them in this order.
 */
export const ROOMS_IN_ORDER: readonly string[] = [
  'batch',
  'validate',
  'answers',
  'take',
  'tell.ts',
  'carry',
  'all-or-nothing',
  'check',
  'approval',
  'ready-files.ts',
  'decisions',
  'follow',
  'send',
  'gates.ts',
  'resolve-doubt',
  'states.ts',
  'advance.ts',
  'process-batch.ts',
];

/** Everything that a file names as the source of an import or re-export, dynamic ones included. */
export function specifiersOf({ ast }: { readonly ast: ts.Node }): readonly string[] {
  return [...nodesOf(ast)].flatMap((node) => {
    const named =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
            ? node.argument.literal
            : undefined;
    return named !== undefined && ts.isStringLiteral(named) ? [named.text] : [];
  });
}

/** The files of ours that a file imports. */
export function importsOf(source: Source): readonly string[] {
  return specifiersOf(source)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(posix.dirname(source.path), specifier));
}

/** `rows` for `src/rows/row.ts`, `app/desk` for one of its rooms; the file's own name for the two that lie on top. */
function folderOf(path: string): string {
  const [, folder = '', room = ''] = path.split('/');
  if (folder !== 'app') return folder;
  // `compose.ts` and what it builds belong together, whether they lie on top of `app` or in `app/parts`.
  return room.endsWith('.ts') ? 'app/parts' : `app/${room}`;
}

function mayImport(from: string, to: string): boolean {
  if (from === to || from === 'index.ts') return to !== 'main.ts';
  if (from === 'main.ts') return to === 'cli';
  return MAY_IMPORT[from]?.includes(to) === true;
}

const tableHolds: Rule = {
  fact: 'a folder imports only what the table of folders allows',
  violations: (house) =>
    house.flatMap((source) =>
      importsOf(source)
        .filter((target) => !mayImport(folderOf(source.path), folderOf(target)))
        .map((target) => `${source.path} imports ${target}`),
    ),
  broken: [
    { 'src/rows/row.ts': "import type { Payout } from '../payouts/payout.ts';" },
    { 'src/app/workflow/advance.ts': "import type { Desk } from '../desk/commands.ts';" },
    { 'src/cli/run.ts': "import { processBatch } from '../app/workflow/process-batch.ts';" },
    { 'src/app/intake/watch-inbox.ts': "import { checkFile } from '../desk/check-file.ts';" },
    { 'src/app/parts.ts': "import type { Wait } from './workflow/states.ts';" },
    { 'src/app/unheard-of/room.ts': "import type { Clock } from '../../base/clock.ts';" },
  ],
  sound: { 'src/payouts/payout.ts': "import type { Row } from '../rows/row.ts';" },
};

/** Where the room of a file stands; null for a file that is not of the workflow, -1 for a room that the list lacks. */
function placeOfRoom(path: string): number | null {
  const [room = ''] = path.startsWith(WORKFLOW) ? path.slice(WORKFLOW.length).split('/') : [];
  return room === '' ? null : ROOMS_IN_ORDER.indexOf(room);
}

function isBackwards(from: number | null, to: number | null): boolean {
  return from !== null && to !== null && (from < 0 || to < 0 || to > from);
}

const roomsRunOneWay: Rule = {
  fact: 'a room of the workflow imports only rooms that stand before it',
  violations: (house) =>
    house.flatMap((source) =>
      importsOf(source)
        .filter((target) => isBackwards(placeOfRoom(source.path), placeOfRoom(target)))
        .map((target) => `${source.path} imports ${target}`),
    ),
  broken: [
    { [`${WORKFLOW}take/a.ts`]: "import '../check/a.ts';" },
    { [`${WORKFLOW}batch/a.ts`]: "import '../tell.ts';" },
    { [`${WORKFLOW}unheard-of/a.ts`]: "import '../batch/a.ts';" },
  ],
  sound: { [`${WORKFLOW}check/a.ts`]: "import './b.ts'; import '../take/a.ts';" },
};

const noCycles: Rule = {
  fact: 'no import goes round in a circle, inside a folder neither',
  violations: (house) => {
    const imports = new Map(house.map((source) => [source.path, importsOf(source)]));
    return [...imports.keys()].filter((path) => reachable(imports.get(path) ?? [], imports).has(path));
  },
  broken: [
    {
      'src/rows/a.ts': "import './b.ts';",
      'src/rows/b.ts': "export type { C } from './c.ts';",
      'src/rows/c.ts': "import type { A } from './a.ts';",
    },
  ],
  sound: { 'src/rows/a.ts': "import './b.ts'; import './c.ts';", 'src/rows/b.ts': "import './c.ts';" },
};

const noDeadFile: Rule = {
  fact: 'every file is reached from the program or from the face of the library',
  violations: (house) => {
    const alive = reachable(ENTRANCES, new Map(house.map((source) => [source.path, importsOf(source)])));
    return house.map(({ path }) => path).filter((path) => !alive.has(path));
  },
  broken: [{ 'src/main.ts': "import './cli/main.ts';", 'src/cli/main.ts': '', 'src/cli/old.ts': '' }],
  sound: { 'src/main.ts': "import './cli/main.ts';", 'src/cli/main.ts': '' },
};

export function reachable(
  from: readonly string[],
  imports: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const seen = new Set<string>(from);
  // A Set goes on over what is added to it while it is walked.
  for (const path of seen) for (const target of imports.get(path) ?? []) seen.add(target);
  return seen;
}

/** Packages that one place wraps for all others: the client's one way out, and the webhooks of the sandbox, which stands for the other side; e-mail. */
const WRAPPED: Readonly<Record<string, readonly string[]>> = {
  undici: [
    'src/service/undici-transport.ts',
    'src/service/undici-transport.ts',
    'src/sandbox/webhooks.ts',
    'src/sandbox/webhooks.ts',
  ],
  nodemailer: ['src/app/notify/open-channels.ts'],
};

const wrappedPackages: Rule = {
  fact: 'undici is used by the transport and by the webhooks of the sandbox alone, nodemailer by the e-mail channel',
  violations: (house) =>
    house.flatMap((source) =>
      specifiersOf(source)
        .filter((name) => Object.hasOwn(WRAPPED, name) && WRAPPED[name]?.includes(source.path) !== true)
        .map((name) => `${source.path} imports ${name}`),
    ),
  broken: [
    { 'src/service/http-payout-service.ts': "import { request } from 'undici';" },
    { 'src/app/notify/courier.ts': "import { createTransport } from 'nodemailer';" },
  ],
  sound: { 'src/service/undici-transport.ts': "import { Pool } from 'undici';" },
};

export const IMPORT_RULES: readonly Rule[] = [
  tableHolds,
  roomsRunOneWay,
  noCycles,
  noDeadFile,
  wrappedPackages,
];
