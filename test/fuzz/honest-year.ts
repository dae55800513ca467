// `npm run trial -- honest-year`: twelve months of an office that means well, on a test clock: payrolls by employee number with small changes, suppliers every week
// with amounts that repeat, a file with a wrong row and its correction, and one export by accident a month. It counts what is held, how much of that
// rightly, and what a clerk has to do; nothing may be paid twice, and nothing honest may stay unpaid.
import { calendarClock } from '../app/schedule/calendar-clock.ts';
import { lineTo, openDesk, PATIENT, type Desk } from '../app/desk.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from '../app/release.ts';
import { batchRows } from '../../src/ledger/batch-rows.ts';
import { stageOrHeld, whyOf } from '../../src/payouts/progress.ts';
import { program, wholeNumber } from '../program.ts';

type Options = { readonly people: number; readonly months: number };

const options = program('npm run trial -- honest-year', 'Counts the false alarms of an honest year.')
  .option('--people <n>', 'people on the payroll', wholeNumber(1, 5_000), 200)
  .option('--months <n>', 'how many months', wholeNumber(1, 24), 12)
  .parse()
  .opts<Options>();

type Kind = 'payroll' | 'suppliers' | 'one-off' | 'correction' | 'by accident';

type Payment = { readonly who: string; readonly reference: string; readonly amount: number };

type Count = {
  files: number;
  rows: number;
  held: number;
  duplicates: number;
  refused: number;
  clicks: number;
};

const counts = new Map<Kind, Count>();
const reasons = new Map<string, number>();
/** What is owed: once each. */
const owed = new Map<string, number>();

const keyOf = ({ who, reference, amount }: Payment): string => `${who} ${reference} ${String(amount)}`;

function countOf(kind: Kind): Count {
  const count = counts.get(kind) ?? { files: 0, rows: 0, held: 0, duplicates: 0, refused: 0, clicks: 0 };
  counts.set(kind, count);
  return count;
}

/** Drops a file, and does with what is held what a clerk does who knows whether it is meant. */
async function drop(
  desk: Desk,
  paydrop: Paydrop,
  kind: Kind,
  name: string,
  payments: readonly Payment[],
  wrong: readonly string[] = [],
): Promise<void> {
  const count = countOf(kind);
  const lines = payments.map(({ who, reference, amount }) => lineTo(who, reference, String(amount)));
  const path = await desk.file(name, [...lines, ...wrong]);
  const { summary } = await processBatch(paydrop, path, PATIENT);
  count.files += 1;
  if (summary.state === 'refused') {
    count.refused += 1;
    return;
  }
  count.rows += payments.length;
  const isMeant = kind !== 'by accident';
  if (isMeant) for (const payment of payments) owed.set(keyOf(payment), (owed.get(keyOf(payment)) ?? 0) + 1);
  const batch = await paydrop.ledger.batch(summary.batch);
  if (batch === null) throw new Error(`${name} is no batch.`);
  for await (const { progress } of batchRows(paydrop.ledger, batch.id)) {
    const stage = stageOrHeld(progress);
    if (stage === 'held') count.held += 1;
    if (stage === 'duplicate') count.duplicates += 1;
    const errorCode = whyOf(progress)?.errorCode;
    if (errorCode !== undefined)
      reasons.set(`${kind}: ${errorCode}`, (reasons.get(`${kind}: ${errorCode}`) ?? 0) + 1);
  }
  if (summary.outcomes.held === 0) return;
  count.clicks += 1;
  await releaseRows(paydrop, batch, {
    by: 'Clerk',
    reason: isMeant ? 'it is owed' : 'exported again',
    rows: null,
    skip: !isMeant,
  });
  await resumeBatches(paydrop, batch.id, PATIENT);
}

/** Each month some get more, some leave, some come. */
function payroll(month: number): readonly Payment[] {
  const first = month * 2;
  return Array.from({ length: options.people }, (_, index) => {
    const number = first + index;
    const raises = Math.floor((month + (number % 20)) / 20);
    return {
      who: `person ${String(number)}`,
      reference: `E-${String(number)}`,
      amount: 100 + (number % 40) + raises * 5,
    };
  });
}

const SUPPLIERS = 10;

function suppliers(week: number): readonly Payment[] {
  return Array.from({ length: SUPPLIERS }, (_, index) => ({
    who: `supplier ${String(index)}`,
    reference: `F-${String(week)}-${String(index)}`,
    // Cleaning, rent of the cars and the line cost the same each week.
    amount: index < 3 ? 500 + index : 200 + ((week * 7 + index * 13) % 90),
  }));
}

const DAY_MS = 86_400_000;
const START = Date.parse('2026-01-01T08:00:00Z');

async function main(): Promise<number> {
  const clock = calendarClock(new Date(START).toISOString());
  const desk = await openDesk({ clock, balances: { XAF: '100000000000' } }, clock);
  try {
    const paydrop = await desk.open();
    // With the first day of the month after, on which the last payroll is exported again.
    const days = Math.round((Date.UTC(2026, options.months, 1) - Date.UTC(2026, 0, 1)) / DAY_MS);
    for (let day = 0; day <= days; day += 1) {
      const at = new Date(START + day * DAY_MS);
      const [month, date] = [at.getUTCMonth() + 12 * (at.getUTCFullYear() - 2026), at.getUTCDate()];
      const isOver = day === days;
      clock.goTo(at.toISOString());
      const name = (what: string): string => `${what}-${at.toISOString().slice(0, 10)}.csv`;
      if (at.getUTCDay() === 5 && !isOver)
        await drop(desk, paydrop, 'suppliers', name('suppliers'), suppliers(Math.floor(day / 7)));
      if (date === 10)
        await drop(desk, paydrop, 'one-off', name('expenses'), [
          { who: `person ${String(month * 2 + 3)}`, reference: `X-${String(month)}`, amount: 37 + month },
        ]);
      if (date === 15) {
        const owedNow = [{ who: `garage ${String(month)}`, reference: `G-${String(month)}`, amount: 150 }];
        await drop(desk, paydrop, 'correction', name('garage'), owedNow, [
          'G-x,CHN,B2C,wechat,XAF,abc,SALARY_PAYMENT,Li,Wei,CHN,1',
        ]);
        await drop(desk, paydrop, 'correction', name('garage-corrected'), owedNow);
      }
      if (date === 28) await drop(desk, paydrop, 'payroll', name('payroll'), payroll(month));
      // The program numbers each export: the same people and amounts, other references.
      if (date === 1 && month > 0)
        await drop(
          desk,
          paydrop,
          'by accident',
          name('payroll-again'),
          payroll(month - 1).map((each, index) => ({
            ...each,
            reference: `EXP-${String(month)}-${String(index)}`,
          })),
        );
    }
    return tell(await paidOnce(paydrop));
  } finally {
    await desk.close();
  }
}

/** What is paid of what is owed, too often, or not at all. */
async function paidOnce(
  paydrop: Paydrop,
): Promise<{ readonly twice: number; readonly unpaid: number; readonly paid: number }> {
  const references = new Map<string, number>();
  for (const { id, state } of await paydrop.ledger.batches()) {
    if (state === 'refused') continue;
    for await (const { reference, payout, progress } of batchRows(paydrop.ledger, id)) {
      if (progress.stage !== 'paid' || payout === null) continue;
      const key = `${reference ?? ''} ${payout.requested.amount}`;
      references.set(key, (references.get(key) ?? 0) + 1);
    }
  }
  let [twice, unpaid] = [0, 0];
  const wanted = new Map<string, number>();
  for (const [key, times] of owed) {
    const short = key.split(' ').slice(-2).join(' ');
    wanted.set(short, (wanted.get(short) ?? 0) + times);
  }
  for (const [key, times] of wanted) unpaid += Math.max(0, times - (references.get(key) ?? 0));
  for (const [key, times] of references) twice += Math.max(0, times - (wanted.get(key) ?? 0));
  const paid = [...references.values()].reduce((sum, each) => sum + each, 0);
  return { twice, unpaid, paid };
}

function tell({ twice, unpaid, paid }: Awaited<ReturnType<typeof paidOnce>>): number {
  const say = (text: string): boolean => process.stdout.write(`${text}\n`);
  for (const [kind, { files, rows, held, duplicates, refused, clicks }] of counts)
    say(
      `${kind}: ${String(files)} files, ${String(rows)} rows, ${String(held)} held, ${String(duplicates)} duplicates, ${String(refused)} files refused, ${String(clicks)} clicks`,
    );
  for (const [reason, times] of reasons) say(`  ${reason}: ${String(times)}`);
  const all = [...counts.values()];
  const sum = (of: keyof Count): number => all.reduce((total, count) => total + count[of], 0);
  // What was exported by accident is owed to nobody.
  const { held: rightly, clicks } = countOf('by accident');
  say(
    `held ${String(sum('held'))}, rightly ${String(rightly)}; clicks ${String(sum('clicks'))}, rightly ${String(clicks)}`,
  );
  say(
    `paid ${String(paid)}, twice or not owed ${String(twice)}, owed and refused for good ${String(unpaid)}; files refused and paid once corrected ${String(sum('refused'))}`,
  );
  return twice === 0 && unpaid === 0 ? 0 : 1;
}

process.exitCode = await main();
