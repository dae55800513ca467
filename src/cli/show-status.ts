// The output of `status`: every file, or those of one name with the rows that need attention.
import { describeAccounts } from '../app/desk/telling-status.ts';
import type { BatchStatus } from '../app/desk/batch-status.ts';
import * as commands from '../app/desk/commands.ts';
import type { NodeStatus } from '../app/desk/examine-cluster.ts';
import type { InboxStatus, RefusedFile } from '../app/desk/inbox-status.ts';
import {
  OUTCOME_WORDS,
  PLACE_WORDS,
  STATUS_PLACES,
  unpaidLines,
  type StatusPlace,
} from '../app/desk/standing-words.ts';
import { sameWords, say, type Language, type Words } from '../base/language.ts';
import { withLocalTimes, withZonedTimes, zoneOf } from '../base/local-time.ts';
import { rowsWords, sentence } from '../messages/messages.ts';
import { print, printJson } from './command-context.ts';

export type StatusFlags = { readonly json?: boolean; readonly all?: boolean };

export async function showAll(records: commands.DeskRecords, { json, all }: StatusFlags): Promise<void> {
  const status = await commands.status(records, { all: all === true });
  const { stopped, inbox, batches, refused, earlier, untold, accounts, nodes } = status;
  if (json === true) {
    printJson({
      stopped,
      untold,
      watching: inbox.watching,
      ...(inbox.fault === null ? {} : { inboxFault: inbox.fault }),
      inbox: inbox.files,
      batches,
      earlier,
      ...(refused.length === 0 ? {} : { refused }),
      ...(accounts.length === 0 ? {} : { sftp: accounts }),
      ...(nodes.length === 0 ? {} : { nodes }),
    });
    return;
  }
  const isEmpty = batches.length + refused.length + inbox.files.length === 0 && inbox.fault === null;
  const { language } = records.config;
  const zone = zoneOf(records.config);
  const lines = [
    ...(isEmpty ? [] : [headline(batches, inbox, { zone, language }, records.clock.now())]),
    ...headLines(stopped, inbox),
    ...untold,
    ...STATUS_PLACES.flatMap((place) => group(place, batches, language)),
    ...(earlier > 0 ? [say(sentence('showStatus.earlier', { earlier }), language)] : []),
    ...refused.map(refusedLine),
    ...inboxLines(inbox, language),
    ...describeAccounts(accounts, language),
    ...nodeLines(nodes, language),
    ...(isEmpty ? [say(sentence('showStatus.nothing'), language)] : []),
  ];
  write(lines.map((line) => withLocalTimes(line, zone)));
}

/** False when nothing has this name. */
export async function showNamed(
  records: commands.DeskRecords,
  name: string,
  { json }: StatusFlags,
): Promise<boolean> {
  const found = await commands.statusOf(records, name);
  if (found === null) return false;
  const { stopped, inbox, batches, refused, rows } = found;
  const { language } = records.config;
  const last = batches.at(-1);
  const also = refused.length === 0 ? {} : { refused };
  if (json === true)
    printJson({ stopped, watching: inbox.watching, inbox: inbox.files, batches, ...also, rows });
  else {
    const zone = zoneOf(records.config);
    const lines = [
      ...headLines(stopped, inbox),
      // The list refers to this command for held rows, so they are shown here.
      ...batches
        .map((batch) => (batch.outcomes.held > 0 && batch === last ? { ...batch, next: null } : batch))
        .map((batch) => describe(batch, language)),
      ...(last === undefined ? [] : unpaidLines(last.batch, rows, language).map((text) => `  ${text}`)),
      ...refused.map(refusedLine),
      ...inboxLines(inbox, language),
    ];
    // No headline names the zone here.
    write(lines.map((line) => withZonedTimes(line, zone)));
  }
  return true;
}

function refusedLine({ name, words }: RefusedFile): string {
  return `${plain(name)}  ${words}`;
}

function write(lines: readonly string[]): void {
  if (lines.length > 0) print(lines.join('\n'));
}

/** The lines that concern every file. */
function headLines(stopped: string | null, { watching, fault }: InboxStatus): readonly string[] {
  return [stopped, fault, ...watching.map(({ config }) => config)].filter((line) => line !== null);
}

/** Files that are left alone because of their names share a line: hardly anybody asks for them. */
function inboxLines({ files, watching }: InboxStatus, language: Language): readonly string[] {
  if (files.length === 0) return [];
  const shown = files
    .filter(({ why }) => why !== 'name')
    .map(({ name, words }) => `  ${plain(name)} ${words}.`);
  const [first] = files.filter(({ why }) => why === 'name');
  const names = files.filter(({ why }) => why === 'name').map(({ name }) => plain(name));
  const alone =
    first === undefined
      ? []
      : [
          `  ${names.slice(0, NAMED_MOST).join(', ')}${names.length > NAMED_MOST ? ', …' : ''}: ${first.words}.`,
        ];
  const unwatched = watching.length === 0 ? sentence('showStatus.unwatched') : sameWords('');
  return ['', say(sentence('showStatus.inbox', { unwatched }), language), ...shown, ...alone];
}

const NAMED_MOST = 10;

/** The nodes, and the batches that they carry. */
function nodeLines(nodes: readonly NodeStatus[], language: Language): readonly string[] {
  if (nodes.length === 0) return [];
  const lines = nodes.map(({ node, since, carries }) => {
    const named = carries.slice(0, NAMED_MOST).join(', ');
    const carried = carries.length > NAMED_MOST ? `${named}, …` : named;
    const words = { node: plain(node), since, carried };
    return `  ${say(carries.length === 0 ? sentence('showStatus.node.idle', words) : sentence('showStatus.node', words), language)}`;
  });
  return [say(sentence('showStatus.nodes'), language), ...lines];
}

/** A name from a stranger must not move the cursor or reverse the line. */
function plain(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}]/gu, '\u{fffd}');
}

type ScreenFormat = { readonly zone: string; readonly language: Language };

/** Whether a daemon watches, and how much there is to do. */
function headline(
  batches: readonly BatchStatus[],
  { watching }: InboxStatus,
  { zone, language }: ScreenFormat,
  now: number,
): string {
  const [first] = watching;
  const watch: Words =
    first === undefined
      ? sentence('showStatus.headline.watchRunning')
      : sentence('showStatus.headline.watchRunningSince', {
          localTime: first.since,
          seconds: Math.max(0, Math.round((now - Date.parse(first.heardAt)) / 1_000)),
        });
  const count = (place: StatusPlace) => String(batches.filter((batch) => batch.place === place).length);
  const [needs, way, later] = [count('needs-you'), count('under-way'), count('scheduled')];
  return say(sentence('showStatus.headline.needYouUnder', { watch, needs, way, later, zone }), language);
}

/** The newest last, where the eye is when the list ends; finished files come after the others. */
function group(place: StatusPlace, batches: readonly BatchStatus[], language: Language): readonly string[] {
  const found = batches.filter((batch) => batch.place === place);
  if (found.length === 0) return [];
  return [
    '',
    `${say(PLACE_WORDS[place], language)} (${String(found.length)})`,
    ...found.flatMap((batch) => describe(batch, language).split('\n')).map((text) => `  ${text}`),
  ];
}

/** States in which rows may be left that nobody sends. */
const LEFT: ReadonlySet<BatchStatus['state']> = new Set<BatchStatus['state']>(['checked', 'paying']);

function describe(status: BatchStatus, language: Language): string {
  const {
    batch,
    file,
    state,
    stands,
    paused,
    outcomes,
    words,
    sentence: standing,
    place,
    next,
    acceptedAt,
    sandbox,
  } = status;
  const counts = (Object.keys(outcomes) as (keyof typeof outcomes)[])
    .filter((name) => outcomes[name] > 0)
    .map((name) => `${say(OUTCOME_WORDS[name], language)} ${String(outcomes[name])}`)
    .join(', ');
  const shown = paused ? say(sentence('showStatus.describe'), language) : stands;
  const rows = rowsWords(file.rows);
  // In a file that was refused as a whole, no row has an outcome.
  const counted =
    state === 'refused' ? rows : sentence('labelled', { label: rows, words: sameWords(counts) });
  const isLeft = place === 'needs-you' && LEFT.has(state) && outcomes.pending > 0;
  const said = [words ?? standing, ...(words !== null && (isLeft || place === 'done') ? [standing] : [])];
  return [
    `${sandbox ? 'SANDBOX  ' : ''}${plain(file.name)}  ${shown}  ${say(counted, language)}`,
    `  ${batch}  ${acceptedAt}`,
    ...said.flatMap((text) => text.split('\n')).map((text) => `  ${text}`),
    // A question says its commands itself.
    ...(next === null || said.some((text) => text.includes(next)) ? [] : [`    ${next}`]),
  ].join('\n');
}
