// The one way in: news becomes a notice for every channel of the config, durable when it resolves. Nothing is sent here, and without `notify` in
// the config nothing is kept, so that whoever pays never waits for a mail server.
import { createHash } from 'node:crypto';

import { isoTime } from '../../base/clock.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { joinWords, sameWords, say, type Words } from '../../base/language.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';
import {
  channelNames,
  type NoticeEvent,
  type NoticeFacts,
  type NoticeMessage,
} from '../config/notify-config.ts';
import type { Paydrop } from '../parts.ts';
import { describeError } from '../parts/describe-error.ts';

/** Somebody who acts on the first message of a topic is not overtaken by the next ones; they come together after this. */
const QUIET_MS = 15 * 60_000;

export type Newsroom = Pick<Paydrop, 'config' | 'clock' | 'ledger' | 'isSandbox'>;

/** To be called before the change that it tells of is written: a kill in between then tells too early, and not never. */
export async function notify(room: Newsroom, news: News): Promise<void> {
  const { config, clock, ledger } = room;
  const { notify: settings } = config;
  if (!settings.events.includes(news.event)) return;
  const channels = channelNames(settings);
  if (channels.length === 0) return;
  const message = JSON.stringify(writeNotice(room, news));
  const { version } = news;
  for (const channel of channels)
    await ledger.notices.add({ topic: topicOf(news), version, channel, message }, clock.now(), QUIET_MS);
}

/** True when news would reach nobody, so that what it needs is not gathered. */
export function isUnheard({ config }: Pick<Newsroom, 'config'>, event: News['event']): boolean {
  const { notify: settings } = config;
  return channelNames(settings).length === 0 || !settings.events.includes(event);
}

// What went wrong beside every batch: a full disk, a folder that may not be written, a bug. It is tried again by itself, and somebody should look.

/** What is a bug may hold anything, so its words stay where the operator reads them. */
export async function notifyFault(room: Newsroom, error: unknown): Promise<void> {
  const { code, words } = describeError(error);
  const isKnown = code === EXIT.unfinished;
  await notifyTrouble(room, 'machine', isKnown ? words : UNKNOWN).catch(() => {
    // The ledger itself may be the trouble; then the log and the screen are all that is left to tell it.
    return undefined;
  });
}

const UNKNOWN: Words = sentence('notifyFault.unknown');

// What stops every payment until a person mends it. It concerns the whole workspace, so however many files it stops, it is told once, and again
// every few hours while it lasts.

export const TROUBLES = ['credentials', 'stop', 'machine'] as const;
type Trouble = (typeof TROUBLES)[number];

/** Who has seen it and could not mend it yet is not told every minute; who has not is told again within the working day. */
const AGAIN_MS = 6 * 3_600_000;

const HEADLINES: Readonly<Record<Trouble, Words>> = {
  credentials: sentence('notifyTrouble.credentials'),
  stop: sentence('notifyTrouble.stop'),
  machine: sentence('notifyTrouble.machine'),
};

export async function notifyTrouble(room: Newsroom, trouble: Trouble, words: Words): Promise<void> {
  await notify(room, {
    event: 'trouble',
    about: trouble,
    version: String(Math.floor(room.clock.now() / AGAIN_MS)),
    headline: HEADLINES[trouble],
    lines: [words],
  });
}

// From an event to the message that tells of it: one line that says it all, a few that say more, what to do next, and where to read on.

type News = {
  readonly event: NoticeEvent;
  /** What it is about: a batch, or the name of a trouble that concerns all. */
  readonly about: Pick<BatchRecord, 'id' | 'fileName' | 'sandbox'> | string;
  /** Tells it from earlier news of the same event about the same thing. */
  readonly version: string;
  /** Ends the subject, behind the name of the file. */
  readonly headline: Words;
  readonly lines: readonly Words[];
  readonly answers?: readonly string[];
  readonly facts?: NoticeFacts;
};

/** Of one topic the newest counts. */
function topicOf({ event, about }: News): string {
  return `${typeof about === 'string' ? `workspace/${about}` : about.id}/${event}`;
}

function writeNotice(
  { config, clock, isSandbox }: Pick<Paydrop, 'config' | 'clock' | 'isSandbox'>,
  news: News,
): NoticeMessage {
  const { event, about, answers = [], facts = {} } = news;
  const batch = typeof about === 'string' ? null : about;
  const sandbox = batch?.sandbox ?? isSandbox;
  const { language } = config;
  return {
    id: idOf(config, news),
    event,
    at: isoTime(clock.now()),
    batch: batch?.id ?? null,
    file: batch?.fileName ?? null,
    sandbox,
    subject: say(subjectOf(news, sandbox), language),
    text: textOf(news, sandbox)
      .map((words) => say(words, language))
      .join('\n'),
    answers,
    ...facts,
  };
}

function subjectOf({ about, headline }: News, sandbox: boolean): Words {
  const lead = sandbox ? '[paydrop SANDBOX] ' : '[paydrop] ';
  const said: Words = { en: oneLine(headline.en), fr: oneLine(headline.fr) };
  const file = typeof about === 'string' ? null : oneLine(about.fileName);
  return {
    en: file === null ? `${lead}${said.en}` : `${lead}${file}: ${said.en}`,
    fr: file === null ? `${lead}${said.fr}` : `${lead}${file} : ${said.fr}`,
  };
}

function textOf({ about, lines, answers = [] }: News, sandbox: boolean): readonly Words[] {
  const play: Words = sentence('renderNotification.textOf');
  return [
    ...(sandbox ? [play, sameWords('')] : []),
    ...lines,
    ...(answers.length === 0 ? [] : [sameWords(''), ANSWERS, ...answers.map(answerLine)]),
    ...(typeof about === 'string' ? [] : [sameWords(''), ...batchLines(about)]),
  ];
}

const ANSWERS: Words = sentence('renderNotification.answers');

function answerLine(name: string): Words {
  return sameWords(`- ${oneLine(name)}`);
}

function batchLines({ id, fileName }: Pick<BatchRecord, 'id' | 'fileName'>): readonly Words[] {
  const file = oneLine(fileName);
  return [
    sentence('renderNotification.batchLines.file', { file }),
    sentence('renderNotification.batchLines.batch', { id }),
    joinWords([sentence('renderNotification.batchLines.whereStands'), sameWords(`paydrop status ${id}`)]),
  ];
}

/** The same for the same news, on a rebuilt ledger too; another in another workspace, where the same file may be paid for real. */
function idOf({ workspacePath, baseUrl }: Paydrop['config'], news: News): string {
  const name = [workspacePath, baseUrl?.origin ?? 'sandbox', topicOf(news), news.version];
  const digits = createHash('sha256').update(JSON.stringify(name)).digest('hex');
  return `${digits.slice(0, 32)}.${news.event}`;
}

// Names that strangers choose, made fit for a subject and a sentence: a line end in the name of a file must not start a header, and a mark that
// turns the direction of reading must not make it look like another name.

/** Controls, line ends, direction marks, unassigned and private characters. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** As much as a mail program shows of a subject. */
const SHOWN_MOST = 80;

/** The end of a long name tells what it is. */
const END_SHOWN = 16;

/** One visible line; what cannot be seen shows as a replacement character, and a long name loses its middle. */
export function oneLine(name: string): string {
  const shown = name.normalize('NFC').replace(UNSEEN, '\uFFFD').replace(/\s+/gu, ' ').trim();
  const points = Array.from(shown);
  if (points.length <= SHOWN_MOST) return shown;
  return [...points.slice(0, SHOWN_MOST - END_SHOWN - 1), '…', ...points.slice(-END_SHOWN)].join('');
}
