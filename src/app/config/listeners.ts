// Where paydrop listens: for notifications, for requests of its metrics, for people and programs. Addresses are checked when the config is read, so
// that a daemon does not start first and fail later.
import { resolve } from 'node:path';

import { z } from 'zod';

import { parseIsoTime } from '../../base/clock.ts';
import { sameWords, type Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { ConfigUnusable, readTypedSecret } from './yaml-file.ts';

export type ListenAddress = { readonly host: string; readonly port: number };

/** A name, an IPv4 address or an IPv6 address in brackets, and a port; 0 takes any free one. */
const FORM = /^(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i;
const PORT_MAX = 65_535;

/** @param name the name of the setting, for people. Throws `ConfigUnusable`. */
export function parseListenAddress(text: string, name = 'webhooks.listen'): ListenAddress {
  const [, bracketed, plain, digits] = FORM.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host !== undefined && port <= PORT_MAX) return { host, port };
  throw new ConfigUnusable(sentence('config.listen', { name, text }));
}

/** The address at which the service reaches `webhooks.listen`. Throws `ConfigUnusable`. */
export function checkCallbackUrl(text: string): void {
  const url = parseUrl(text, sameWords('service.callbackUrl'));
  if (url.search !== '') throw new ConfigUnusable(sentence('config.callback.query'));
  if (url.hash !== '' || url.username !== '' || url.password !== '')
    throw new ConfigUnusable(sentence('config.callback.parts'));
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return;
  throw new ConfigUnusable(sentence('config.callback.protocol'));
}

/** @param name the name of the setting, for people. Throws `ConfigUnusable`. */
export function parseUrl(text: string, name: Words): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new ConfigUnusable(sentence('config.noUrl', { name }));
}

export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

// Who is served over HTTP, and under which name.

/** A section of the config; off until `listen` is set. */
export const webSchema = z
  .strictObject({
    listen: z.string().nullable().default(null),
    publicUrl: z.string().nullable().default(null),
    tls: z.strictObject({ certFile: z.string(), keyFile: z.string() }).nullable().default(null),
    behindProxy: z.boolean().default(false),
    oidc: z
      .strictObject({
        name: z.string().min(1).max(60),
        issuer: z.string(),
        clientId: z.string(),
        clientSecretFile: z.string().nullable().default(null),
        groupsClaim: z.string().default('groups'),
        roles: z.record(
          z.string(),
          z.array(z.enum(['maker', 'checker', 'treasurer', 'admin', 'auditor'])).min(1),
        ),
      })
      .nullable()
      .default(null),
  })
  .prefault({});
export type WebConfig = z.output<typeof webSchema>;

/** The address where people open the page, without a slash at its end; null where there is none. If the port is any free one, only the daemon knows it. */
export function pageOf({ listen, publicUrl, tls }: WebConfig): string | null {
  if (listen === null) return null;
  const port = /:(\d+)$/.exec(listen)?.[1] ?? '';
  return publicUrl?.replace(/\/$/, '') ?? `${tls === null ? 'http' : 'https'}://localhost:${port}`;
}

const THIS_MACHINE = /^(?:localhost|::1|127\.\d+\.\d+\.\d+)$/;

/** Checks the section, and resolves its files against the folder of the config file. Throws `ConfigUnusable`. */
export function readWebConfig(web: WebConfig, base: string): WebConfig {
  const { listen, publicUrl, tls, behindProxy, oidc } = web;
  if (listen === null) return web;
  const { host } = parseListenAddress(listen, 'web.listen');
  if (!THIS_MACHINE.test(host) && tls === null && !behindProxy)
    throw new ConfigUnusable(sentence('config.web.open', { listen }));
  if (behindProxy && publicUrl === null) throw new ConfigUnusable(sentence('config.web.unnamed'));
  const found = (path: string): string => resolve(base, path);
  return {
    ...web,
    tls: tls && { certFile: found(tls.certFile), keyFile: found(tls.keyFile) },
    oidc: oidc && { ...oidc, clientSecretFile: oidc.clientSecretFile && found(oidc.clientSecretFile) },
  };
}

/** Identities must not travel over a line that others can change. Throws `ConfigUnusable`. */
export function checkIssuer(url: string): void {
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw new ConfigUnusable(sentence('config.web.issuer', { url }));
}

/** Throws `ConfigUnusable`. */
export function checkOrigin(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.href !== `${url.origin}/`)
    throw new ConfigUnusable(sentence('config.web.publicUrl', { url: text }));
}

// The keys that may sign a notification. The service and paydrop do not change the API key at the same moment, so a second one may count for a
// time. It always has an end, because a forgotten old key may be in other hands.

export type WebhookKeys = {
  readonly apiKey: string;
  /** The previous or the next key; `until` in ms since 1970. */
  readonly other?: { readonly apiKey: string; readonly until: number } | null;
};

export function validKeys({ apiKey, other = null }: WebhookKeys, now: number): readonly string[] {
  return other !== null && now < other.until ? [apiKey, other.apiKey] : [apiKey];
}

type OtherKey = { readonly otherKeyFile?: string | undefined; readonly otherKeyUntil?: string | undefined };

/** The previous or the next key. The config must name its end: a forgotten one would count for ever. */
export function readOtherKey(
  { otherKeyFile, otherKeyUntil = '' }: OtherKey,
  base: string,
): WebhookKeys['other'] {
  if (otherKeyFile === undefined) return null;
  const until = parseIsoTime(otherKeyUntil) ?? parseIsoTime(`${otherKeyUntil}T00:00:00Z`);
  if (until !== null) return { apiKey: readKeyFile(resolve(base, otherKeyFile)), until };
  throw new ConfigUnusable(sentence('config.key.otherUntil'));
}

/** Throws `ConfigUnusable`. */
export function readKeyFile(path: string): string {
  try {
    return checkedKey(readTypedSecret(path).trim(), path);
  } catch (error) {
    if (error instanceof ConfigUnusable) throw error;
    throw new ConfigUnusable(sentence('config.key.unreadable', { path }), { cause: error });
  }
}

/** A key is one HTTP header value; the key itself is never shown. */
export function checkedKey(key: string, source: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new ConfigUnusable(sentence('config.key.odd', { source }));
}
