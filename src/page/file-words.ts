// What a file waits for, and the lines of its history, in the reader's words.
import { t, tCode } from './language.ts';
import type { TimelineEvent } from './shapes.ts';

/** A change of the record that nobody has made and nothing explains is paydrop's own book-keeping. */
export function saysSomething(event: TimelineEvent): boolean {
  return (
    event.code !== 'batch_changed' || typeof event['by'] === 'string' || typeof event['reason'] === 'string'
  );
}

export function eventWords(event: TimelineEvent): string {
  const { code } = event;
  const text = (name: string): string => {
    const value = event[name];
    return typeof value === 'string' ? value : '';
  };
  if (code === 'batch_waits')
    return event['waitingFor'] === null
      ? t('event.goesOn')
      : t('needs.waits', { what: waitWords(text('waitingFor')) });
  const said = tCode('event', code) ?? code;
  const more = [tCode('batchState', text('state')), tCode('stage', text('stage')), text('hold')].filter(
    (each) => each !== null && each !== '',
  );
  return more.length === 0 ? said : t('event.with', { what: said, more: more.join(', ') });
}

/** Whether there is more to say than the state itself does. */
export function waitsBesides(state: string, waitingFor: string | null): boolean {
  return waitingFor !== null && state !== 'closed' && state !== 'awaiting-approval';
}

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
