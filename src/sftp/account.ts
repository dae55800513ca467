// An account on somebody's SFTP server: checked, and with its secret read. It imports neither the client nor OpenPGP, so that the types of a config need
// neither. Then the faults between here and there.
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

export const SIGNATURE_RULES = ['required', 'optional'] as const;
type SignatureRule = (typeof SIGNATURE_RULES)[number];

/** The keys of an account, as exported: armored or not. */
export type Envelope = {
  /** Decrypts and signs. */
  readonly privateKey: Uint8Array;
  readonly passphrase: string | null;
  /** Verifies signatures, and encrypts. */
  readonly partnerKey: Uint8Array;
  readonly signature: SignatureRule;
  /** Whether answers are signed and encrypted. */
  readonly answers: boolean;
};

/** The secret for the login; never logged, never shown. */
export type Credential =
  | { readonly kind: 'key'; readonly privateKey: string; readonly passphrase: string | null }
  | { readonly kind: 'password'; readonly password: string };

/** Which answers are pushed: those to the files that came from this account, or every answer. */
export const ANSWERS_PUSHED = ['own', 'all'] as const;
type AnswersPushed = (typeof ANSWERS_PUSHED)[number];

/** What happens to a remote original after it was taken. */
export const PROCESSED = ['move', 'delete'] as const;
type Processed = (typeof PROCESSED)[number];

/** When the account is looked at: at an interval, or at the times of a cron line in a time zone. */
export type Rhythm = { readonly everyMs: number } | { readonly cron: string; readonly timeZone: string };

/** What to do with a number when an earlier one has not come. */
export const GAP_RULES = ['wait', 'warn'] as const;

export type Sequence = {
  /** A name with the number as `#`, such as `PAY-####.csv`; `*` matches anything. */
  readonly names: string;
  /** The lowest expected number. */
  readonly first: number;
  readonly onGap: (typeof GAP_RULES)[number];
};

export type SftpAccount = {
  /** Also the name of its folder in the inbox. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** The host keys that it may have, as `SHA256:…`; any other ends the connection before anything is sent. */
  readonly hostKeys: readonly string[];
  readonly user: string;
  readonly credential: Credential;
  /** The file of the secret; null when it came from the environment. */
  readonly secretFile: string | null;
  /** Remote folders that files are fetched from. */
  readonly pull: readonly string[];
  /** The remote folder for answers; null when nobody fetches them there. */
  readonly push: string | null;
  readonly answers: AnswersPushed;
  readonly rhythm: Rhythm;
  /** Patterns for the names of spreadsheets; documents are fetched in any case. */
  readonly files: readonly string[];
  /** The profile for its files; null when their names decide. */
  readonly profile: string | null;
  /** How long a remote file must have been unchanged. */
  readonly settleForMs: number;
  /** The suffix of a marker file that says that a file is whole; null where there is none. */
  readonly readyMarker: string | null;
  readonly processed: Processed;
  /** Numbers in the names of spreadsheets; null where they have none. */
  readonly sequence: Sequence | null;
  /** The keys that decrypt files and encrypt answers; null where both travel in the clear. */
  readonly openpgp: Envelope | null;
};

// The faults between here and a partner's SFTP server, in words for both sides: what happened, and who must do what.

type SftpFaultCode =
  | 'host_not_found'
  | 'unreachable'
  | 'host_key_changed'
  | 'key_unusable'
  | 'login_refused'
  | 'no_sftp'
  | 'connection_lost'
  | 'no_answer'
  | 'not_found'
  | 'forbidden'
  | 'disk_full'
  | 'server_refused'
  | 'too_many_files'
  | 'file_changed'
  | 'openpgp_unusable';

/** After these, the connection cannot be used any more. */
const ENDS_CONNECTION: ReadonlySet<SftpFaultCode> = new Set([
  'host_not_found',
  'unreachable',
  'host_key_changed',
  'key_unusable',
  'login_refused',
  'no_sftp',
  'connection_lost',
  'no_answer',
]);

/** A fault of the other side, or of the line; its message is the English text of its words. */
export class SftpFault extends Error {
  override readonly name = 'SftpFault';
  readonly code: SftpFaultCode;
  readonly words: Words;

  constructor(code: SftpFaultCode, words: Words, options?: ErrorOptions) {
    super(words.en, options);
    this.code = code;
    this.words = words;
  }
}

export function endsConnection(error: unknown): boolean {
  return error instanceof SftpFault && ENDS_CONNECTION.has(error.code);
}

/** The server's refusal of one request. `place` is the file or folder of the request. */
export function refusedByServer(
  code: 'not_found' | 'forbidden' | 'server_refused',
  place: string,
): SftpFault {
  return new SftpFault(code, REFUSALS[code](place));
}

const REFUSALS: Readonly<Record<'not_found' | 'forbidden' | 'server_refused', (place: string) => Words>> = {
  not_found: (place) => sentence('sftp.notFound', { place }),
  forbidden: (place) => sentence('sftp.forbidden', { place }),
  server_refused: (place) => sentence('sftp.serverRefused', { place }),
};

/** @param freeBytes the free space that the server reports. */
export function diskFull(place: string, freeBytes: number): SftpFault {
  return new SftpFault('disk_full', sentence('sftp.diskFull', { place, freeBytes }));
}

export function connectionLost(cause?: unknown): SftpFault {
  return new SftpFault('connection_lost', sentence('sftp.connectionLost'), { cause });
}

export function noAnswer(seconds: number): SftpFault {
  return new SftpFault('no_answer', sentence('sftp.noAnswer', { seconds }));
}
