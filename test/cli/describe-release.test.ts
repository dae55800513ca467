// What a release prints is all that the person who decided reads about it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { describe, expect, it } from 'vitest';

import type { ReleaseEnd } from '../../src/app/workflow/decisions/release-rows.ts';
import { describeRelease } from '../../src/cli/decide.ts';

const NOTHING: ReleaseEnd = {
  released: [],
  onlySkip: [],
  followed: [],
  left: [],
  file: null,
  notHeld: [],
  closedBefore: [],
  stillHeld: 0,
  unasked: null,
};

describe('a release', () => {
  it.each([
    ['by', ['--by', '', '--reason', 'seen']],
    ['reason', ['--by', 'Marie', '--reason', ' ']],
  ])('needs a person and a reason: an empty --%s is refused', (option, words) => {
    const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
    const { status, stderr } = spawnSync(execPath, [main, 'release', 'b-1', ...words], { encoding: 'utf8' });
    expect(stderr).toContain(`--${option}`);
    expect(status).toBe(2);
  });
});

describe('the words of a release', () => {
  it('say in every language which rows are not cancelled, and when to try again', () => {
    const left = [{ row: '3', tryAgainAt: '2026-11-20T09:26:00.000Z' }];
    expect(describeRelease('b-1', { ...NOTHING, left }, true)).toEqual({
      en: 'No row was cancelled. Not cancelled: row 3. An earlier call may still pay it. After 2026-11-20 09:26 UTC, run "paydrop resume", which checks it once more, and then try again.',
      fr: 'Aucune ligne n’a été annulée. Non annulée : ligne 3. Un envoi antérieur peut encore la payer. Après le 2026-11-20 09:26 UTC, lancez « paydrop resume », qui la vérifie encore une fois, puis réessayez.',
      es: 'No se ha anulado ninguna fila. No anulada: fila 3. Un envío anterior todavía puede pagarla. Después del 2026-11-20 09:26 UTC, ejecute «paydrop resume», que la comprueba una vez más, y vuelva a intentarlo.',
    });
  });

  it('send whoever would close what was never seen to a release without --skip', () => {
    const left = [{ row: '3', tryAgainAt: null }];
    const { en, fr } = describeRelease('b-1', { ...NOTHING, released: ['2'], left }, true);
    expect(en).toContain(
      'Cancelled: row 2. A running "paydrop watch" goes on with it; otherwise run "paydrop resume b-1". Not cancelled: row 3.',
    );
    expect(en).toContain('Release it without --skip first');
    expect(fr).toContain('Libérez-la d’abord sans --skip');
  });

  it('do not call cancelled what is followed', () => {
    const { en, fr } = describeRelease('b-1', { ...NOTHING, followed: ['2'] }, true);
    expect(en).toMatch(/^Not cancelled: row 2\. It was confirmed or is final/);
    expect(en).toContain('A running "paydrop watch" goes on with it; otherwise run "paydrop resume b-1".');
    expect(fr).toMatch(/^Non annulée : ligne 2\./);
  });

  it('say what was released, of a file too, and what was not held', () => {
    const end = { ...NOTHING, released: ['2', '4'], notHeld: ['9'], file: 'limits' } as const;
    expect(describeRelease('b-1', end, false).en).toBe(
      'This file may go over the limits of a file and a day. Released: rows 2, 4. A running "paydrop watch" goes on with it; otherwise run "paydrop resume b-1". Not held: row 9.',
    );
    expect(describeRelease('b-1', { ...NOTHING, onlySkip: ['2'] }, false).en).toMatch(
      /^No row was released\. A transfer of row 2 may still pay/,
    );
  });

  it('say how many rows stay held where the file alone was let go, and what no release undoes', () => {
    const { en, fr } = describeRelease('b-1', { ...NOTHING, file: 'missed-time', stillHeld: 2 }, false);
    expect(en).toContain('2 rows stay held: "paydrop status b-1" says why');
    expect(fr).toContain('2 lignes restent retenues');
    expect(describeRelease('b-1', { ...NOTHING, closedBefore: ['3'] }, false).en).toContain(
      'Not released: row 3. A person cancelled it before',
    );
  });

  it.each(['service', 'credentials'] as const)(
    'say that nothing was cancelled, and what to do, while the service does not tell (%s)',
    (unasked) => {
      const { en, fr } = describeRelease('b-1', { ...NOTHING, unasked }, true);
      expect(en).toMatch(/^Nothing was cancelled\..*then try again\.$/);
      expect(fr).toMatch(/^Rien n’a été annulé\./);
    },
  );
});
