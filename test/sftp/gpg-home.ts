// Debian's own gpg with keys made for the test, as partners have it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export type GpgHome = {
  /** Runs gpg in it, without questions; gives what it prints. */
  readonly gpg: (...given: readonly string[]) => Buffer;
  readonly close: () => void;
};

/** What the name of a skipped suite says. */
export const NO_GPG = hasGpg() ? '' : ' (SKIPPED: install the Debian package gnupg)';

function hasGpg(): boolean {
  try {
    execFileSync('gpg', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    // There is no such program.
    return false;
  }
}

/** @param people for each of whom a key without a passphrase is made. */
export function gpgHome(...people: readonly string[]): GpgHome {
  // Short, because the path of its agent's socket may have 108 bytes only.
  const home = mkdtempSync(join('/tmp', 'gpg-'));
  const gpg: GpgHome['gpg'] = (...given) =>
    execFileSync(
      'gpg',
      [
        '--homedir',
        home,
        '--batch',
        '--yes',
        '--quiet',
        '--pinentry-mode',
        'loopback',
        '--passphrase',
        '',
        '--trust-model',
        'always',
        ...given,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
  for (const person of people) gpg('--quick-generate-key', person, 'future-default', 'default', 'never');
  return {
    gpg,
    close: () => {
      execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
