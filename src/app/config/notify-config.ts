// The section `notify` of the config: where people are told. Passwords and texts travel there, so plain connections are for this machine only.
import { z } from 'zod';

import type { ChannelName } from '../../ledger/notices.ts';
import { ConfigUnusable, says } from './config-unusable.ts';
import { duration } from './policy.ts';
import { NOTICE_EVENTS } from './notice-events.ts';
import { sentence } from '../../messages/messages.ts';

/** One mailbox, without a name: nothing in it can end a header or add a receiver. */
const mailbox = z
  .string()
  .regex(/^[^\s<>()[\]\\,;:"@]+@[^\s<>()[\]\\,;:"@]+$/u, says('config.write.mailbox'));

/** A circle of people, not a mailing list. */
const RECEIVERS_MOST = 20;

/** Well below the time for which a message is claimed, so that no two processes send it at once. */
const TIMEOUT_MOST_MS = 60_000;
const timeout = (usual: string) =>
  duration.prefault(usual).refine((ms) => ms <= TIMEOUT_MOST_MS, says('config.write.minuteMost'));

export const emailSchema = z.strictObject({
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

export const hookSchema = z.strictObject({
  url: z.string(),
  secretFile: z.string().optional(),
  timeout: timeout('10s'),
});
export type HookConfig = z.output<typeof hookSchema>;

export const notifySchema = z
  .strictObject({
    email: emailSchema.optional(),
    hook: hookSchema.optional(),
    events: z.array(z.enum(NOTICE_EVENTS)).nullable().default(null),
  })
  .prefault({});
export type NotifyConfig = z.output<typeof notifySchema>;

/** What is read from files or the environment, and never shown. */
export type NotifySecrets = { readonly smtpPassword: string | null; readonly hookSecret: string | null };

/** The channels that are configured. */
export function channelNames({ email, hook }: NotifyConfig): readonly ChannelName[] {
  return [
    ...(email === undefined ? [] : ['email' as const]),
    ...(hook === undefined ? [] : ['hook' as const]),
  ];
}

/** What a schema cannot say. Throws `ConfigUnusable`. */
export function checkNotify({ email, hook }: NotifyConfig, { smtpPassword }: NotifySecrets): void {
  if (email !== undefined) checkEmail(email, smtpPassword);
  if (hook !== undefined) checkHook(hook.url);
}

function checkEmail({ host, security, user }: EmailConfig, password: string | null): void {
  if (security === 'none' && !isThisMachine(host))
    throw new ConfigUnusable(sentence('config.email.security'));
  if (user !== undefined && password === null) throw new ConfigUnusable(sentence('config.email.password'));
}

/** The address may hold a secret of its own, so no message shows it. */
function checkHook(text: string): void {
  if (!URL.canParse(text)) throw new ConfigUnusable(sentence('config.hook.noUrl'));
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new ConfigUnusable(sentence('config.hook.parts'));
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname))) return;
  throw new ConfigUnusable(sentence('config.hook.protocol'));
}

export function isThisMachine(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}
