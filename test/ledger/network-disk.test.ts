// Where a ledger may lie.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { assertLocalDisk, openSqlite } from '../../src/ledger/open-ledger.ts';
import { atEnd } from '../at-end.ts';

describe('a ledger on a drive of another machine', () => {
  it.each([
    ['NFS', 0x6969],
    ['CIFS', 0xff534d42],
    ['CIFS, as a signed number', 0xff534d42 | 0],
    ['SMB', 0xfe534d42],
  ])('over %s is refused, and told where to put it', (_name, type) => {
    expect(() => assertLocalDisk('/srv/share/ledger.sqlite', () => type)).toThrow(/PAYDROP_LEDGER_URL/);
  });
});

describe("a ledger on this machine's own disk", () => {
  it.each([
    ['ext4', 0xef53],
    ['tmpfs', 0x01021994],
    ['overlayfs', 0x794c7630],
    ['one that is not told', 0],
  ])('over %s is opened', (_name, type) => {
    expect(() => assertLocalDisk('/srv/paydrop/ledger.sqlite', () => type)).not.toThrow();
  });

  it('is opened in the folder for temporary files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'disk-'));
    atEnd(() => rmSync(folder, { recursive: true }));
    const ledger = openSqlite(join(folder, 'ledger.sqlite'), systemClock);
    expect(ledger.run).not.toBe('');
    return ledger.close();
  });
});
