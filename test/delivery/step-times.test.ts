// How much time a row gets before its quotation expires: by the times that earlier rows took, and with caution while these are unknown.
import { describe, expect, it } from 'vitest';

import { StepTimes } from '../../src/delivery/time-left.ts';

/** So many rows, each step of which took so long. */
function measured(rows: number, stepMs: number, times = new StepTimes()): StepTimes {
  for (let row = 0; row < rows; row++) {
    times.took('ready', stepMs);
    times.took('quoted', stepMs);
    times.took('created', stepMs);
    times.took('confirming', stepMs);
  }
  return times;
}

describe('the time that a row needs from its create to its confirm', () => {
  it('is taken to be seconds while nothing is known', () => {
    expect(new StepTimes().neededMs(false)).toBe(5_000);
    expect(new StepTimes().neededMs(true)).toBe(7_000);
  });

  it('is not believed to be short after a few rows', () => {
    expect(measured(19, 10).neededMs(false)).toBe(5_000);
    expect(measured(20, 10).neededMs(false)).toBe(1_020);
  });

  it('is believed to be long after one', () => {
    expect(measured(1, 4_000).neededMs(false)).toBe(9_000);
  });

  it('is that of the longest of the last hundred, with a second more', () => {
    const times = measured(50, 10);
    measured(1, 900, times);
    measured(99, 10, times);
    expect(times.neededMs(true)).toBe(3_700);
    measured(1, 10, times);
    expect(times.neededMs(true)).toBe(1_030);
  });
});

describe('the time that rows have been seen to take', () => {
  it('is none before any, and has the price in it', () => {
    expect(new StepTimes().seenMs(true)).toBe(0);
    expect(measured(1, 10).seenMs(false)).toBe(30);
    expect(measured(1, 10).seenMs(true)).toBe(40);
  });
});
