// What the history says of a step that was recorded, by what the step ended in.
import type { Verdict } from '../payouts/verdict.ts';

export function eventOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'advanced':
      return `advanced to ${verdict.stage}`;
    case 'refused':
      return `refused: ${verdict.stage}`;
    case 'held':
      return `held: ${verdict.code}`;
    case 'breaker':
      return `stopped by ${verdict.breaker}`;
    case 'stopped':
      return `stopped: ${verdict.stop.by}`;
    case 'waiting':
    case 'later':
    case 'interrupted':
      return verdict.kind;
  }
}
