// Calls paydrop's own interface. A failure is a `Problem` with a code and paydrop's sentence for it, in the reader's language.
import type { List } from '../contract/schema.ts';
import type { Session } from '../contract/session.ts';
import { language, t } from './language.ts';

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  /** What else stood in the answer, such as the new state. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, detail: string, body: Readonly<Record<string, unknown>> = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

export type Ask = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** A request that nobody made at the keyboard keeps no session open. */
export const BACKGROUND = { 'x-background': '1' } as const;

const ROOT = '/api/v1';

let whenSignedOut: () => void = () => undefined;

/** Called when paydrop no longer knows who asks. */
export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener;
}

async function send(path: string, request: Ask, isAgain = false): Promise<Response> {
  const { method = 'GET', body, headers = {}, signal } = request;
  const init: RequestInit = {
    method,
    credentials: 'same-origin',
    headers: {
      'accept-language': language(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
  const response = await fetch(`${ROOT}${path}`, init).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new Problem(0, 'unreachable', t('problem.unreachable'));
  });
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.status === 401 && !path.startsWith('/session')) {
    if (!isAgain && (await isSignedIn())) return send(path, request, true);
    whenSignedOut();
  }
  throw problem;
}

/** Each signature changes the cookie: a request that had just left with the one before is refused, though nobody was signed out. */
async function isSignedIn(): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, COOKIE_COMES_MS));
  const { person } = await ask<Session>('/session', { headers: BACKGROUND });
  return person !== null;
}

/** The answer with the new cookie is under way, and may be the later one of the two. */
const COOKIE_COMES_MS = 300;

async function problemOf(response: Response): Promise<Problem> {
  return problemIn(response.status, (await response.json().catch(() => ({}))) as Problem['body']);
}

function problemIn(status: number, body: Problem['body']): Problem {
  const text = (value: unknown, usual: string): string => (typeof value === 'string' ? value : usual);
  const detail = text(body['detail'], t('problem.unknown', { status: String(status) }));
  return new Problem(status, text(body['code'], 'unknown'), detail, body);
}

/** A file on its way, with how far it is: `fetch` does not tell that. */
export function sendOctets<T>(
  path: string,
  content: Blob,
  headers: Readonly<Record<string, string>>,
  onSent: (bytes: number) => void,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `${ROOT}${path}`);
    request.setRequestHeader('accept-language', language());
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      const body = jsonOf(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(body as T);
      else {
        if (request.status === 401) whenSignedOut();
        reject(problemIn(request.status, body));
      }
    };
    request.onerror = () => reject(new Problem(0, 'unreachable', t('problem.unreachable')));
    request.onabort = () => reject(new Problem(0, 'aborted', t('problem.unreachable')));
    signal?.addEventListener('abort', () => request.abort());
    request.send(content);
  });
}

function jsonOf(text: string): Problem['body'] {
  try {
    return JSON.parse(text) as Problem['body'];
  } catch {
    return {};
  }
}

export async function ask<T>(path: string, request: Ask = {}): Promise<T> {
  const response = await send(path, request);
  const said = await response.text();
  return (said === '' ? {} : JSON.parse(said)) as T;
}

/** The bytes of an address, read as they come. */
export function open(path: string, request: Ask = {}): Promise<Response> {
  return send(path, request);
}

/** `?a=b` of what is set. */
export function query(values: Readonly<Record<string, string | number | null | undefined>>): string {
  const set = Object.entries(values).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return set.length === 0
    ? ''
    : `?${new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString()}`;
}

/** Every page of a list, up to a number of pages that no list of this page ought to reach. */
export async function askAll<T>(path: string, pages = 20): Promise<readonly T[]> {
  const data: T[] = [];
  let after: string | null = null;
  for (let page = 0; page < pages; page += 1) {
    const joint = path.includes('?') ? '&' : '?';
    const list: List<T> = await ask(
      after === null ? path : `${path}${joint}after=${encodeURIComponent(after)}`,
    );
    data.push(...list.data);
    after = list.next;
    if (after === null) break;
  }
  return data;
}

/** So that an order that was sent twice by a nervous finger counts once. */
export function orderKey(): Readonly<Record<string, string>> {
  return { 'idempotency-key': crypto.randomUUID() };
}

/** The words of anything that was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Problem ? error.message : t('problem.page');
}
