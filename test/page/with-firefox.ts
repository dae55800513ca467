// A stock Firefox: Debian's, or the one that PAYDROP_FIREFOX names, driven by WebDriver BiDi as the W3C has it and by nothing else: a Firefox of long support lacks
// commands that Playwright needs. Without one these tests are skipped, and say so.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PICTURES } from './with-browser.ts';

const PLACES = [process.env['PAYDROP_FIREFOX'], '/usr/bin/firefox-esr', '/usr/bin/firefox'];
const EXECUTABLE = PLACES.find((path) => path !== undefined && existsSync(path));

export const hasFirefox = EXECUTABLE !== undefined;
if (!hasFirefox)
  process.stderr.write(
    'NO FIREFOX: the page is not tried in it. Install it (apt-get install firefox-esr), or name it in PAYDROP_FIREFOX.\n',
  );

/** Every wait has an end of its own: a bound of hanging, not of speed. */
const WAIT_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/** What Firefox itself needs to be quiet: English, nothing that moves, and nobody outside who is asked. */
const PREFERENCES = {
  'intl.accept_languages': 'en',
  'ui.prefersReducedMotion': 1,
};

/** What may be clicked: by role and name, as Firefox tells them to whoever cannot see; or by CSS. */
export type Place = { readonly role: string; readonly name: string } | string;

type Node = { readonly sharedId: string };
type Values = Readonly<Record<string, unknown>>;
type Reply = Values & { readonly id?: number; readonly type: string; readonly method?: string };

/** The keys that the W3C gives no letter. */
const KEYS: Readonly<Record<string, string>> = {
  ...{ Shift: '\uE008', Control: '\uE009', Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C' },
  ...{ ArrowDown: '\uE015', ArrowUp: '\uE013', End: '\uE010', Home: '\uE011', F8: '\uE038' },
};

/** One window of one Firefox with a profile of its own. */
export class Firefox {
  /** What the page has done that it must not: policies broken, scripts that threw, dialogs. */
  readonly faults: string[] = [];
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #asked = new Map<number, (reply: Reply) => void>();
  #last = 0;
  #context = '';

  private constructor(child: ChildProcess, profile: string, socket: WebSocket) {
    this.#child = child;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#hear(JSON.parse(String(data)) as Reply));
  }

  static async open(): Promise<Firefox> {
    const profile = await mkdtemp(join(tmpdir(), 'paydrop-firefox-'));
    const lines = Object.entries(PREFERENCES).map(
      ([key, value]) => `user_pref(${JSON.stringify(key)}, ${JSON.stringify(value)});\n`,
    );
    await writeFile(join(profile, 'user.js'), lines.join(''));
    const args = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile];
    const child = spawn(EXECUTABLE ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const socket = new WebSocket(`${await addressOf(child)}/session`);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    const firefox = new Firefox(child, profile, socket);
    await firefox.#begin();
    return firefox;
  }

  async #begin(): Promise<void> {
    await this.#order('session.new', { capabilities: {} });
    // In the window that it opens with, nothing on the page has the focus.
    const { context } = await this.#order('browsingContext.create', { type: 'tab' });
    this.#context = String(context);
    await this.#order('session.subscribe', {
      events: ['log.entryAdded', 'browsingContext.userPromptOpened'],
    });
    await this.resize({ width: 1280, height: 800 });
  }

  #hear(reply: Reply): void {
    if (reply.id !== undefined) {
      this.#asked.get(reply.id)?.(reply);
      this.#asked.delete(reply.id);
      return;
    }
    const { type, level, text, message } = reply['params'] as Values;
    if (reply.method === 'browsingContext.userPromptOpened') this.faults.push(`dialog: ${String(message)}`);
    else if (level === 'error' && type === 'javascript') this.faults.push(String(text));
  }

  async #order(method: string, params: Values = {}): Promise<Values> {
    this.#last += 1;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#asked.set(this.#last, resolve);
    this.#socket.send(JSON.stringify({ id: this.#last, method, params }));
    const reply = await promise;
    if (reply.type === 'success') return reply['result'] as Values;
    throw new Error(`${method}: ${String(reply['error'])}: ${String(reply['message'])}`);
  }

  #orderHere(method: string, params: Values = {}): Promise<Values> {
    return this.#order(method, { context: this.#context, ...params });
  }

  /** What an expression comes to, also a promised one; `node` is there as `it`. */
  async evaluate<T>(expression: string, node?: Node): Promise<T> {
    const { result, exceptionDetails } = await this.#order('script.callFunction', {
      functionDeclaration: `async (it) => JSON.stringify((await (${expression})) ?? null)`,
      arguments: [node ?? { type: 'undefined' }],
      target: { context: this.#context },
      awaitPromise: true,
      userActivation: true,
    });
    if (result === undefined)
      throw new Error(`${expression}: ${String((exceptionDetails as Values)['text'])}`);
    return JSON.parse(String((result as Values)['value'])) as T;
  }

  /** Waits until it is so, over however many pages; gives what it then is. */
  async #until<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
    const end = performance.now() + WAIT_MS;
    for (;;) {
      // A page that goes while it is asked does not answer.
      const found = await look().catch((error: unknown) => {
        if (performance.now() > end) throw error;
      });
      if (found !== null && found !== undefined && found !== false) return found;
      if (performance.now() > end) throw new Error(`Not seen in time: ${what}. ${await this.#shown()}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  #shown(): Promise<string> {
    return this.evaluate<string>('location.pathname + ": " + document.body.innerText');
  }

  /** Waits until an expression is true; gives its value. */
  until<T>(expression: string): Promise<T> {
    return this.#until(expression, () => this.evaluate<T>(expression));
  }

  /** Waits until the page shows these words. */
  async see(words: string): Promise<void> {
    await this.until(`document.body?.innerText.includes(${JSON.stringify(words)})`);
  }

  async find(place: Place): Promise<Node> {
    const locator =
      typeof place === 'string' ? { type: 'css', value: place } : { type: 'accessibility', value: place };
    return this.#until(JSON.stringify(place), async () => {
      const { nodes } = await this.#orderHere('browsingContext.locateNodes', { locator });
      for (const node of nodes as readonly Node[])
        if (await this.evaluate<boolean>('it.checkVisibility()', node)) return node;
      return null;
    });
  }

  /** In its middle, and only once nothing lies over it. */
  async click(place: Place): Promise<void> {
    const node = await this.#until(`${JSON.stringify(place)} to be clicked`, async () => {
      const found = await this.find(place);
      return (await this.evaluate<boolean>(HIT, found)) ? found : null;
    });
    const origin = { type: 'element', element: node };
    await this.#orderHere('input.performActions', {
      actions: [
        {
          type: 'pointer',
          id: 'mouse',
          actions: [
            { type: 'pointerMove', x: 0, y: 0, origin },
            { type: 'pointerDown', button: 0 },
            { type: 'pointerUp', button: 0 },
          ],
        },
      ],
    });
  }

  /** Keys one after another, or at once: `Control+k`. */
  async press(...chords: readonly string[]): Promise<void> {
    const actions = chords.flatMap((chord) => {
      const values = chord.split('+').map((key) => KEYS[key] ?? key);
      return [
        ...values.map((value) => ({ type: 'keyDown', value })),
        ...values.toReversed().map((value) => ({ type: 'keyUp', value })),
      ];
    });
    await this.#orderHere('input.performActions', { actions: [{ type: 'key', id: 'keys', actions }] });
  }

  type(text: string): Promise<void> {
    return this.press(...Array.from(text));
  }

  /** Gives files to a field that asks for them, shown or not. */
  async choose(css: string, files: readonly string[]): Promise<void> {
    const element = await this.#until(css, async () => {
      const { nodes } = await this.#orderHere('browsingContext.locateNodes', {
        locator: { type: 'css', value: css },
      });
      return (nodes as readonly Node[])[0];
    });
    await this.#orderHere('input.setFiles', { element, files });
  }

  async goTo(url: string): Promise<void> {
    await this.#orderHere('browsingContext.navigate', { url, wait: 'interactive' });
  }

  async reload(): Promise<void> {
    await this.#orderHere('browsingContext.reload', { wait: 'interactive' });
  }

  async goBack(): Promise<void> {
    await this.#orderHere('browsingContext.traverseHistory', { delta: -1 });
  }

  async resize(viewport: { readonly width: number; readonly height: number }): Promise<void> {
    await this.#orderHere('browsingContext.setViewport', { viewport });
    await this.until(`innerWidth === ${String(viewport.width)}`);
  }

  /** For whoever looks at them, beside those of Chromium. */
  async picture(name: string): Promise<void> {
    const width = await this.evaluate<number>('innerWidth');
    const { data } = await this.#orderHere('browsingContext.captureScreenshot');
    await writeFile(join(PICTURES, `firefox-${name}-${String(width)}.png`), String(data), 'base64');
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    await this.#order('browser.close');
    await ended;
    await rm(this.#profile, { recursive: true, force: true });
  }
}

const HIT = `(() => {
  it.scrollIntoView({ block: 'nearest' });
  const { left, top, width, height } = it.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  return hit !== null && (it.contains(hit) || hit.contains(it)) && it.getAttribute('aria-disabled') !== 'true' && !it.disabled;
})()`;

/** Where it listens, as it says once it does. */
async function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const [, found] = /WebDriver BiDi listening on (ws:\S+)\n/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`Firefox did not start. ${said}`)));
    child.once('error', reject);
  });
}
