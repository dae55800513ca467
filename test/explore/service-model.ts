// The service as a set of everything that it may do: which ways there are to execute a call now, and which moments of the past a read may show.
import type { KnownTransfer } from '../../src/payouts/progress.ts';
import type { RowEvent } from '../../src/payouts/row-machine/row-event.ts';
import {
  type Answered,
  isoOf,
  type Late,
  type Options,
  type ServiceTransfer,
  statusOf,
  TICK_MS,
  type World,
  withRow,
} from './world.ts';

/** The service's machines differ: each shows the true time or one that is ahead. */
export function skews({ skewTicks }: Options): readonly number[] {
  return skewTicks > 0 ? [0, skewTicks] : [0];
}

export function timeOf(tick: number): number {
  return tick * TICK_MS;
}

export function change(
  world: World,
  index: number,
  attempt: number,
  to: Partial<ServiceTransfer> & { status?: string },
): World {
  const row = world.rows[index];
  const before = row?.transfers[attempt];
  if (row === undefined || before === null || before === undefined) return world;
  const history =
    to.status === undefined ? before.history : [...before.history, { at: world.tick, status: to.status }];
  const after = { ...before, hasDocument: to.hasDocument ?? before.hasDocument, history };
  return withRow(world, index, { transfers: row.transfers.map((one, at) => (at === attempt ? after : one)) });
}

function refused(
  call: Late['call'],
  errorCode: 10001 | 10009 | 10011 | 10015 | 10016 | 10022 | 10027,
  tick: number,
): RowEvent {
  return { on: 'refused', call, errorCode, words: '', at: timeOf(tick) };
}

/** All ways in which a create or a confirm can be executed now, each with its answer. */
export function executions(world: World, index: number, late: Late, options: Options): readonly Answered[] {
  return late.call === 'create'
    ? creates(world, index, late, options)
    : confirms(world, index, late, options);
}

function creates(
  world: World,
  index: number,
  { attempt, priceEnds }: Late,
  options: Options,
): readonly Answered[] {
  const { tick } = world;
  const row = world.rows[index];
  if (row === undefined) return [];
  if ((row.transfers[attempt] ?? null) !== null) return [{ world, event: refused('create', 10011, tick) }];
  const made: ServiceTransfer = {
    expiresAt: priceEnds,
    hasDocument: false,
    history: [{ at: tick, status: 'created' }],
  };
  const transfers = Array.from({ length: Math.max(row.transfers.length, attempt + 1) }, (_, at) =>
    at === attempt ? made : (row.transfers[at] ?? null),
  );
  const after = withRow(world, index, { transfers });
  return skews(options).map((skew) =>
    tick + skew > priceEnds
      ? { world, event: refused('create', 10009, tick + skew) }
      : { world: after, event: shownAs('create', attempt, made, 'created', tick + skew) },
  );
}

function confirms(world: World, index: number, { attempt }: Late, options: Options): readonly Answered[] {
  const { tick } = world;
  const transfer = world.rows[index]?.transfers[attempt];
  const status = statusOf(transfer);
  if (transfer === null || transfer === undefined || status === 'none') return [];
  if (status !== 'created') return [{ world, event: refused('confirm', 10015, tick) }];
  return skews(options).flatMap((skew) => {
    if (tick + skew > transfer.expiresAt) return [{ world, event: refused('confirm', 10016, tick + skew) }];
    if (options.needsDocument && !transfer.hasDocument)
      return [{ world, event: refused('confirm', 10022, tick + skew) }];
    const taken = change(world, index, attempt, { status: 'submitted' });
    const answers: Answered[] = [{ world: taken, event: { on: 'confirmed' } }];
    if (!options.refuses) return answers;
    // The network refuses: it has failed, or is taken all the same.
    const event = refused('confirm', 10027, tick + skew);
    return [
      ...answers,
      { world: change(world, index, attempt, { status: 'failed' }), event },
      { world: taken, event },
    ];
  });
}

/** What reads of a transfer may show now: everything that was true at some moment within the age of a read. */
export function reads(
  world: World,
  index: number,
  attempt: number,
  options: Options,
): readonly [string, RowEvent][] {
  const { tick } = world;
  const transfer = world.rows[index]?.transfers[attempt] ?? null;
  const oldest = tick - options.staleTicks;
  return skews(options).flatMap((skew) =>
    statusesSince(transfer, oldest).map((status): [string, RowEvent] => {
      const name = `sees ${status} of ${String(attempt)}${skew === 0 ? '' : `, by a clock ${String(skew)} ahead`}`;
      if (transfer === null || status === 'none')
        return [name, { on: 'nothing', attempt, at: timeOf(tick + skew) }];
      return [name, shownAs('look', attempt, transfer, status, tick + skew)];
    }),
  );
}

function statusesSince(transfer: ServiceTransfer | null, oldest: number): readonly string[] {
  if (transfer === null) return ['none'];
  const { history } = transfer;
  const shown = new Set<string>();
  if ((history[0]?.at ?? 0) >= oldest) shown.add('none');
  for (const [index, { status }] of history.entries()) {
    const until = history[index + 1]?.at ?? Infinity;
    if (until >= oldest) shown.add(status);
  }
  return [...shown];
}

const CODES: Readonly<Record<string, string>> = {
  created: '10000',
  submitted: '10001',
  paid: '20000',
  failed: '100002',
};

function shownAs(
  by: 'create' | 'look',
  attempt: number,
  { expiresAt }: ServiceTransfer,
  status: string,
  tick: number,
): RowEvent {
  const transfer: KnownTransfer = {
    transferId: `t-${String(attempt)}`,
    externalId: `e-${String(attempt)}`,
    quotationId: 'q',
    status,
    statusCode: CODES[status] ?? '0',
    sendAmount: '1',
    feeAmount: '0',
    receiveAmount: '1',
    createdAt: isoOf(0),
    expiredAt: isoOf(expiresAt),
  };
  return { on: 'transfer', by, attempt, transfer, differs: false, at: timeOf(tick) };
}
