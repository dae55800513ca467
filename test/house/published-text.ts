// What may not stand in any file that is published: notes of unfinished work, and names that mean something to one machine only.
import type { TextFile } from './sources.ts';

export type TextRule = {
  readonly fact: string;
  /** The files that it is about; all where it is left out. `example`: where the examples stand. */
  readonly files?: { readonly path: RegExp; readonly example: string };
  readonly pattern: RegExp;
  /** Text that breaks the rule, and text that does not. Put together from parts, because these files are published too. */
  readonly broken: string;
  readonly sound: string;
};

const UNFINISHED = ['TO' + 'DO', 'FIX' + 'ME'];
const PAGES = [
  'CONTRACT',
  'DESIGN',
  'FAILURES',
  'PAYOUT-SERVICE',
  'LIBRARIES',
  'EXAMPLES',
  'HOUSE',
  'SPEED',
  'STRANGERS',
  'USERS',
  'CORPUS',
  'ISO20022',
  'WEB',
  'CLUSTER',
];

/** In French a vowel that is left out is marked by `’`. What people type, and what a program reads, has `'`. */
const ELISION = /(?<![\p{L}])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quelqu|presqu|aujourd)'(?=[\p{L}«"$])/iu
  .source;

export const TEXT_RULES: readonly TextRule[] = [
  {
    fact: 'no file speaks of work left to do',
    pattern: new RegExp(`\\b(${UNFINISHED.join('|')})\\b`),
    broken: `// ${UNFINISHED[0] ?? ''}: later`,
    sound: '// Later rows win.',
  },
  {
    fact: 'no file names a page that a clone does not hold',
    pattern: new RegExp(`\\b(${PAGES.join('|')})\\.md\\b`),
    broken: `see ${PAGES[0] ?? ''}` + '.md 7',
    sound: 'see README.md',
  },
  {
    fact: 'no file names a path of one machine',
    pattern: /(?<![\w.~}>-])\/(home|Users|root|work|mnt|workspaces)\/[\w.-]|\.\.\/shared\b/,
    broken: 'see ' + ['..', 'shared', 'notes'].join('/') + ' and ' + ['', 'home', 'ada', 'notes'].join('/'),
    sound: 'see config/paydrop.yaml, ./workspace/outbox and https://example.com/home/page',
  },
  {
    fact: 'the French words have one apostrophe',
    files: { path: /^src\/(?:messages|page\/words)\/fr\.ts$/, example: 'src/messages/fr.ts' },
    pattern: new RegExp(ELISION, 'iu'),
    broken: 'key: "Rien n' + '\'est envoyé."',
    sound: "key: 'Rien n’est envoyé.'",
  },
  {
    fact: 'the French pages have one apostrophe, but in what is typed',
    files: { path: /^docs\/fr\//, example: 'docs/fr/page.md' },
    pattern: new RegExp(`^(?:[^\`]*\`[^\`]*\`)*[^\`]*?${ELISION}`, 'iu'),
    broken: 'La colonne `Montant` n' + "'est pas lue.",
    sound: "La colonne `N° d'ordre` n’est pas lue.",
  },
];

/** The lines that break a rule. The package lock is npm's own text. */
export function linesThatBreak(
  { pattern, files: own }: TextRule,
  files: readonly TextFile[],
): readonly string[] {
  return files
    .filter(({ path }) => path !== 'package-lock.json' && own?.path.test(path) !== false)
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
    );
}
