// The password of the mail server and the secret that signs what is posted to the hook: from the environment, or from a file that only paydrop's
// user may read; never from the config itself.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { ConfigUnusable } from './config-unusable.ts';
import { checkNotify, type NotifyConfig, type NotifySecrets } from './notify-config.ts';
import { sentence } from '../../messages/messages.ts';

/** Checks the whole section too. Throws `ConfigUnusable`. */
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
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigUnusable(sentence('config.secret.unreadable', { path }), { cause: error });
  }
  return checked(text.replace(/\r?\n$/, ''), path);
}

/** The secret itself is never shown. */
function checked(text: string, source: string): string {
  if (/^[^\p{Cc}]+$/u.test(text)) return text;
  throw new ConfigUnusable(sentence('config.secret.odd', { source }));
}
