// What people have chosen at the page to be told of: it goes to each of them once, over a real SMTP server, and to nobody who is gone or may not decide.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { dayIn } from '../../../src/app/config/schedule-config.ts';
import { untoldWords } from '../../../src/app/desk/telling-status.ts';
import { openCourier } from '../../../src/app/notify/courier.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { Delegates } from '../../../src/app/people/delegates.ts';
import { OwnNotices } from '../../../src/app/people/own-notices.ts';
import { inOneCommit, openPeopleFile, PeopleFault } from '../../../src/app/people/people-file.ts';
import { People, type Person } from '../../../src/app/people/people.ts';
import { mayDecide } from '../../../src/app/workflow/batch/may-decide.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { MACHINE_ZONE } from '../../../src/base/local-time.ts';
import { NOTICE_KINDS, type NoticeKind, type Role } from '../../../src/contract/words.ts';
import { changeBatch } from '../../../src/ledger/ledger.ts';
import { own } from '../../ledger/own.ts';
import { clientOf } from '../../sandbox/sandbox-client.ts';
import { approve, sendBack } from '../approval/two-people.ts';
import { HURRIED, line, lineTo, magic, openDesk, PATIENT, type Desk } from '../desk.ts';
import { leapClock, type LeapClock } from '../leap-clock.ts';
import { mailbox, type Mailbox } from './mailbox.ts';
import { pushedBrowser, pushService } from './push-service.ts';

const HOUR_MS = 3_600_000;

let clock: LeapClock;
let desk: Desk;
let box: Mailbox;
let people: People;
let notices: OwnNotices;

beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock }, clock);
  box = await mailbox();
  people = new People(openPeopleFile({ root: desk.workspace }, clock));
  notices = new OwnNotices(people);
});
afterEach(async () => {
  people.file.database.close();
  await desk.close();
});

/** The list of the config gets nothing but the news of trouble. */
const mail = (more = ''): string =>
  `notify: { events: [trouble], email: { host: 127.0.0.1, port: ${String(box.port)}, security: none, from: paydrop@example.com, to: list@example.com } }\n${more}`;

const mailboxOf = (name: string): string => `${name.split(' ')[0] ?? ''}@example.com`;

function somebody(name: string, roles: readonly Role[], kinds: readonly NoticeKind[] = NOTICE_KINDS): Person {
  const person = inOneCommit(people.file, () => people.add({ name, roles, invitedBy: null }));
  notices.confirmAddress(person, notices.askAddress(person, mailboxOf(name)));
  notices.choose(person, { mail: kinds, browser: [] });
  return person;
}

const tell = (paydrop: Paydrop): Promise<void> =>
  openCourier(paydrop, mayDecide).round(new AbortController().signal);

const told = (): readonly string[] =>
  box.mails.map(({ to, headers }) => `${to.join()}: ${headers.get('subject') ?? ''}`).sort();

const pay = async (paydrop: Paydrop, ...lines: readonly string[]): Promise<string> =>
  (await processBatch(paydrop, await desk.file('payroll.csv', lines), HURRIED)).summary.batch;

async function brought({ ledger }: Paydrop, batch: string, by: string): Promise<void> {
  await changeBatch(ledger, await own(ledger, batch), { submittedBy: [by] });
}

it('a file that waits is told to those who may decide about it, once over restarts, and to nobody else', async () => {
  somebody('Marie Ngo', ['checker']);
  somebody('Aline Biya', ['treasurer']);
  somebody('Paul Essomba', ['maker', 'admin', 'auditor']);
  somebody('Armand Fotso', ['maker', 'checker']);
  somebody('Silent Moukoko', ['checker'], ['done']);
  const gone = somebody('Gone Nkeng', ['checker']);
  const demoted = somebody('Demoted Talla', ['checker', 'maker']);
  const paydrop = await desk.open(mail('policy: { approval: required }\nweb: { listen: "127.0.0.1:0" }'));
  const batch = await pay(paydrop, line('A-1', '100'));
  await brought(paydrop, batch, 'Armand Fotso');
  people.remove(gone.id, null);
  people.setRoles(demoted.id, ['maker'], 'Aline Biya');
  await tell(paydrop);
  const subject = '[paydrop] payroll.csv: waits for approval, 1 row';
  expect(told()).toEqual([`Aline@example.com: ${subject}`, `Marie@example.com: ${subject}`]);
  expect(box.mails[0]?.text).toContain('because you chose it at the page, under Settings.');

  for (let restarts = 0; restarts < 2; restarts += 1) {
    await desk.shut();
    clock.leap(HOUR_MS);
    const again = await desk.open(mail('policy: { approval: required }\nweb: { listen: "127.0.0.1:0" }'));
    await resumeBatches(again, null, HURRIED);
    await tell(again);
  }
  expect(told()).toHaveLength(2);
});

it('a delegate is told what they may approve for whoever is on leave, and not what either brought', async () => {
  const marie = somebody('Marie Ngo', ['checker', 'maker']);
  const zoe = somebody('Zoe Abena', ['maker']);
  const day = (ms: number): string => dayIn(MACHINE_ZONE, ms);
  const today = day(clock.now());
  new Delegates(people, day).name(marie, zoe.id, today, today, [zoe]);
  const paydrop = await desk.open(mail('policy: { approval: required }'));
  const [batch, own] = [
    await pay(paydrop, line('A-1', '100')),
    await pay(paydrop, lineTo('Chen', 'A-2', '100')),
  ];
  await brought(paydrop, batch, 'Armand Fotso');
  await brought(paydrop, own, 'Marie Ngo');
  await tell(paydrop);
  const subject = '[paydrop] payroll.csv: waits for approval, 1 row';
  expect(told()).toEqual([`Marie@example.com: ${subject}`, `Zoe@example.com: ${subject}`]);
});

it('of a file for two approvers the second is told who was the first, who is not asked again', async () => {
  somebody('Marie Ngo', ['checker']);
  somebody('Aline Biya', ['treasurer']);
  const paydrop = await desk.open(mail('policy: { twoApproversAbove: 1 XAF }'));
  const batch = await pay(paydrop, line('A-1', '100'));
  await tell(paydrop);
  expect(told()).toHaveLength(2);
  await approve(paydrop, batch, 'Marie Ngo');
  for (let looks = 0; looks < 2; looks += 1) await resumeBatches(paydrop, batch, HURRIED);
  clock.leap(HOUR_MS);
  await tell(paydrop);
  const last = box.mails.slice(2);
  expect(last.map(({ to }) => to)).toEqual([['Aline@example.com']]);
  expect(last[0]?.text).toContain('Approved first by Marie Ngo');
});

it('a file that is sent back is told to who brought it, with who did so and why', async () => {
  somebody('Armand Fotso', ['maker'], ['done']);
  const paydrop = await desk.open(mail('policy: { approval: required }'));
  const batch = await pay(paydrop, line('A-1', '100'));
  await brought(paydrop, batch, 'Armand Fotso');
  await sendBack(paydrop, batch);
  await resumeBatches(paydrop, batch, PATIENT);
  await tell(paydrop);
  expect(told()).toEqual([
    'Armand@example.com: [paydrop] payroll.csv: sent back to be corrected: 1 rejected',
  ]);
  expect(box.mails[0]?.text).toContain('row 2 twice');
});

it('a question that was answered before its notice could leave is told to nobody', async () => {
  somebody('Marie Ngo', ['checker']);
  const paydrop = await desk.open(mail('policy: { approval: required }'));
  const { ledger } = paydrop;
  const id = await pay(paydrop, line('A-1', '100'));
  const asked = (await ledger.batch(id))?.approval;
  if (asked?.kind !== 'asked') throw new Error('It was asked about.');
  const given = { by: 'Zoé', at: new Date(clock.now()).toISOString(), via: 'test', proof: 'typed' as const };
  await changeBatch(ledger, await own(ledger, id), { approval: { ...asked, given } });
  await tell(paydrop);
  expect(told()).toEqual([]);
});

it('missing funds are told to each who asks for that; rows that are held to those who may release them', async () => {
  somebody('Aline Biya', ['treasurer'], ['funds']);
  somebody('Marie Ngo', ['checker'], ['decision']);
  somebody('Armand Fotso', ['maker'], ['done']);
  const paydrop = await desk.open(
    mail('web: { listen: "127.0.0.1:0", publicUrl: "https://pay.example.com" , behindProxy: true }'),
  );
  await clientOf(desk.sandbox).post('/sandbox/balances', { currency: 'XAF', availableAmount: 1 });
  const batch = await pay(paydrop, line('', '100'), line('', '100'), line('A-2', '200'));
  await resumeBatches(paydrop, null, HURRIED);
  await tell(paydrop);
  expect(told()).toEqual([
    'Aline@example.com: [paydrop] payroll.csv: waits for funds, 1 row',
    'Marie@example.com: [paydrop] payroll.csv: 2 rows wait for a person',
  ]);
  expect(box.mails.map(({ text }) => text).join()).toContain(`/held/${batch}`);
});

it('the end of a file is told to who brought it or decided about it, and a reversal after it to each who asks', async () => {
  somebody('Armand Fotso', ['maker'], ['done']);
  somebody('Marie Ngo', ['checker'], ['done']);
  somebody('Paul Essomba', ['maker'], ['done']);
  somebody('Aline Biya', ['treasurer'], ['reversed']);
  const paydrop = await desk.open(mail());
  const batch = (
    await processBatch(paydrop, await desk.file('payroll.csv', [magic('A-1', '0100001')]), PATIENT)
  ).summary.batch;
  await changeBatch(paydrop.ledger, await own(paydrop.ledger, batch), {
    submittedBy: ['Armand Fotso'],
    decisions: [{ about: 'limits', by: 'Marie Ngo', reason: null, at: new Date(clock.now()).toISOString() }],
  });
  for (let hours = 0; hours < 3; hours += 1) {
    clock.leap(HOUR_MS);
    await resumeBatches(paydrop, null, PATIENT);
  }
  await tell(paydrop);
  expect(told()).toEqual([
    'Aline@example.com: [paydrop] payroll.csv: changed after it was finished, now 1 failed',
    'Armand@example.com: [paydrop] payroll.csv: finished, 1 paid',
    'Marie@example.com: [paydrop] payroll.csv: finished, 1 paid',
  ]);
});

it('without a mail server in the config nothing is kept, and no fault of the people’s file holds up a payment', async () => {
  somebody('Armand Fotso', ['maker']);
  const silent = await desk.open();
  await pay(silent, line('A-1', '100'));
  expect(await silent.ledger.notices.standing()).toEqual([]);
  people.file.database.exec('DROP TABLE notice_choices; CREATE TABLE notice_choices (other TEXT)');
  const paydrop = await desk.open(mail());
  const { summary } = await processBatch(paydrop, await desk.file('two.csv', [line('A-2', '250')]), PATIENT);
  expect(summary.state).toBe('closed');
});

it('a code counts for half an hour and five tries, once, and five are sent a day', () => {
  const marie = inOneCommit(people.file, () =>
    people.add({ name: 'Marie', roles: ['checker'], invitedBy: null }),
  );
  const isRight = (code: string): boolean => {
    try {
      notices.confirmAddress(marie, code);
      return true;
    } catch (error) {
      if (error instanceof PeopleFault && error.code === 'notice_code_wrong') return false;
      throw error;
    }
  };
  const other = (code: string): string => (code === '000000' ? '000001' : '000000');
  const old = notices.askAddress(marie, 'marie@example.com');
  const code = notices.askAddress(marie, 'marie@example.com');
  if (old !== code) expect(isRight(old)).toBe(false);
  expect([isRight(code), isRight(code)]).toEqual([true, false]);
  expect(notices.addressOf(marie)).toEqual({ address: 'marie@example.com', asked: null });

  const guessed = notices.askAddress(marie, 'new@example.com');
  for (let tries = 0; tries < 5; tries += 1) expect(isRight(other(guessed))).toBe(false);
  expect(isRight(guessed)).toBe(false);
  const late = notices.askAddress(marie, 'new@example.com');
  clock.leap(30 * 60_000);
  expect(isRight(late)).toBe(false);
  expect(notices.addressOf(marie).address).toBe('marie@example.com');
  notices.askAddress(marie, 'new@example.com');
  expect(() => notices.askAddress(marie, 'new@example.com')).toThrow('notice_codes_many');
  clock.leap(24 * HOUR_MS);
  notices.askAddress(marie, 'new@example.com');
});

describe('a browser', () => {
  it('is told one line of the file that waits, which its push service cannot read, once over restarts', async () => {
    const service = await pushService();
    const browser = pushedBrowser(service.url);
    const marie = somebody('Marie Ngo', ['checker'], []);
    notices.choose(marie, { mail: [], browser: ['decision'] });
    notices.browsers.add(marie, 'Firefox', browser.subscription);
    const config = `notify: { push: { services: ["${service.origin}"] } }\npolicy: { approval: required }\nweb: { listen: "127.0.0.1:0" }`;
    const paydrop = await desk.open(config);
    const batch = await pay(paydrop, line('A-1', '1234.56'));
    service.answers(503);
    await tell(paydrop);
    expect(await untoldWords(paydrop)).toEqual([
      expect.stringMatching(/^The push service of a browser refuses the message: 1 messages wait/),
    ]);
    service.answers(201);
    for (let restarts = 0; restarts < 2; restarts += 1) {
      await desk.shut();
      clock.leap(HOUR_MS);
      const again = await desk.open(config);
      await resumeBatches(again, null, HURRIED);
      await tell(again);
    }
    expect(service.received).toHaveLength(2);
    for (const { headers, body } of service.received) {
      expect(headers).toMatchObject({ ttl: '86400', 'content-encoding': 'aes128gcm' });
      const said = browser.read(body);
      expect(said).toEqual({
        title: '[paydrop] payroll.csv: waits for approval, 1 row',
        path: `/approvals/${batch}`,
        tag: expect.stringMatching(/\.approval$/) as string,
      });
      const { publicKey } = notices.browsers.key();
      const { aud, exp } = service.vapid(headers.authorization ?? '', publicKey);
      expect(aud).toBe(service.origin);
      expect(exp * 1_000 - clock.now()).toBeLessThan(24 * HOUR_MS);
    }
  });

  it('that its push service no longer knows is forgotten; one that is taken away, or on another service, gets nothing', async () => {
    const service = await pushService();
    const marie = somebody('Marie Ngo', ['checker'], []);
    notices.choose(marie, { mail: [], browser: ['decision'] });
    for (const [name, url] of [
      ['gone', `${service.url}/gone`],
      ['removed', `${service.url}/removed`],
      ['elsewhere', 'http://127.0.0.1:9/elsewhere'],
    ] as const)
      notices.browsers.add(marie, name, pushedBrowser(url).subscription);
    const paydrop = await desk.open(
      `notify: { push: { services: ["${service.origin}"] } }\npolicy: { approval: required }\nweb: { listen: "127.0.0.1:0" }`,
    );
    await pay(paydrop, line('A-1', '100'));
    const removed = notices.browsers.of(marie).find(({ name }) => name === 'removed');
    notices.browsers.remove(marie, removed?.id ?? '');
    service.answers(410);
    await tell(paydrop);
    expect(service.received.map(({ path }) => path)).toEqual([expect.stringMatching(/\/gone$/)]);
    expect(notices.browsers.of(marie).map(({ name }) => name)).toEqual(['elsewhere']);
    expect(await untoldWords(paydrop)).toEqual([]);
  });
});
