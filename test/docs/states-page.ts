// docs/states.md: the states of a batch, drawn and listed, from the table that the program walks.
import { STATES } from '../../src/app/workflow/states.ts';
import { commitmentOf, COMMITMENTS } from '../../src/ledger/batch-rules.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { BATCH } from '../ledger/records.ts';
import { BATCH_STATES, type BatchState } from '../../src/ledger/batch-states.ts';
import { code, generated, table } from './markdown.ts';

export function statesPage(): string {
  return [
    generated(
      'What becomes of a file',
      'For operators and contributors. Every file becomes a batch, which stands in one of these states. `src/app/workflow/states.ts` is the table that the program walks.',
    ),
    '```mermaid\nstateDiagram-v2\n' + arrows().join('\n') + '\n```\n',
    table(
      [
        'state',
        'gates, at every go, in this order',
        'what is done',
        'leads to',
        'its rows count against other files as',
        '`state` of the summary',
      ],
      BATCH_STATES.map((state) => {
        const { gates, does, next, outside } = STATES[state];
        return [
          code(state),
          Object.keys(gates).join(', ') || '–',
          does,
          list(next),
          counted(state),
          list(outside),
        ];
      }),
    ),
    COUNTS,
  ].join('\n');
}

function arrows(): readonly string[] {
  const ends = BATCH_STATES.filter((state) => STATES[state].next.length === 0);
  return [
    '  [*] --> taking',
    ...BATCH_STATES.flatMap((state) => STATES[state].next.map((next) => `  ${state} --> ${next}`)),
    ...ends.map((state) => `  ${state} --> [*]`),
  ];
}

function list(names: readonly string[]): string {
  return names.length === 0 ? '–' : names.map(code).join(', ');
}

/** Batches of every kind that `commitmentOf` tells apart. */
const KINDS: readonly Partial<BatchRecord>[] = [
  { checked: { at: null, to: null, sameContent: null, pricesDecide: false } },
  { checked: { at: null, to: null, sameContent: null, pricesDecide: true } },
  { whole: 'reserving' },
  { doubt: { since: 0 } },
];

function counted(state: BatchState): string {
  const found = KINDS.map((kind) => commitmentOf({ ...BATCH, onInvalidRows: 'refuse-file', ...kind, state }));
  return COMMITMENTS.filter((each) => found.includes(each)).join(' or ');
}

const COUNTS = `
*tentative*: this file may still be refused, declined or withdrawn, so an equal row of another file is held (\`reference_undecided\`).

*firm*: an equal row of another file is a duplicate.

*unseen*: the ledger was lost, and an equal lost row waits until every payment is seen.

*none*: an equal row of another file is paid.
`;
