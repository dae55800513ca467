// An account on somebody's SFTP server, as everything here works with it: checked, and with its secret in hand.

import type { Envelope } from './envelope.ts';

/** What the account logs in with; never logged, never shown. */
export type Credential =
  | { readonly kind: 'key'; readonly privateKey: string; readonly passphrase: string | null }
  | { readonly kind: 'password'; readonly password: string };

/** Which answers are pushed: those to the files that came from this account, or every answer. */
export const ANSWERS_PUSHED = ['own', 'all'] as const;
export type AnswersPushed = (typeof ANSWERS_PUSHED)[number];

/** What becomes of a remote original that was taken. */
export const PROCESSED = ['move', 'delete'] as const;
export type Processed = (typeof PROCESSED)[number];

/** When it is looked at: again and again, or at the times of a cron line in a time zone. */
export type Rhythm = { readonly everyMs: number } | { readonly cron: string; readonly timeZone: string };

/** What is done with a number when one before it has not come. */
export const GAP_RULES = ['wait', 'warn'] as const;

export type Sequence = {
  /** A name with the number as `#`, such as `PAY-####.csv`; `*` stands for anything. */
  readonly names: string;
  /** The lowest number that is expected. */
  readonly first: number;
  readonly onGap: (typeof GAP_RULES)[number];
};

export type SftpAccount = {
  /** Also the name of its folder in the inbox. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** The host keys that it may have, as `SHA256:…`; any other ends the connection before anything is said. */
  readonly hostKeys: readonly string[];
  readonly user: string;
  readonly credential: Credential;
  /** The file that the secret came from; null when it came from the environment. */
  readonly secretFile: string | null;
  /** Remote folders that files are fetched from. */
  readonly pull: readonly string[];
  /** The remote folder that answers are laid into; null when nobody fetches them there. */
  readonly push: string | null;
  readonly answers: AnswersPushed;
  readonly rhythm: Rhythm;
  /** Patterns of the names of spreadsheets; documents come in any case. */
  readonly files: readonly string[];
  /** The profile that its files are read by; null for what their names decide. */
  readonly profile: string | null;
  /** How long a remote file must have been the same. */
  readonly settleForMs: number;
  /** What is behind the name of a file that says of it that it is whole; null where nobody says so. */
  readonly readyMarker: string | null;
  readonly processed: Processed;
  /** Numbers in the names of spreadsheets; null where they have none. */
  readonly sequence: Sequence | null;
  /** The keys that files are decrypted and answers encrypted with; null where they come and go in the clear. */
  readonly openpgp: Envelope | null;
};
