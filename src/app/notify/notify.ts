// The one entry: news becomes a notice for every channel of the config, and for each person who has chosen its kind, durable when it resolves. Nothing is
// sent here, and where nobody is to be told nothing is kept, so that payments never wait for a mail server.
import { createHash, randomUUID } from 'node:crypto';

import { isoTime } from '../../base/clock.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { joinWords, mapWords, sameWords, say, type Words } from '../../base/language.ts';
import { withZonedTimes, zoneOf } from '../../base/local-time.ts';
import type { ChannelName, NewNotice } from '../../ledger/notices.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { labelled, sentence } from '../../messages/messages.ts';
import {
  channelNames,
  type NoticeEvent,
  type NoticeFacts,
  type NoticeMessage,
} from '../config/notify-config.ts';
import type { Paydrop } from '../parts.ts';
import { forPerson, kindOf, placeOf, whoChose } from './own-notice.ts';
import { describeError } from '../parts/describe-error.ts';

/** A person acts on the first message of a topic; further ones are gathered and sent together after this time. */
const QUIET_MS = 15 * 60_000;

export type Newsroom = Pick<Paydrop, 'config' | 'clock' | 'ledger' | 'log' | 'isSandbox' | 'trouble'>;

/** Call it before writing the change that it reports: then a kill in between reports too early rather than never. */
export async function notify(room: Newsroom, news: News): Promise<void> {
  const { clock, ledger } = room;
  const { version, event } = news;
  const channels = channelsFor(room, event);
  const people = whoChose(room, kindOf(event));
  if (channels.length + people.length === 0) return;
  const [topic, message] = [topicOf(news), writeNotice(room, news)];
  const add = (notice: Pick<NewNotice, 'topic' | 'channel'>, said: NoticeMessage): Promise<unknown> =>
    ledger.notices.add({ ...notice, version, message: JSON.stringify(said) }, clock.now(), QUIET_MS);
  for (const channel of channels) await add({ topic, channel }, message);
  for (const to of people) await add(placeOf(topic, to), forPerson(room, message, to));
}

/** The code goes to the address that it is to confirm, at once and however often it is asked for. */
export async function notifyAddress(
  { config, clock, ledger, isSandbox }: Pick<Newsroom, 'config' | 'clock' | 'ledger' | 'isSandbox'>,
  to: { readonly person: string; readonly address: string },
  code: string,
): Promise<void> {
  const id = `${randomUUID()}.address`;
  const message: NoticeMessage = {
    ...{ id, event: 'address', at: isoTime(clock.now()), batch: null, file: null, sandbox: isSandbox },
    subject: say(joinWords([leadOf(isSandbox), sentence('notifyAddress.subject')]), config.language),
    text: say(sentence('notifyAddress.text', { code }), config.language),
    answers: [],
    to,
  };
  const notice = { topic: `workspace/address/${to.person}`, version: id, channel: 'email' as const };
  await ledger.notices.add({ ...notice, message: JSON.stringify(message) }, clock.now(), 0);
}

function channelsFor({ config }: Pick<Newsroom, 'config'>, event: NoticeEvent): readonly ChannelName[] {
  return config.notify.events.includes(event) ? channelNames(config.notify) : [];
}

/** True when nobody would receive the news, so that its content need not be gathered. */
export function isUnheard(room: Newsroom, event: News['event']): boolean {
  return channelsFor(room, event).length === 0 && whoChose(room, kindOf(event)).length === 0;
}

// Faults outside of any batch: a full disk, a folder without write permission, a bug. The work is repeated automatically, but a person should look.

/** A bug's message may contain anything, so its words stay where the operator reads them. */
export async function notifyFault(room: Newsroom, error: unknown): Promise<void> {
  const { code, words } = describeError(error);
  const isKnown = code === EXIT.unfinished;
  await notifyTrouble(room, 'machine', isKnown ? words : UNKNOWN).catch(() => {
    // The ledger itself may be at fault; then only the log and the screen can report it.
    return undefined;
  });
}

const UNKNOWN: Words = sentence('notifyFault.unknown');

// A trouble that stops every payment until a person repairs it. It concerns the whole workspace, so it is reported once however many files it
// stops, and again every few hours while it lasts.

type Trouble = 'credentials' | 'service' | 'inbox' | 'stop' | 'machine';

/** A person who cannot repair it yet is not told every minute; a person who has not seen it is told again within the working day. */
const AGAIN_MS = 6 * 3_600_000;

const HEADLINES: Readonly<Record<Trouble, Words>> = {
  credentials: sentence('notifyTrouble.credentials'),
  service: sentence('notifyTrouble.service'),
  inbox: sentence('notifyTrouble.inbox'),
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

/** A trouble that a daemon sees begin and end: told each time that it begins, again every few hours while it lasts, and when it is over. */
export class WatchedTrouble {
  readonly #trouble: Trouble;
  readonly #over: { readonly headline: Words; readonly line: Words };
  #since: number | null = null;

  constructor(trouble: Trouble, over: { readonly headline: Words; readonly line: Words }) {
    this.#trouble = trouble;
    this.#over = over;
  }

  /** @param words null: all is well. */
  async look(room: Newsroom, words: Words | null): Promise<void> {
    if (words === null) return this.#end(room);
    const now = room.clock.now();
    this.#since ??= now;
    await notify(room, {
      event: 'trouble',
      about: this.#trouble,
      version: `${String(this.#since)} ${String(Math.floor((now - this.#since) / AGAIN_MS))}`,
      headline: HEADLINES[this.#trouble],
      lines: [words],
    });
  }

  /** It takes the place of a notice that nobody has sent yet: what that says is no longer true. */
  async #end(room: Newsroom): Promise<void> {
    if (this.#since === null) return;
    const { headline, line } = this.#over;
    const version = `${String(this.#since)} over`;
    await notify(room, { event: 'trouble', about: this.#trouble, version, headline, lines: [line] });
    this.#since = null;
  }
}

// Turns an event into its message: one line that says it all, a few with details, the next step, and where to read on.

type News = {
  readonly event: NoticeEvent;
  /** The subject: a batch, or the name of a trouble that concerns all. */
  readonly about: Pick<BatchRecord, 'id' | 'fileName' | 'sandbox'> | string;
  /** Tells it from earlier news of the same event about the same subject. */
  readonly version: string;
  /** Ends the subject line, after the name of the file. */
  readonly headline: Words;
  readonly lines: readonly Words[];
  readonly answers?: readonly string[];
  readonly facts?: NoticeFacts;
};

/** Of one topic, only the newest message counts. */
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
      .map((words) => withZonedTimes(say(words, language), zoneOf(config)))
      .join('\n'),
    answers,
    ...facts,
  };
}

function leadOf(sandbox: boolean): Words {
  return sameWords(sandbox ? '[paydrop SANDBOX]' : '[paydrop]');
}

function subjectOf({ about, headline }: News, sandbox: boolean): Words {
  const said = mapWords(headline, oneLine);
  return joinWords([
    leadOf(sandbox),
    typeof about === 'string' ? said : labelled(oneLine(about.fileName), said),
  ]);
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

/** The same for the same news, on a rebuilt ledger too; different in another workspace, where the same file may be paid for real. */
function idOf({ workspacePath, baseUrl }: Paydrop['config'], news: News): string {
  const name = [workspacePath, baseUrl?.origin ?? 'sandbox', topicOf(news), news.version];
  const digits = createHash('sha256').update(JSON.stringify(name)).digest('hex');
  return `${digits.slice(0, 32)}.${news.event}`;
}

// Makes names that strangers choose fit for a subject and a sentence. A line end in a file's name must not start a header, and a mark that
// reverses the reading direction must not make it look like another name.

/** Controls, line ends, direction marks, unassigned and private characters. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** About as much as a mail program shows of a subject. */
const SHOWN_MOST = 80;

/** The end of a long name says what it is. */
const END_SHOWN = 16;

/** One visible line; an invisible character becomes a replacement character, and a long name loses its middle. */
function oneLine(name: string): string {
  const shown = name.normalize('NFC').replace(UNSEEN, '\uFFFD').replace(/\s+/gu, ' ').trim();
  const points = Array.from(shown);
  if (points.length <= SHOWN_MOST) return shown;
  return [...points.slice(0, SHOWN_MOST - END_SHOWN - 1), '…', ...points.slice(-END_SHOWN)].join('');
}
