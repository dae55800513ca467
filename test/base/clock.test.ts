// Times as the interface writes them, and sleeps that end when they are told to.
import { describe, expect, it } from 'vitest';

import { isoTime, parseIsoTime, startDeadline, systemClock } from '../../src/base/clock.ts';

describe('a timestamp', () => {
  it.each([
    ['2026-11-20T08:30:00Z', 1_795_163_400_000],
    ['2026-11-20T08:30:00.250Z', 1_795_163_400_250],
    ['2026-11-20T08:30:00.123456Z', 1_795_163_400_123],
  ])('%s is read', (text, ms) => {
    expect(parseIsoTime(text)).toBe(ms);
  });

  it.each([
    '',
    '2026-11-20',
    '2026-11-20T08:30:00',
    '2026-11-20T08:30:00+01:00',
    '2026-11-20 08:30:00Z',
    '2026-13-20T08:30:00Z',
    '2026-11-31T08:30:00Z',
    '2026-02-30T08:30:00Z',
    '2026-12-31T24:00:00Z',
    '1795163400000',
    'tomorrow',
  ])('%j is not guessed at', (text) => {
    expect(parseIsoTime(text)).toBeNull();
  });

  it('is written in UTC with milliseconds', () => {
    expect(isoTime(1_795_163_400_250)).toBe('2026-11-20T08:30:00.250Z');
  });
});

describe('a sleep', () => {
  it('ends at once when its signal has fired or fires, and does not reject', async () => {
    const controller = new AbortController();
    const asleep = systemClock.sleep(3_600_000, controller.signal);
    controller.abort();
    await expect(asleep).resolves.toBeUndefined();
    await expect(systemClock.sleep(3_600_000, controller.signal)).resolves.toBeUndefined();
  });

  it('of a negative time is none', async () => {
    await expect(systemClock.sleep(-5)).resolves.toBeUndefined();
  });
});

describe('a deadline', () => {
  it('fires after its time', async () => {
    const deadline = startDeadline(1);
    await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve, { once: true }));
    expect(deadline.signal.aborted).toBe(true);
    deadline.clear();
  });
});
