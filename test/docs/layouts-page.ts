// docs/layouts.md: the market's layouts, from the table of the code.
import { LAYOUTS, type Layout } from '../../src/rows/market-layouts.ts';
import { code, generated, table } from './markdown.ts';

const ALL: readonly Layout[] = Object.values(LAYOUTS as Readonly<Record<string, Layout>>);

export function layoutsPage(): string {
  return [
    generated(
      'Files of payout platforms',
      'For clerks and integrators. paydrop recognises these files by their headers and reads them without a profile. `check` and `profile` name the layout that they found. [A profile](profiles.md) of your own wins over it.',
    ),
    table(
      ['layout', 'known by these headers', 'what is not paid'],
      ALL.map((layout) => [layout.name, layout.knownBy.map(choices).join(', '), unpaid(layout)]),
    ),
    '\n## Columns\n',
    ...ALL.filter(({ columns }) => Object.keys(columns).length > 0).map(columnsOf),
  ].join('\n');
}

function choices(each: string | readonly string[]): string {
  return typeof each === 'string' ? code(each) : each.map(code).join(' or ');
}

function unpaid({ refusal, rules = [], paidBy }: Layout): string {
  if (refusal !== undefined) return `The file is refused. ${refusal.fault.en}`;
  const asked = rules.map(({ header, only }) =>
    only.length === 0
      ? `every row with ${code(header)}`
      : `rows whose ${code(header)} is not ${only.map((word) => `"${word}"`).join(' or ')}`,
  );
  const held = paidBy === undefined ? [] : [`rows with an amount in ${code(paidBy)} are held`];
  return [...asked, ...held].join('; ');
}

function columnsOf({ name, columns, same = {} }: Layout): string {
  const read = Object.entries(columns).flatMap(([header, canonical]) =>
    canonical === null ? [] : [`${code(header)} = ${code(canonical)}`],
  );
  const spoken = Object.entries(same).map(
    ([canonical, other]) => `${code(other)} also speaks for ${code(canonical)}`,
  );
  return `- **${name}**: ${[...read, ...spoken].join(', ')}.\n`;
}
