// The result of a proposed profile for its file: checking every row by it is the surest way to see what is still missing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { stringify } from 'yaml';

import { publishFile } from '../../base/atomic-file.ts';
import { joinWords, type Language, sameWords, say, type Words } from '../../base/language.ts';
import { documentOf } from '../../inbox/documents.ts';
import { createFolder } from '../../inbox/workspace.ts';
import { sentence } from '../../messages/messages.ts';
import { namesSupplier, toPurpose } from '../../payouts/corridor.ts';
import type { Rejection } from '../../payouts/rejection.ts';
import { checkText, RowReader } from '../../payouts/row-reader.ts';
import { nearestPurpose } from '../../payouts/validate-row.ts';
import { looksLikeAccount, malformed } from '../../rows/cell.ts';
import { type MessageRules, USUAL_MESSAGE } from '../../rows/format.ts';
import { foldHeader, isAmountColumn, KNOWN_COLUMNS, plainHeader } from '../../rows/known-columns.ts';
import { cellOf, type Receivers, type Row, type Table } from '../../rows/row.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import { readRows } from '../../rows/formats.ts';
import type { Profile } from '../../rows/profile.ts';
import type { Hint } from '../../contract/columns.ts';
import type { PayoutCorridor } from '../../service/wire.ts';
import type { Config } from '../config/config.ts';
import { IGNORE, isOfReceiver, PROFILE_EXTENSION, parseProfile } from '../config/profile-file.ts';
import { ConfigUnusable, readTyped } from '../config/yaml-file.ts';
import type { Paydrop } from '../parts.ts';
import { readEarlierDigits } from '../workflow/validate/check-rules.ts';
import { FaultGroups } from '../workflow/validate/examine-file.ts';
import { type CheckedRow, validateFile } from '../workflow/validate/validate-file.ts';
import { documentsOf, readAsProposed, type ReadingConfig } from '../workflow/batch/read-batch-file.ts';
import {
  type AskedOnce,
  askedOnce,
  isLacking,
  type OwnOfReceivers,
  ownOfReceivers,
  startLacking,
} from './asked-once.ts';
import type { Proposal, Stated } from './propose-profile.ts';
import { type GapHint, hintsOf } from './proposed-columns.ts';

/** As `Hint`, for readers of any language. */
type TrialHint = GapHint | MeantWord;
type MeantWord = { readonly kind: 'value'; readonly word: string; readonly value: Words };

export function spokenHint(hint: TrialHint, language: Language): Hint {
  return hint.kind === 'value' ? { ...hint, value: say(hint.value, language) } : hint;
}

export type Trial = {
  readonly rows: number;
  /** Rows that could be paid as they are. */
  readonly payable: number;
  /** The most frequent faults; where each row has its own words, those of the first as an example. */
  readonly faults: readonly {
    readonly code: string;
    readonly column: string;
    readonly rows: number;
    readonly words: Words;
  }[];
  /** What may fill a gap, for a person to confirm. */
  readonly hints: readonly TrialHint[];
  /** What no list says, and a person says once. */
  readonly asks: readonly AskedOnce[];
  /** What each receiver has of its own; null where that is not lacking, or is in a list already. */
  readonly ofReceivers: OwnOfReceivers | null;
  /** Whether the columns are read rightly as far as anybody can tell: a row can be paid, or some row lacks something and has nothing wrong. */
  readonly mayBeSaved: boolean;
};

/** What a file is tried with besides its profile. */
export type TrialParts = Pick<Paydrop, 'workspace' | 'sender'> & {
  readonly path: string;
  readonly config: ReadingConfig;
  readonly corridors: readonly PayoutCorridor[];
  /** Ends the trial. */
  readonly signal?: AbortSignal | undefined;
};

/** `check` reports further ones, after these are corrected. */
const FAULTS_MOST = 10;

/** Whether it has to be said first which column is paid. */
export function isOpen({ columns, questions }: Pick<Proposal, 'columns' | 'questions'>): boolean {
  return questions.length > 0 && !columns.some(({ column }) => isAmountColumn(column));
}

/** Null until it is decided which column is paid. Throws `FileRefused` when the profile cannot read the file. */
export async function tryProfile(
  { path, corridors, signal, ...parts }: TrialParts,
  { profile, columns, questions }: Proposal,
): Promise<Trial | null> {
  if (isOpen({ columns, questions })) return null;
  const file = await readAsProposed(path, parts.config, profile, signal).catch((error: unknown) =>
    unlessOpen(error, questions.length > 0),
  );
  if (file === null) return null;
  const documents = await documentsOf(parts, path, file, null);
  const earlier = await readEarlierDigits(parts, file, documents.door);
  const found = new FaultGroups();
  const elsewhere = startElsewhere(file.table);
  const meant = startMeant(file.table);
  const lacks = startLacking(file.table, corridors);
  let [payable, lacking] = [0, 0];
  for await (const row of validateFile(file, { corridors, sender: parts.sender, documents, earlier })) {
    if (row.rejections.length === 0) payable += 1;
    else if (row.rejections.every(({ code }) => isLacking(code))) lacking += 1;
    for (const each of [elsewhere, meant]) each.take(row);
    const { place } = row.row;
    const needsDocument = lacks.take(row) && documentOf(documents, place) === null;
    found.take(place, needsDocument ? [...row.rejections, NO_DOCUMENT] : row.rejections);
  }
  const all = found.groups(true);
  const faults = all
    .slice(0, FAULTS_MOST)
    .map(({ code, column, count, words }) => ({ code, column, rows: count, words }));
  const left = lacks.lacking();
  const hints = [...hintsOf(faults, left.columns, columns), ...elsewhere.hints(), ...meant.hints()];
  // What only the corridor tells is no reason against the columns while that is open.
  const isUnsure = hintsOf(faults, new Set(), columns).length + elsewhere.hints().length > 0;
  const mayBeSaved = payable > 0 || (lacking > 0 && !isUnsure);
  const asks = askedOnce(new Set(all.map(({ code }) => code)), file.table, corridors, left);
  const ofReceivers = profile.receivers === null ? ownOfReceivers(file.table, left, asks) : null;
  return { rows: file.table.rowCount, payable, faults, hints, asks, ofReceivers, mayBeSaved };
}

/** As it is told once the corridor is known. */
const NO_DOCUMENT: Rejection = {
  code: 'attachment_missing',
  column: 'attachment',
  words: sentence('validateRow.readDocument.bankTransferNeeds'),
};

const ACCOUNTS = ['delivery.bankAccountNumber', 'delivery.msisdn', 'delivery.cardNumber'] as const;

/** One column may hold two kinds of accounts: `Compte / Alipay`. Of rows that lack one, whether all have what looks like it in another column of accounts. */
function startElsewhere(table: Table) {
  const missing = new Map<string, number>();
  const found = new Map<string, { column: string; other: string; rows: number }>();
  const take = ({ row, rejections }: CheckedRow): void => {
    for (const column of ACCOUNTS) {
      const isMissing = rejections.some(
        ({ code, canonical }) => code === 'delivery_field_missing' && canonical === column,
      );
      if (!isMissing || table.indexOf.has(column)) continue;
      missing.set(column, (missing.get(column) ?? 0) + 1);
      for (const other of ACCOUNTS) {
        const cell = other === column ? '' : cellOf(table, row, other).trim();
        if (cell === '' || !mayBe(column, cell)) continue;
        const key = `${column} ${other}`;
        found.set(key, { column, other, rows: (found.get(key)?.rows ?? 0) + 1 });
      }
    }
  };
  const hints = (): readonly GapHint[] =>
    [...found.values()].flatMap(({ column, other, rows }) =>
      rows === missing.get(column) ? [{ kind: 'same', column, other }] : [],
    );
  return { take, hints };
}

/** More than this nobody confirms at once. */
const MEANT_MOST = 5;

/** What is paid, taken back or denied is not what is to be paid for. */
const SAYS_OTHERWISE =
  /pay[eé]|paid|pagad|annul|anul|cancel|rembours|reembols|refund|devol|\b(?:pas|non|not|no|sans|sin|rien|loan|avance|advance|anticipo)\b|pr[eêé]t|pr[eé]stamo/iu;

/** Words of the column of purposes that are none, and yet name exactly one: each may be given that meaning. */
function startMeant(table: Table) {
  const found = new Map<string, MeantWord>();
  const index = table.message === undefined ? table.indexOf.get('purposeOfRemittance') : undefined;
  const take = ({ row, rejections }: CheckedRow): void => {
    if (index === undefined || found.size >= MEANT_MOST) return;
    const word = (row.cells[index] ?? '').trim();
    if (!rejections.some(({ code }) => code === 'purpose_malformed')) return;
    const isNamed =
      !SAYS_OTHERWISE.test(word) && word.split(/[^\p{L}]+/u).some((each) => toPurpose(each) !== null);
    const value = isNamed && !namesSupplier(word) ? nearestPurpose(word) : null;
    // A word that already has a meaning was given a wrong one.
    if (value === null || cellOf(table, row, 'purposeOfRemittance').trim() !== word) return;
    if (!found.has(foldHeader(word))) found.set(foldHeader(word), { kind: 'value', word, value });
  };
  return { take, hints: (): readonly MeantWord[] => [...found.values()] };
}

function mayBe(column: string, cell: string): boolean {
  return column === 'delivery.bankAccountNumber' ? looksLikeAccount(cell) : malformed(column, cell) === null;
}

/** What the amounts mean is asked before they are tried. */
function unlessOpen(error: unknown, isAsking: boolean): null {
  if (
    error instanceof FileRefused &&
    (error.code === 'amount_unit' || (isAsking && error.code === 'header_not_found'))
  )
    return null;
  throw error;
}

/** The meanings that a column may get, with their headers for people. */
export function columnChoices(): readonly { readonly column: string; readonly words: Words }[] {
  const columns = new Set([...KNOWN_COLUMNS.values()].filter((column) => !column.startsWith('payout.')));
  return [...columns].sort().map((column) => ({ column, words: plainHeader(column) }));
}

// Writes a profile that a person has confirmed to where the next file will find it.

/** Returns the path. Throws `ConfigUnusable` when it may not be saved. */
export async function saveProfile(
  folder: string,
  name: string,
  proposal: Proposal,
  mayReplace: boolean,
  mayBeSaved: boolean,
  author: string | null = null,
  asks: readonly AskedOnce[] = [],
): Promise<string> {
  if (!/^[\w-]{1,80}$/.test(name)) throw new ConfigUnusable(sentence('profile.oddName', { name }));
  const [question] = proposal.questions;
  if (question !== undefined)
    throw new ConfigUnusable(sentence('profile.notSaved', { question: question.words }));
  if (!mayBeSaved) throw new ConfigUnusable(sentence('profile.paysNothing'));
  const path = join(folder, `${name}${PROFILE_EXTENSION}`);
  if (existsSync(path)) {
    if (!mayReplace) throw new ConfigUnusable(sentence('profile.exists', { path }));
    // No file of payments shows them, so a proposal has none.
    const { policy, folder } = parseProfile(readTyped(path), name, sameWords(path));
    if (folder !== null || Object.values(policy).some((value) => value !== undefined))
      throw new ConfigUnusable(sentence('profile.saysMore', { path }));
  }
  const text = profileText(proposal, asks) + (author === null ? '' : stringify({ author }));
  // What is written must be readable.
  parseProfile(text, name, sameWords(path));
  await createFolder(folder);
  await publishFile(path, [text]);
  return path;
}

/** The YAML of a proposal, with everything that a person may want to change. */
export function profileText(
  { profile, files, columns, splits }: Proposal,
  asks: readonly AskedOnce[] = [],
): string {
  const {
    constants,
    values,
    split,
    same,
    receivers,
    delimiter,
    encoding,
    decimalMark,
    sheet,
    header,
    layout,
  } = profile;
  const ruleOf = (header: string) => split.get(foldHeader(header))?.by;
  const taken = columns.filter(
    ({ header, column, from }) =>
      column !== null || from === 'stated' || profile.columns.has(foldHeader(header)),
  );
  const ofTable = {
    ...(sheet === null ? {} : { sheet }),
    ...(header === 'auto' ? {} : { header }),
    delimiter: delimiter === '	' ? 'tab' : delimiter,
    encoding,
    decimalMark,
    ...(profile.scale === null ? {} : { scale: profile.scale }),
    columns: Object.fromEntries(taken.map(({ header, column }) => [header, column ?? IGNORE])),
  };
  const text = stringify(
    {
      files,
      ...(layout === null ? messageText(profile.message) : ofTable),
      ...(constants.size === 0 ? {} : { constants: Object.fromEntries(constants) }),
      ...(values.size === 0 ? {} : { values: valuesText(values) }),
      ...(split.size === 0
        ? {}
        : {
            split: Object.fromEntries(
              splits.map(({ header, into }) => [header, { into, by: ruleOf(header) }]),
            ),
          }),
      ...(same.size === 0 ? {} : { same: Object.fromEntries(same) }),
      ...(profile.says.size === 0 ? {} : { says: saysText(profile.says, columns) }),
      ...(receivers === null ? {} : { receivers: receiversText(receivers, columns) }),
      ...(layout === null ? {} : { layout }),
    },
    { lineWidth: 0 },
  );
  return (layout === null ? MESSAGE_HEADER : HEADER + stillAsked(asks)) + text;
}

/** For whoever opens the file of a profile that was saved before everything was said. */
function stillAsked(asks: readonly AskedOnce[]): string {
  const lines = asks.map(
    ({ column, choices }) => `#   ${column}: ${choices.map(({ en }) => en).join(', ') || '…'}\n`,
  );
  return lines.length === 0 ? '' : `${STILL_ASKED}${lines.join('')}`;
}

const STILL_ASKED = `# No row is paid before these are said, each once for all rows, under "constants" (one of the words behind the colon):
`;

function saysText(says: Profile['says'], columns: Proposal['columns']) {
  const headerOf = (folded: string) =>
    columns.find(({ header }) => foldHeader(header) === folded)?.header ?? folded;
  return Object.fromEntries(
    [...says].map(([folded, words]) => [headerOf(folded), Object.fromEntries(words)]),
  );
}

function receiversText({ by, list }: Receivers, columns: Proposal['columns']) {
  const header = columns.find((column) => foldHeader(column.header) === by)?.header ?? by;
  return {
    by: header,
    list: Object.fromEntries([...list].map(([key, said]) => [key, Object.fromEntries(said)])),
  };
}

/** For payment messages, without the default values. */
function messageText(message: MessageRules): Partial<MessageRules> {
  const isUsual = (key: keyof MessageRules) =>
    JSON.stringify(message[key]) === JSON.stringify(USUAL_MESSAGE[key]);
  const said = Object.entries(message).filter(([key]) => !isUsual(key as keyof MessageRules));
  return { reference: message.reference, ...Object.fromEntries(said) };
}

const MESSAGE_HEADER = `# How these payment messages (pain.001) are read. "reference" says by which id a payment is known again: with another one, payments that were
# made before are no longer known. "personNames" says which name comes first in "Chen Wenjie" (family-given or given-family), "constants" what is
# the same in every payment, "values" what a word of the messages means. Also: "accountSchemes", "ignored", "documents", "purposeFrom". "policy" may override the config's.
`;

function valuesText(values: Proposal['profile']['values']) {
  return Object.fromEntries([...values].map(([column, words]) => [column, Object.fromEntries(words)]));
}

const HEADER = `# How these files are read. "columns" says what each column is (or "ignore"), "constants" what is the same in every row,
# "values" what the file's words mean ("deliveryMethod: { Vir: bankTransfer }"), "split" which column holds two others, "same" which
# column speaks for one that is missing, "says" which words of a column that means nothing else have a row paid or held; "layout" is the header that was confirmed:
# a file with another one is refused, so that nothing is guessed. Remove "layout" to take any. "policy" may override the config's.
`;

// What a person says about a file, before a profile says it.

/** In the words of a profile's file, whether they were typed at a terminal or chosen on the page. */
export type SaidOfFile = {
  /** Columns by header. */
  readonly columns: Readonly<Record<string, string>>;
  /** What every row says, by column. */
  readonly constants: Readonly<Record<string, string>>;
  /** Words of cells, each with what it means: one may mean two things in two columns. */
  readonly values: readonly (readonly [word: string, value: string])[];
  /** By header: the columns that one cell holds, and the rule that takes it apart. */
  readonly split: Readonly<Record<string, { readonly into: readonly string[]; readonly by: string }>>;
  /** For each column the other one that says the same. */
  readonly same: Readonly<Record<string, string>>;
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
  readonly decimalMark?: string | undefined;
  readonly sheet?: string | undefined;
  readonly scale?: string | undefined;
  /** A list of receivers, and the header by which rows name one of it. */
  readonly receivers?: string | undefined;
  readonly by?: string | undefined;
  /** For payment messages. */
  readonly personNames?: string | undefined;
  readonly reference?: string | undefined;
};

/** The rules of a profile's file apply, because the words may end up there. Throws `ConfigUnusable`. */
export function readSaid(
  { values, sheet, by, ...said }: Omit<SaidOfFile, 'receivers'>,
  receivers: Receivers | null = null,
): Stated {
  const { profile } = parseProfile(JSON.stringify(said), 'stated', null);
  const { columns, constants, delimiter, encoding, decimalMark, message, scale } = profile;
  return {
    ...{ columns, constants, split: profile.split, same: profile.same, delimiter, encoding, decimalMark },
    ...{ message, receivers, scale },
    headers: [...Object.keys(said.columns), ...Object.keys(said.split), ...(by === undefined ? [] : [by])],
    words: values,
    ...(sheet === undefined ? {} : { sheet }),
  };
}

/** What a list says of each receiver, by the column that rows name one by. Throws `FileRefused`, or `ConfigUnusable` where it cannot be trusted. */
export async function receiversOf(
  { receivers: path, by }: Pick<SaidOfFile, 'receivers' | 'by'>,
  { intake }: Pick<Config, 'intake'>,
): Promise<Receivers | null> {
  if (path === undefined && by === undefined) return null;
  if (path === undefined || by === undefined) throw new ConfigUnusable(sentence('receivers.both'));
  const { rowsMax, bytesMax } = intake;
  const { table, rows } = await readRows(path, { rowsMax, bytesMax, decimalMark: 'auto', isList: true });
  const key = table.columns.find(({ header }) => foldHeader(header) === foldHeader(by));
  if (key === undefined) throw new ConfigUnusable(sentence('receivers.noColumn', { by }));
  const columns = [...table.indexOf.keys()].filter(isOfReceiver);
  const list = new Map<string, ReadonlyMap<string, string>>();
  for await (const row of rows()) {
    const name = (row.cells[key.index] ?? '').trim();
    const said = new Map(columns.map((column) => [column, cellOf(table, row, column).trim()] as const));
    const fault = receiverFault(table, row);
    if (fault !== null)
      throw new ConfigUnusable(joinWords([sentence('receivers.fault', { place: row.place }), fault]));
    if (name === '') throw new ConfigUnusable(sentence('receivers.nameless', { place: row.place }));
    if (list.has(name) && !isEqual(list.get(name), said))
      throw new ConfigUnusable(sentence('receivers.twice', { place: row.place, name }));
    list.set(name, new Map([...said].filter(([, text]) => text !== '')));
  }
  return { by: foldHeader(by), list, columns: new Set(columns) };
}

function isEqual(one: ReadonlyMap<string, string> | undefined, other: ReadonlyMap<string, string>): boolean {
  return [...other].every(([column, text]) => (one?.get(column) ?? '') === text);
}

/** What would make a row of payments with these cells one to fix. */
function receiverFault(table: Table, row: Row): Words | null {
  const reader = new RowReader(table, row);
  checkText(reader, row);
  const [fault] = reader.rejections;
  return fault === undefined ? null : joinWords([sameWords(`${fault.column}:`), fault.words]);
}
