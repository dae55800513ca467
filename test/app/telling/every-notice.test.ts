// Every notice in both languages, as it arrives over a real SMTP server and a real hook: whole words of one language, no time that a machine
// writes, no line that runs into the next, and the same text on both channels.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { NOTICE_EVENTS, type NoticeMessage } from '../../../src/app/config/notify-config.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { mayDecide } from '../../../src/app/workflow/batch/may-decide.ts';
import { openCourier } from '../../../src/app/notify/courier.ts';
import { type Language, LANGUAGES } from '../../../src/base/language.ts';
import { clientOf } from '../../sandbox/sandbox-client.ts';
import { receiver, type Receiver } from '../../sandbox/receiver.ts';
import { HURRIED, line, magic, openDesk, PATIENT, type Desk } from '../desk.ts';
import { leapClock, type LeapClock } from '../leap-clock.ts';
import { mailbox, type Mail, type Mailbox } from './mailbox.ts';

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

async function open(more: string): Promise<Paydrop> {
  const email = `{ host: 127.0.0.1, port: ${String(box.port)}, security: none, from: paydrop@example.com, to: one@example.com }`;
  const events = `[${NOTICE_EVENTS.join(', ')}]`;
  return desk.open(`notify: { email: ${email}, hook: { url: "${hook.url}" }, events: ${events} }\n${more}`);
}

/** A day of an office: one notice of each event at least. */
async function walk(language: string): Promise<void> {
  const paydrop = await open(`language: ${language}\nexecutionDate: { timeZone: Africa/Douala }`);
  const pay = async (name: string, ...lines: readonly string[]) =>
    processBatch(paydrop, await desk.file(name, lines), HURRIED);
  await processBatch(
    paydrop,
    await desk.file('paie.csv', [magic('A-1', '0100001'), line('A-2', '250')]),
    PATIENT,
  );
  for (let hours = 0; hours < 3; hours += 1) {
    clock.leap(HOUR_MS);
    await resumeBatches(paydrop, null, PATIENT);
  }
  await pay('fautes.csv', line('B-1', 'x'), line('B-2', '100'));
  await processBatch(paydrop, await desk.write('illisible.csv', 'nothing\nlike a header\n'), HURRIED);
  await processBatch(
    paydrop,
    await desk.file('bis.csv', [magic('A-1', '0100001'), line('A-2', '250')]),
    PATIENT,
  );
  await pay('retenues.csv', line('', '111'), line('', '111'));
  const day = new Date(clock.now() + 6 * 24 * HOUR_MS).toISOString().slice(0, 10);
  await pay(`prime@${day}.csv`, line('C-1', '12500'));
  await clientOf(desk.sandbox).post('/sandbox/balances', { currency: 'XAF', availableAmount: 1 });
  await pay('fonds.csv', line('D-1', '170'), line('D-2', '270'));
  await writeFile(join(desk.workspace, 'inbox', 'STOP'), 'Audit');
  await resumeBatches(paydrop, null, HURRIED);
  await openCourier(paydrop, mayDecide).round(NEVER);
  await rm(join(desk.workspace, 'inbox', 'STOP'));
  const asking = await open(
    `language: ${language}\npolicy: { approval: required }\nlimits: { perDay: 1 XAF }`,
  );
  await clientOf(desk.sandbox).post('/sandbox/balances', { currency: 'XAF', availableAmount: 100000000 });
  await processBatch(asking, await desk.file('approbation.csv', [line('E-1', '390')]), HURRIED);
  await openCourier(asking, mayDecide).round(NEVER);
}

const posted = (): readonly NoticeMessage[] =>
  hook.received.map(({ body }) => JSON.parse(body.toString('utf8')) as NoticeMessage);

const ENGLISH = /\b(?:the|was|were|with|from|this|that|has|been|nothing|rows?|paid|waits?|file)\b/i;
const SPANISH = /(?<!\p{L})(?:el|los|las|está|están|con|para|filas?|pagadas?|archivo|nada)(?!\p{L})/iu;
const FRENCH = /(?<!\p{L})(?:est|sont|une|des|avec|pour|lignes?|payée?s?|fichier|rien)(?!\p{L})/iu;
const OTHERS: Readonly<Record<Language, readonly RegExp[]>> = {
  en: [FRENCH, SPANISH],
  fr: [ENGLISH, SPANISH],
  es: [ENGLISH, FRENCH],
};

/** What stays the same: names, codes, commands, paths, and what is quoted. */
function prose(text: string): string {
  return text
    .replace(/«[^»]*»|"[^"]*"|\([a-z_]+\)/g, '')
    .replace(/paydrop (?:approve|decline|release|resume|status) .*/g, '')
    .replace(/^- .*\.(?:csv|json|xlsx)$/gm, '')
    .replace(/\S*[/\\.]\S+/g, '');
}

describe.each(LANGUAGES)('in %s', (language) => {
  it('each event arrives, and reads as a person would have written it', { timeout: 240_000 }, async () => {
    await walk(language);
    const events = new Set(posted().map(({ event }) => event));
    expect([...NOTICE_EVENTS].filter((event) => !events.has(event))).toEqual([]);
    expect(box.mails.map(({ text }) => plain(text)).sort()).toEqual(
      posted()
        .map(({ text }) => plain(text))
        .sort(),
    );
    for (const mail of box.mails) expect(faultsOf(mail, language), mail.text).toEqual([]);
  });
});

const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();

function faultsOf({ headers, text }: Mail, language: Language): readonly string[] {
  const subject = headers.get('subject') ?? '';
  const lines = plain(text).split('\n');
  return [
    ...[subject, ...lines].map(prose).filter((each) => OTHERS[language].some((other) => other.test(each))),
    ...[subject, ...lines].filter((each) =>
      /\dT\d\d:\d\d|\b(?:undefined|null|NaN)\b| {2,}\S+ {2,}|\.\.(?!\.)| [.,]/.test(each),
    ),
    // In French a no-break space stands before these signs.
    // In a message a command has a line of its own, or ends one.
    ...lines.filter((each) => /--reason \S+[.,;»"]/.test(each)),
    ...(language === 'fr' ? [subject, ...lines].filter((each) => / [:;?!](?:\s|$)/.test(each)) : []),
    ...(subject.length > 160 ? [subject] : []),
  ];
}
