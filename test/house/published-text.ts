// What may not stand in any file that is published: notes of unfinished work, and names that mean something to one machine only.
import type { TextFile } from './sources.ts';

export type TextRule = {
  readonly fact: string;
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
];

/** The lines that break a rule. The package lock is npm's own text. */
export function linesThatBreak({ pattern }: TextRule, files: readonly TextFile[]): readonly string[] {
  return files
    .filter(({ path }) => path !== 'package-lock.json')
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
    );
}
