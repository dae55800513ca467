// This browser as one that tells (Web Push): the permission, the service worker, and the subscription at the push service of the browser's maker.
import { Problem } from './api.ts';
import { t } from './language.ts';

/** Served beside the page, and in charge of no part of it. */
const WORKER = '/assets/notices-worker.js';

/** The one address that may become a script here (Trusted Types). */
const POLICY = 'notices';

type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL(url: string): string };
};

let trusted: string | null = null;

function workerUrl(): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies };
  trusted ??=
    trustedTypes?.createPolicy(POLICY, { createScriptURL: () => WORKER }).createScriptURL(WORKER) ?? WORKER;
  return trusted;
}

export function hasPush(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
}

/** What paydrop needs to tell something here. Throws a `Problem` where the reader or the browser does not allow it. */
export async function subscribeHere(key: string): Promise<{
  readonly endpoint: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly name: string;
}> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Problem(0, 'push_denied', t('notices.denied'));
  const registration = await active(await navigator.serviceWorker.register(workerUrl()));
  // Another person, or another paydrop at this address, may have subscribed under another key.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: key })
    .catch(() => {
      throw new Problem(0, 'push_away', t('notices.away'));
    });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  return { endpoint, keys, name: browserName(navigator.userAgent) };
}

/** A new worker takes a moment. */
async function active(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  const coming = registration.installing ?? registration.waiting;
  if (registration.active !== null || coming === null) return registration;
  await new Promise<void>((resolve) => {
    coming.addEventListener('statechange', () => {
      if (coming.state === 'activated') resolve();
    });
  });
  return registration;
}

/** What most name themselves too comes last. */
const BROWSERS = ['Edg', 'Firefox', 'Chrome', 'Safari'] as const;
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'] as const;

/** So that the reader knows it again in the list. */
function browserName(agent: string): string {
  const browser = BROWSERS.find((each) => agent.includes(each)) ?? 'Browser';
  const system = SYSTEMS.find((each) => agent.includes(each));
  return [browser === 'Edg' ? 'Edge' : browser, system].filter((each) => each !== undefined).join(', ');
}
