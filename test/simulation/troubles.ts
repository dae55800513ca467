// Troubles of a schedule other than its messages: outages, refused keys, missing funds, the operator's staff, other users of the account.
import { externalId } from '../../src/payouts/payout.ts';
import { PAUSED } from '../ledger/records.ts';
import { BATCH } from './session.ts';
import type { World } from './world.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export function scheduleTroubles(world: World): void {
  const { faults } = world.plan;
  const times = (count: number, trouble: (world: World) => void): void => {
    for (let time = 0; time < count; time++)
      world.scheduler.after(world.random.between(0, world.plan.faultsMs), () => {
        if (world.isTroubled) trouble(world);
      });
  };
  times(faults.outages, outage);
  times(faults.keyRefusals, refuseKey);
  times(faults.fundsGaps, drain);
  times(faults.staffChanges, changeByStaff);
  times(faults.strangers, stranger);
  times(faults.interruptions, interrupt);
  times(faults.pauses, pause);
}

function during(world: World, msMost: number, begin: () => void, end: () => void): void {
  begin();
  world.scheduler.after(world.random.between(SECOND_MS, msMost), end);
}

function outage(world: World): void {
  const { network } = world;
  during(
    world,
    15 * MINUTE_MS,
    () => void (network.isOut = true),
    () => void (network.isOut = false),
  );
}

function refuseKey(world: World): void {
  const { service } = world;
  during(
    world,
    5 * MINUTE_MS,
    () => void (service.isKeyRefused = true),
    () => void (service.isKeyRefused = false),
  );
}

/** Another system of the organization empties the account; later somebody fills it again. */
function drain(world: World): void {
  const { books } = world.service;
  const currency = world.random.pick(['XAF', 'EUR', 'USD']);
  const taken = books.of(currency, 'available');
  world.service.isConfirmUnfunded = true;
  during(
    world,
    20 * MINUTE_MS,
    () => books.move(currency, 'available', 'world', taken),
    () => {
      world.service.isConfirmUnfunded = false;
      books.move(currency, 'world', 'available', taken);
    },
  );
}

function changeByStaff(world: World): void {
  const { service, random } = world;
  if (service.transfers.length === 0) return;
  const transfer = random.pick(service.transfers);
  if (transfer.status === 'created') service.network.change(transfer, 'failed', '100000', 'staff');
  else if (transfer.status === 'submitted' && random.chance(0.5))
    service.network.change(transfer, 'failed', '100004', 'staff');
  else if (transfer.status === 'submitted') service.network.change(transfer, 'paid', '20000', 'staff');
  else if (transfer.status === 'paid') service.network.change(transfer, 'failed', '100001', 'staff');
}

/** Another tool with the same key: takes one of our ids for its own payment, or confirms what we created. */
function stranger(world: World): void {
  const { service, random, rows, fileId } = world;
  const ours = service.transfers.find(({ status }) => status === 'created');
  if (ours !== undefined && random.chance(0.5)) {
    service.handle({ method: 'POST', path: `/transfers/${ours.id}/confirm`, body: null, by: 'other' });
    return;
  }
  const { row } = random.pick(rows);
  const body = {
    externalId: `other-${String(random.next())}`,
    sourceCurrency: 'XAF',
    targetCurrency: 'CNY',
    transactionMode: 'B2C',
    payoutCorridorId: 'chn-cny-b2c-alipay',
    mode: 'SOURCE_AMOUNT',
    sourceAmount: 777,
  };
  const quotation = service.handle({ method: 'POST', path: '/rates', body: bytes(body), by: 'other' });
  const { id } = JSON.parse(quotation.body) as { id?: string };
  const create = {
    quotationId: id,
    externalId: externalId(fileId, row, 'transfer', 1),
    purposeOfRemittance: 'OTHER',
    deliveryMethodInfo: { msisdn: '+8613911112222' },
  };
  const created = service.handle({ method: 'POST', path: '/transfers', body: bytes(create), by: 'other' });
  if (created.transfer !== null && random.chance(0.5))
    service.handle({
      method: 'POST',
      path: `/transfers/${created.transfer.id}/confirm`,
      body: null,
      by: 'other',
    });
}

function bytes(body: object): Uint8Array {
  return Buffer.from(JSON.stringify(body));
}

function interrupt(world: World): void {
  world.processes.findLast(({ life }) => life.isAlive)?.abort.abort();
}

/** The owner pauses the batch; the next to go on with it ends the pause. */
function pause(world: World): void {
  const found = world.database.prepare('SELECT record FROM batches WHERE id = ?').get(BATCH);
  if (found === undefined) return;
  world.database
    .prepare("UPDATE batches SET paused = 1, record = json_set(record, '$.decisions', json(?)) WHERE id = ?")
    .run(JSON.stringify(PAUSED.decisions), BATCH);
}
