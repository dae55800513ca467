// Progress on stderr: how much is sent, is final, and needs a person. On a terminal it is one line with a bar; elsewhere a line every few
// seconds, as long as anything changes.
import { SingleBar } from 'cli-progress';

import { repeatEvery, systemClock } from '../base/clock.ts';
import { describeDuration } from '../base/duration.ts';
import { joinWords, sameWords, say, type Language, type Words } from '../base/language.ts';
import type { Control } from '../app/desk/commands.ts';
import { sentence } from '../messages/messages.ts';
import { note } from './command-context.ts';

type ProgressView = Control['view'];
type ProgressCounts = Parameters<NonNullable<ProgressView['moved']>>[0];

/** Without a terminal, an occasional line shows progress without filling a log. */
const LINE_EVERY_MS = 5_000;

/** A shorter time says little of what is left. */
const TELLING_MS = 2_000;

/** Rows that have not moved for so long say nothing of when the others will. */
const STILL_MS = 10_000;

/** Fewer rows a second would be shown as 0.0. */
const SLOWEST = 0.05;

const NOTHING: ProgressCounts = { sent: 0, final: 0, toLookAt: 0, open: 0 };

/** The counts at this moment. */
export class Progress {
  batch = '';
  name = '';
  rows = 0;
  /** Rows that are settled, if their outcomes are not reported. */
  done = 0;
  counts: ProgressCounts | null = null;
  /** What holds the rows up; null while nothing does. */
  halt: Words | null = null;
  #began = 0;
  #at = 0;
  #movedAt = 0;
  #first = 0;
  #start = 0;
  #phase = '';

  start(batch: string, rows: number, done: number, name: string): void {
    Object.assign(this, { batch, rows, done, name, counts: null, halt: null });
    this.#phase = '';
    this.#start = done;
    this.#restart('rows', done);
  }

  /** The count that grows now: rows are first sent, and then become final. */
  moving(): { readonly at: number; readonly of: number } {
    if (this.counts === null) return { at: this.done, of: this.rows };
    const { sent, final, open } = this.counts;
    return open > 0 ? { at: this.rows - open, of: this.rows } : { at: final, of: Math.max(sent, final) };
  }

  /** Rows a second, and how long the rest will take; null while neither can be estimated, and while nothing moves. */
  pace(): { readonly perSecond: number; readonly leftMs: number } | null {
    const { at, of } = this.moving();
    if (this.halt !== null) this.#phase = 'halted';
    if (at !== this.#at) [this.#at, this.#movedAt] = [at, systemClock.monotonic()];
    if (this.halt !== null || systemClock.monotonic() - this.#movedAt > STILL_MS) return null;
    const phase = this.counts === null ? 'rows' : this.counts.open > 0 ? 'sending' : 'following';
    // The wait for the first row is no measure of the next ones.
    if (phase !== this.#phase || at === this.#start) this.#restart(phase, at);
    const moved = at - this.#first;
    const passedMs = systemClock.monotonic() - this.#began;
    if (moved <= 0 || passedMs < TELLING_MS) return null;
    const perSecond = (moved / passedMs) * 1_000;
    return perSecond < SLOWEST ? null : { perSecond, leftMs: ((of - at) * passedMs) / moved };
  }

  words(): Words {
    const { at, of } = this.moving();
    const rows = String(of);
    if (this.counts === null) return sentence('progressView.words.ofRows', { at, rows });
    const { sent, final, toLookAt, open } = this.counts;
    const look: Words =
      toLookAt === 0 ? sameWords('') : sentence('progressView.words.toLookAt', { toLookAt });
    if (open === 0) return sentence('progressView.words.allSentFinal', { final, rows, look });
    return sentence('progressView.words.sentFinal', { sent, rows: this.rows, final, look });
  }

  #restart(phase: string, at: number): void {
    this.#phase = phase;
    this.#first = at;
    this.#began = systemClock.monotonic();
  }
}

/** The line on the terminal now; any other output removes it first. */
let shown: SingleBar | null = null;

/** Ends the bar, so that the next output stays. */
export function endBar(): void {
  shown?.stop();
  shown = null;
}

export function progressView(language: Language): ProgressView {
  return process.stderr.isTTY ? barView(language) : lineView(language);
}

function barView(language: Language): ProgressView {
  const progress = new Progress();
  const draw = (): void => {
    const { at, of } = progress.moving();
    shown?.setTotal(of);
    shown?.update(at);
  };
  const show = (): void => {
    shown = new SingleBar({
      format: () => barLine(progress, language, process.stderr.columns || NARROW),
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    });
    shown.start(progress.rows, progress.done);
  };
  return {
    start: (batch, rows, done, name = batch) => {
      endBar();
      progress.start(batch, rows, done, name);
      show();
    },
    settled: () => {
      progress.done += 1;
      if (progress.counts === null) draw();
    },
    moved: (counts) => {
      const wasOpen = (progress.counts ?? NOTHING).open > 0;
      progress.counts = counts;
      if (wasOpen && counts.open === 0 && counts.final < counts.sent && shown !== null) {
        endBar();
        note(say(ALL_SENT, language));
        return;
      }
      draw();
    },
    halted: (words) => {
      // A line of its own stays on the screen.
      if (words !== null && progress.halt === null) {
        endBar();
        note(`${progress.name}: ${say(words, language)}`);
        show();
      }
      progress.halt = words;
      draw();
    },
    end: endBar,
  };
}

const ALL_SENT: Words = sentence('progressView.allSent');

const NARROW = 80;
const BAR_MOST = 40;

/** Never wider than the terminal: a line that wraps would be drawn again and again. */
export function barLine(progress: Progress, language: Language, columns: number): string {
  const pace = progress.pace();
  const left = pace === null ? '' : say(paceWords(pace), language);
  const words = say(progress.words(), language);
  // What is missing matters more than a bar.
  if (progress.halt !== null)
    return [shortened(progress.name, HALTED_NAME), words, say(progress.halt, language)]
      .join('  ')
      .slice(0, columns - 1);
  const room = columns - 1 - words.length - left.length - GAPS;
  const name = shortened(progress.name, Math.max(8, room - BAR_LEAST));
  const width = Math.min(BAR_MOST, room - name.length);
  const { at, of } = progress.moving();
  const full = of === 0 ? width : Math.round((Math.min(at, of) / of) * width);
  const bar = width < BAR_LEAST ? '' : '█'.repeat(full) + '░'.repeat(width - full);
  return [name, words, bar, left]
    .filter((part) => part !== '')
    .join('  ')
    .slice(0, columns - 1);
}

function paceWords({ perSecond, leftMs }: { readonly perSecond: number; readonly leftMs: number }): Words {
  const rate = perSecond < EXACT_BELOW ? perSecond.toFixed(1) : perSecond.toFixed(0);
  return sentence('progressView.barLine', { rate, describeDuration: describeDuration(leftMs) });
}

/** Rows a second that are told with a tenth. */
const EXACT_BELOW = 10;

const BAR_LEAST = 6;
const HALTED_NAME = 16;
/** Two spaces between the parts. */
const GAPS = 6;

function shortened(name: string, most: number): string {
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}

function lineView(language: Language): ProgressView {
  const progress = new Progress();
  let isChanged = false;
  let stop = (): void => undefined;
  const write = (): void => {
    if (!isChanged) return;
    isChanged = false;
    const pace = progress.pace();
    const left: Words =
      pace === null
        ? sameWords('')
        : sentence('progressView.write.aboutLeft', { describeDuration: describeDuration(pace.leftMs) });
    note(`${progress.batch}: ${say(joinWords([progress.words(), left], ''), language)}`);
  };
  return {
    start: (batch, rows, done, name = batch) => {
      stop();
      progress.start(batch, rows, done, name);
      stop = repeatEvery(LINE_EVERY_MS, write);
    },
    settled: () => {
      progress.done += 1;
      isChanged = true;
    },
    moved: (counts) => {
      progress.counts = counts;
      isChanged = true;
    },
    halted: (words) => {
      if (words !== null) note(`${progress.batch}: ${say(words, language)}`);
      progress.halt = words;
    },
    end: () => stop(),
  };
}
