// How far a file is, as one line: each step with its sign, and the one where it stands in bold.
import { t } from './language.ts';
import type { FileStatus } from '../contract/files.ts';

const SIGNS = { done: '✓', now: '●', waits: '▲', ended: '✕', open: '○' } as const;
const TONES = { done: 'good', now: 'busy', waits: 'warn', ended: 'bad', open: 'plain' } as const;

export function Steps({ steps }: Pick<FileStatus, 'steps'>) {
  return (
    <ol class="steps" aria-label={t('batch.steps')}>
      {steps.map(({ step, state }) => (
        <li
          key={step}
          class={TONES[state]}
          aria-current={state === 'done' || state === 'open' ? undefined : 'step'}
        >
          <span aria-hidden="true">{SIGNS[state]}</span> {t(`step.${step}`)}
          <span class="visually-hidden">: {t(`stepState.${state}`)}</span>
        </li>
      ))}
    </ol>
  );
}
