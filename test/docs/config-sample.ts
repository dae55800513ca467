// config/paydrop.yaml: every key with its description and its default, or an example where it has none.
import { stringify } from 'yaml';

import { configJsonSchema, describedAt, plain, type Schema } from './config-schema.ts';

/** What a person might write for a key that has no default, as YAML. */
const EXAMPLES: Readonly<Record<string, string>> = {
  workspace: './workspace',
  'folders.inbox': '/srv/sftp/payer/in',
  'folders.outbox': '/srv/sftp/payer/out',
  'folders.archive': '/srv/paydrop/archive',
  'folders.refused': '/srv/paydrop/refused',
  'service.baseUrl': 'https://payouts.example.com',
  'service.apiKeyFile': './api-key',
  'service.callbackUrl': 'https://hooks.example.com/paydrop',
  sender:
    '{ registeredName: Wouri Négoce SARL, registrationNumber: RC/DLA/2014/B/3127, address: "118 Rue Joss, Bonanjo", city: Douala, countryIsoCode: CMR, msisdn: "+237233421890" }',
  'policy.approval': 'none',
  'policy.approvalPerDay': '5000000 XAF',
  'policy.twoApproversAbove': '20000000 XAF',
  'approvers[].name': 'Marie Ngo',
  'approvers[].folder': 'marie',
  'iso20022.debtors[].account': '"10005000011234567890123"',
  'iso20022.debtors[].sender': '{ registeredName: Wouri Négoce SARL }',
  'iso20022.debtors[].folder': 'accounting',
  'webhooks.otherKeyFile': './next-api-key',
  'webhooks.otherKeyUntil': '2026-12-01',
  'web.tls.certFile': './cert.pem',
  'web.tls.keyFile': './key.pem',
  'web.oidc.name': 'Contoso',
  'web.oidc.issuer': 'https://login.example.com',
  'web.oidc.clientId': 'paydrop',
  'web.oidc.roles': '{ finance: [maker] }',
  'limits.perRow': '[5000000 XAF, 8000 EUR]',
  'limits.perPayeePerDay': '5000000 XAF',
  'limits.perFile': '20000000 XAF',
  'limits.perDay': '50000000 XAF',
  'limits.refusalShare': '20%',
  'limits.feeShare': '3%',
  'limits.leastRates': '{ XAF/EUR: 0.0015 }',
  'journal.rates': '{ EUR/XAF: 655.957 }',
  'schedules[].folder': 'salaries',
  'schedules[].cron': '0 9 28 * *',
  'schedules[].timeZone': 'Africa/Douala',
  'schedules[].policy': '{ onInvalidRows: skip-rows }',
  'tenants[].folder': 'north',
  'tenants[].policy': '{ onInvalidRows: skip-rows }',
  'sftp[].name': 'erp',
  'sftp[].host': 'sftp.example.com',
  'sftp[].hostKey': '"SHA256:n2S0mXjp0mVrXvpzoUxVmJNQ4rGdGJzT3jJmOqJbJ1g"',
  'sftp[].user': 'payer',
  'sftp[].privateKeyFile': './erp-key',
  'sftp[].passphraseFile': './erp-key-passphrase',
  'sftp[].passwordFile': './erp-password',
  'sftp[].passwordEnv': 'ERP_PASSWORD',
  'sftp[].pull': '/out',
  'sftp[].push': '/in',
  'sftp[].pollEvery': '1m',
  'sftp[].cron': '"*/15 7-19 * * 1-5"',
  'sftp[].openpgp.privateKeyFile': './our.asc',
  'sftp[].openpgp.passphraseFile': './our-passphrase',
  'sftp[].openpgp.partnerKeyFile': './erp.asc',
  'sftp[].sequence.names': 'PAY-####.csv',
  'notify.email.host': 'smtp.example.com',
  'notify.email.user': 'paydrop',
  'notify.email.passwordFile': './smtp-password',
  'notify.email.from': 'paydrop@example.com',
  'notify.email.to': '[treasury@example.com, accounts@example.com]',
  'notify.hook.url': 'https://hooks.example.com/paydrop',
  'notify.hook.secretFile': './hook-secret',
};

/** Written in the place of another key, or seldom: left out also where what stands around them is taken over. */
const SELDOM: ReadonlySet<string> = new Set([
  ...['sftp[].passwordFile', 'sftp[].passwordEnv', 'sftp[].cron', 'sftp[].passphraseFile'],
  'sftp[].openpgp.passphraseFile',
]);

const HEAD = `# yaml-language-server: $schema=./paydrop.schema.json
# Every key that this version obeys, with its default, or commented out with an example; a key that it cannot obey is refused. This file is written by "npm run docs".
# Durations: 500ms, 2s, 15m, 1h, 5d. Sizes: 512MB. Paths are taken from the folder of this file.
`;

/** @param hasExamples every key that may stand beside the others is set, so that a test can read all of them. */
export function configSample(hasExamples = false): string {
  return `${HEAD}\n${entriesOf('', configJsonSchema(), hasExamples).join('\n\n')}\n`;
}

/** Each key with its description above it. */
function entriesOf(before: string, { properties = {} }: Schema, hasExamples: boolean): readonly string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const path = before === '' ? name : `${before}.${name}`;
    const { text, isOff } = keyOf(path, name, schema, hasExamples);
    const isLeftOut = SELDOM.has(path) || (isOff && !hasExamples);
    return `${commented(describedAt(path) ?? '')}\n${isLeftOut ? text.replaceAll(/^/gm, '# ') : text}`;
  });
}

/** `isOff`: it has no default that could be written, or nothing in it has. */
function keyOf(
  path: string,
  name: string,
  schema: Schema,
  hasExamples: boolean,
): { readonly text: string; readonly isOff: boolean } {
  const { default: usual } = schema;
  const example = EXAMPLES[path];
  const [own] = [schema, ...(schema.anyOf ?? [])].filter(
    ({ properties, items }) => properties ?? items?.properties,
  );
  if (example !== undefined && (usual === undefined || own !== undefined))
    return { text: `${name}: ${example}`, isOff: path !== 'workspace' };
  if (own === undefined)
    return {
      text: `${name}: ${stringify(usual, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`,
      isOff: false,
    };
  if (own.items !== undefined) {
    const keys = entriesOf(`${path}[]`, own.items, true).join('\n');
    return { text: `${name}:\n${indented(keys, 4).replace(/^ {4}(?=[^ #])/m, '  - ')}`, isOff: true };
  }
  const isSet = usual !== null && usual !== undefined && entriesOf(path, own, false).some(hasKey);
  const keys = entriesOf(path, own, hasExamples || !isSet).join('\n');
  return { text: `${name}:\n${indented(keys, 2)}`, isOff: !isSet };
}

function hasKey(entry: string): boolean {
  return entry.split('\n').some((line) => !line.startsWith('#'));
}

function indented(text: string, by: number): string {
  return text.replaceAll(/^/gm, ' '.repeat(by));
}

const LINE_CHARS = 100;

function commented(markdown: string): string {
  const lines: string[] = [];
  for (const word of plain(markdown).split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length >= LINE_CHARS) lines.push(`# ${word}`);
    else lines.splice(-1, 1, `${line} ${word}`);
  }
  return lines.join('\n');
}
