// What the ledger remembers of fetched files and delivered answers, so that each file is taken once and each answer delivered once, whenever
// either side is killed.
import type { Words } from '../base/language.ts';

/**
 * `fetched`: whole, under its temporary name, and not in the inbox yet, unless that name has gone and the file is there or was taken from there; `placed`: in the inbox, its original still to
 * leave; `done`: nothing is left to do.
 */
type PullPhase = 'fetched' | 'placed' | 'done';

/** A file as it was found on the server, and what became of it. */
export type PullRecord = {
  readonly id: number;
  readonly account: string;
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** SHA-256 of the original's bytes, and of what is placed: another one where it was encrypted. */
  readonly remoteSha256: string;
  readonly sha256: string;
  /** Where it lies until it is placed, and where it is placed. */
  readonly temporary: string;
  readonly target: string;
  readonly phase: PullPhase;
  /** The number in its name, where the account's files have one and it was accepted. */
  readonly number: number | null;
  /** ISO. */
  readonly fetchedAt: string;
  /** The run that wrote this. */
  readonly run: string;
};

/** `uploaded`: whole, under its temporary name on the server, and renamed unless that name is still there; `delivered`: under its own name. */
type AnswerPhase = 'uploaded' | 'delivered';

/** The last version of an answer that was brought to an account. */
export type AnswerRecord = {
  readonly account: string;
  readonly name: string;
  readonly sha256: string;
  /** Of the file on the server, which differs from the answer where that is encrypted. */
  readonly remoteBytes: number;
  readonly phase: AnswerPhase;
  /** The file that was read, so that it is not read again for nothing: size, time and inode. */
  readonly signature: string;
  /** ISO. */
  readonly at: string;
};

/** Why an account cannot be worked with, since when. */
export type AccountFault = {
  readonly code: string;
  readonly words: Words;
  readonly since: string;
  /** When it is tried again, ISO; absent in older records. */
  readonly nextAt?: string;
};

export type AccountRecord = {
  readonly account: string;
  /** Since when it is known here, ISO: older answers are not for it. */
  readonly since: string;
  /** The run that works with it; null when none does. */
  readonly holder: string | null;
  /** When it was last worked with to the end, ISO; null when it never was. */
  readonly reachedAt: string | null;
  readonly fault: AccountFault | null;
  /** Faults for a person to repair, while the rest goes on. */
  readonly troubles: readonly Words[];
};

export interface Exchange {
  /** Makes an account this run's own, and known from `since` on if it was not; false while another process has it. */
  hold(account: string, since: string): Promise<boolean>;
  /** Gives back an account of this run. */
  letGo(account: string): Promise<void>;
  /** Says how it went with an account that this run holds. */
  tell(account: string, told: Pick<AccountRecord, 'reachedAt' | 'fault' | 'troubles'>): Promise<void>;
  account(account: string): Promise<AccountRecord | null>;

  /** Remembers a file that was fetched; gives its record. */
  addPull(pull: Omit<PullRecord, 'id'>): Promise<PullRecord>;
  changePull(pull: PullRecord, change: Pick<PullRecord, 'phase'>): Promise<PullRecord>;
  /** Forgets a file that was not placed. */
  dropPull(pull: PullRecord): Promise<void>;
  /** What is not done, oldest first. */
  openPulls(account: string): Promise<readonly PullRecord[]>;
  /** The files with a hash that begins so. */
  pullsLike(account: string, hashStart: string): Promise<readonly PullRecord[]>;

  /** The files that were accepted by a number. */
  numbered(account: string): Promise<readonly PullRecord[]>;

  answer(account: string, name: string): Promise<AnswerRecord | null>;
  noteAnswer(answer: AnswerRecord): Promise<void>;
}
