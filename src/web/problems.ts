// What a program is told when a request is not carried out: RFC 9457, with a code from a closed list. The status gives the kind of problem, the
// code the exact one, the detail the reason, in the reader's language.
import { describe } from '../app/desk/commands.ts';
import { isDecisionCode, remedyOf } from '../app/desk/finding.ts';
import { PeopleFault } from '../app/people/people-file.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type PageReader, say, type Words } from '../base/language.ts';
import type { Log } from '../base/log.ts';
import type { ProblemBody } from '../contract/schema.ts';
import { sentence } from '../messages/messages.ts';

/** Each with its status. Besides these, a file that cannot be taken is reported by its own code of refusal, with 422. */
export const PROBLEMS = {
  query_wrong: 422,
  cursor_unknown: 422,
  body_wrong: 422,
  body_slow: 408,
  body_too_large: 413,
  body_kind_wrong: 415,
  key_missing: 401,
  key_unknown: 401,
  scope_missing: 403,
  people_only: 403,
  session_missing: 401,
  role_missing: 403,
  cross_site: 403,
  step_up_needed: 403,
  challenge_unknown: 401,
  signature_refused: 401,
  token_unknown: 401,
  name_unfit: 422,
  person_exists: 409,
  person_unknown: 404,
  admin_last: 409,
  second_admin_needed: 403,
  roles_changed: 409,
  delegate_unfit: 409,
  delegate_days: 422,
  delegate_unknown: 404,
  notice_mail_off: 409,
  notice_codes_many: 429,
  notice_code_wrong: 422,
  notice_service_unknown: 422,
  notice_browser_unknown: 404,
  passkey_last: 409,
  passkey_unknown: 404,
  session_unknown: 404,
  invitation_unknown: 404,
  program_key_unknown: 404,
  approval_not_asked: 404,
  approval_outdated: 409,
  batch_finished: 409,
  rows_changed: 409,
  stop_none: 409,
  job_unknown: 404,
  jobs_busy: 429,
  host_wrong: 421,
  rate_exceeded: 429,
  streams_too_many: 429,
  route_unknown: 404,
  batch_unknown: 404,
  row_unknown: 404,
  payee_unknown: 404,
  answer_unknown: 404,
  upload_unknown: 404,
  corridor_unknown: 404,
  version_differs: 412,
  idempotency_under_way: 409,
  idempotency_other_request: 422,
  upload_name_unsafe: 422,
  upload_kind_unknown: 415,
  upload_too_large: 413,
  upload_cut: 422,
  upload_submitted: 409,
  file_not_sent_back: 404,
  upload_unchecked: 409,
  upload_changed: 409,
  profile_unfit: 422,
  profile_exists: 409,
  profile_guarded: 409,
  profile_unknown: 404,
  profile_changed: 409,
  uploads_busy: 429,
  uploads_full: 429,
  document_unfit: 415,
  correction_unfit: 422,
  rows_to_fix: 422,
  search_unusable: 503,
  service_unavailable: 503,
  internal_error: 500,
} as const;
type ProblemCode = keyof typeof PROBLEMS;

type Extra = { readonly words?: Words; readonly headers?: Readonly<Record<string, string>> };

/** Thrown by any code that cannot do what it was asked. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #title: Words;
  readonly #words: Words;

  constructor(code: ProblemCode, { words, headers = {} }: Extra = {}) {
    super(code);
    this.code = code;
    this.status = PROBLEMS[code];
    this.headers = headers;
    this.#title = sentence(`problem.${code}`);
    this.#words = words ?? this.#title;
  }

  body(reader: PageReader): ProblemBody {
    return bodyOf(this, say(this.#title, reader), say(this.#words, reader));
  }
}

/** Reported by a code with its own words: a file that cannot be taken, a decision that does not count. */
class OwnProblem extends Error {
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> = {};
  readonly #title: Words;
  readonly #words: Words;

  constructor(code: string, status: number, title: Words, words: Words) {
    super(code);
    this.code = code;
    this.status = status;
    this.#title = title;
    this.#words = words;
  }

  body(reader: PageReader): ProblemBody {
    return bodyOf(this, say(this.#title, reader), say(this.#words, reader));
  }
}

export class FileProblem extends OwnProblem {
  override readonly name = 'FileProblem';

  constructor(code: string, words: Words) {
    super(code, 422, sentence('problem.file_refused'), words);
  }
}

/** Not this person's to decide, however often it is tried. */
const NOT_THEIRS: ReadonlySet<string> = new Set([
  'people_only',
  'approval_same_person',
  'approval_same_user',
  'approval_not_approver',
  'approval_role_missing',
  'approval_released_it',
  'approval_second_person',
]);

/** A decision that was refused in the very commit that would have kept it. */
export class DecisionProblem extends OwnProblem {
  override readonly name = 'DecisionProblem';

  constructor(code: string, words: Words) {
    super(code, NOT_THEIRS.has(code) ? 403 : 409, sentence('problem.decision_refused'), words);
  }
}

function bodyOf(
  { code, status }: Pick<ProblemBody, 'code' | 'status'>,
  title: string,
  detail: string,
): ProblemBody {
  return { type: `/problems/${code}`, title, status, code, detail };
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** What a code means that a program was told; null for any other. */
export function problemOf(code: string): Problem | FileProblem | DecisionProblem | null {
  if (isProblemCode(code)) return new Problem(code);
  const remedy = remedyOf(code);
  if (remedy !== null) return new FileProblem(code, remedy);
  return isDecisionCode(code) ? new DecisionProblem(code, sentence('problem.decision_refused')) : null;
}

/** What a fault of any kind is told as. */
export async function problemFrom(error: unknown, log: Log): Promise<Problem | OwnProblem> {
  if (error instanceof Problem || error instanceof OwnProblem) return error;
  if (error instanceof PeopleFault) return new Problem(error.code);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // A sender that was cut off for dripping is told that, and not what it broke off.
  if (error instanceof Error && error.cause instanceof Problem && code === 'upload_cut') return error.cause;
  if (error instanceof Error && error.name === 'NotReceived' && isProblemCode(code))
    return new Problem(code, isFullNow(code) ? { headers: { 'retry-after': '60' } } : {});
  const { code: exit, words } = await describe(error);
  if (exit === EXIT.unfinished)
    return new Problem('service_unavailable', { words, headers: { 'retry-after': '20' } });
  log.error('request failed', { reason: error instanceof Error ? error.name : 'unknown' });
  return new Problem('internal_error');
}

function isFullNow(code: ProblemCode): boolean {
  return code === 'uploads_busy' || code === 'uploads_full';
}
