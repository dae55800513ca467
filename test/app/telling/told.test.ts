// From a dropped file to the message that tells of it, over a real SMTP server and a real HTTP receiver.
import { createHmac } from 'node:crypto';
import { writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { releaseRows } from '../release.ts';
import { mayDecide } from '../../../src/app/workflow/batch/may-decide.ts';
import { openCourier } from '../../../src/app/notify/courier.ts';
import type { NoticeMessage } from '../../../src/app/config/notify-config.ts';
import { notifyApproval } from '../../../src/app/notify/notify-batch.ts';
import { notifyWaiting } from '../../../src/app/notify/notify-waiting.ts';
import { httpPayoutService } from '../../../src/service/http-payout-service.ts';
import { undiciTransport } from '../../../src/service/undici-transport.ts';
import { sameWords } from '../../../src/base/language.ts';
import { clientOf } from '../../sandbox/sandbox-client.ts';
import { receiver, type Receiver } from '../../sandbox/receiver.ts';
import { HURRIED, line, magic, openDesk, PATIENT, type Desk } from '../desk.ts';
import { leapClock, type LeapClock } from '../leap-clock.ts';
import { mailbox, type Mail, type Mailbox } from './mailbox.ts';
import { waitFor } from '../../../src/ledger/wait.ts';
import { own, record } from '../../ledger/own.ts';
import { questionOf } from '../../../src/app/desk/page-decisions.ts';
import { changeBatch } from '../../../src/ledger/ledger.ts';

const NEVER = new AbortController().signal;
const HOUR_MS = 3_600_000;

let clock: LeapClock;
let desk: Desk;
let box: Mailbox;
let hook: Receiver;

beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock }, clock);
  box = await mailbox();
  hook = await receiver();
});
afterEach(() => desk.close());

function settings(more = '', events = EVERYTHING): string {
  const email = `{ host: 127.0.0.1, port: ${String(box.port)}, security: none, from: paydrop@example.com, to: [one@example.com, two@example.com] }`;
  return `notify: { email: ${email}, hook: { url: "${hook.url}" }${events} }\n${more}`;
}

const EVERYTHING = `, events: [accepted, refused, duplicate, held, shortfall, approval, completion, changed, trouble]`;

/** What the hook got, in its order. */
function posted(): readonly NoticeMessage[] {
  return hook.received.map(({ body }) => JSON.parse(body.toString('utf8')) as NoticeMessage);
}

function subjects(mails: readonly Mail[] = box.mails): readonly (string | undefined)[] {
  return mails.map(({ headers }) => headers.get('subject'));
}

async function tell(paydrop: Paydrop): Promise<void> {
  await openCourier(paydrop, mayDecide).round(NEVER);
}

async function pay(paydrop: Paydrop, ...lines: readonly string[]): Promise<string> {
  const { summary } = await processBatch(paydrop, await desk.file('payroll.csv', lines), PATIENT);
  return summary.batch;
}

describe('a file that is paid', () => {
  it('is told twice, by e-mail and to the hook: when it is accepted, and at its end', async () => {
    const paydrop = await desk.open(settings());
    const batch = await pay(paydrop, line('A-1', '100'), magic('A-2', '0100002'));
    await tell(paydrop);
    expect(subjects()).toEqual([
      '[paydrop] payroll.csv: accepted, 2 rows (200.00 CNY)',
      '[paydrop] payroll.csv: finished, 1 paid, 1 failed',
    ]);
    expect(box.mails[0]).toMatchObject({
      from: 'paydrop@example.com',
      to: ['one@example.com', 'two@example.com'],
    });
    expect(box.mails[1]?.text).toMatch(/XAF: [\d,]+ debited, of which [\d,]+ fees/);
    expect(box.mails[1]?.text).toContain(`- payroll.${batch}.result.csv`);
    expect(posted()).toMatchObject([
      { event: 'accepted', batch, file: 'payroll.csv', rows: 2, answers: [`payroll.${batch}.ack.json`] },
      { event: 'completion', batch, outcomes: { paid: 1, failed: 1 }, sandbox: false },
    ]);
  });

  it('is told at its end alone where the config names no events', async () => {
    const paydrop = await desk.open(settings('', ''));
    await pay(paydrop, line('A-1', '100'));
    await pay(paydrop, line('A-1', '100'));
    await tell(paydrop);
    expect(subjects()).toEqual(['[paydrop] payroll.csv: finished, 1 paid']);
  });

  it('on a later day is told with that day when it is accepted', async () => {
    const paydrop = await desk.open(settings('executionDate: { timeZone: Africa/Douala }'));
    const day = new Date(clock.now() + 6 * 24 * HOUR_MS).toISOString().slice(0, 10);
    const file = await desk.file(`payroll@${day}.csv`, [line('A-1', '12500')]);
    await processBatch(paydrop, file, HURRIED);
    await resumeBatches(paydrop, null, HURRIED);
    await tell(paydrop);
    const [subject] = subjects();
    expect(subjects()).toHaveLength(1);
    expect(subject).toContain(`: accepted, to be paid on `);
    expect(subject).toContain(`${String(Number(day.slice(8)))} `);
    expect(subject).toContain('1 row (12,500.00 CNY)');
    expect(box.mails[0]?.text).toMatch(/It is paid on .*, at the prices of that moment/);
  });

  it('is told in French where the config says so', async () => {
    const paydrop = await desk.open(settings('language: fr'));
    await pay(paydrop, line('A-1', '100'));
    await tell(paydrop);
    expect(subjects().map((subject) => subject?.replaceAll('\u00a0', ' '))).toEqual([
      '[paydrop] payroll.csv : accepté, 1 ligne (100,00 CNY)',
      '[paydrop] payroll.csv : terminé, 1 payée',
    ]);
    expect(box.mails[1]?.text).toContain('Vous n’avez rien à faire.');
  });

  it('is told without account, telephone number, name of a receiver, or amount of a row', async () => {
    const paydrop = await desk.open(settings());
    const rows = [line('A-1', '1234.56'), line('A-2', '4321.09'), magic('A-3', '0060000')];
    await processBatch(paydrop, await desk.file('payroll.csv', rows), HURRIED);
    await processBatch(paydrop, await desk.file('bad.csv', [line('B-1', 'x')]), HURRIED);
    await processBatch(paydrop, await desk.file('again.csv', rows), HURRIED);
    await tell(paydrop);
    const told = [
      ...box.mails.map(({ raw, text }) => raw + text),
      ...hook.received.map(({ body }) => String(body)),
    ];
    expect(told.length).toBeGreaterThanOrEqual(6);
    for (const text of told)
      expect(text).not.toMatch(/8613800138000|0060000|\bWei\b|1,?234\.56|4,?321\.09|A-1/);
  });
});

describe('a file that is not paid', () => {
  it('for its rows is told with what to fix; for its form, with the code; the same bytes again, with their day', async () => {
    const paydrop = await desk.open(settings());
    await pay(paydrop, line('A-1', 'x'), line('A-2', '100'));
    await processBatch(paydrop, await desk.write('broken.csv', 'nothing\nlike a header\n'), PATIENT);
    await processBatch(paydrop, await desk.file('one.csv', [line('A-3', '50')]), PATIENT);
    await processBatch(paydrop, await desk.file('two.csv', [line('A-3', '50')]), PATIENT);
    await processBatch(paydrop, await desk.file('two.csv', [line('A-3', '50')]), PATIENT);
    await tell(paydrop);
    expect(subjects()).toEqual([
      '[paydrop] payroll.csv: refused, nothing was sent (1 row to fix)',
      '[paydrop] broken.csv: refused, nothing was sent (header_not_found)',
      '[paydrop] one.csv: accepted, 1 row (50.00 CNY)',
      '[paydrop] one.csv: finished, 1 paid',
      '[paydrop] two.csv: came before, nothing was sent',
    ]);
    expect(posted()[0]?.answers.map((name) => name.replace(/\.\d{8}-[0-9a-f]{8}\./, '.'))).toEqual([
      'payroll.refused.json',
      'payroll.rejected.csv',
    ]);
  });
});

describe('what a person has to do', () => {
  it('rows that are held are told once, with their numbers, their reasons and what to do', async () => {
    const paydrop = await desk.open(settings());
    const equal = line('', '100');
    const batch = await pay(paydrop, equal, equal, line('A-3', '300'));
    await resumeBatches(paydrop, batch, HURRIED);
    await tell(paydrop);
    const held = posted().filter(({ event }) => event === 'held');
    expect(held.map(({ subject }) => subject)).toEqual(['[paydrop] payroll.csv: 2 rows wait for a person']);
    expect(held[0]?.text).toContain('- Rows 2, 3 (equal_rows): ');
    expect(held[0]?.text).toContain(`paydrop release ${batch} --rows LIST --by NAME --reason TEXT`);
  });

  it('rows that are held again after a release are told again, once', async () => {
    const paydrop = await desk.open(settings());
    const { ledger } = paydrop;
    const equal = line('', '100');
    const id = await pay(paydrop, equal, equal, line('A-3', '300'));
    await tell(paydrop);
    const batch = await ledger.batch(id);
    const held = await ledger.rows(id, 0, 2);
    if (batch === null) throw new Error('It was taken.');
    await releaseRows(paydrop, batch, { by: 'Awa', reason: 'two months', rows: null, skip: false });
    for (const row of await ledger.rows(id, 0, 2)) {
      const hold = held.find(({ position }) => position === row.position)?.progress.hold ?? null;
      const again = hold === null ? null : { ...hold, since: new Date(clock.now()).toISOString() };
      const progress = { ...row.progress, hold: again };
      await record(ledger, row, { progress, dueAt: null, event: 'held' });
    }
    for (let looks = 0; looks < 2; looks += 1) {
      clock.leap(HOUR_MS);
      await resumeBatches(paydrop, id, HURRIED);
      await tell(paydrop);
    }
    const told = posted().filter(({ event }) => event === 'held');
    expect(told.map(({ subject }) => subject)).toEqual([
      '[paydrop] payroll.csv: 2 rows wait for a person',
      '[paydrop] payroll.csv: 2 rows wait for a person',
    ]);
  });

  it('that a held row is seen unconfirmed meanwhile is no second occasion', async () => {
    const paydrop = await desk.open(settings());
    const { ledger } = paydrop;
    const id = await pay(paydrop, line('', '100'), line('', '100'));
    const [row] = await ledger.rows(id, 0, 1);
    if (row === undefined) throw new Error('It was registered.');
    const progress = { ...row.progress, silentAt: clock.now() };
    await record(ledger, row, {
      progress,
      dueAt: null,
      event: 'seen unconfirmed while held',
    });
    await resumeBatches(paydrop, id, HURRIED);
    await tell(paydrop);
    clock.leap(HOUR_MS);
    await tell(paydrop);
    expect(posted().filter(({ event }) => event === 'held')).toHaveLength(1);
  });

  it('a file that stops again after its refusals were looked at is told again, once', async () => {
    const paydrop = await desk.open(settings());
    const id = await pay(paydrop, line('A-1', '100'));
    const stop = async () => {
      const batch = await paydrop.ledger.batch(id);
      const words = sameWords('Too many were refused.');
      if (batch !== null) await notifyWaiting(paydrop, batch, waitFor('refusals', words));
      clock.leap(HOUR_MS);
      await tell(paydrop);
      return posted().filter(({ event }) => event === 'held').length;
    };
    expect([await stop(), await stop()]).toEqual([1, 1]);
    await changeBatch(paydrop.ledger, await own(paydrop.ledger, id), {
      decisions: [
        { about: 'refusals', by: 'Awa', reason: 'right', at: '', saw: { decided: 12, refused: 4 } },
      ],
    });
    expect([await stop(), await stop()]).toEqual([2, 2]);
  });

  it('missing funds are told with what is missing', async () => {
    const paydrop = await desk.open(settings());
    const client = clientOf(desk.sandbox);
    await client.post('/sandbox/balances', { currency: 'XAF', availableAmount: 1 });
    const batch = await payHurried(paydrop, [line('A-1', '100'), line('A-2', '200')]);
    await resumeBatches(paydrop, batch, HURRIED);
    await tell(paydrop);
    const short = posted().filter(({ event }) => event === 'shortfall');
    expect(short.map(({ subject }) => subject)).toEqual(['[paydrop] payroll.csv: waits for funds, 2 rows']);
    expect(short[0]?.text).toMatch(/The XAF balance ran out: 2 payments wait and need [\d,]+ XAF/);
  });

  it('a refused key, and the file STOP, are told once for all files, and again after hours', async () => {
    const paydrop = await desk.open(settings());
    await writeFile(join(desk.workspace, 'inbox', 'STOP'), '');
    const paths = [
      await desk.file('one.csv', [line('A-1', '100')]),
      await desk.file('two.csv', [line('A-2', '100')]),
    ];
    for (const path of paths) await processBatch(paydrop, path, HURRIED);
    await tell(paydrop);
    expect(subjects()).toEqual(['[paydrop] Nothing is paid: there is a STOP file in the inbox']);
    clock.leap(6 * HOUR_MS);
    await resumeBatches(paydrop, null, HURRIED);
    await tell(paydrop);
    expect(subjects()).toHaveLength(2);
    await rm(join(desk.workspace, 'inbox', 'STOP'));
    const { transport, close } = undiciTransport(new URL(desk.sandbox.baseUrl), 1);
    const service = httpPayoutService({ transport, apiKey: 'wrong', timeoutMs: 5_000, clock });
    const locked = { ...paydrop, service };
    await resumeBatches(locked, null, HURRIED);
    await tell(locked);
    await close();
    expect(subjects().at(-1)).toBe('[paydrop] Nothing is paid: the service refuses the API key');
  });

  it('a file that waits for approval is told once, with the command that answers, however often it is looked at', async () => {
    const paydrop = await desk.open(settings('policy: { approval: required }'));
    const id = await pay(paydrop, line('A-1', '100'));
    await resumeBatches(paydrop, null, HURRIED);
    await tell(paydrop);
    const asked = box.mails;
    // The question is all that is told: that the file was accepted goes without saying.
    expect(subjects(asked)).toEqual(['[paydrop] payroll.csv: waits for approval, 1 row']);
    expect(asked[0]?.text).toContain(`paydrop approve ${id} --by NAME`);
    expect(asked[0]?.text).toContain(`payroll.${id}.preview-1.csv`);
  });

  it('a question that is signed is told with the digest that the page shows', async () => {
    const paydrop = await desk.open(
      settings('policy: { approval: required }\nweb: { listen: "127.0.0.1:0" }'),
    );
    const id = await pay(paydrop, line('A-1', '100'));
    await tell(paydrop);
    const digest = (await questionOf(paydrop, id))?.digest ?? '';
    const shown = /the page shows ((?:[0-9A-F]{4} ){7}[0-9A-F]{4})\./.exec(box.mails[0]?.text ?? '')?.[1];
    expect(shown?.replaceAll(' ', '').toLowerCase()).toBe(digest.slice(0, 32));
  });

  it('a file whose day was missed is told once, and what a person can do', async () => {
    const paydrop = await desk.open(settings('executionDate: { past: hold, timeZone: Africa/Douala }'));
    const file = await desk.file('payroll@2026-01-05.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    await resumeBatches(paydrop, null, HURRIED);
    await tell(paydrop);
    const held = box.mails.filter(({ headers }) => headers.get('subject')?.includes('stopped') === true);
    expect(held).toHaveLength(1);
    expect(held[0]?.text).toContain(`paydrop release ${batch} --by NAME`);
  });

  it.each([
    [
      'changed_account',
      line('B-1', '100').replace('138000', '139990'),
      'Li Wei (row 2): ••• 8000 → ••• 9990, 100.00 CNY',
    ],
    [
      'shared_account',
      line('B-1', '101').replace('Li,Wei', 'Jie,Chen'),
      'row 3, Li Wei: Row 2 pays another receiver on the same account.',
    ],
    ['ten_times', line('B-1', '1000'), 'row 2, Li Wei: At least ten times the last payment'],
  ])('a question for approval names each unusual row with its reason: %s', async (_, row, said) => {
    await pay(await desk.open(), line('A-1', '100'));
    const paydrop = await desk.open(settings('policy: { approval: required }', ', events: [approval]'));
    await pay(paydrop, row, line('B-2', '99'));
    await tell(paydrop);
    expect(box.mails).toHaveLength(1);
    expect(box.mails[0]?.text.replaceAll('\u00a0', ' ')).toContain(said);
  });

  it('a question for approval is raised with one call', async () => {
    const paydrop = await desk.open(settings());
    const id = await pay(paydrop, line('A-1', '100'));
    const batch = await paydrop.ledger.batch(id);
    if (batch === null) throw new Error('It was paid.');
    const question = { version: 'hash', lines: [sameWords('150000 XAF.')], answers: ['payroll.preview.csv'] };
    await notifyApproval(paydrop, batch, question);
    await notifyApproval(paydrop, batch, question);
    await tell(paydrop);
    expect(subjects().filter((subject) => subject?.includes('approval'))).toEqual([
      '[paydrop] payroll.csv: waits for approval, 1 row',
    ]);
  });
});

it('a payment that comes back after the end is told with the number of its new answers', async () => {
  const paydrop = await desk.open(settings());
  await pay(paydrop, magic('A-1', '0100001'));
  for (let hours = 0; hours < 3; hours += 1) {
    clock.leap(HOUR_MS);
    await resumeBatches(paydrop, null, PATIENT);
  }
  await tell(paydrop);
  expect(subjects()).toEqual([
    '[paydrop] payroll.csv: accepted, 1 row (100.00 CNY)',
    '[paydrop] payroll.csv: finished, 1 paid',
    '[paydrop] payroll.csv: changed after it was finished, now 1 failed',
  ]);
  expect(box.mails[2]?.text).toContain('-2.csv');
});

it('an end that was told before the archive failed is told anew when a payment comes back before the batch is closed', async () => {
  const paydrop = await desk.open(settings());
  // A file where the folder of the year is to be made.
  const year = join(desk.workspace, 'archive', new Date(clock.now()).toISOString().slice(0, 4));
  await writeFile(year, '');
  await expect(pay(paydrop, magic('A-1', '0100001'), line('A-2', '200'))).rejects.toThrow();
  await tell(paydrop);
  expect(subjects().at(-1)).toBe('[paydrop] payroll.csv: finished, 2 paid');
  await rm(year);
  clock.leap(3 * HOUR_MS);
  const [result] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
  expect(result?.summary).toMatchObject({ state: 'closed', outcomes: { paid: 1, failed: 1 } });
  expect(result?.summary.supersedes).toMatch(/[.]summary[.]json$/);
  await tell(paydrop);
  expect(subjects().slice(-2)).toEqual([
    '[paydrop] payroll.csv: finished, 2 paid',
    '[paydrop] payroll.csv: finished, 1 paid, 1 failed',
  ]);
  expect(box.mails.at(-1)?.text).toContain('The answers with the number 2 count');
  expect(box.mails.at(-1)?.text).toContain('result-2.csv');
});

it('only the events that the config names are kept; without the section none is', async () => {
  const narrow = await desk.open(settings('', ', events: [completion]'));
  await pay(narrow, line('A-1', '100'));
  await tell(narrow);
  expect(posted().map(({ event }) => event)).toEqual(['completion']);
  const silent = await desk.open();
  await processBatch(silent, await desk.file('two.csv', [line('A-2', '100')]), PATIENT);
  expect(await silent.ledger.notices.standing()).toMatchObject([{ waiting: 0 }, { waiting: 0 }]);
});

it('the hook can prove who speaks: the signature is over the bytes that came', async () => {
  const paydrop = await desk.open(settings());
  const secret = 'a secret of the hook';
  const signed = {
    ...paydrop,
    config: { ...paydrop.config, notifySecrets: { smtpPassword: null, hookSecret: secret } },
  };
  await pay(signed, line('A-1', '100'));
  await tell(signed);
  for (const { headers, body, method } of hook.received) {
    expect(method).toBe('POST');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-paydrop-signature']).toBe(createHmac('sha256', secret).update(body).digest('hex'));
    expect(headers['idempotency-key']).toBe((JSON.parse(String(body)) as NoticeMessage).id);
    expect(String(body)).not.toContain(secret);
  }
  expect(hook.received).toHaveLength(2);
});

/** Without waiting for funds or final statuses. */
async function payHurried(paydrop: Paydrop, lines: readonly string[]): Promise<string> {
  const { summary } = await processBatch(paydrop, await desk.file('payroll.csv', lines), HURRIED);
  return summary.batch;
}
