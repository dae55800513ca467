// What a file waits for, in the reader's words.
import { t } from './language.ts';

export function waitWords(waitingFor: string | null): string {
  switch (waitingFor) {
    case 'funds':
      return t('wait.funds');
    case 'credentials':
      return t('wait.credentials');
    case 'service':
      return t('wait.service');
    case 'operator':
      return t('wait.operator');
    case 'approval':
      return t('wait.approval');
    case 'schedule':
      return t('wait.schedule');
    default:
      return waitingFor ?? '';
  }
}
