// A separate workspace for each run of paydrop, and the file that it pays: no run finds the remains of another.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { MAIN, take, type Taken } from './processes.ts';

const root = mkdtempSync(join(tmpdir(), 'paydrop-bench-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

export const fileNamed = (name: string): string => join(root, name);

export type Desk = { readonly config: string; readonly folder: string; readonly close: () => void };

let desks = 0;

/** `service` and `rest` are more of the config: keys of `service`, and whole lines. */
export type Service = {
  readonly baseUrl: string;
  /** As the program sets it where it is not given. */
  readonly concurrency?: number;
  readonly service?: string;
  readonly rest?: string;
};

export function openDesk({ baseUrl, concurrency, service = '', rest = '' }: Service): Desk {
  desks += 1;
  const folder = join(root, `desk-${String(desks)}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'key'), 'key\n', { mode: 0o600 });
  const config = join(folder, 'paydrop.yaml');
  writeFileSync(
    config,
    `workspace: ./work\nservice: { baseUrl: "${baseUrl}", apiKeyFile: ./key${concurrency === undefined ? '' : `, concurrency: ${String(concurrency)}`} ${service}}\nsender: { registeredName: Wouri SARL, countryIsoCode: CMR }\n${rest}`,
  );
  return { config, folder, close: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Runs `paydrop <command> FILE` in a new workspace. */
export async function paydrop(command: readonly string[], file: string, service: Service): Promise<Taken> {
  const desk = openDesk(service);
  const path = join(desk.folder, file.slice(dirname(file).length + 1));
  copyFileSync(file, path);
  const document = join(dirname(file), 'invoice.pdf');
  if (existsSync(document)) copyFileSync(document, join(desk.folder, 'invoice.pdf'));
  const [name = 'run', ...options] = command;
  // 5: not finished, because nobody waits for final statuses.
  const taken = await take(MAIN, ['--config', desk.config, name, path, ...options], [0, 5]);
  desk.close();
  return taken;
}
