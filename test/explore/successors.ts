// Everything that can happen next in a world: a step of an owner, an answer to its call or none, a message that lands late, time, an accident, a person.
import { apply } from '../../src/payouts/row-machine/apply.ts';
import { next } from '../../src/payouts/row-machine/next.ts';
import type { RowEvent } from '../../src/payouts/row-machine/row-event.ts';
import {
  attemptOf,
  freshRow,
  type Now,
  type RowCall,
  type RowState,
  type RowStep,
} from '../../src/payouts/row-machine/row-state.ts';
import { change, executions, reads, timeOf } from './service-model.ts';
import {
  type Accident,
  capOf,
  isoOf,
  landing,
  type Late,
  normal,
  type Options,
  type Owner,
  type RowWorld,
  spending,
  statusOf,
  type Successor,
  tickOf,
  type World,
  withRow,
} from './world.ts';

type Carrier = 'owner' | 'woken';
const CARRIERS: readonly Carrier[] = ['owner', 'woken'];

const WORDS = 'by the schedule' as unknown as never;
const WISH = { errorCode: 'cancelled', reason: WORDS };

export function* successors(world: World, options: Options): Generator<Successor> {
  for (const index of world.rows.keys()) {
    if (at(world, index).isCompared) for (const who of CARRIERS) yield* stepsOf(world, index, who, options);
    yield* meetings(world, index, options);
    yield* messages(world, index, options);
    yield* flush(world, index, options);
    yield* ofService(world, index, options);
    yield* people(world, index, options);
    yield* accidents(world, index, options);
  }
  if (isTimeNews(world, options)) yield ['time passes', { ...world, tick: world.tick + 1 }];
}

export function nowOf(world: World, lease: string, options: Options): Now {
  return {
    lease,
    local: timeOf(world.tick),
    random: 1,
    // As the last answer told it: a tick ago at most.
    service: timeOf(world.tick - 1),
    doubtSince: world.doubtSince === null ? null : timeOf(world.doubtSince),
    fence: { own: timeOf(options.ownTicks), other: timeOf(options.otherTicks) },
    terms: {
      needsDocument: options.needsDocument,
      mayConfirm: true,
      areLimited: options.meet === 'limit',
      neededMs: 0,
      pollEveryMs: 1,
      priceStop: () => null,
      patience: {
        moments: options.isImpatient ? 1 : Infinity,
        looks: options.isImpatient ? 1 : Infinity,
        confirmsAgain: options.isImpatient ? 1 : Infinity,
        attempts: Infinity,
        quotations: Infinity,
      },
    },
  };
}

// The owner, and one that was frozen: the same steps, but what the second one commits fails.

function* stepsOf(world: World, index: number, who: Carrier, options: Options): Generator<Successor> {
  const row = at(world, index);
  const owner = row[who];
  if (owner === null) return;
  if (owner.call !== null) {
    yield* answers(world, index, who, owner.call, options);
    return;
  }
  const now = nowOf(world, owner.lease, options);
  const step = next(owner.row, now);
  switch (step.do) {
    case 'wait':
    case 'held':
    case 'reserved':
    case 'ended':
      return;
    case 'intend':
    case 'raise':
    case 'count':
      yield* durable(world, index, who, step, options);
      return;
    case 'requote':
    case 'stop-at-price':
      yield [`${who}: ${step.do}`, heard(world, index, who, eventOf(step), options)];
      return;
    case 'create':
    case 'confirm':
      yield [`${who} calls ${nameOf(step)}`, withOwner(world, index, who, { ...owner, call: step })];
      yield* answers(world, index, who, step, options);
      return;
    default:
      yield* answers(world, index, who, step, options);
  }
}

function eventOf(step: RowStep): RowEvent {
  if (step.do === 'stop-at-price') return { on: 'stop-at-price', stop: step.stop };
  if (step.do === 'count') return { on: 'count', debit: step.debit };
  if (step.do === 'intend' || step.do === 'raise' || step.do === 'requote') return { on: step.do };
  throw new Error(`${step.do} is a call.`);
}

function* durable(
  world: World,
  index: number,
  who: Carrier,
  step: RowStep & { do: 'intend' | 'raise' | 'count' },
  options: Options,
): Generator<Successor> {
  const row = at(world, index);
  const owner = row[who];
  if (owner === null) return;
  const now = nowOf(world, owner.lease, options);
  if (step.do === 'count' && !hasRoom(world, index)) {
    const refused = apply(owner.row, { on: 'hold', code: 'over_payee_limit', reason: WORDS }, now);
    yield [
      `${who} finds no room in the limit`,
      withOwner(world, index, who, { ...owner, row: normal(refused, options.isImpatient) }),
    ];
    return;
  }
  const after = normal(apply(owner.row, eventOf(step), now), options.isImpatient);
  if (attemptOf(after) > options.attempts) return;
  const isVolatile =
    (step.do === 'intend' && options.isIntentVolatile) || (step.do === 'raise' && options.isRaiseVolatile);
  if (isVolatile) {
    yield [`${who}: ${step.do}, not durable`, withOwner(world, index, who, { ...owner, row: after })];
    return;
  }
  const committed = commit(world, index, who, after, options);
  yield [
    `${who} commits: ${step.do}`,
    step.do === 'count' && committed.rows[index]?.[who] !== null
      ? withRow(committed, index, { isCounted: true })
      : committed,
  ];
}

function hasRoom(world: World, index: number): boolean {
  return world.rows.every((row, other) => other === index || !row.isCounted);
}

/** A lease that is lost commits nothing, and its process ends. */
function commit(world: World, index: number, who: Carrier, row: RowState, options: Options): World {
  if (who === 'woken' && !options.isTokenIgnored) return withRow(world, index, { woken: null });
  const owner = at(world, index)[who];
  if (owner === null) return world;
  const after = withRow(world, index, { durable: row, [who]: { ...owner, row, call: null } });
  return toldNow(after, index);
}

/** What is durable is told, and what no longer counts is given back to the limit. */
function toldNow(world: World, index: number): World {
  const { durable } = at(world, index);
  if (durable.end === null || durable.end === 'paid') return world;
  return withRow(world, index, { told: durable.end, isCounted: false });
}

function* answers(
  world: World,
  index: number,
  who: Carrier,
  call: RowCall,
  options: Options,
): Generator<Successor> {
  const name = `${who}'s ${nameOf(call)}`;
  const hear = (from: World, event: RowEvent): World => heard(from, index, who, event, options);
  const silent = (from: World): World | null =>
    from.left.silences > 0
      ? hear(spending(from, 'silences'), { on: 'unanswered', call: call.do, waitMs: 0 })
      : null;
  switch (call.do) {
    case 'quote':
    case 'read-quotation':
      yield [`${name} answered`, hear(world, quotedAt(world.tick, options))];
      if (options.refuses) yield [`${name} refused`, hear(world, refusal(call, world.tick))];
      return;
    case 'attach':
      yield* attachments(world, index, who, call, options);
      return;
    case 'find':
    case 'look': {
      for (const [what, event] of reads(world, index, call.attempt, options))
        yield [`${who} ${what}`, hear(world, event)];
      return;
    }
    case 'create':
    case 'confirm': {
      const late = lateOf(at(world, index)[who], call);
      for (const { world: after, event } of executions(world, index, late, options)) {
        yield [
          `${name} answered${event.on === 'refused' ? ` ${String(event.errorCode)}` : ''}`,
          hear(after, event),
        ];
        const lost = silent(after);
        if (lost !== null) yield [`${name} executed, no answer`, lost];
      }
      const isNew = call.do === 'create' && statusOf(at(world, index).transfers[call.attempt]) === 'none';
      if (options.refuses && isNew) yield [`${name} refused`, hear(world, refusal(call, world.tick))];
      yield* copies(world, index, who, call, late, options);
    }
  }
}

/** Nobody answers, and it is still on its way; or one copy is turned away, and another one comes later. */
function* copies(
  world: World,
  index: number,
  who: Carrier,
  call: RowCall,
  late: Late,
  options: Options,
): Generator<Successor> {
  const before = landing(at(world, index), world.tick);
  if (before.length >= options.late || world.left.silences === 0) return;
  const underWay = spending(withRow(world, index, { late: [...before, late] }), 'silences');
  const name = `${who}'s ${nameOf(call)}`;
  yield [
    `${name} on its way, no answer`,
    heard(underWay, index, who, { on: 'unanswered', call: call.do, waitMs: 0 }, options),
  ];
  yield [
    `${name} turned away, and a copy on its way`,
    heard(underWay, index, who, { on: 'unavailable', call: call.do, waitMs: 0 }, options),
  ];
}

function* attachments(
  world: World,
  index: number,
  who: Carrier,
  call: RowCall,
  options: Options,
): Generator<Successor> {
  const owner = at(world, index)[who];
  if (owner === null) return;
  const attempt = attemptOf(owner.row);
  const hear = (from: World, event: RowEvent): World => heard(from, index, who, event, options);
  if (statusOf(at(world, index).transfers[attempt]) !== 'created') {
    yield [
      `${who}'s document refused`,
      hear(world, { on: 'refused', call: 'attach', errorCode: 10015, words: '', at: timeOf(world.tick) }),
    ];
    return;
  }
  const taken = change(world, index, attempt, { hasDocument: true });
  yield [`${who}'s document taken`, hear(taken, { on: 'attached' })];
  if (world.left.documentsLost > 0)
    yield [`${who}'s document taken and lost`, hear(spending(world, 'documentsLost'), { on: 'attached' })];
  if (world.left.silences > 0)
    yield [
      `${who}'s document taken, no answer`,
      hear(spending(taken, 'silences'), { on: 'unanswered', call: call.do, waitMs: 0 }),
    ];
  if (options.refuses) yield [`${who}'s document refused`, hear(world, refusal(call, world.tick))];
}

function refusal(call: RowCall, tick: number): RowEvent {
  return { on: 'refused', call: call.do, errorCode: 10001, words: '', at: timeOf(tick) };
}

function quotedAt(tick: number, { lifeTicks }: Options): RowEvent {
  const price = {
    quotationId: 'q',
    sendAmount: '1',
    feeAmount: '0',
    receiveAmount: '1',
    createdAt: isoOf(0),
    expiredAt: isoOf(tick + lifeTicks),
  };
  return { on: 'quoted', price, isAdopted: false, differs: false, outside: null };
}

function heard(world: World, index: number, who: Carrier, event: RowEvent, options: Options): World {
  const owner = at(world, index)[who];
  if (owner === null) return world;
  const row = normal(apply(owner.row, event, nowOf(world, owner.lease, options)), options.isImpatient);
  return withOwner(world, index, who, { ...owner, row, call: null });
}

function lateOf(owner: Owner | null, call: RowCall & { do: 'create' | 'confirm' }): Late {
  const attempt = call.do === 'create' ? call.attempt : Number(call.transferId.slice(2));
  const price = owner?.row.price ?? null;
  return {
    call: call.do,
    attempt,
    priceEnds: call.do === 'confirm' || price === null ? 0 : tickOf(price.expiredAt),
  };
}

function nameOf(call: RowCall): string {
  if (call.do === 'create') return `create ${String(call.attempt)}`;
  return call.do === 'confirm' ? `confirm ${call.transferId.slice(2)}` : call.do;
}

// Two rows that are the same payment: of two registered keys, who came later sees the earlier one, and goes on once that one has ended unpaid.

function* meetings(world: World, index: number, options: Options): Generator<Successor> {
  const row = at(world, index);
  const { registered, isCompared, owner } = row;
  if (options.meet !== 'same-payment' || owner.row.end !== null) return;
  if (registered === 0) {
    const last = Math.max(...world.rows.map((other) => other.registered));
    yield [`row ${String(index)} is registered`, withRow(world, index, { registered: last + 1 })];
    return;
  }
  const earlier = world.rows.find((other) => other.registered > 0 && other.registered < registered);
  const event = earlier === undefined ? null : meeting(earlier.durable, owner.row);
  if (isCompared && event === null) return;
  const met = event === null ? world : heard(world, index, 'owner', event, options);
  const name = `row ${String(index)} meets ${event === null ? 'nothing that forbids it' : event.on}`;
  yield [name, withRow(met, index, { isCompared: true })];
}

function meeting(earlier: RowState, later: RowState): RowEvent | null {
  const isWaiting = later.hold?.code === 'reference_undecided';
  if (earlier.end === 'paid') return { on: 'duplicate', why: WISH };
  if (earlier.end !== null) return isWaiting ? { on: 'release' } : null;
  return isWaiting || later.transfer !== null
    ? null
    : { on: 'hold', code: 'reference_undecided', reason: WORDS };
}

// What comes without the owner.

function* messages(world: World, index: number, options: Options): Generator<Successor> {
  const late = landing(at(world, index), world.tick);
  for (const [place, message] of late.entries()) {
    const rest = withRow(world, index, { late: late.filter((_, other) => other !== place) });
    // One that is lost, or comes too late, does nothing: it is the one that stays on its way for ever.
    for (const { world: after } of executions(rest, index, message, options))
      if (after !== rest) yield [`a ${message.call} of ${String(message.attempt)} lands`, after];
  }
}

function* flush(world: World, index: number, options: Options): Generator<Successor> {
  const { durable, owner } = at(world, index);
  if (durable === owner.row) return;
  const isWorth =
    world.left.crashes + world.left.freezes + world.left.olderCopies > 0 ||
    owner.row.end !== null ||
    options.meet !== 'alone';
  if (isWorth) yield ['the ledger catches up', toldNow(withRow(world, index, { durable: owner.row }), index)];
}

function* ofService(world: World, index: number, options: Options): Generator<Successor> {
  for (const [attempt, transfer] of at(world, index).transfers.entries()) {
    const status = statusOf(transfer);
    const to = (status: string): World => change(world, index, attempt, { status });
    if (status === 'submitted') {
      yield [`the network pays ${String(attempt)}`, to('paid')];
      if (options.refuses) yield [`the network refuses ${String(attempt)}`, to('failed')];
    }
    const isOver = transfer !== null && world.tick > transfer.expiresAt + options.skewTicks;
    if (status === 'created' && isOver && options.failsExpired)
      yield [`the service fails ${String(attempt)}`, to('failed')];
  }
}

function* people(world: World, index: number, options: Options): Generator<Successor> {
  const { owner } = at(world, index);
  if (owner.call !== null || owner.row.end !== null) return;
  const ordered = (accident: Accident, event: RowEvent): World => {
    const now = nowOf(world, owner.lease, options);
    const row = normal(apply(owner.row, event, now), options.isImpatient);
    return commit(spending(world, accident), index, 'owner', row, options);
  };
  if (world.left.cancels > 0) {
    const cancelled = ordered('cancels', { on: 'cancel', why: WISH });
    yield ['a person cancels', withRow(cancelled, index, { isForbidden: true })];
  }
  const isReleasable = owner.row.hold !== null || owner.row.closing?.as === 'cancelled';
  if (world.left.releases > 0 && isReleasable) {
    const released = ordered('releases', { on: 'release' });
    yield ['a person releases', withRow(released, index, { isForbidden: false })];
  }
}

function* accidents(world: World, index: number, options: Options): Generator<Successor> {
  const row = at(world, index);
  const { left } = world;
  if (left.crashes > 0) {
    const crashed = spending(underWayAfter(world, index, options), 'crashes');
    yield ['crash, taken up again', withRow(crashed, index, takenUp(row, row.durable))];
  }
  if (left.freezes > 0 && row.woken === null) {
    const taken = { ...takenUp(row, row.durable), woken: row.owner };
    yield ['the owner freezes, another takes over', withRow(spending(world, 'freezes'), index, taken)];
  }
  if (left.olderCopies > 0) yield* copiesOfLedger(world, index, options);
  if (left.losses > 0) {
    const lost = spending(underWayAfter(world, index, options), 'losses');
    const doubtSince = options.isNoticed ? world.tick : null;
    const fresh = obeying(freshRow(null), row, { ...world, doubtSince }, options);
    yield [
      'the ledger is lost and registered again',
      { ...withRow(lost, index, { ...takenUp(row, fresh), durable: fresh }), doubtSince },
    ];
  }
}

function* copiesOfLedger(world: World, index: number, options: Options): Generator<Successor> {
  const row = at(world, index);
  if (row.copy === null) {
    yield ['a copy of the ledger is made', withRow(world, index, { copy: row.durable })];
    return;
  }
  const older = spending(underWayAfter(world, index, options), 'olderCopies');
  const doubtSince = options.isNoticed ? world.tick : world.doubtSince;
  const copy = obeying(row.copy, row, { ...world, doubtSince }, options);
  const back = { ...takenUp(row, copy), durable: copy, copy: null };
  yield ['the older copy is put back', { ...withRow(older, index, back), doubtSince }];
}

/**
 * What the folder of the file says of a row that the ledger forgot: how it was answered, where somebody registers it again; and what a person has
 * forbidden, which whoever takes it up carries out.
 */
function obeying(row: RowState, known: RowWorld, world: World, options: Options): RowState {
  const now = nowOf(world, `L${String(known.leases + 1)}`, options);
  if (options.isNoticed && known.told !== null)
    return normal({ ...row, end: known.told }, options.isImpatient);
  if (!known.isForbidden || row.end !== null || row.closing?.as === 'cancelled') return row;
  return normal(apply(row, { on: 'cancel', why: WISH }, now), options.isImpatient);
}

function takenUp({ leases }: RowWorld, row: RowState): Partial<RowWorld> {
  return { owner: { row, lease: `L${String(leases + 1)}`, call: null }, leases: leases + 1 };
}

/** The call of a process that dies may still land. */
function underWayAfter(world: World, index: number, options: Options): World {
  const { owner } = at(world, index);
  const late = landing(at(world, index), world.tick);
  const { call } = owner;
  if (call === null || late.length >= options.late || (call.do !== 'create' && call.do !== 'confirm'))
    return world;
  return withRow(world, index, { late: [...late, lateOf(owner, call)] });
}

/** False once nothing is left that time could change: every expiry, doubt and age of a read lies far behind. */
function isTimeNews(world: World, options: Options): boolean {
  const cap = capOf(options);
  const isNews = (tick: number): boolean => tick - world.tick > -cap;
  if (world.doubtSince !== null && isNews(world.doubtSince)) return true;
  return world.rows.some((row) => {
    const states = [row.durable, row.owner.row, ...(row.woken === null ? [] : [row.woken.row])];
    const isOfState = states.some(
      ({ price, transfer, mayLandUntil }) =>
        [price?.expiredAt, transfer?.expiredAt].some((iso) => iso !== undefined && isNews(tickOf(iso))) ||
        (mayLandUntil !== null && isNews(mayLandUntil / timeOf(1))),
    );
    return (
      isOfState ||
      row.transfers.some(
        (one) => one !== null && (isNews(one.expiresAt) || one.history.some((past) => isNews(past.at))),
      )
    );
  });
}

function at(world: World, index: number): RowWorld {
  const row = world.rows[index];
  if (row === undefined) throw new Error('The world has no such row.');
  return row;
}

function withOwner(world: World, index: number, who: Carrier, owner: Owner): World {
  return withRow(world, index, { [who]: owner });
}
