// Changes as paydrop commits them (server-sent events): one stream for all tabs of a browser, which continues where it was cut off. If a proxy keeps the stream back, the
// screens are read again every five seconds instead, and the page says so.
import { useLayoutEffect, useState } from 'preact/hooks';

import { BACKGROUND, open } from './api.ts';

export type LiveEvent = { readonly kind: string; readonly data: Readonly<Record<string, unknown>> };
export type LiveState = {
  readonly is: 'connecting' | 'live' | 'reconnecting' | 'polling' | 'paused';
  /** When something was heard last. */
  readonly since: number;
};

/** Its kind is `again` where a change may have been missed, so that everything must be read again. */
type LiveNews = LiveEvent;

type SharedNews =
  | { readonly what: 'told'; readonly told: LiveNews; readonly cursor: string | null }
  | { readonly what: 'state'; readonly state: LiveState };

const POLL_MS = 5_000;
/** The server says something every 15 s; a stream that is silent for longer is held back, or was forgotten in sleep. */
const SILENCE_MS = 25_000;
/** Between two tries while the server is away. */
const RETRY_MS = 1_000;

const listeners = new Set<(told: LiveNews) => void>();
const watchers = new Set<(state: LiveState) => void>();
let state: LiveState = { is: 'connecting', since: Date.now() };
let cursor: string | null = null;
let isPaused = false;
let isOpen = false;

const channel = new BroadcastChannel('paydrop-live');

function become(is: LiveState['is']): void {
  state = { is, since: is === 'live' ? Date.now() : state.since };
  for (const watcher of watchers) watcher(shownState());
}

function shownState(): LiveState {
  return isPaused ? { ...state, is: 'paused' } : state;
}

function hear(told: LiveNews): void {
  if (!isPaused) for (const listener of listeners) listener(told);
}

/** To be called once somebody is signed in. */
export function openLive(): void {
  if (isOpen) return;
  isOpen = true;
  channel.onmessage = ({ data }: MessageEvent<SharedNews>) => {
    if (data.what === 'told') {
      cursor = data.cursor ?? cursor;
      hear(data.told);
    } else {
      state = data.state;
      for (const watcher of watchers) watcher(shownState());
    }
  };
  // The tab that has the lock reads for all; when it closes, the next one goes on.
  void navigator.locks.request('paydrop-live', () => readForAll());
}

function tell(told: LiveNews): void {
  channel.postMessage({ what: 'told', told, cursor } satisfies SharedNews);
  hear(told);
}

function tellState(is: LiveState['is']): void {
  become(is);
  channel.postMessage({ what: 'state', state } satisfies SharedNews);
}

async function readForAll(): Promise<never> {
  let wasCut = false;
  for (;;) {
    try {
      await readStream(() => {
        tellState('live');
        if (wasCut) tell({ kind: 'again', data: {} });
        wasCut = false;
      });
    } catch (error) {
      wasCut = true;
      if (error instanceof HeldBack) await poll();
      else tellState('reconnecting');
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

class HeldBack extends Error {}

/** Until it ends, or is silent for too long. */
async function readStream(onOpen: () => void): Promise<void> {
  const end = new AbortController();
  let timer = setTimeout(() => end.abort(), SILENCE_MS);
  let heard = 0;
  try {
    const headers = cursor === null ? BACKGROUND : { ...BACKGROUND, 'last-event-id': cursor };
    const { body } = await open('/events', { headers, signal: end.signal });
    onOpen();
    const reader = (body ?? new ReadableStream<Uint8Array<ArrayBuffer>>())
      .pipeThrough(new TextDecoderStream())
      .getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('ended');
      heard += 1;
      clearTimeout(timer);
      timer = setTimeout(() => end.abort(), SILENCE_MS);
      state = { ...state, since: Date.now() };
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      blocks.forEach(take);
    }
  } catch (error) {
    if (end.signal.aborted && heard === 0) throw new HeldBack();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function take(block: string): void {
  let [kind, data] = ['', ''];
  for (const line of block.split('\n')) {
    if (line.startsWith('id:')) cursor = line.slice('id:'.length).trim();
    if (line.startsWith('event:')) kind = line.slice('event:'.length).trim();
    if (line.startsWith('data:')) data += line.slice('data:'.length).trim();
  }
  if (kind !== '' && data !== '') tell({ kind, data: JSON.parse(data) as LiveEvent['data'] });
}

/** Looks every few seconds for a while, then tries the stream again. */
async function poll(): Promise<void> {
  const LOOKS = 12;
  tellState('polling');
  for (let look = 0; look < LOOKS; look += 1) {
    tell({ kind: 'again', data: {} });
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** To be called where everything may have changed, such as after a sign-in. */
export function lookAgain(): void {
  hear({ kind: 'again', data: {} });
}

export function useLiveState(): readonly [LiveState, (paused: boolean) => void] {
  const [shown, show] = useState(shownState);
  useLayoutEffect(() => {
    watchers.add(show);
    return () => void watchers.delete(show);
  }, []);
  const pause = (paused: boolean): void => {
    isPaused = paused;
    become(state.is);
    if (!paused) hear({ kind: 'again', data: {} });
  };
  return [shown, pause];
}

/** Calls for each event, as long as the page is open. */
export function onLive(listener: (told: LiveEvent) => void): void {
  listeners.add(listener);
}
