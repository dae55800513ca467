// The line that shows how far a run is: what is sent, final and to be looked at, never wider than the terminal.
import { describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { barLine, Progress } from '../../src/cli/progress-view.ts';

function progress(name: string, counts: Progress['counts']): Progress {
  const shown = new Progress();
  shown.start('20261122-4d095129', 200, 0, name);
  shown.counts = counts;
  return shown;
}

const SENDING = { sent: 143, final: 12, toLookAt: 2, open: 55 };

describe('the line of a run', () => {
  it('tells what is sent, what is final and what somebody has to look at', () => {
    expect(barLine(progress('payroll.csv', SENDING), 'en', 120)).toMatch(
      /^payroll\.csv {2}sent 143\/200 · final 12 · 2 to look at {2}█+░+$/,
    );
    expect(barLine(progress('payroll.csv', SENDING), 'fr', 120)).toContain(
      'envoyé 143/200 · définitif 12 · 2 à regarder',
    );
  });

  it('says what is left once it has seen rows go for a while', () => {
    let now = 0;
    const clock = vi.spyOn(systemClock, 'monotonic').mockImplementation(() => now);
    const shown = progress('payroll.csv', { ...SENDING, sent: 0, open: 200 });
    const leftAfter = (ms: number, open: number): number | null => {
      now += ms;
      shown.counts = { ...SENDING, sent: 200 - open, open };
      return shown.pace()?.leftMs ?? null;
    };
    expect(leftAfter(60_000, 200)).toBeNull();
    expect(leftAfter(100, 199)).toBeNull();
    expect(leftAfter(9_900, 100)).toBe(10_000);
    expect(barLine(shown, 'en', 120)).toMatch(/ {2}10 rows\/s · 10 s left$/);
    clock.mockRestore();
  });

  it('says when all is sent, and then how much is final', () => {
    const line = barLine(progress('payroll.csv', { ...SENDING, sent: 198, open: 0 }), 'en', 80);
    expect(line).toContain('all sent · final 12/198');
  });

  it.each([
    [80, 'payroll.csv'],
    [80, `${'salaires-de-novembre-'.repeat(5)}.csv`],
    [40, 'payroll.csv'],
    [120, `${'salaires-de-novembre-'.repeat(9)}.csv`],
  ])('fits into %d columns', (columns, name) => {
    for (const language of ['en', 'fr'] as const)
      expect(barLine(progress(name, SENDING), language, columns).length).toBeLessThan(columns);
  });
});
