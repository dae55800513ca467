// The notices to people. The ledger keeps each until it has been sent, so that no kill and no mail server that is down loses it. Two processes
// that think of the same notice send it once.

/** The ways on which people are told, each for itself. */
export const CHANNELS = ['email', 'hook'] as const;
export type ChannelName = (typeof CHANNELS)[number];

export type NewNotice = {
  /** Its topic: of one topic, only the newest counts. */
  readonly topic: string;
  /** Tells this notice from earlier ones of its topic; with the same version it is the same notice. */
  readonly version: string;
  readonly channel: ChannelName;
  /** What is sent, with every try the same. */
  readonly message: string;
};

export type Notice = NewNotice & { readonly createdAt: number; readonly tries: number };

/** `later`: not told yet, and why; `given-up`: never told. */
export type Telling =
  | { readonly kind: 'told'; readonly at: number }
  | { readonly kind: 'later'; readonly dueAt: number; readonly fault: string }
  | { readonly kind: 'given-up'; readonly fault: string };

export type ChannelStanding = {
  readonly channel: ChannelName;
  readonly waiting: number;
  readonly givenUp: number;
  /** When the oldest that waits was made, in ms; null when none waits. */
  readonly oldestAt: number | null;
  /** Why the last try failed; null when none has failed of those that wait. */
  readonly fault: string | null;
};

export interface Notices {
  /** Keeps a notice until it is told; false when it is known. It replaces those of its topic that nobody has tried to tell yet, and waits until `quietMs` have passed since the topic was told last. */
  add(notice: NewNotice, now: number, quietMs: number): Promise<boolean>;
  /** Claims due notices of a channel for `leaseMs`, oldest first; no two runs tell the same at once. */
  claim(channel: ChannelName, now: number, leaseMs: number, limit: number): Promise<readonly Notice[]>;
  /** Writes what became of a claimed notice. What was told keeps its name and loses its message. */
  end(notice: Notice, telling: Telling): Promise<void>;
  /** Each channel for which there ever was one. */
  standing(): Promise<readonly ChannelStanding[]>;
}
