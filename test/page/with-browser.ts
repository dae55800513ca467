// A real Chromium: Debian's, or the one that PAYDROP_CHROMIUM names. Without one these tests are skipped, and say so.
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

import { openDoor } from '../../src/app/desk/open-door.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Role } from '../../src/contract/words.ts';
import type { Web } from '../web/with-web.ts';

const PLACES = [
  process.env['PAYDROP_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const EXECUTABLE = PLACES.find((path) => path !== undefined && existsSync(path));

export const hasBrowser = EXECUTABLE !== undefined;
if (!hasBrowser)
  process.stderr.write(
    'NO CHROMIUM: the page is not tried in a browser. Install it (apt-get install chromium), or name it in PAYDROP_CHROMIUM.\n',
  );

/** Every wait has an end of its own: a bound of hanging, not of speed. */
const WAIT_MS = 120_000;

export type Tab = {
  readonly page: Page;
  /** What the page has done that it must not: policies broken, scripts that threw. */
  readonly faults: readonly string[];
  readonly close: () => Promise<void>;
};

export async function openBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  return chromium.launch({ executablePath: EXECUTABLE ?? '', args });
}

/** A browser of somebody else's, as it were: nothing is shared with other tabs. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en',
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedScript|TrustedHTML/.test(message.text())) faults.push(message.text());
  });
  return { page, faults, close: () => context.close() };
}

/** Gives the browser a key of its own, and has somebody come in by an invitation. */
export async function comeIn(
  tab: Tab,
  web: {
    readonly paydrop: Pick<Web['paydrop'], 'config'> & { readonly clock?: Clock };
    readonly url: string;
  },
  name: string,
  ...roles: readonly Role[]
): Promise<void> {
  const { page } = tab;
  await withPasskeys(page);
  const door = await openDoor(web.paydrop.config, web.paydrop.clock);
  const { token } = door.people.invite(name, roles, null);
  door.close();
  await page.goto(`${web.url}/invitation#${token}`);
  await page.locator('form button[type=submit]').click();
  await page.locator('main#content h1').waitFor();
}

/** Gives the browser a key of its own, as a laptop with a finger on it has. */
export async function withPasskeys(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What keeps somebody from using what is shown, light and dark; by rule, with where. */
export async function obstacles({ page }: Pick<Tab, 'page'>): Promise<readonly string[]> {
  const found: string[] = [];
  await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate<string[]>(
      'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map(({ target }) => target.join(" ")).slice(0, 3).join(" | ")))',
    );
    found.push(...violations.map((violation) => `${colorScheme}: ${violation}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return found;
}

/** Pictures of what a test saw, for whoever looks at them: kept in the folder that PAYDROP_TEST_PICTURES names, else gone with the test's scratch. */
export const PICTURES =
  process.env['PAYDROP_TEST_PICTURES'] ?? mkdtempSync(join(tmpdir(), 'paydrop-pictures-'));

/** At its size, and whole however long it is. */
export async function picture({ page }: Pick<Tab, 'page'>, name: string): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  await page.screenshot({ path: join(PICTURES, `${name}-${String(width)}.png`) });
  await page.screenshot({ path: join(PICTURES, `${name}-${String(width)}-whole.png`), fullPage: true });
}
