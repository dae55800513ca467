// Every part of the page in every state, on one screen of the demo: whoever changes the look sees here what else it changes.
import type { ComponentChildren } from 'preact';

import { useState } from 'preact/hooks';

import { OUTCOMES, type Outcome } from '../contract/words.ts';
import type { Row, FileStatus } from '../contract/files.ts';
import { ReceiptWords } from './answering.tsx';
import { Problem } from './api.ts';
import { Dialog } from './dialog.tsx';
import { type End, EndWords } from './held-rows.tsx';
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
import { RowFacts } from './row-drawer.tsx';
import { Steps } from './steps.tsx';
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
const AT = '2026-11-29T14:02:00Z';
const GIVEN = {
  ...{ by: 'Marie Ngo', standsFor: 'Joe Tchoua', at: AT, isSigned: true, digest: null },
  ...{ via: 'page', passkey: 'Windows Hello', verified: 'called back on the number of the contract' },
};
const DECLINED = {
  ...{ by: 'Marie Ngo', standsFor: null, via: 'page', at: AT },
  ...{ reason: 'wrong month', sendsBack: false },
};
const RELEASED: End['rows'] = {
  ...{ released: 12, onlySkip: 1, followed: 0, left: 0 },
  ...{
    notHeld: 0,
    closedBefore: 0,
    stillHeld: 0,
    unasked: null,
    isRecorded: false,
    file: null,
    isDone: true,
  },
};
const ROW: Row = {
  ...{ row: '12', outcome: 'paid', reason: '', errorCode: '', externalId: '', transferId: '' },
  reference: 'SAL-2026-11-012',
  ...{ receiver: 'Wenjie Chen', account: '••• 4372', stage: 'paid' },
  ...{ sendAmount: '829522', feeAmount: '12693', sourceCurrency: 'XAF', rate: '0.01181403' },
  ...{ receiveAmount: '9800.00', destinationCurrency: 'CNY', createdAt: AT, confirmedAt: AT, finalAt: AT },
};
const WAY = ['checked', 'priced', 'approved', 'paid'] as const;
/** A file at its third step, in each state that this may have. */
const FILES: readonly FileStatus['steps'][] = (['now', 'waits', 'ended'] as const).map((state) =>
  WAY.map((step, at) => ({ step, state: at < 2 ? 'done' : at > 2 ? 'open' : state })),
);
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
      <Receipts />
      <Drawer />
      <section>
        <h2>Steps, OutcomeBar, Progress, Bars</h2>
        {FILES.map((steps, at) => (
          <Steps key={at} steps={steps} />
        ))}
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

function Receipts() {
  return (
    <section>
      <h2>Receipt</h2>
      <div class="card">
        <ReceiptWords answer={{ state: 'approved', first: null, given: GIVEN, declined: null }} />
        <ReceiptWords answer={{ state: 'declined', first: null, given: null, declined: DECLINED }} />
        <ReceiptWords answer={{ state: 'outdated', first: null, given: null, declined: null }} />
        <p>
          <EndWords
            end={{ what: 'release', rows: RELEASED, reason: 'two salaries', at: AT }}
            who="Marie Ngo"
          />
        </p>
      </div>
    </section>
  );
}

function Drawer() {
  const [isOpen, setOpen] = useState(false);
  const title = t('row.title', { row: ROW.row });
  return (
    <Group name="Drawer">
      <Button onClick={() => setOpen(true)}>{title}</Button>
      {isOpen ? (
        <Dialog title={title} onClose={() => setOpen(false)} isDrawer>
          <RowFacts batch="parts" row={ROW} />
          <div class="actions">
            <Button onClick={() => setOpen(false)}>{t('part.close')}</Button>
          </div>
        </Dialog>
      ) : null}
    </Group>
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
