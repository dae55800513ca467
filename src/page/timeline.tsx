// What happened to a file, or to one row of it, in the reader's words: who did what, when and why.
import type { TimelineEvent } from '../contract/files.ts';
import { query } from './api.ts';
import { useListing } from './data.ts';
import { waitWords } from './files.tsx';
import { t, tCode } from './language.ts';
import { When } from './parts.tsx';
import { ListTable } from './table.tsx';

/** Of the whole file, or of one row of it. */
export function Timeline({ id, row = null }: { readonly id: string; readonly row?: string | null }) {
  // The history has no other name for an event than what it says.
  const listing = useListing<TimelineEvent>(
    `/files/${id}/timeline${query({ row, limit: 200 })}`,
    JSON.stringify,
    { kinds: ['batch', 'approval', ...(row === null ? [] : ['rows'])], batch: id },
  );
  const events = listing.rows === null ? null : withoutRepeats(listing.rows.filter(saysSomething));
  return (
    <ListTable
      listing={{ ...listing, rows: events }}
      empty={t('batch.noEvents')}
      keyOf={JSON.stringify}
      columns={[
        { name: t('batch.when'), value: ({ at }) => <When at={at} /> },
        { name: t('batch.what'), isHead: true, value: (event) => eventWords(event) },
        ...(['by', 'reason'] as const)
          .filter((name) => events?.some((event) => textOf(event, name) !== '') === true)
          .map((name) => ({
            name: t(name === 'by' ? 'batch.who' : 'batch.why'),
            value: (event: TimelineEvent) => textOf(event, name),
          })),
      ]}
    />
  );
}

function textOf(event: TimelineEvent, name: string): string {
  const value = event[name];
  return typeof value === 'string' ? value : '';
}

// The lines of its history, in the reader's words.

const OWN_STEPS: ReadonlySet<string> = new Set(['batch_changed', 'batch_taken_over', 'rows_removed']);

/** A change of the record that nobody has made and nothing explains is paydrop's own book-keeping. */
function saysSomething(event: TimelineEvent): boolean {
  const isOwn = OWN_STEPS.has(event.code) || (event.code === 'batch_waits' && event['waitingFor'] === null);
  return !isOwn || typeof event['by'] === 'string' || typeof event['reason'] === 'string';
}

/** A step that paydrop took twice, say because its price had run out, is one line to a reader. */
function withoutRepeats(events: readonly TimelineEvent[]): readonly TimelineEvent[] {
  const said = events.map((event) => [eventWords(event), event['by'], event['reason']].join('\n'));
  return events.filter((_, at) => said[at] !== said[at - 1]);
}

const STEPS: ReadonlySet<string> = new Set(['batch_state', 'row_stage']);

function eventWords(event: TimelineEvent): string {
  const { code } = event;
  const text = (name: string): string => textOf(event, name);
  if (code === 'batch_waits') return t('needs.waits', { what: waitWords(text('waitingFor')) });
  // A step is told by where it leads.
  const step = tCode('stage', text('stage')) ?? tCode('batchState', text('state'));
  return (STEPS.has(code) ? step : null) ?? tCode('event', code) ?? code;
}
