// Mistakes that must not show up later. Play money must never pass for a payment: a configuration that seems to mean a real service, but does not
// name it, is refused. So is a workspace inside another one.
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { nearestWord } from '../../base/plain-text.ts';
import { ConfigUnusable } from './yaml-file.ts';
import { sentence } from '../../messages/messages.ts';

/** The variables that paydrop reads from the environment, without the prefix. */
const VARIABLES: readonly string[] = [
  'BASE_URL',
  'API_KEY',
  'API_KEY_FILE',
  'WORKSPACE',
  'CONFIG',
  'LEDGER_URL',
  'LEDGER_PASSWORD_FILE',
  'SMTP_PASSWORD',
  'SMTP_PASSWORD_FILE',
  'HOOK_SECRET',
  'HOOK_SECRET_FILE',
];

const PREFIX = 'PAYDROP_';
const TESTS_PREFIX = 'PAYDROP_TEST_';

/** Refuses a misspelt variable, which would otherwise count as not set. @param named variables that the config itself names. */
export function checkVariables(environment: NodeJS.ProcessEnv, named: readonly string[]): void {
  const known = new Set([...VARIABLES.map((name) => PREFIX + name), ...named]);
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith(PREFIX) && !name.startsWith(TESTS_PREFIX) && !known.has(name),
  );
  if (unknown === undefined) return;
  const nearest = nearestWord(unknown.slice(PREFIX.length), VARIABLES);
  const instead =
    nearest === null
      ? sentence('config.variable.known', { names: VARIABLES.map((name) => PREFIX + name).join(', ') })
      : sentence('config.variable.meant', { prefix: PREFIX, name: nearest });
  throw new ConfigUnusable(sentence('config.variable.unknown', { unknown, instead }));
}

/** The settings of the file that matter here. */
type Settings = {
  readonly sandbox: boolean;
  readonly service: { readonly apiKeyFile?: string | undefined; readonly callbackUrl?: string | undefined };
  readonly limits: Readonly<Record<string, unknown>>;
};

/** Refuses settings of a real service where no base URL is set, unless the config asks for play money. */
export function checkPlayMoneyIsMeant(settings: Settings, environment: NodeJS.ProcessEnv): void {
  if (settings.sandbox) return;
  const names = settingsOfService(settings, environment);
  if (names.length === 0) return;
  throw new ConfigUnusable(sentence('config.playMoney', { names: names.join(', ') }));
}

function settingsOfService({ service, limits }: Settings, environment: NodeJS.ProcessEnv): readonly string[] {
  const inService = [
    ...(service.apiKeyFile === undefined ? [] : ['service.apiKeyFile']),
    ...(service.callbackUrl === undefined ? [] : ['service.callbackUrl']),
  ];
  const variables = ['PAYDROP_API_KEY', 'PAYDROP_API_KEY_FILE'].filter(
    (name) => (environment[name] ?? '') !== '',
  );
  const ofLimits = Object.keys(limits).filter((name) => limits[name] !== null);
  return [...inService, ...variables, ...ofLimits.map((name) => `limits.${name}`)];
}

const OF_WORKSPACE: ReadonlySet<string> = new Set(['inbox', 'processing', 'outbox', 'archive', 'refused']);

/** Returns the path. Throws for a folder of another workspace: the ledger and the answers would lie where that workspace takes files. */
export function assertWorkspace(path: string): string {
  const above = dirname(path);
  const isOther = ['processing', 'refused'].every((name) => existsSync(join(above, name)));
  if (isOther && OF_WORKSPACE.has(basename(path)))
    throw new ConfigUnusable(sentence('config.workspaceInside', { path, above, name: basename(path) }));
  return path;
}
