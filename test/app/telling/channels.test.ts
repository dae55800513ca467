// What may go wrong on the way to people: servers that are down, slow, hostile or strange, and names of files that are meant to do harm.
import { createServer, type AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { examine } from '../../../src/app/desk/doctor.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { mayDecide } from '../../../src/app/workflow/batch/may-decide.ts';
import { openCourier, startCourier, TOLD_WITHIN_MS } from '../../../src/app/notify/courier.ts';
import { tellAtEnd } from '../../../src/app/notify/tell-at-end.ts';
import { untoldWords } from '../../../src/app/desk/telling-status.ts';
import { freePort, receiver } from '../../sandbox/receiver.ts';
import { selfSigned } from '../../sandbox/self-signed.ts';
import { until } from '../../sandbox/until.ts';
import { line, openDesk, PATIENT, type Desk } from '../desk.ts';
import { leapClock, type LeapClock } from '../leap-clock.ts';
import { heardLog } from '../webhooks/listening.ts';
import { mailbox, type MailboxOptions } from './mailbox.ts';

const NEVER = new AbortController().signal;
const PASSWORD = 'canary-of-the-password';

let clock: LeapClock;
let desk: Desk;

beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

function byMail(port: number, more = ''): string {
  return `notify: { events: [completion], email: { host: 127.0.0.1, port: ${String(port)}, security: none, from: paydrop@example.com, to: treasury@example.com, timeout: 5s${more} } }`;
}

function byHook(url: string, more = ''): string {
  return `notify: { events: [completion], hook: { url: "${url}"${more} } }`;
}

async function pay(paydrop: Paydrop, name = 'payroll.csv'): Promise<void> {
  await processBatch(paydrop, await desk.file(name, [line('A-1', '100')]), PATIENT);
}

async function tell(paydrop: Paydrop): Promise<void> {
  await openCourier(paydrop, mayDecide).round(NEVER);
}

const withPassword = (paydrop: Paydrop): Paydrop => ({
  ...paydrop,
  config: { ...paydrop.config, notifySecrets: { smtpPassword: PASSWORD, hookSecret: null } },
});

describe('a mail server that is down', () => {
  it('holds up no payment, is named by status and doctor, and gets the message once it is back: one, after a restart too', async () => {
    const port = await freePort();
    const first = await desk.open(byMail(port));
    await pay(first);
    expect((await first.ledger.batches())[0]?.state).toBe('closed');
    await tell(first);
    const [words] = await untoldWords(first);
    expect(words).toMatch(
      new RegExp(
        `^The mail server 127\\.0\\.0\\.1:${String(port)} cannot be reached: 1 messages wait, the oldest since `,
      ),
    );
    const findings = await examine(first);
    expect(findings.find(({ name }) => name === 'email')).toMatchObject({ ok: false });
    await desk.shut();

    const box = await mailbox({ port });
    const second = await desk.open(byMail(port));
    await tell(second);
    expect(box.mails).toEqual([]);
    clock.leap(60_000);
    await tell(second);
    await desk.shut();
    clock.leap(3_600_000);
    const third = await desk.open(byMail(port));
    await tell(third);
    expect(box.mails.map(({ headers }) => headers.get('subject'))).toEqual([
      '[paydrop] payroll.csv: finished, 1 paid',
    ]);
    expect(await untoldWords(third)).toEqual([]);
    expect((await examine(third)).find(({ name }) => name === 'email')).toMatchObject({ ok: true });
  });

  it('for three days is given up, and status says that somebody was not told', async () => {
    const paydrop = await desk.open(byMail(await freePort()));
    await pay(paydrop);
    await tell(paydrop);
    clock.leap(TOLD_WITHIN_MS + 1);
    await tell(paydrop);
    expect(await untoldWords(paydrop)).toEqual([
      '1 messages (email) were never delivered; the answers in the outbox say the same.',
    ]);
    expect(await paydrop.ledger.notices.standing()).toMatchObject([{ waiting: 0 }]);
  });

  it('a try that was cut by a kill is made again, under the same Message-ID', async () => {
    const box = await mailbox();
    const killed = await desk.open(byMail(box.port));
    await pay(killed);
    // The mail is out, and the process dies before it can write that down.
    const lost = { ...killed, ledger: Object.create(killed.ledger) as Paydrop['ledger'] };
    Object.defineProperty(lost.ledger, 'notices', {
      value: { ...killed.ledger.notices, end: () => Promise.reject(new Error('killed')) },
    });
    await expect(tell(lost)).rejects.toThrow('killed');
    clock.leap(3_600_000);
    const next = await desk.open(byMail(box.port));
    await tell(next);
    await tell(next);
    const ids = box.mails.map(({ headers }) => headers.get('message-id'));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

describe('a mail server', () => {
  const tries: readonly [string, MailboxOptions, string, RegExp][] = [
    [
      'that refuses the password',
      { login: { user: 'paydrop', password: 'another' } },
      ', user: paydrop',
      /refuses the user or the password/,
    ],
    [
      'that takes no mail for these people',
      { refuses: () => true },
      '',
      /accepts no mail from or to these addresses/,
    ],
    [
      'that offers no encryption where the config asks for it',
      {},
      'starttls',
      /offers no encrypted connection/,
    ],
    [
      'whose certificate nobody vouches for',
      { tls: selfSigned() },
      'starttls',
      /offers no encrypted connection/,
    ],
  ];

  it.each(tries)('%s is named with what is wrong', async (_name, options, more, words) => {
    const box = await mailbox(options);
    const text = byMail(box.port, more === 'starttls' ? '' : more);
    const paydrop = withPassword(
      await desk.open(more === 'starttls' ? text.replace('security: none', 'security: starttls') : text),
    );
    await pay(paydrop);
    await tell(paydrop);
    expect((await untoldWords(paydrop)).join()).toMatch(words);
    expect(box.mails).toEqual([]);
  });

  it('that accepts the login is used with it, and neither log nor status nor ledger ever holds the password', async () => {
    const box = await mailbox({ login: { user: 'paydrop', password: PASSWORD } });
    const { log, lines } = heardLog();
    const paydrop = { ...withPassword(await desk.open(byMail(box.port, ', user: paydrop'))), log };
    await pay(paydrop);
    await tell(paydrop);
    expect(box.mails).toHaveLength(1);
    await box.close();
    await pay(paydrop, 'two.csv');
    await tell(paydrop);
    const said = JSON.stringify([lines, await untoldWords(paydrop), await examine(paydrop)]);
    expect(lines.length).toBeGreaterThan(0);
    expect(said).not.toContain(PASSWORD);
  });

  it('that takes the connection and says nothing ends with its time, and the round goes on', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const paydrop = await desk.open(byMail(port).replace('timeout: 5s', 'timeout: 200ms'));
    await pay(paydrop);
    await tell(paydrop);
    expect((await untoldWords(paydrop)).join()).toMatch(/does not answer in time/);
    silent.close();
  });
});

describe('a name that is meant to do harm', () => {
  it.each([
    ['line ends', 'pay\r\nBcc: thief@example.com\r\n\r\nHello.csv'],
    ['other line ends', 'pay\u2028Bcc: thief@example.com\u0085x\u000b.csv'],
    ['marks that turn the direction', 'pay\u202evsc.llor\u2066.csv'],
    ['an encoded word', '=?utf-8?q?=0D=0ABcc=3A_thief=40example=2Ecom?=.csv'],
    ['a very long one', `${'é'.repeat(85)}.csv`],
  ])('in the subject stays in the subject: %s', async (_name, fileName) => {
    const box = await mailbox();
    const paydrop = await desk.open(byMail(box.port).replace('events: [completion], ', ''));
    await pay(paydrop, fileName);
    await tell(paydrop);
    const [mail] = box.mails;
    expect(mail?.to).toEqual(['treasury@example.com']);
    expect(mail?.headers.has('bcc')).toBe(false);
    const subject = mail?.headers.get('subject') ?? '';
    expect(subject).toMatch(/^\[paydrop\] .*: (finished, 1 paid|refused, nothing was sent \(.*\))$/u);
    expect(subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(subject.length).toBeLessThan(140);
    expect(mail?.raw.split('\r\n').every((raw) => raw.length <= 998)).toBe(true);
  });
});

describe('a hook', () => {
  it('that redirects is not followed', async () => {
    const other = await receiver();
    const hook = await receiver(() => ({ status: 307, location: other.url }));
    const paydrop = await desk.open(byHook(hook.url));
    await pay(paydrop);
    await tell(paydrop);
    expect(hook.received).toHaveLength(1);
    expect(other.received).toEqual([]);
    expect((await untoldWords(paydrop)).join()).toMatch(
      /redirects to another address, which paydrop does not follow/,
    );
    expect((await examine(paydrop)).find(({ name }) => name === 'hook')).toMatchObject({ ok: false });
  });

  it('whose certificate nobody vouches for gets nothing', async () => {
    const hook = await receiver(undefined, { tls: selfSigned() });
    const paydrop = await desk.open(byHook(hook.url));
    await pay(paydrop);
    await tell(paydrop);
    expect(hook.received).toEqual([]);
    expect((await untoldWords(paydrop)).join()).toMatch(
      /^The hook at localhost:\d+ offers no encrypted connection/,
    );
  });

  it('that fails is tried again with the same bytes until it takes them, while e-mail goes its own way', async () => {
    let isUp = false;
    const hook = await receiver(() => ({ status: isUp ? 204 : 500 }));
    const box = await mailbox();
    const both = byMail(box.port).replace(/ }$/, `, hook: { url: "${hook.url}" } }`);
    const paydrop = await desk.open(both);
    await pay(paydrop);
    await tell(paydrop);
    expect(box.mails).toHaveLength(1);
    isUp = true;
    clock.leap(60_000);
    await tell(paydrop);
    clock.leap(60_000);
    await tell(paydrop);
    expect(hook.received).toHaveLength(2);
    expect(hook.received[1]?.body).toEqual(hook.received[0]?.body);
    expect(box.mails).toHaveLength(1);
  });

  it('that answers without end is cut off', async () => {
    const endless = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
        const pour = (): void => {
          while (!socket.destroyed && socket.write(piece)) continue;
        };
        socket.on('drain', pour);
        pour();
      });
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const { port } = endless.address() as AddressInfo;
    const paydrop = await desk.open(byHook(`http://127.0.0.1:${String(port)}/`));
    await pay(paydrop);
    await tell(paydrop);
    expect((await untoldWords(paydrop)).join()).toMatch(/refuses the message/);
    endless.close();
  });
});

describe('the courier', () => {
  it('tells the hook while the mail server keeps it waiting', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const hook = await receiver();
    const paydrop = await desk.open(byMail(port).replace(/ }$/, `, hook: { url: "${hook.url}" } }`));
    await pay(paydrop);
    const stopper = new AbortController();
    const round = openCourier(paydrop, mayDecide).round(stopper.signal);
    await until(() => hook.received.length === 1);
    stopper.abort();
    await round;
    silent.close();
  });

  it('tells by itself beside the daemon, and stops when it is told to', async () => {
    const box = await mailbox();
    const paydrop = await desk.open(byMail(box.port));
    const courier = startCourier(paydrop, mayDecide);
    await pay(paydrop);
    await until(() => {
      clock.leap(1_000);
      return box.mails.length === 1;
    });
    await courier.close();
  });

  it('tells at the end of a command what it can, and leaves the rest when time is up', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const paydrop = await desk.open(byMail(port).replace('timeout: 5s', 'timeout: 60s'));
    await pay(paydrop);
    const ended = tellAtEnd(paydrop, mayDecide, NEVER);
    let isOver = false;
    void ended.then(() => (isOver = true));
    await until(() => {
      clock.leap(5_000);
      return isOver;
    });
    await ended;
    expect((await paydrop.ledger.notices.standing()).some(({ waiting }) => waiting > 0)).toBe(true);
    silent.close();
  });
});
