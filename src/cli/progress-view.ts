// Progress on stderr: a bar with rows done, rate and time left on a terminal, a line every few seconds elsewhere.
import { SingleBar } from 'cli-progress';

import { systemClock } from '../base/clock.ts';
import { describeDuration } from '../base/duration.ts';
import type { ProgressView } from '../app/parts/run-options.ts';

/** Off a terminal a line now and then shows that it is alive, without filling a log. */
const LINE_EVERY_MS = 5_000;

export function progressView(): ProgressView {
  return process.stderr.isTTY ? barView() : lineView();
}

function barView(): ProgressView {
  let bar: SingleBar | null = null;
  let done = 0;
  let began = 0;
  return {
    start: (batch, rows, settled) => {
      done = 0;
      began = systemClock.monotonic();
      bar = new SingleBar({
        format: `${batch}  {bar}  {value}/{total} rows  {percentage}%  {rate}/s  left {eta_formatted}`,
        stream: process.stderr,
        hideCursor: true,
        clearOnComplete: true,
        formatValue: String,
      });
      bar.start(rows, settled, { rate: 0 });
    },
    settled: () => {
      done += 1;
      const rate = Math.round((done * 1000) / Math.max(1, systemClock.monotonic() - began));
      bar?.increment({ rate });
    },
    end: () => bar?.stop(),
  };
}

function lineView(): ProgressView {
  let state = { batch: '', rows: 0, done: 0, began: 0, first: 0, last: 0 };
  return {
    start: (batch, rows, done) => {
      const now = systemClock.monotonic();
      state = { batch, rows, done, first: done, began: now, last: now };
    },
    settled: () => {
      state.done += 1;
      const now = systemClock.monotonic();
      if (now - state.last < LINE_EVERY_MS) return;
      state.last = now;
      const perMs = (state.done - state.first) / (now - state.began);
      const left = describeDuration((state.rows - state.done) / perMs);
      process.stderr.write(
        `${state.batch}: ${String(state.done)} of ${String(state.rows)} rows done, ${(perMs * 1000).toFixed(0)} rows/s, about ${left} left\n`,
      );
    },
    end: () => undefined,
  };
}
