// Deliberate faults, from a file: what the network and the service may do to a caller, at random but the same for the same seed. The n-th call of
// an operation always meets the same fault, whatever calls of other operations come between.

import { z } from 'zod';

import { readNamedFile } from '../base/plain-file.ts';
import { OPERATIONS, type Operation } from '../service/errors.ts';

/** The fields of every rule. Only the first rule that strikes a request applies. */
const rule = {
  /** The operations it is for; all of them when left out. */
  operations: z
    .array(z.enum(Object.keys(OPERATIONS) as [Operation, ...Operation[]]))
    .readonly()
    .optional(),
  /** How likely each request is struck, from 0 to 1. */
  probability: z.number().min(0).max(1).default(1),
  /** The first `skip` calls of each operation are spared. */
  skip: z.int().min(0).default(0),
  /** At most this many calls of each operation are struck. */
  times: z.int().min(1).optional(),
};

const ruleSchema = z.discriminatedUnion('fault', [
  /** The connection is reset as soon as it is made, before any request on it: `operations` does not apply. */
  z.strictObject({ fault: z.literal('refuse'), ...rule }),
  /** The connection is reset on the request; nothing was done. */
  z.strictObject({ fault: z.literal('reset'), ...rule }),
  /** The connection is closed without an answer; nothing was done. */
  z.strictObject({ fault: z.literal('drop'), ...rule }),
  /** Everything is done, after a while. */
  z.strictObject({ fault: z.literal('delay'), ...rule, delayMs: z.int().min(0).default(1_000) }),
  /** Everything is done, and the connection is closed without the answer. */
  z.strictObject({ fault: z.literal('drop-answer'), ...rule }),
  /** 429 with `Retry-After`; nothing was done. */
  z.strictObject({ fault: z.literal('throttle'), ...rule, retryAfterSeconds: z.int().min(0).default(1) }),
  /** A gateway's page of HTML under a 5xx; with `acts`, everything was done behind it. */
  z.strictObject({
    fault: z.literal('html'),
    ...rule,
    status: z.int().min(500).max(599).default(502),
    acts: z.boolean().default(false),
  }),
  /** Everything is done, and the answer's JSON ends in its middle, under its right status. */
  z.strictObject({ fault: z.literal('cut'), ...rule }),
]);

/** The faults file: `{ "seed": 7, "rules": [{ "fault": "drop-answer", "operations": ["createTransfer"], "probability": 0.2 }] }`. */
const faultsSchema = z.strictObject({
  seed: z.int().default(1),
  rules: z.array(ruleSchema).readonly().default([]),
});
export type Faults = z.input<typeof faultsSchema>;
export type SandboxFault = z.output<typeof ruleSchema>;

export type FaultPlan = {
  /** The fault of the next connection. */
  onConnection(): SandboxFault | null;
  /** The fault of the next call of this operation. */
  onCall(operation: Operation): SandboxFault | null;
};

/** A file of the sandbox that it cannot use. */
export class SandboxFileWrong extends Error {
  override readonly name = 'SandboxFileWrong';
  readonly path: string;
  readonly why: string;

  constructor(path: string, why: string, cause?: unknown) {
    super(`${path}: ${why}`, { cause });
    this.path = path;
    this.why = why;
  }
}

/** Reads a faults file. Throws `SandboxFileWrong` with every mistake in it. */
export function readFaults(path: string): Faults {
  const parsed = faultsSchema.safeParse(jsonOf(path));
  if (!parsed.success) throw new SandboxFileWrong(path, z.prettifyError(parsed.error));
  return parsed.data;
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readNamedFile(path).toString('utf8'));
  } catch (error) {
    throw new SandboxFileWrong(path, error instanceof Error ? error.message : String(error), error);
  }
}

export function planFaults(faults: Faults): FaultPlan {
  const { seed, rules } = faultsSchema.parse(faults);
  const lots = rules.map((fault, index) => ({ fault, draw: drawing(fault, seed, index) }));
  const next = (isForConnections: boolean, operation: Operation | 'connection'): SandboxFault | null => {
    // Every rule draws for every call, so that one rule's draws do not shift another's.
    const struck = lots.filter(
      ({ fault, draw }) =>
        (fault.fault === 'refuse') === isForConnections && isFor(fault, operation) && draw(operation),
    );
    return struck[0]?.fault ?? null;
  };
  return { onConnection: () => next(true, 'connection'), onCall: (operation) => next(false, operation) };
}

function isFor({ operations }: SandboxFault, operation: Operation | 'connection'): boolean {
  return operation === 'connection' || (operations?.includes(operation) ?? true);
}

/** Whether a rule strikes the next call of an operation. */
function drawing(rule: SandboxFault, seed: number, index: number): (operation: string) => boolean {
  const calls = new Map<string, number>();
  const strikes = new Map<string, number>();
  return (operation) => {
    const call = (calls.get(operation) ?? 0) + 1;
    calls.set(operation, call);
    const struck = strikes.get(operation) ?? 0;
    if (call <= rule.skip || struck >= (rule.times ?? Infinity)) return false;
    if (fraction([seed, index, ...Buffer.from(operation), call]) >= rule.probability) return false;
    strikes.set(operation, struck + 1);
    return true;
  };
}

/** A number from 0 to 1 (excluded) that depends on these whole numbers alone: FNV-1a over them, stirred as MurmurHash3 ends. */
function fraction(numbers: readonly number[]): number {
  let hash = numbers.reduce((state, number) => Math.imul(state ^ number, 0x01000193), 0x811c9dc5);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
