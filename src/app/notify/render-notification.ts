// From an event to the message that tells of it: one line that says it all, a few that say more, what to do next, and where to read on.
import { createHash } from 'node:crypto';

import { isoTime } from '../../base/clock.ts';
import { joinWords, sameWords, say, type Words } from '../../base/language.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { Paydrop } from '../parts.ts';
import type { NoticeEvent, NoticeFacts, NoticeMessage } from '../config/notice-events.ts';
import { oneLine } from './one-line.ts';
import { sentence } from '../../messages/messages.ts';

export type News = {
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
export function topicOf({ event, about }: News): string {
  return `${typeof about === 'string' ? `workspace/${about}` : about.id}/${event}`;
}

export function writeNotice(
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
