// One request as a route sees it, and what it gives back: read, bounded and checked before, so that no route knows of HTTP.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { z } from 'zod';

import type { WebParts } from '../app/daemon/run-daemon.ts';
import type { FileView, FileViews } from '../app/desk/file-views.ts';
import type { Search } from '../app/desk/find.ts';
import type { Jobs } from '../app/desk/jobs.ts';
import type { Payees } from '../app/desk/payees.ts';
import type { Door } from '../app/desk/open-door.ts';
import type { RelyingParty } from '../app/people/passkeys.ts';
import type { Session } from '../app/people/sessions.ts';
import { FILE_READERS, languageOfTag, type PageReader, type Reader, say } from '../base/language.ts';
import type { FileStatus } from '../contract/files.ts';
import { type Body, type List, nothing } from '../contract/schema.ts';
import type { Role, Scope } from '../contract/words.ts';
import { pacedOctets } from './paced-octets.ts';
import { sentence } from '../messages/messages.ts';
import { Problem } from './problems.ts';

/** What every answer works with. */
export type Room = WebParts & {
  readonly views: FileViews;
  readonly jobs: Jobs;
  readonly search: Search;
  readonly payees: Payees;
  readonly door: Door;
  readonly demo: Demo | null;
};

/** Where people of a demo come in by a click; its address bears the token. */
export type Demo = { readonly token: string };

/** Who asks: a program by its key, a person by a session, or nobody who is known. */
export type Caller = {
  readonly kind: 'program' | 'person' | 'nobody';
  /** Tells it from every other caller. */
  readonly id: string;
  /** Under which it brings files and decides. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly roles: readonly Role[];
  readonly session: Session | null;
  /** Of a program: the beginning of its key. */
  readonly key: string | null;
};

/** What a browser is told to keep. */
export type CookiesOfCall = {
  /** Gives the browser the secret of a session; null takes it away. */
  readonly setSession: (secret: string | null) => void;
  /** Gives it another secret of the same session with the answer; the one before opens nothing from then on. */
  readonly renewSession: (session: Session) => void;
  /** Lets it be known again at its next sign-in. */
  readonly rememberBrowser: (secret: string) => void;
};

/** With body and query as the route's schemas have read them. */
export type Call<Sent = unknown, Query = unknown> = CookiesOfCall & {
  readonly room: Room;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** The list that is asked for: its address with its filters, whatever page of it. */
  readonly listed: string;
  readonly body: Sent;
  /** The octets of a route that takes them, and the name that they bear. */
  readonly octets: AsyncIterable<Uint8Array>;
  readonly fileName: string;
  readonly by: Caller;
  /** Where the reader's browser says that it is. */
  readonly place: RelyingParty;
  readonly reader: PageReader;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly header: (name: string) => string | undefined;
};

export type Reply<Json = unknown> = {
  readonly status: 200 | 201 | 202 | 302;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly json: Json }
  | { readonly bytes: Readable | Uint8Array; readonly type: string }
  | { readonly events: EventSource }
);

/** Writes the text of events until the reader goes away or the server ends. */
export type EventSource = (write: (text: string) => Promise<void>, signal: AbortSignal) => Promise<void>;

/** What is no JSON, by the name that a route gives it. */
export const MEDIA_TYPES = {
  bytes: 'application/octet-stream',
  pdf: 'application/pdf',
  table: 'text/csv; charset=utf-8',
  workbook: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  events: 'text/event-stream',
} as const;

/** A schema, or the kind of what is no JSON. */
export type Content = z.ZodType | keyof typeof MEDIA_TYPES;

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`, as the router has it. */
  readonly path: string;
  /** `people`: those of `roles`; `everybody`: also who is not known yet. A person may use what has a scope by what the roles give. */
  readonly who: Scope | 'people' | 'everybody';
  readonly roles?: readonly Role[];
  /** Also whoever is the delegate of somebody with one of the roles. */
  readonly delegates?: true;
  /** The person signs once more, this very thing: each time, or not for a look at what it would do, or not for the first passkey of one who has just come in. */
  readonly stepUp?: 'always' | 'unless-dry-run' | 'unless-first';
  /** The reply holds a secret that is kept nowhere, or what somebody looked for: it is not kept for whoever asks the same again either. */
  readonly isToldOnce?: true;
  /** What the address ends in, behind the last part of the path. */
  readonly ending?: string;
  /** For the OpenAPI document, in English. */
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | 'octets';
  /** By status. */
  readonly replies?: Replies;
  readonly does: (call: Call) => Promise<Reply>;
};

type Replies = Readonly<Record<number, Content>>;
type Schema = z.ZodType | 'octets';
type Read<Of> = Of extends z.ZodType ? Body<Of> : undefined;

/** An entry of the table: its handler takes what its schemas read, and gives what they describe. @param who a list: people in one of these roles. */
export function route<
  Query extends z.ZodObject = typeof nothing,
  Sent extends Schema = 'octets',
  Told extends Replies = Record<number, 'bytes'>,
>(
  at: `${Route['method']} /${string}`,
  who: Route['who'] | readonly Role[],
  summary: string,
  entry: Pick<Route, 'ending' | 'stepUp' | 'isToldOnce' | 'delegates'> & {
    readonly query?: Query;
    readonly body?: Sent;
    readonly replies?: Told;
    readonly does: (call: Call<Read<Sent>, Read<Query>>) => Promise<Reply<Read<Told[keyof Told]>>>;
  },
): Route {
  const [method, path] = at.split(' ') as [Route['method'], string];
  const asked = typeof who === 'string' ? { who } : { who: 'people' as const, roles: who };
  // Whatever comes has been read by these very schemas before the handler is called.
  return { method, path, ...asked, summary, ...(entry as unknown as Pick<Route, 'does'>) };
}

// Pagination by cursors (keyset pagination), which mean nothing to whoever is given them. Each belongs to its list: in another one it would leave out entries, and nobody would know.

/** Null behind the last page. */
export function cursor({ listed }: Pick<Call, 'listed'>, place: unknown): string | null {
  if (place === null) return null;
  const said = JSON.stringify(place);
  return Buffer.from(JSON.stringify([said, shortHash(`${listed} ${said}`)])).toString('base64url');
}

/** Null where none was given. Throws a `Problem` for what did not come from an earlier page of the same list. */
export function placeOf<Of extends z.ZodType>(call: Call<unknown, After>, schema: Of): z.output<Of> | null {
  const { after } = call.query;
  if (after === undefined) return null;
  try {
    const [said] = CURSOR.parse(JSON.parse(Buffer.from(after, 'base64url').toString('utf8')));
    const place: unknown = JSON.parse(said);
    if (cursor(call, place) !== after) throw new Problem('cursor_unknown');
    return schema.parse(place);
  } catch {
    throw new Problem('cursor_unknown');
  }
}

const CURSOR = z.tuple([z.string(), z.string()]);

export type After = { readonly after?: string | undefined };
export type ListPage = After & { readonly limit: number };

export function list<Item>(data: readonly Item[], next: string | null): Reply<List<Item>> {
  return { status: 200, json: { data, next } };
}

/** A page of a list that is at hand as a whole. */
export function listPart<Item>(call: Call<unknown, ListPage>, all: readonly Item[]): Reply<List<Item>> {
  const from = placeOf(call, z.int().min(0)) ?? 0;
  const to = from + call.query.limit;
  return list(all.slice(from, to), cursor(call, to < all.length ? to : null));
}

export function found<T>(value: T | null, problem: ConstructorParameters<typeof Problem>[0]): T {
  if (value === null) throw new Problem(problem);
  return value;
}

export const param = ({ params }: Pick<Call, 'params'>, name: string): string => params[name] ?? '';

/** A program has the values of the result, to the letter. */
export function readerOfRows({ by, reader }: Pick<Call, 'by' | 'reader'>): Reader {
  return by.kind === 'program' ? FILE_READERS[reader.language] : reader;
}

/** A file as it is told: what it waits for in the reader's words. */
export function shownFile({ wait, ...summary }: FileView, reader: PageReader): FileStatus {
  if (wait === null) return { ...summary, wait };
  const { for: kind, liftedBy, words } = wait;
  return { ...summary, wait: { for: kind, liftedBy, reason: say(words, reader) } };
}

export async function fileReply({ room, reader }: Call, batch: string): Promise<Reply<FileStatus>> {
  return { status: 200, json: shownFile(found(await room.views.summary(batch), 'batch_unknown'), reader) };
}

/** What a body says, as a tag: who has that already need not be told, and who orders by it says which one was seen. */
export function etagOf(body: string): string {
  return `"${shortHash(body)}"`;
}

function shortHash(of: string): string {
  return createHash('sha256').update(of).digest('base64url').slice(0, HASH_CHARACTERS);
}

const HASH_CHARACTERS = 22;

/** Whether the value of `If-Match` or `If-None-Match` names the tag: one of several, or `*` for any. */
export function namesTag(value: string | undefined, etag: string): boolean {
  const named = (value ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return named.includes('*') || named.includes(etag);
}

/** What is opened in a browser all the same may do nothing there. */
export function asAttachment(name: string): Readonly<Record<string, string>> {
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`;
  return { 'content-disposition': disposition, 'content-security-policy': "sandbox; default-src 'none'" };
}

// From HTTP.

const JSON_BYTES_MAX = 64 * 1024;

export type HttpContext = Context<{ Bindings: HttpBindings }>;

export async function callOf(
  room: Room,
  route: Route,
  context: HttpContext,
  given: Pick<Call, 'by' | 'place' | keyof CookiesOfCall>,
): Promise<Call> {
  const { req, env } = context;
  const query = (route.query ?? nothing).safeParse(req.query());
  if (!query.success) throw queryWrong(query.error.issues);
  const isOctets = route.body === 'octets';
  return {
    room,
    params: paramsOf(route, req.param()),
    query: query.data,
    listed: JSON.stringify([req.path, { ...query.data, limit: undefined, after: undefined }]),
    body: route.body === undefined || isOctets ? undefined : await bodyOf(room, route, context),
    octets: pacedOctets(env.incoming, 'octets', room.paydrop.clock),
    fileName: isOctets ? fileNameOf(room, context) : '',
    ...given,
    reader: readerOf(room, context),
    signal: req.raw.signal,
    header: (name) => req.header(name),
  };
}

function paramsOf({ ending }: Route, params: Readonly<Record<string, string>>): Call['params'] {
  const ends = ending ?? '';
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      ends !== '' && value.endsWith(ends) ? value.slice(0, -ends.length) : value,
    ]),
  );
}

/** Names the parameters that the address does not take, or takes with other values. */
function queryWrong(issues: readonly z.core.$ZodIssue[]): Problem {
  const named = namedIn(issues);
  return new Problem('query_wrong', { words: sentence('problem.query_wrong.named', { named }) });
}

/** The same of a body, whose faults may be of the whole. */
function bodyWrong(issues: readonly z.core.$ZodIssue[]): Problem {
  const named = namedIn(issues);
  if (named === '') return new Problem('body_wrong');
  return new Problem('body_wrong', { words: sentence('problem.body_wrong.named', { named }) });
}

function namedIn(issues: readonly z.core.$ZodIssue[]): string {
  const names = issues.flatMap((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const at = issue.path.map(String).join('.');
    return keys.length > 0 ? keys : at === '' ? [] : [at];
  });
  const shown = [...new Set(names)].map((name) => name.slice(0, PARAMETER_CHARS));
  return shown.slice(0, PARAMETERS_MOST).join(', ');
}

/** It comes from the request. */
const PARAMETER_CHARS = 40;
const PARAMETERS_MOST = 10;

/** Percent-encoded UTF-8. What says beforehand that it is too long is not read. */
function fileNameOf({ paydrop }: Room, { req }: HttpContext): string {
  if (Number(req.header('content-length') ?? 0) > paydrop.config.intake.bytesMax)
    throw new Problem('upload_too_large');
  try {
    return decodeURIComponent(req.header('x-file-name') ?? '').normalize('NFC');
  } catch {
    throw new Problem('upload_name_unsafe');
  }
}

async function bodyOf({ paydrop }: Room, { body }: Route, { req, env }: HttpContext): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of pacedOctets(env.incoming, 'json', paydrop.clock)) {
    bytes += chunk.byteLength;
    if (bytes > JSON_BYTES_MAX) throw new Problem('body_too_large');
    chunks.push(chunk);
  }
  if (bytes > 0 && !/^application\/json\b/i.test(req.header('content-type') ?? ''))
    throw new Problem('body_kind_wrong');
  if (body === undefined || body === 'octets') return undefined;
  let said: unknown = {};
  try {
    if (bytes > 0) said = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Problem('body_wrong');
  }
  const read = body.safeParse(said);
  if (!read.success) throw bodyWrong(read.error.issues);
  return read.data;
}

/** Of the languages that there are, the first that the reader names. */
export function readerOf({ paydrop }: Pick<Room, 'paydrop'>, { req }: HttpContext): PageReader {
  const [language] = (req.header('accept-language') ?? '')
    .split(',')
    .flatMap((tag) => languageOfTag(tag) ?? []);
  return { language: language ?? paydrop.config.language, surface: 'page' };
}
