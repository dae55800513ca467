// The closed lists of words that programs, the page and the command line see, and what the page has to know beforehand. It imports nothing, so that the page
// may carry it.

/** The languages in which people are told what happens to a file and what to do. */
export const LANGUAGES = ['en', 'fr', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** What became of a row. */
export const OUTCOMES = ['paid', 'failed', 'submitted', 'rejected', 'duplicate', 'held', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How far a file is. */
export const SUMMARY_STATES = [
  'checked',
  'awaiting-approval',
  'scheduled',
  'paying',
  'tracking',
  'closed',
  'refused',
] as const;
export type SummaryState = (typeof SUMMARY_STATES)[number];

/**
 * What is true of a file's money. `checking`: its rows are read and compared; `checked`: a check, and no batch; `asking-prices`: nothing of it is created;
 * `ready`: decided, and nobody works on it; `paying`: rows are sent; `in-transit`: all are sent, and the network has not ended all; `awaiting-…`: what is
 * missing; `needs-decision`: a person decides; `interrupted`: nobody works on it; `done`: every row is paid; `done-not-paid`: all have ended, and not all
 * are paid.
 */
export const STANDINGS = [
  'checking',
  'checked',
  'asking-prices',
  'awaiting-approval',
  'scheduled',
  'ready',
  'paying',
  'in-transit',
  'awaiting-funds',
  'awaiting-key',
  'awaiting-service',
  'awaiting-doubt',
  'awaiting-documents',
  'needs-decision',
  'interrupted',
  'done',
  'done-not-paid',
  'refused',
] as const;
export type Standing = (typeof STANDINGS)[number];

const LEFT: ReadonlySet<string> = new Set<Standing>(['checking', 'asking-prices', 'paying']);

/** The same once nobody works on it any more: at the end of a command. */
export function leftAs<Work extends string>(standing: Work): Work | 'interrupted' {
  return LEFT.has(standing) ? 'interrupted' : standing;
}

/** How far a file has come. */
export const STEPS = ['checked', 'priced', 'approved', 'paid'] as const;
export type StepName = (typeof STEPS)[number];

/** `waits`: something has to come or to be decided first; `ended`: it goes no further; `open`: not come to yet. */
export const STEP_STATES = ['done', 'now', 'waits', 'ended', 'open'] as const;
export type StepState = (typeof STEP_STATES)[number];

/** How a cell with two names is taken apart. */
export const SPLIT_RULES = ['capitals', 'comma', 'first-word', 'last-word'] as const;
export type SplitRule = (typeof SPLIT_RULES)[number];

/** Which of a person's names comes first. */
export const NAME_ORDERS = ['family-given', 'given-family'] as const;
export type NameOrder = (typeof NAME_ORDERS)[number];

/** What a person may do. */
export const ROLES = ['maker', 'checker', 'treasurer', 'admin', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

/** With one of these a person approves what others brought, and names a delegate while on leave. */
export const APPROVER_ROLES: readonly Role[] = ['checker', 'treasurer'];

/** What a key may do; no key ever approves, releases or lifts anything. With `files:read` it sees the files that came with keys of its name, and with `files:read-all` those of everybody. */
export const SCOPES = ['files:write', 'files:read', 'files:read-all', 'money:read', 'reconcile'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a person may choose to be told of. */
export const NOTICE_KINDS = ['decision', 'funds', 'done', 'reversed'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** How a notice comes to a person: `browser` by Web Push. */
export const NOTICE_WAYS = ['mail', 'browser'] as const;
export type NoticeWay = (typeof NOTICE_WAYS)[number];

/** One mailbox, without a name: nothing in it can end a header or add a receiver. */
export const MAILBOX = /^[^\s<>()[\]\\,;:"@\p{C}]+@[^\s<>()[\]\\,;:"@\p{C}]+$/u;

/** What somebody did, or what was done to somebody; `about`: who or what else it concerns. */
export const ACCESS = [
  'signed_in',
  'sign_in_refused',
  'signed_out',
  'stepped_up',
  'set_up',
  'invited',
  'invitation_ended',
  'enrolled',
  'roles_changed',
  'roles_pending',
  'roles_confirmed',
  'roles_given_alone',
  'removed',
  'passkey_added',
  'passkey_ended',
  'key_made',
  'key_ended',
  'notices_chosen',
  'notice_address_asked',
  'notice_address_set',
  'notice_address_removed',
  'notice_browser_added',
  'notice_browser_removed',
  'profile_proposed',
  'profile_confirmed',
  'profile_withdrawn',
  'answer_read',
  'payees_told',
  'stop_put',
  'stop_lifted',
  'delegate_named',
  'delegate_ended',
  'stood_in',
  'approved',
  'accounts_verified',
  'account_verified',
  'verification_withdrawn',
  'payee_erased',
  'declined',
  'paused',
  'resumed',
  'released',
  'closed_unpaid',
  'commented',
] as const;
export type Access = (typeof ACCESS)[number];

/** As many rows as one proof of payment may have: more would be a book, and hold up whoever else works in the process. */
export const PROOF_ROWS_MOST = 1_000;

/** As many rows as a download of journal entries covers; the command covers any number. */
export const JOURNAL_ROWS_MOST = 50_000;

/** What an accounting program imports. */
export const JOURNAL_FORMATS = ['csv', 'odoo', 'sage'] as const;

/** As many cells as one correction may have. */
export const TYPED_MOST = 500;
