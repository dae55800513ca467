// The forms of an answer of the service. Every error has a JSON body with a numeric `errorCode` and a `message` (interface: Errors).
import { ERROR_CODES, type ErrorCode } from '../service/interface-values.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The error code of an error body, for the log; null for a success. */
  readonly errorCode: ErrorCode | null;
  readonly body: string;
};

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/** The classes of the interface: 400 for a request that is wrong, 403 for the key, 500 for a business rule. */
const STATUS_OF_OTHERS = 500;
const STATUS_OF: Readonly<Partial<Record<ErrorCode, number>>> = { 10001: 400, 10006: 403 };

/** A success with a JSON body. The interface gives no other number than 200 for any success. */
export function success(value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, headers: { ...JSON_TYPE, ...headers }, errorCode: null, body: JSON.stringify(value) };
}

/** HTTP 200 with an empty body (interface: POST /transfers/{id}/confirm). */
export const emptySuccess: Answer = { status: 200, headers: {}, errorCode: null, body: '' };

/** A no with its code, under the HTTP status of its class unless another is given. */
export function refusal(
  errorCode: ErrorCode,
  message: string | readonly string[] = ERROR_CODES[errorCode],
  status: number = STATUS_OF[errorCode] ?? STATUS_OF_OTHERS,
): Answer {
  return { status, headers: JSON_TYPE, errorCode, body: JSON.stringify({ errorCode, message }) };
}

/** HTTP 400 with 10001: one sentence an offending field, each beginning with the field's name. */
export function invalid(faults: readonly string[]): Answer {
  return refusal(10001, faults);
}

/** For everything that the interface does not have. Its status is not shown; 404 says it plainly. */
export const unknownResource: Answer = refusal(10001, 'There is no such resource', 404);

/** True for an answer that ends the work early, in functions that give either a value or the reason why not. */
export function isAnswer(value: object): value is Answer {
  return 'status' in value && 'headers' in value && 'body' in value;
}
