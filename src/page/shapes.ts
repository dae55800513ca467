// The replies of paydrop's interface, as far as the page reads them. Amounts are decimal text, times ISO in UTC.

export type Role = 'maker' | 'checker' | 'treasurer' | 'admin' | 'auditor';
export type Person = { readonly id: string; readonly name: string; readonly roles: readonly Role[] };

export type Session = {
  readonly person: Person | null;
  readonly idleEndsAt: string | null;
  readonly endsAt: string | null;
  readonly sandbox: boolean;
  readonly signing: 'passkey' | 'click';
  readonly needsSetup: boolean;
  readonly oidc?: { readonly name: string } | null;
  /** How many the person has; none where somebody came through the company's directory for the first time. */
  readonly passkeys: number;
  /** The people of the demo, who may be played in turn. */
  readonly demo?: readonly Person[] | null;
};

export type Sum = { readonly currency: string | null; readonly amount: string };

export type Upload = {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sentAt: string;
  readonly state: 'checking' | 'checked' | 'refused';
  readonly rows: number;
  readonly checked: number;
  readonly faulty: number;
  readonly documentsMissing: number;
  readonly missing: readonly string[];
  readonly sums: readonly Sum[];
  readonly code: string | null;
  readonly reason: string | null;
  readonly corrected: number;
  readonly batch: string | null;
};

/** How a cell with two names is taken apart. */
export const SPLIT_RULES = ['capitals', 'comma', 'first-word', 'last-word'] as const;
/** Which of a person's names comes first. */
export const NAME_ORDERS = ['family-given', 'given-family'] as const;

export type Split = { readonly into: readonly [string, string]; readonly by: (typeof SPLIT_RULES)[number] };

/** What may fill a gap, for a person to confirm. */
export type Hint =
  | ({ readonly kind: 'split'; readonly header: string } & Split)
  | { readonly kind: 'same'; readonly column: string; readonly other: string }
  | { readonly kind: 'names'; readonly order: (typeof NAME_ORDERS)[number] };

export type Proposal = {
  readonly name: string;
  /** The pattern of the names of files that it would be for. */
  readonly files: string;
  readonly headerPlace: string;
  readonly columns: readonly {
    readonly header: string;
    readonly letter: string;
    readonly column: string | null;
    readonly confidence: number | null;
    readonly from: 'stated' | 'header' | 'cells' | null;
    readonly samples: readonly string[];
  }[];
  readonly known: readonly { readonly column: string; readonly words: string }[];
  readonly splits: readonly {
    readonly header: string;
    readonly into: readonly [string, string];
    readonly samples: readonly { readonly cell: string; readonly parts: readonly [string, string] }[];
    /** Cells that the rule does not take apart. */
    readonly whole: number;
  }[];
  readonly questions: readonly string[];
  readonly trial: {
    readonly rows: number;
    readonly payable: number;
    /** Also where rows lack only what is said later, and none can be paid yet. */
    readonly mayBeSaved: boolean;
    readonly hints: readonly Hint[];
    readonly faults: readonly (Pick<Fault, 'code' | 'column'> & {
      readonly rows: number;
      readonly words: string;
    })[];
  } | null;
};

export type Fault = {
  readonly row: string;
  readonly position: number;
  readonly column: string;
  readonly index: number | null;
  readonly code: string;
  readonly message: string;
};

/** A row of a file as it was dropped; `faults` by the index of the column. */
export type SheetRow = {
  readonly row: string;
  readonly position: number;
  readonly cells: readonly string[];
  readonly faults: readonly Fault[];
  /** Columns into which somebody has typed here, and that the server does not know. */
  readonly typed?: readonly number[];
};
export type SheetPage = {
  readonly header: readonly string[];
  /** What each column is taken for, in the reader's words; null for one that is not read. */
  readonly columns: readonly ({ readonly column: string; readonly title: string } | null)[];
  readonly data: readonly SheetRow[];
};

export const OUTCOMES = ['paid', 'failed', 'submitted', 'rejected', 'duplicate', 'held', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type FileState =
  'checked' | 'awaiting-approval' | 'scheduled' | 'paying' | 'tracking' | 'closed' | 'refused';

export type Summary = {
  readonly batch: string;
  readonly state: FileState;
  /** What is true of its money: the word that is shown. */
  readonly standing: string;
  readonly sandbox: boolean;
  readonly file: { readonly name: string; readonly sha256: string; readonly rows: number };
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly totals: readonly {
    readonly sourceCurrency: string;
    readonly sendAmount: string;
    readonly feeAmount: string;
    readonly debited: string;
    readonly reserved: string;
  }[];
  readonly received: readonly { readonly destinationCurrency: string; readonly receiveAmount: string }[];
  readonly waitingFor: string | null;
  readonly wait: {
    readonly for: string;
    readonly liftedBy: 'release' | 'approve' | 'resume' | 'itself';
    readonly reason: string;
  } | null;
  readonly payAt?: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly answers: readonly string[];
  readonly supersedes?: string;
};

export type Row = Readonly<Record<string, string | null>> & {
  readonly row: string;
  readonly outcome: Outcome;
  readonly reason: string;
};

export type TimelineEvent = Readonly<Record<string, unknown>> & {
  readonly at: string;
  readonly code: string;
  readonly row: string | null;
};

export type Answer = {
  readonly kind: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
};

export type Question = {
  readonly batch: string;
  readonly file: { readonly name: string; readonly sha256: string };
  readonly round: number;
  readonly code: string;
  readonly digest: string;
  readonly rows: number;
  readonly totals: readonly { readonly currency: string; readonly rows: number; readonly debit: string }[];
  /** What was sent of the file before it was asked about. */
  readonly sent: readonly { readonly currency: string; readonly debit: string }[];
  readonly subject: QuestionSubject;
  readonly most: readonly { readonly currency: string; readonly debit: string }[];
  readonly maxDrift: string;
  readonly preview: string | null;
  readonly submittedBy: readonly string[];
  readonly askedAt: string;
  readonly words: string;
  readonly approvalBy: 'name' | 'signature';
  readonly state: 'waiting' | 'approved' | 'declined' | 'outdated';
  readonly given: {
    readonly by: string;
    readonly at: string;
    readonly isSigned: boolean;
    readonly digest: string | null;
    /** The name of the passkey that signed. */
    readonly passkey: string | null;
    /** With whom changed accounts were verified, and how. */
    readonly verified: string | null;
  } | null;
  readonly needsVerification: boolean;
  /** The only person who may approve it, where that person has also released rows of it. */
  readonly soleApprover: string | null;
  readonly declined: { readonly by: string; readonly at: string; readonly reason: string } | null;
  readonly mayAnswer: boolean;
  readonly whyNot: string | null;
  readonly whyNotWords: string | null;
};

/** What a question is about besides its sums. */
export type QuestionSubject = {
  readonly received: readonly { readonly currency: string; readonly rows: number; readonly amount: string }[];
  readonly fees: readonly { readonly currency: string; readonly amount: string }[];
  readonly leftOut: { readonly rejected: number; readonly duplicate: number; readonly held: number };
  readonly released: readonly {
    readonly by: string;
    readonly reason: string;
    readonly rows: readonly string[];
  }[];
  readonly warned: { readonly rows: number; readonly changedAccounts: number };
  readonly warnings: readonly QuestionWarning[];
  readonly readBy: {
    readonly profile: string;
    readonly author: string | null;
    readonly confirmedBy: string | null;
  } | null;
  readonly payAt: string | null;
  readonly limits: string | null;
};

export type QuestionWarning = {
  readonly kind: 'changed_account' | 'shared_account' | 'ten_times';
  readonly row: string;
  readonly name: string;
  /** The masked ends of the payee's accounts. */
  readonly before: string | null;
  readonly after: string | null;
  readonly currency: string;
  readonly amount: string;
  readonly words: string;
};

export type Comparison = {
  readonly corrected: readonly (Pick<Fault, 'row' | 'column'> & {
    readonly before: string;
    readonly after: string;
  })[];
  readonly with: string | null;
  readonly file: string | null;
  readonly receivers: Readonly<Record<'now' | 'before' | 'added' | 'gone', number>>;
  readonly amounts: { readonly changed: number };
  readonly rows: Readonly<Record<'added' | 'changed', readonly string[]>>;
  readonly totals: readonly { readonly currency: string; readonly now: string; readonly before: string }[];
};

type NamedFile = { readonly batch: string; readonly file: string };

export type HeldGroup = {
  readonly code: string;
  readonly words: string;
  readonly liftsItself: boolean;
  readonly rows: number;
  /** `isOwn`: brought by who reads. */
  readonly files: readonly (NamedFile & { readonly rows: number; readonly isOwn: boolean })[];
};

/** The effect of an order about held rows. */
export type Trial = {
  readonly matching: number;
  readonly released: number;
  readonly onlySkip: number;
  readonly followed: number;
  readonly left: readonly { readonly row: string; readonly tryAgainAt: string | null }[];
  readonly seen: string;
};

/** What it came to, in rows. */
export type Released = {
  readonly released: number;
  readonly onlySkip: number;
  readonly followed: number;
  readonly left: number;
  readonly closedBefore: number;
  readonly stillHeld: number;
  /** Why nothing could be closed: what the service did not tell. */
  readonly unasked: string | null;
};

export type Stop = { readonly stop: { readonly words: string; readonly since: string | null } | null };

type Point = { readonly at: string; readonly available: string };
export type BalanceLine = {
  readonly currency: string;
  /** Of the last 24 hours, the oldest first. */
  readonly points: readonly Point[];
  readonly lowest: Point;
  readonly highest: Point;
};

export type MoneyLine = {
  readonly currency: string;
  readonly available: string | null;
  readonly reserved: string | null;
  readonly promised: string;
  readonly unpriced: number;
  readonly files: readonly (NamedFile & {
    readonly promised: string;
    readonly unpriced: number;
    readonly awaitsApproval: boolean;
  })[];
  readonly free: string | null;
  readonly spentToday: string;
  readonly perDay: string | null;
};

export type Schedule = {
  readonly folder: string;
  readonly isThere: boolean;
  readonly cron: string;
  readonly timeZone: string;
  readonly missed: 'pay' | 'hold';
  readonly standing: boolean;
  readonly next: readonly string[];
  readonly waiting: readonly (NamedFile & { readonly payAt: string; readonly isMissed: boolean })[];
};

export type Job = {
  readonly id: string;
  readonly kind: 'cost' | 'reconcile';
  readonly of: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly done: number;
  readonly total: number | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly reason: string | null;
};

export type PersonView = Person & {
  readonly pending: { readonly roles: readonly Role[]; readonly by: string } | null;
  readonly invitedBy: string | null;
  readonly lastSeenAt: string | null;
  readonly passkeys: readonly { readonly name: string; readonly lastUsedAt: string | null }[];
  readonly sessions: number;
};

export type Invitation = {
  readonly id: string;
  readonly name: string | null;
  readonly roles: readonly Role[];
  readonly by: string | null;
  readonly endsAt: string;
};

export type ProgramKey = {
  readonly prefix: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly endsAt: string | null;
  readonly lastUsedAt: string | null;
};

export type AuditEntry = {
  readonly seq: number;
  readonly at: string;
  readonly who: string | null;
  readonly what: string;
  readonly about: string | null;
  readonly isWeak: boolean;
};

export type Finding = { readonly name: string; readonly ok: boolean; readonly words: string };

/** How files of some names are read. */
export type ReadingProfile = {
  readonly name: string;
  /** Patterns of file names. */
  readonly files: readonly string[];
  readonly columns: readonly {
    readonly header: string;
    readonly column: string | null;
    /** In the reader's words; null for a column that is not read. */
    readonly title: string | null;
    readonly samples: readonly string[];
  }[];
  readonly author: string | null;
  readonly confirmed: { readonly by: string; readonly at: string } | null;
  readonly isProposal: boolean;
  readonly replaces: boolean;
  readonly text: string;
  readonly digest: string;
  readonly mayConfirm: boolean;
  readonly whyNotWords: string | null;
};
