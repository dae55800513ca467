// Everything that the config is read from is a plain file, or a link to one. A pipe is refused in words: who waits for its writer pays nothing meanwhile.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { loadConfig } from '../../src/app/config/config.ts';
import { ConfigReload } from '../../src/app/daemon/config-reload.ts';
import { ConfigUnusable } from '../../src/app/config/yaml-file.ts';
import { languageOf } from '../../src/cli/help.ts';
import { configOnDisk, type ConfigOnDisk } from './config-on-disk.ts';
import { openDesk, type Desk } from './desk.ts';

let desk: Desk;
let onDisk: ConfigOnDisk;
let writers: ChildProcess[];
beforeEach(async () => {
  desk = await openDesk();
  onDisk = await configOnDisk(desk);
  writers = [];
});
afterEach(async () => {
  await writersStop();
  await desk.close();
});

const at = (name: string) => join(onDisk.folder, name);

/** A pipe with a writer, so that whoever waits for its content gets it, and this test fails instead of hanging. */
function pipe(name: string, text: string): void {
  execFileSync('mkfifo', [at(name)]);
  writers.push(spawn('sh', ['-c', 'printf "%s" "$1" > "$0"', at(name), text], { stdio: 'ignore' }));
}

/** Ends the writers, and waits until none of them can open a file again. */
async function writersStop(): Promise<void> {
  for (const writer of writers.splice(0)) {
    const ended = once(writer, 'exit');
    if (writer.exitCode !== null || writer.signalCode !== null) continue;
    writer.kill('SIGKILL');
    await ended;
  }
}

const account = (keys: string) =>
  `sftp: [{ name: bank, host: h, user: u, hostKey: "SHA256:${'a'.repeat(43)}", pull: /out, ${keys} }]`;

/** The file that is put there, its content, and the config that names it. */
const NAMED: Readonly<Record<string, readonly [name: string, text: string, more: string, service?: string]>> =
  {
    'a profile': ['profiles/lohn.yaml', 'files: "lohn*.csv"', ''],
    'the API key': ['key', 'secret-1', '', 'apiKeyFile: ./key'],
    'the other key': ['key', 'secret-1', 'webhooks: { otherKeyFile: ./key, otherKeyUntil: "2099-12-01" }'],
    'a password of an account': ['word', 'secret-1', account('passwordFile: ./word')],
    'a key of an account': ['id', 'BEGIN PRIVATE KEY-----', account('privateKeyFile: ./id')],
    'the password of the ledger': [
      'word',
      'secret-1',
      'ledger: "postgres://u@localhost/d"\nledgerPasswordFile: ./word',
    ],
    'the secret of the hook': [
      'word',
      'secret-1',
      'notify: { hook: { url: "https://example.com/", secretFile: ./word } }',
    ],
  };

describe.each(Object.entries(NAMED))('%s', (_, [name, text, more, service]) => {
  it('is refused by name when it is a pipe', async () => {
    await onDisk.write(more, service);
    pipe(name, text);
    expect(onDisk.load).toThrow(ConfigUnusable);
    expect(onDisk.load).toThrow(at(name));
  });

  it('is read through links', async () => {
    await onDisk.write(more, service);
    await writeFile(at('..data'), text);
    await symlink(at('..data'), at('linked'));
    await symlink(at('linked'), at(name));
    expect(onDisk.load).not.toThrow();
  });
});

it('the config itself is refused when it is a pipe, and its language is not waited for', () => {
  pipe('pipe.yaml', 'language: fr');
  const config = at('pipe.yaml');
  expect(languageOf(['check', '--config', config])).toBe('en');
  expect(() => loadConfig({ config, workspace: desk.workspace }, {})).toThrow(ConfigUnusable);
});

it('a pipe among the profiles leaves a working daemon with the config that it had, until it is gone', async () => {
  await onDisk.write('');
  const reload = new ConfigReload(onDisk.load, onDisk.load());
  pipe('profiles/lohn.yaml', 'files: "lohn*.csv"');
  await writersStop(); // A writer that comes late would make a plain file where the pipe was.
  expect(reload.look()).toMatchObject({ refused: expect.stringContaining('lohn.yaml') as string });
  await rename(at('profiles/lohn.yaml'), at('gone'));
  expect(reload.look()).toMatchObject({ config: { fileProfiles: [] } });
});

describe('the letters of what a person typed', () => {
  const SENDERS = 'sender: { countryIsoCode: FRA,\n  registeredName: Société Générale }\n';
  const PROFILE = 'files: "lohn*.csv"\nconstants: { receiver.city: Yaoundé }\n';
  const lost = (text: string) => Buffer.from(text.replaceAll('é', '\ufffd'));
  const ansi = (text: string) => Buffer.from(text, 'latin1');

  it.each([
    [
      'a config as Windows-1252',
      'paydrop.yaml',
      ansi(SENDERS),
      /line 2: registeredName: Soci\?t\? G\?n\?rale/,
    ],
    ['a config with lost letters', 'paydrop.yaml', lost(SENDERS), /Soci\?t\?/],
    ['a profile as Windows-1252', 'profiles/lohn.yaml', ansi(PROFILE), /line 2: constants: .*Yaound\?/],
    ['a profile with lost letters', 'profiles/lohn.yaml', lost(PROFILE), /Yaound\?/],
  ])('are refused with their line where they are not whole: %s', async (_, name, bytes, said) => {
    await onDisk.write('');
    await writeFile(at(name), bytes);
    expect(() => onDisk.load()).toThrow(ConfigUnusable);
    expect(() => onDisk.load()).toThrow(said);
    expect(() => onDisk.load()).toThrow('UTF-8');
  });

  it('are read in UTF-16 too, as Windows may write them', async () => {
    await writeFile(at('paydrop.yaml'), Buffer.from(`\ufeff${SENDERS}`, 'utf16le'));
    expect(onDisk.load().sender?.['registeredName']).toBe('Société Générale');
  });
});
