// What the codes of the service mean, for the owner of a file.
import { sameWords, type Words } from '../base/language.ts';
import { ERROR_CODES, STATUS_CODES, type ErrorCode } from '../service/wire.ts';
import { sentence } from '../messages/messages.ts';

type StatusCode = keyof typeof STATUS_CODES;

/** A code that the interface does not show keeps its number. */
export function statusWords(statusCode: string): Words {
  if (Object.hasOwn(STATUS_CODES, statusCode)) return sentence(`service.status.${statusCode as StatusCode}`);
  return sentence('service.status.statusCodeWhich', { statusCode });
}

/** The service's own words stand behind the meaning of the code, because they name the field. */
export function refusalWords(errorCode: ErrorCode, said: string): Words {
  const more = said === '' || said === ERROR_CODES[errorCode] ? sameWords('') : sameWords(` (${said})`);
  return sentence('service.refusal', { meaning: sentence(`service.error.${errorCode}`), more });
}
