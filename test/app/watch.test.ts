// The daemon over a real inbox: every dropped file is in exactly one place afterwards, even if processes write, wait or are killed meanwhile.
import { existsSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { watch } from '../../src/app/daemon/daemon.ts';
import type { WaitingFile } from '../../src/app/workflow/ready-files.ts';
import { claimFile } from '../../src/inbox/claim-file.ts';
import { inboxEntries, Settling } from '../../src/inbox/inbox-entries.ts';
import { COMPANY, message, payment } from '../rows/pain001/messages.ts';
import { line, openDesk, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
let inbox: string;

beforeEach(async () => {
  desk = await openDesk();
  inbox = join(desk.workspace, 'inbox');
});
afterEach(() => desk.close());

const QUICK = 'intake: { settleFor: 20ms, scanEvery: 100ms }';

type Watching = {
  /** Resolves with the next result of a batch. */
  readonly next: () => Promise<BatchResult>;
  readonly waiting: () => Promise<WaitingFile>;
  readonly stop: () => Promise<{ readonly isDone: boolean }>;
};

function start(paydrop: Paydrop): Watching {
  const stopper = new AbortController();
  const results = queue<BatchResult>();
  const waits = queue<WaitingFile>();
  const ended = watch(paydrop, {
    signal: stopper.signal,
    onResult: results.put,
    onWaiting: waits.put,
    onTrouble: (words) => {
      throw new Error(words);
    },
  });
  const stop = () => {
    stopper.abort();
    return ended;
  };
  return { next: results.take, waiting: waits.take, stop };
}

/** The events in their order, for a caller that asks for the next. */
function queue<T>(): { readonly put: (value: T) => void; readonly take: () => Promise<T> } {
  const values: T[] = [];
  const takers: ((value: T) => void)[] = [];
  return {
    put: (value) => {
      const taker = takers.shift();
      if (taker === undefined) values.push(value);
      else taker(value);
    },
    take: () => {
      const value = values.shift();
      return value === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(value);
    },
  };
}

async function drop(name: string, ...lines: readonly string[]): Promise<string> {
  const path = await desk.file('dropped.csv', lines);
  const target = join(inbox, name);
  await mkdir(dirname(target), { recursive: true });
  await rename(path, target);
  return target;
}

const names = async () => (await inboxEntries(inbox)).map(({ name }) => name).sort();

describe('a file that is dropped', () => {
  it('is paid and archived, and leaves the inbox; what is no spreadsheet and named by no row stays', async () => {
    const paydrop = await desk.open(QUICK);
    await drop('march/payroll.csv', line('A-1', '100'), line('A-2', '200'));
    await writeFile(join(inbox, 'notes.docx'), 'x');
    const daemon = start(paydrop);
    const { summary } = await daemon.next();
    expect(summary).toMatchObject({ state: 'closed', outcomes: { paid: 2 } });
    expect(await daemon.stop()).toEqual({ isDone: true });
    expect(await names()).toEqual(['notes.docx']);
    const { batch } = summary;
    const archived = join(desk.workspace, 'archive', batch.slice(0, 4), batch.slice(4, 6), batch);
    expect(await readdir(archived)).toContain('payroll.csv');
    expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
  });

  it('a second time, byte for byte, is answered and kept apart; nothing is sent', async () => {
    const paydrop = await desk.open(QUICK);
    await drop('one.csv', line('A-1', '100'));
    const daemon = start(paydrop);
    const { summary } = await daemon.next();
    await drop('two.csv', line('A-1', '100'));
    expect(await daemon.next()).toMatchObject({ isRepeated: true });
    await daemon.stop();
    expect(await names()).toEqual([]);
    expect((await readdir(join(desk.workspace, 'refused', summary.batch))).sort()).toEqual(
      ['two.csv', `two.${summary.batch}.duplicate.json`].sort(),
    );
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('whose profile lists its receivers is paid from the copy that was taken', async () => {
    await desk.write(
      'profiles/staff.yaml',
      'files: "staff.csv"\nreceivers: { by: receiver.lastName, list: { Wei: { receiver.city: Ningbo } } }\n',
    );
    const paydrop = await desk.open(QUICK);
    await drop('staff.csv', line('A-1', '100'));
    const daemon = start(paydrop);
    const { summary } = await daemon.next();
    await daemon.stop();
    expect(summary).toMatchObject({ state: 'closed', outcomes: { paid: 1 } });
  });

  it('with a row to fix is refused beside its reason', async () => {
    const paydrop = await desk.open(QUICK);
    await drop('payroll.csv', line('A-1', 'x'));
    const daemon = start(paydrop);
    const { summary } = await daemon.next();
    await daemon.stop();
    expect(summary.state).toBe('refused');
    expect(await readdir(join(desk.workspace, 'refused', summary.batch))).toContain('payroll.csv');
    expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
    expect(await names()).toEqual([]);
  });

  it('waits for the marker that its writer sets, and takes that away with it', async () => {
    const paydrop = await desk.open('intake: { settleFor: 20ms, scanEvery: 50ms, readyMarker: ".done" }');
    const path = await drop('payroll.csv', line('A-1', '100'));
    const daemon = start(paydrop);
    expect(await daemon.waiting()).toMatchObject({ name: 'payroll.csv', why: 'marker' });
    await writeFile(`${path}.done`, '');
    expect((await daemon.next()).summary.outcomes.paid).toBe(1);
    await daemon.stop();
    expect(await names()).toEqual([]);
  });

  it('waits for the documents that its rows name; one that two files name serves both', async () => {
    const header =
      'reference,payoutCorridorId,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.registeredName,receiver.address,receiver.city,receiver.countryIsoCode,delivery.bankAccountHolderFullName,delivery.bankAccountNumber,delivery.bankAccountSwiftCode,attachment';
    const row = (reference: string, amount: string) =>
      `${header}\n${reference},chn-cny-b2b-bank,XAF,${amount},EXPORTED_GOODS,Yiwu Trading,1 Road,Yiwu,CHN,Yiwu Trading,6222021208001234567,ICBKCNBJXXX,invoice.pdf\n`;
    const paydrop = await desk.open(QUICK);
    await writeFile(join(inbox, 'one.csv'), row('A-1', '500'));
    await writeFile(join(inbox, 'two.csv'), row('A-2', '501'));
    const daemon = start(paydrop);
    expect(await daemon.waiting()).toMatchObject({ why: 'documents', missing: ['invoice.pdf'] });
    await copyFile('samples/invoices/APN-2026-1442.pdf', join(inbox, 'invoice.pdf'));
    const ends = [await daemon.next(), await daemon.next()];
    await daemon.stop();
    expect(ends.map(({ summary, words }) => [summary.outcomes.paid, said(words)])).toEqual([
      [1, []],
      [1, []],
    ]);
    expect(await names()).toEqual([]);
  });
});

describe('a payment message', () => {
  const toBank = (reference: string) =>
    payment({
      reference,
      name: 'Yiwu Trading Co., Ltd',
      party: COMPANY,
      agent: '<CdtrAgt><FinInstnId><BICFI>ICBKCNBJXXX</BICFI></FinInstnId></CdtrAgt>',
      address: '<PstlAdr><StrtNm>Chouzhou Road</StrtNm><TwnNm>Yiwu</TwnNm><Ctry>CN</Ctry></PstlAdr>',
      account: '<Id><Othr><Id>6222021208001234567</Id></Othr></Id>',
      purpose: '<Purp><Cd>GDDS</Cd></Purp>',
    });
  // Of today the hour counts.
  const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const WITH_DEBTOR = `${QUICK}\niso20022: { debtors: [{ account: PAYDROP-XAF, currency: XAF }] }`;
  const INVOICE = 'samples/invoices/APN-2026-1442.pdf';

  it.each(['A-1.png', 'a.pdf'])(
    'to a bank waits for the document by its EndToEndId, here %s',
    async (name) => {
      const paydrop = await desk.open(WITH_DEBTOR);
      await writeFile(
        join(inbox, 'a.xml'),
        message(
          [toBank('A-1'), payment({ reference: 'A-2', amount: '<InstdAmt Ccy="CNY">250</InstdAmt>' })],
          { day: YESTERDAY },
        ),
      );
      const daemon = start(paydrop);
      expect(await daemon.waiting()).toMatchObject({ why: 'documents', missing: ['A-1.pdf'] });
      await copyFile(name.endsWith('.png') ? await picture() : INVOICE, join(inbox, name));
      const { summary } = await daemon.next();
      await daemon.stop();
      expect(summary.outcomes).toMatchObject({ paid: 2, rejected: 0 });
      expect(await names()).toEqual(name === 'a.pdf' ? ['a.pdf'] : []);
    },
  );

  it('to wallets waits for none', async () => {
    const paydrop = await desk.open(WITH_DEBTOR);
    await writeFile(join(inbox, 'a.xml'), message([payment()], { day: YESTERDAY }));
    const daemon = start(paydrop);
    expect((await daemon.next()).summary.outcomes.paid).toBe(1);
    await daemon.stop();
  });

  async function picture(): Promise<string> {
    const path = join(desk.workspace, 'picture.png');
    await writeFile(path, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    return path;
  }
});

describe('several at once', () => {
  it('ten rows are not kept waiting by hundreds', async () => {
    const paydrop = await desk.open(QUICK);
    const many = Array.from({ length: 300 }, (_none, index) => line(`L-${String(index)}`, '150'));
    await drop('large.csv', ...many);
    await drop('small.csv', line('S-1', '100'));
    const daemon = start(paydrop);
    const ended = [await daemon.next(), await daemon.next()].map(({ summary }) => summary);
    await daemon.stop();
    expect(ended.map(({ file, state }) => [file.name, state])).toEqual([
      ['small.csv', 'closed'],
      ['large.csv', 'closed'],
    ]);
  });

  it('goes on with a claim that a kill left behind', async () => {
    const path = await drop('payroll.csv', line('A-1', '100'));
    const paydrop = await desk.open(QUICK);
    const claim = await claimFile(paydrop.workspace, path, 'elsewhere/1/dead', []);
    expect(existsSync(claim?.path ?? '')).toBe(true);
    const daemon = start(paydrop);
    expect((await daemon.next()).summary.outcomes.paid).toBe(1);
    await daemon.stop();
    expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
  });
});

it('a file is never claimed without its control file: who has that one has the file next', async () => {
  const path = await drop('payroll.csv', line('A-1', '100'));
  const { workspace } = await desk.open(QUICK);
  expect(await claimFile(workspace, path, 'elsewhere/1/dead', ['payroll.control.json'])).toBeNull();
  expect(await names()).toEqual(['payroll.csv']);
  expect(await readdir(workspace.processing)).toEqual([]);
});

describe('a file has settled', () => {
  it('when two looks and the time to settle apart it is the same; each change begins anew', async () => {
    const path = await drop('payroll.csv', line('A-1', '100'));
    const settling = new Settling(1_000);
    const look = async (at: number) => settling.look(await inboxEntries(inbox), at).has(path);
    expect(await look(0)).toBe(false);
    expect(await look(999)).toBe(false);
    expect(await look(1_000)).toBe(true);
    await appendFile(path, `${line('A-2', '200')}\n`);
    expect(await look(2_000)).toBe(false);
    expect(await look(3_000)).toBe(true);
  });
});

it('names by which programs mark what is theirs are not looked at', async () => {
  const ignored = [
    '.hidden.csv',
    '~$a.xlsx',
    'a.csv.part',
    'b.csv.filepart',
    'c.csv.crdownload',
    'd.incomplete',
    'Thumbs.db',
  ];
  await desk.open(QUICK);
  for (const name of ignored) await writeFile(join(inbox, name), 'x');
  expect(await names()).toEqual([]);
});
