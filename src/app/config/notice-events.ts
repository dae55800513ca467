// The events that people can be told of, and the message that each becomes: the same for every channel, and the same with every try.
import type { Outcome } from '../../payouts/outcome.ts';
import type { Summary } from '../../results/summary.ts';

/**
 * `accepted`, `refused`, `duplicate`: what became of a file at the door; `held`: a person has to decide; `shortfall`: funds are missing;
 * `approval`: somebody else has to agree; `completion`: every row is final; `changed`: the service changed something after that; `trouble`:
 * nothing is paid until somebody mends it.
 */
export const NOTICE_EVENTS = [
  'accepted',
  'refused',
  'duplicate',
  'held',
  'shortfall',
  'approval',
  'completion',
  'changed',
  'trouble',
] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** What is posted to the hook, and what an e-mail is made of. No account, no telephone number, no name of a receiver, no amount of a row. */
export type NoticeMessage = {
  /** The same with every try: whoever got it twice can tell. */
  readonly id: string;
  readonly event: NoticeEvent;
  /** ISO time of the event. */
  readonly at: string;
  readonly batch: string | null;
  readonly file: string | null;
  readonly sandbox: boolean;
  readonly subject: string;
  readonly text: string;
  /** Names of the answers in the outbox. */
  readonly answers: readonly string[];
} & NoticeFacts;

/** As `summary.json` has them, where they are known. */
export type NoticeFacts = {
  readonly rows?: number;
  readonly outcomes?: Readonly<Record<Outcome, number>>;
  readonly totals?: Summary['totals'] | readonly RequestedTotal[];
  readonly received?: Summary['received'];
};

/** What a file asks for in one currency. */
export type RequestedTotal = { readonly currency: string; readonly rows: number; readonly amount: string };
