// The config of a desk as its owner has it: a file and a key file, which a test may change while the daemon works.
import { mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { loadConfig, type Config } from '../../src/app/config/config.ts';
import { SENDER, type Desk } from './desk.ts';

export type ConfigOnDisk = {
  readonly folder: string;
  /** Writes it again; `more` are other sections, `service` more keys of that one. */
  readonly write: (more: string, service?: string) => Promise<void>;
  readonly writeKey: (file: string, text: string) => Promise<void>;
  readonly load: () => Config;
};

/** The key that the service takes now lies in `api-key`. */
export async function configOnDisk(desk: Desk): Promise<ConfigOnDisk> {
  const folder = join(desk.workspace, 'etc');
  const path = join(folder, 'paydrop.yaml');
  await mkdir(join(folder, 'profiles'), { recursive: true });
  const writeKey: ConfigOnDisk['writeKey'] = (file, text) =>
    writeFile(join(folder, file), text, { mode: 0o600 });
  await writeKey('api-key', desk.sandbox.apiKey);
  let ages = 0;
  return {
    folder,
    writeKey,
    load: () => loadConfig({ config: path, workspace: desk.workspace }, {}),
    write: async (more, service = 'apiKeyFile: ./api-key') => {
      const text = `service: { baseUrl: "${desk.sandbox.baseUrl}", ${service} }\n${SENDER}\n${more}\n`;
      await writeFile(`${path}.next`, text);
      // Each is newer than the one before, however fast they follow.
      ages += 1;
      await utimes(`${path}.next`, ages, ages);
      await rename(`${path}.next`, path);
    },
  };
}
