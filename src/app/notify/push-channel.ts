// Tells a person in a browser: one line that a locked screen may show, and where it stands at the page. What the push service no longer knows is forgotten.
import { proxyOfHook } from '../config/config.ts';
import { isLoopback } from '../config/listeners.ts';
import { isPushService, type NoticeMessage, OF_PUSH } from '../config/notify-config.ts';
import type { Paydrop } from '../parts.ts';
import { withOwnNotices } from '../people/own-notices.ts';
import type { PushSubscription } from '../people/push-browsers.ts';
import { askOnce, faultOfStatus } from './open-channels.ts';
import { encryptPush, vapidOf } from './web-push.ts';

/** A browser that is off for longer is told by the page itself. */
const KEPT_S = 86_400;

const GONE: ReadonlySet<number> = new Set([404, 410]);

/** Null when the push service has accepted it; `unwanted` where there is nobody any more to take it. Never throws. */
export async function pushTo(
  { config, clock }: Pick<Paydrop, 'config' | 'clock'>,
  { browser, subscription }: { readonly browser: string; readonly subscription: PushSubscription },
  message: NoticeMessage,
): Promise<string | null> {
  const { services, timeout: timeoutMs } = config.notify.push;
  if (!isPushService(services, subscription.endpoint)) return 'unwanted';
  const url = new URL(subscription.endpoint);
  const said = { title: message.subject, path: message.path ?? '/', tag: message.id };
  const key = withOwnNotices(config.workspacePath, clock, ({ browsers }) => browsers.key());
  if (key === null) return 'unwanted';
  const status = await askOnce(url, isLoopback(url) ? null : proxyOfHook(config, url), {
    method: 'POST',
    path: url.pathname + url.search,
    headers: {
      authorization: vapidOf(key, url.origin, contactOf(config), clock.now()),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(KEPT_S),
      urgency: 'high',
    },
    body: Buffer.from(encryptPush(JSON.stringify(said), subscription)),
    timeoutMs,
  });
  if (typeof status !== 'number') return OF_PUSH + status;
  if (GONE.has(status)) {
    withOwnNotices(config.workspacePath, clock, ({ browsers }) => browsers.forget(browser));
    return 'unwanted';
  }
  const fault = faultOfStatus(status);
  return fault === null ? null : OF_PUSH + fault;
}

/** By which a push service reaches whoever runs paydrop. */
function contactOf({ notify, web }: Pick<Paydrop['config'], 'notify' | 'web'>): string | null {
  if (notify.email !== undefined) return `mailto:${notify.email.from}`;
  return web.publicUrl?.startsWith('https:') === true ? web.publicUrl : null;
}
