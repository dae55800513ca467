// What became of the rows of a file, as one bar: each part leads to its rows. Beside it stands the same in words, for who does not see it.
import type { FileStatus } from '../contract/files.ts';
import { OUTCOMES, type Outcome } from '../contract/words.ts';
import { count, t } from './language.ts';
import { go, Link } from './router.tsx';

const TONES: Readonly<Record<Outcome, string>> = {
  paid: 'good',
  submitted: 'busy',
  pending: 'plain',
  held: 'warn',
  failed: 'bad',
  rejected: 'bad',
  duplicate: 'plain',
};

/** The good end first, what is still to come in the middle, what went wrong at the end. */
const ORDER: readonly Outcome[] = ['paid', 'submitted', 'pending', 'held', 'duplicate', 'rejected', 'failed'];

type Outcomes = FileStatus['outcomes'];

export function OutcomeBar({
  outcomes,
  isSmall = false,
  batch,
}: {
  readonly outcomes: Outcomes;
  readonly isSmall?: boolean;
  /** Each part leads to its rows of this file; absent where the bar is a picture alone. */
  readonly batch?: string;
}) {
  const parts = ORDER.filter((outcome) => outcomes[outcome] > 0);
  const words = parts.map((outcome) => `${t(`outcome.${outcome}`)} ${count(outcomes[outcome])}`).join(', ');
  // The same ways stand below it in words, for keyboard and ear.
  const show = (outcome: Outcome): void => {
    if (batch !== undefined) go(`/files/${batch}?outcome=${outcome}`);
  };
  return (
    <div class={isSmall ? 'stacked small' : 'stacked'} role="img" aria-label={words} title={words}>
      {parts.map((outcome) => (
        <span
          key={outcome}
          class={TONES[outcome]}
          style={{ flexGrow: outcomes[outcome], cursor: batch === undefined ? 'inherit' : 'pointer' }}
          title={`${t(`outcome.${outcome}`)} ${count(outcomes[outcome])}`}
          onClick={() => show(outcome)}
        />
      ))}
    </div>
  );
}

/** @param chosen the outcome that the list below shows alone; empty for all. */
export function OutcomeFilter({
  batch,
  outcomes,
  rows,
  chosen,
}: {
  readonly batch: string;
  readonly outcomes: Outcomes;
  readonly rows: number;
  readonly chosen: string;
}) {
  const shown = OUTCOMES.filter((outcome) => outcomes[outcome] > 0 || outcome === chosen);
  return (
    <ul class="legend" aria-label={t('batch.outcome')}>
      <li>
        <Link to={`/files/${batch}`} current={chosen === ''}>
          {t('batch.all', { rows })}
        </Link>
      </li>
      {ORDER.filter((outcome) => shown.includes(outcome)).map((outcome) => (
        <li key={outcome}>
          <Link to={`/files/${batch}?outcome=${outcome}`} class={TONES[outcome]} current={outcome === chosen}>
            {t(`outcome.${outcome}`)} {count(outcomes[outcome])}
          </Link>
        </li>
      ))}
    </ul>
  );
}
