// When answers count as slow: held against their own kind, and never for one accident.
import { describe, expect, it } from 'vitest';

import { Latencies } from '../../src/delivery/latencies.ts';

/** Whether each of so many calls made the service look slow. */
function times(latencies: Latencies, count: number, ms: number, kind = 'POST rates '): readonly boolean[] {
  return Array.from({ length: count }, () => latencies.isSlow(kind, ms));
}

function used(): Latencies {
  const latencies = new Latencies();
  times(latencies, 300, 20);
  return latencies;
}

describe('answers', () => {
  it('that always took long are not slow', () => {
    expect(times(new Latencies(), 300, 5_000)).not.toContain(true);
  });

  it('that come to take ten times as long are slow within twenty calls', () => {
    expect(times(used(), 20, 300)).toContain(true);
  });

  it('of which one took two seconds are not slow', () => {
    expect(times(used(), 1, 2_000)).toEqual([false]);
  });

  it('that take some milliseconds more or less are not slow', () => {
    expect(times(used(), 300, 90)).not.toContain(true);
  });

  it('are not held against those of another kind', () => {
    expect(times(used(), 300, 3_000, 'POST transfers confirm')).not.toContain(true);
  });

  it('that stay longer are the usual after some hundred calls', () => {
    const latencies = used();
    times(latencies, 600, 300);
    expect(latencies.isSlow('POST rates ', 300)).toBe(false);
  });

  it('are judged anew after a cut', () => {
    const latencies = used();
    times(latencies, 20, 300);
    latencies.forgetRecent();
    expect(latencies.isSlow('POST rates ', 20)).toBe(false);
  });
});
