// The meaning of the service's codes (interface: statusCode, errorCode), in words for the owner of a file.
import { joinWords, sameWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { ERROR_CODES, type ErrorCode, STATUS_CODES, type Transfer } from '../service/wire.ts';

type StatusCode = keyof typeof STATUS_CODES;

/** A code that the interface does not show keeps its number. */
export function statusWords(statusCode: string): Words {
  if (Object.hasOwn(STATUS_CODES, statusCode)) return sentence(`service.status.${statusCode as StatusCode}`);
  return sentence('service.status.statusCodeWhich', { statusCode });
}

/** A person reads what the code means; its number helps to ask the service about a failure, or where it does not fit the status. */
export function shownStatus({ status, statusCode }: Pick<Transfer, 'status' | 'statusCode'>): Words {
  const fits = Object.hasOwn(STATUS_CODES, statusCode) && !contradicts({ status, statusCode });
  if (!fits) return sameWords(`${status} (${statusCode})`);
  const meaning = statusWords(statusCode);
  return status === 'failed' ? joinWords([meaning, sameWords(`(${statusCode})`)]) : meaning;
}

/** The service's own words stand behind the meaning of the code, because they name the field. */
export function refusalWords(errorCode: ErrorCode, said: string): Words {
  const more = said === '' || said === ERROR_CODES[errorCode] ? sameWords('') : sameWords(` (${said})`);
  return sentence('service.refusal', { meaning: sentence(`service.error.${errorCode}`), more });
}

/** A known code belongs to one status; `failed` with a code that we do not know is still failed. */
export function contradicts({ status, statusCode }: Pick<Transfer, 'status' | 'statusCode'>): boolean {
  return (
    Object.hasOwn(STATUS_CODES, statusCode) &&
    STATUS_CODES[statusCode as keyof typeof STATUS_CODES].status !== status
  );
}
