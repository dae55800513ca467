// Payment messages compared with spreadsheets of the same payments: how fast they are taken and read, what checking them against their schema costs, and the memory.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { ACCOUNT, message, payment } from '../rows/pain001/messages.ts';
import { fileNamed, openDesk } from './desk.ts';
import { atLeast, atMost, byTurns, number, shown, spreadOf, type Group } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { cellsOf, writeCsv } from './payment-files.ts';
import { startService, take, told, type Taken } from './processes.ts';

const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Of the payments that `payment-files.ts` writes as rows. */
function writeMessage(path: string, rows: number): void {
  const payments = Array.from({ length: rows }, (_none, index) => {
    const cells = cellsOf(index, 'wallet');
    const [reference = '', , , amount = ''] = cells;
    const [first = '', last = ''] = cells.slice(7, 9);
    const [phone = ''] = cells.slice(13);
    return payment({
      reference,
      amount: `<InstdAmt Ccy="CNY">${amount}</InstdAmt>`,
      name: `${last}, ${first}`,
      account: `<Id><Othr><Id>${phone}</Id><SchmeNm><Prtry>ALIPAY</Prtry></SchmeNm></Othr></Id>`,
    });
  });
  writeFileSync(path, message(payments));
}

/** As `intake` of the tables: read, checked, registered and compared, and nothing is priced. */
async function intakeOf(file: string): Promise<Taken> {
  return withIntake((config) => take(program('intake.ts'), [file, config]));
}

type Told = { readonly statusMs: number; readonly moreMb: number };

/** The first status message of a message that was taken. */
async function statusOf(file: string): Promise<Told> {
  return withIntake(
    async (config) => JSON.parse(await told(program('intake.ts'), [file, config, 'status'])) as Told,
  );
}

async function withIntake<T>(work: (config: string) => Promise<T>): Promise<T> {
  const service = await startService(0);
  try {
    const rest = `iso20022: { debtors: [{ account: ${ACCOUNT}, currency: XAF }] }\n`;
    const { config } = openDesk({ baseUrl: service.baseUrl, concurrency: 1, rest });
    return await work(config);
  } finally {
    await service.stop();
  }
}

type Validated = { readonly parserMs: number; readonly validatedMs: number };

type Read = {
  readonly parserMs: number;
  readonly checkedMs: number;
  readonly againMs: number;
  readonly rssMb: number;
};

const LEAST = { intakeShare: 0.7, checked: 20_000, again: 45_000 } as const;
const MOST = {
  validatedPerParsed: 3,
  checkedPerParsed: 3,
  moreMb: 60,
  statusMs: 1_500,
  statusMb: 40,
} as const;

export async function messages({ runs, rows: wished, isScaled }: BenchOptions): Promise<Group> {
  const rows = isScaled ? wished : 100_000;
  const [csv, xml] = [fileNamed(`messages-${String(rows)}.csv`), fileNamed(`messages-${String(rows)}.xml`)];
  await writeCsv(csv, rows);
  writeMessage(xml, rows);
  const taken = await byTurns(runs, { csv: () => intakeOf(csv), xml: () => intakeOf(xml) });
  const read = (...only: string[]) => told(program('message-reading.ts'), [xml, String(rows), ...only]);
  const { reading } = await byTurns(runs, { reading: async () => JSON.parse(await read()) as Read });
  const { validating } = await byTurns(runs, {
    validating: async () => JSON.parse(await read('validated')) as Validated,
  });
  const { status } = await byTurns(runs, { status: () => statusOf(xml) });
  const statusMs = spreadOf(status.map((each) => each.statusMs));
  const statusMb = spreadOf(status.map((each) => each.moreMb));
  const rate = (of: readonly number[]) => spreadOf(of.map((seconds) => rows / seconds));
  const [ofCsv, ofXml] = [taken.csv, taken.xml].map((of) => rate(of.map(({ wallS }) => wallS)));
  const share = spreadOf(taken.xml.map(({ wallS }, run) => (taken.csv[run]?.wallS ?? NaN) / wallS));
  const more = spreadOf(taken.xml.map(({ rssMb }, run) => rssMb - (taken.csv[run]?.rssMb ?? NaN)));
  const checked = rate(reading.map(({ checkedMs }) => checkedMs / 1_000));
  const again = rate(reading.map(({ againMs }) => againMs / 1_000));
  const validity = spreadOf(validating.map(({ validatedMs, parserMs }) => validatedMs / parserMs));
  const price = spreadOf(reading.map(({ checkedMs, parserMs }) => checkedMs / parserMs));
  if (ofCsv === undefined || ofXml === undefined) throw new Error('Nothing was measured.');
  return {
    name: 'messages',
    title: `15. Payment messages, ${number(rows)} payments`,
    lines: [
      {
        what: 'taken, beside the same rows as CSV',
        value: `${shown(ofXml)} a second, ${shown(share, 2)} of CSV (${shown(ofCsv)})`,
        bar: atLeast(LEAST.intakeShare, share, 2),
      },
      {
        what: 'memory above that of CSV',
        value: `${shown(more)} MB`,
        bar: atMost(MOST.moreMb, more),
      },
      {
        what: 'read and checked, by processor time',
        value: `${shown(checked)} a second`,
        bar: atLeast(LEAST.checked, checked),
      },
      {
        what: 'read again, by processor time',
        value: `${shown(again)} a second`,
        bar: atLeast(LEAST.again, again),
      },
      {
        what: 'reading and validating, of parsing alone',
        value: shown(validity, 2),
        bar: atMost(MOST.validatedPerParsed, validity, 2),
      },
      {
        what: 'the first status message',
        value: `${shown(statusMs)} ms`,
        bar: atMost(MOST.statusMs, statusMs),
      },
      {
        what: 'memory on top for it',
        value: `${shown(statusMb)} MB`,
        bar: atMost(MOST.statusMb, statusMb),
      },
      {
        what: 'reading, validating, mapping and keeping, of parsing alone',
        value: shown(price, 2),
        bar: atMost(MOST.checkedPerParsed, price, 2),
      },
    ],
    data: {
      rows,
      share,
      rates: { csv: ofCsv, xml: ofXml },
      checked,
      again,
      validity,
      price,
      moreMb: more,
      statusMs,
      statusMb,
    },
  };
}
