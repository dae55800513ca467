// Every part of the page in every state, on one screen of the demo: whoever changes the look sees here what else it changes.
import type { ComponentChildren } from 'preact';

import { OUTCOMES, type Outcome } from '../contract/words.ts';
import { Problem } from './api.ts';
import { t } from './language.ts';
import { OutcomeBar } from './outcome-bar.tsx';
import {
  Bars,
  Button,
  Choice,
  Digest,
  Empty,
  Field,
  Heading,
  Note,
  Progress,
  Stale,
  Tag,
  Trouble,
} from './parts.tsx';
import { Table } from './table.tsx';

const TAGS = [
  ...['checking', 'checked', 'waiting', 'awaiting-approval', 'scheduled', 'paying', 'tracking', 'closed'],
  ...['refused', 'approved', 'declined', 'outdated', 'running', 'failed', 'cancelled', 'warning', 'problem'],
  ...['paid', 'held', 'rejected', 'submitted', 'duplicate', 'pending'],
];
const KINDS = ['main', 'plain', 'danger', 'quiet'] as const;
const NOTES = ['plain', 'good', 'warn', 'bad'] as const;
const nothing = (): void => undefined;

const outcomesOf = (counts: Partial<Record<Outcome, number>>) =>
  Object.fromEntries(OUTCOMES.map((outcome) => [outcome, counts[outcome] ?? 0])) as Record<Outcome, number>;
const MIXED = outcomesOf({ paid: 12, submitted: 5, pending: 4, held: 2, rejected: 1, failed: 1 });

export function Parts() {
  const unread = new Problem(0, 'unreachable', t('problem.asOf', { time: '14:02' }));
  return (
    <>
      <Heading title="Parts">
        <Button kind="main">{t('nav.drop')}</Button>
      </Heading>
      <Group name="Button">
        {KINDS.map((kind) => (
          <Button key={kind} kind={kind} onClick={nothing}>
            {t('part.tryAgain')}
          </Button>
        ))}
        <Button disabled>{t('part.cancel')}</Button>
        <Button busy>{t('part.cancel')}</Button>
      </Group>
      <Group name="Tag">
        {TAGS.map((of) => (
          <Tag key={of} of={of} />
        ))}
      </Group>
      <Group name="Field">
        <Field label={t('part.reason')} value="" onInput={nothing} />
        <Field label={t('door.deviceName')} hint={t('door.deviceHint')} value="" onInput={nothing} />
        <Choice label={t('files.state')} value="a" options={[['a', t('files.all')]]} onChange={nothing} />
      </Group>
      <section>
        <h2>Note</h2>
        {NOTES.map((kind) => (
          <Note key={kind} kind={kind}>
            {t('drop.nothingPaid')}
          </Note>
        ))}
        <Trouble problem={new Problem(0, 'unreachable', t('problem.unreachable'))} />
        <Stale problem={unread} />
        <Empty>{t('files.none')}</Empty>
      </section>
      <section>
        <h2>OutcomeBar, Progress, Bars</h2>
        <OutcomeBar outcomes={MIXED} />
        <OutcomeBar outcomes={outcomesOf({ paid: 1 })} />
        <Progress done={40} total={100} label={t('check.progress', { n: 40, rows: 100 })} />
        <Bars bars={[{ label: 'XAF', value: '40 / 100', share: 0.4 }]} />
      </section>
      <section>
        <h2>Table, Digest</h2>
        <Table
          caption={t('money.caption')}
          columns={[
            { name: t('files.file'), isHead: true, value: ({ name }) => name },
            { name: t('files.amount'), isNumber: true, value: ({ sum }) => sum },
            { name: t('files.progress'), value: () => <OutcomeBar outcomes={MIXED} isSmall /> },
          ]}
          rows={[
            { name: 'salaries.csv', sum: '15,214,203 XAF' },
            { name: 'suppliers.xlsx', sum: '8,699.00 CNY' },
          ]}
          keyOf={({ name }) => name}
        />
        <Digest text={'0123456789abcdef'.repeat(2)} />
      </section>
    </>
  );
}

function Group({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h2>{name}</h2>
      <div class="part-row">{children}</div>
    </section>
  );
}
