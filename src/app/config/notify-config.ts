// The section `notify` of the config: where people are notified. Passwords and texts travel there, so plain connections are allowed on this machine only.
import { resolve } from 'node:path';

import { z } from 'zod';

import { MAILBOX, type NoticeKind } from '../../contract/words.ts';
import type { ChannelName } from '../../ledger/notices.ts';
import { sentence } from '../../messages/messages.ts';
import type { Outcome } from '../../payouts/lifecycle.ts';
import type { Summary } from '../../results/summary.ts';
import { ConfigUnusable, readTypedSecret, says } from './yaml-file.ts';
import { duration } from './policy.ts';

// The events that people can be told of, and the message for each: the same on every channel, and in every try.

/**
 * `accepted`, `refused`, `duplicate`: the result of taking a file; `held`: a person has to decide; `shortfall`: funds are missing; `approval`:
 * another person has to agree; `completion`: every row is final; `changed`: the service changed something after that; `trouble`: nothing is paid
 * until a person repairs it.
 */
export const NOTICE_EVENTS = [
  'accepted',
  'refused',
  'duplicate',
  'held',
  'shortfall',
  'approval',
  'completion',
  'changed',
  'trouble',
] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** The events that need an action, and the end. News that a file came, or came again, goes only to those who ask for it. */
const USUAL_EVENTS: readonly NoticeEvent[] = NOTICE_EVENTS.filter(
  (event) => event !== 'accepted' && event !== 'duplicate',
);

/** The body for the hook, and the source of an e-mail. It has no account, no telephone number, no name of a receiver, no amount of a row. */
export type NoticeMessage = {
  /** The same in every try, so that a receiver recognises a repetition. */
  readonly id: string;
  readonly event: NoticeEvent | 'address';
  /** ISO time of the event. */
  readonly at: string;
  readonly batch: string | null;
  readonly file: string | null;
  readonly sandbox: boolean;
  readonly subject: string;
  readonly text: string;
  /** Names of the answers in the outbox. */
  readonly answers: readonly string[];
  /** Of a person's own notice: the path of the page that has it. */
  readonly path?: string;
  /** A person whom the page knows; absent for those of the config. */
  readonly to?: NoticeReceiver;
} & NoticeFacts;

/** Who has chosen this kind of news, and the browser that tells it, null for the address; or, with `address`, who has yet to confirm that. */
export type NoticeReceiver = { readonly person: string } & (
  { readonly kind: NoticeKind; readonly browser: string | null } | { readonly address: string }
);

/** The fields of `summary.json` that are known. */
export type NoticeFacts = {
  readonly rows?: number;
  readonly outcomes?: Readonly<Record<Outcome, number>>;
  readonly totals?: Summary['totals'] | readonly RequestedTotal[];
  readonly received?: Summary['received'];
};

/** The total that a file asks for in one currency. */
export type RequestedTotal = { readonly currency: string; readonly rows: number; readonly amount: string };

const mailbox = z.string().regex(MAILBOX, says('config.write.mailbox'));

/** A circle of people, not a mailing list. */
const RECEIVERS_MOST = 20;

/** Well below the time for which a message is claimed, so that no two processes send it at once. */
const TIMEOUT_MOST_MS = 60_000;
const timeout = (usual: string) =>
  duration.prefault(usual).refine((ms) => ms <= TIMEOUT_MOST_MS, says('config.write.minuteMost'));

const emailSchema = z.strictObject({
  host: z.string().regex(/^[\w.:-]+$/, says('config.write.smtpHost')),
  port: z.int().min(1).max(65_535).default(587),
  security: z.enum(['tls', 'starttls', 'none']).default('starttls'),
  user: z.string().min(1).optional(),
  passwordFile: z.string().optional(),
  from: mailbox,
  to: z.union([mailbox, z.array(mailbox).min(1).max(RECEIVERS_MOST)]),
  timeout: timeout('30s'),
});
export type EmailConfig = z.output<typeof emailSchema>;

const hookSchema = z.strictObject({
  url: z.string(),
  secretFile: z.string().optional(),
  timeout: timeout('10s'),
});
export type HookConfig = z.output<typeof hookSchema>;

/** Where a message for a browser may go: the origin alone. */
const pushService = z.string().refine(isPushOrigin, says('config.write.pushService'));

function isPushOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname));
  return isSafe && text.replace(/\/$/, '') === origin;
}

const pushSchema = z
  .strictObject({
    services: z.array(pushService).nullable().default(null),
    timeout: timeout('10s'),
  })
  .prefault({});

export const notifySchema = z
  .strictObject({
    email: emailSchema.optional(),
    hook: hookSchema.optional(),
    push: pushSchema,
    events: z
      .array(z.enum(NOTICE_EVENTS))
      .nullable()
      .default(null)
      .transform((events) => events ?? USUAL_EVENTS),
  })
  .prefault({});
type NotifyConfig = z.output<typeof notifySchema>;

/** Secrets from files or the environment; never shown. */
export type NotifySecrets = { readonly smtpPassword: string | null; readonly hookSecret: string | null };

/** How the fault of a push service begins: a browser is told over HTTP as the hook is, in its queue. */
export const OF_PUSH = 'push ';

// Which push services are called: the address comes from a browser, and must not lead into the own network (SSRF).

/** Those of the browsers: Chrome, Firefox, Safari, Edge; with a dot before it, each name below. */
const KNOWN_SERVICES = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  '.push.apple.com',
  '.notify.windows.com',
] as const;

/** @param services the origins of the config; null for those of the browsers. */
export function isPushService(services: readonly string[] | null, endpoint: string): boolean {
  const url = new URL(endpoint);
  if (url.username !== '' || url.password !== '') return false;
  if (services !== null) return services.some((service) => new URL(service).origin === url.origin);
  const isKnown = KNOWN_SERVICES.some((name) =>
    name.startsWith('.') ? url.hostname.endsWith(name) : url.hostname === name,
  );
  return isKnown && url.protocol === 'https:' && url.port === '';
}

/** The channels that are configured. */
export function channelNames({ email, hook }: NotifyConfig): readonly ChannelName[] {
  return [
    ...(email === undefined ? [] : ['email' as const]),
    ...(hook === undefined ? [] : ['hook' as const]),
  ];
}

/** Checks that a schema cannot express. Throws `ConfigUnusable`. */
function checkNotify({ email }: NotifyConfig, { smtpPassword }: NotifySecrets): void {
  if (email !== undefined) checkEmail(email, smtpPassword);
}

function checkEmail({ host, security, user }: EmailConfig, password: string | null): void {
  if (security === 'none' && !isThisMachine(host))
    throw new ConfigUnusable(sentence('config.email.security'));
  if (user !== undefined && password === null) throw new ConfigUnusable(sentence('config.email.password'));
}

/** The address may contain a secret, so no message shows it. Throws `ConfigUnusable`. */
export function checkHook(text: string): void {
  if (!URL.canParse(text)) throw new ConfigUnusable(sentence('config.hook.noUrl'));
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new ConfigUnusable(sentence('config.hook.parts'));
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname))) return;
  throw new ConfigUnusable(sentence('config.hook.protocol'));
}

function isThisMachine(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}

// The password of the mail server, and the secret that signs posts to the hook: from the environment, or from a file that only paydrop's user
// may read; never from the config itself.

/** Also checks the whole section. Throws `ConfigUnusable`. */
export function readNotifySecrets(
  notify: NotifyConfig,
  environment: Readonly<Record<string, string | undefined>>,
  base: string,
): NotifySecrets {
  const { email, hook } = notify;
  const secrets: NotifySecrets = {
    smtpPassword:
      email === undefined ? null : secret('PAYDROP_SMTP_PASSWORD', environment, email.passwordFile, base),
    hookSecret: hook === undefined ? null : secret('PAYDROP_HOOK_SECRET', environment, hook.secretFile, base),
  };
  checkNotify(notify, secrets);
  return secrets;
}

/** `name` in the environment, else the file that `name_FILE` or the config names. */
function secret(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  inConfig: string | undefined,
  base: string,
): string | null {
  const own = environment[name] ?? '';
  if (own !== '') return checked(own, name);
  const fromEnvironment = environment[`${name}_FILE`] ?? '';
  const path =
    fromEnvironment !== '' ? fromEnvironment : inConfig === undefined ? null : resolve(base, inConfig);
  return path === null ? null : readSecret(path);
}

function readSecret(path: string): string {
  let text: string;
  try {
    text = readTypedSecret(path);
  } catch (error) {
    if (error instanceof ConfigUnusable) throw error;
    throw new ConfigUnusable(sentence('config.secret.unreadable', { path }), { cause: error });
  }
  return checked(text.replace(/\r?\n$/, ''), path);
}

/** The secret itself is never shown. */
function checked(text: string, source: string): string {
  if (/^[^\p{Cc}]+$/u.test(text)) return text;
  throw new ConfigUnusable(sentence('config.secret.odd', { source }));
}
