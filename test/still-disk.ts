// A disk without a wait, for tests whose clock stands while a disk would write: no call may pass meanwhile.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

import { atEnd } from './at-end.ts';

type Sync = (file: number, done: (error: null) => void) => void;

/** Until the end of the test, each sync of a ledger's log ends at once. */
export function stillDisk(): void {
  const real = fs.fdatasync;
  replaceSync(((_file, done) => done(null)) satisfies Sync as typeof fs.fdatasync);
  atEnd(() => replaceSync(real));
}

function replaceSync(by: typeof fs.fdatasync): void {
  fs.fdatasync = by;
  syncBuiltinESMExports();
}
