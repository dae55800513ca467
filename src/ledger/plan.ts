// What a ledger does with its tables, said once for every store: a plan asks its statements one after the other, and is handed what each of them finds.
// SQLite carries it out at once, inside its commit; PostgreSQL waits for each answer.
import type { RunId } from '../payouts/progress.ts';
import type { Found } from './seals.ts';

/** A list stands for all its items: see `listed`. */
export type Value = string | number | boolean | null | readonly (string | number | boolean | null)[];

/** In the words of PostgreSQL, of which those are used that SQLite knows too, or that `inSqlite` puts into its own. */
export type Statement = {
  readonly text: string;
  readonly values: readonly Value[];
  /** Only takes a lock: nothing that a store with one writer has to do. */
  readonly isLock?: true;
};

/** Statements that go on their way together; or work of the store itself, with what it gives. */
type Asked =
  { readonly all: readonly Statement[]; readonly isAwaited: boolean } | { readonly work: () => unknown };

/** A generator, so that a store without answers to wait for need not wait. */
export type Plan<T> = Generator<Asked, T, unknown>;

/** The lines that a statement finds. */
export function* find(text: string, values: readonly Value[] = []): Plan<readonly Found[]> {
  return (yield* findAll([{ text, values }]))[0] ?? [];
}

/** The first of them; null where there is none. */
export function* findOne(text: string, values: readonly Value[] = []): Plan<Found | null> {
  return (yield* find(text, values))[0] ?? null;
}

/** Several that are asked before the answer of any. */
export function* findAll(all: readonly Statement[]): Plan<readonly (readonly Found[])[]> {
  return (yield { all, isAwaited: true }) as readonly (readonly Found[])[];
}

/** A statement whose answer nothing of the plan depends on. It is waited for at the end, and fails the plan where it fails. */
export function* send(text: string, values: readonly Value[] = []): Plan<void> {
  yield { all: [{ text, values }], isAwaited: false };
}

/** Takes a lock until the end of the commit: what is asked behind it sees what others wrote before. */
export function* lock(text: string, values: readonly Value[] = []): Plan<void> {
  yield { all: [{ text, values, isLock: true }], isAwaited: false };
}

/** What only this store does, at once or with a promise. */
export function* native<T>(work: () => T | Promise<T>): Plan<T> {
  return (yield { work }) as T;
}

/** Carries out a plan that nothing is waited for in. */
export function carryOut<T>(plan: Plan<T>, ask: (statement: Statement) => readonly Found[]): T {
  for (let step = plan.next(); ;) {
    if (step.done === true) return step.value;
    const { value: asked } = step;
    step = plan.next('work' in asked ? asked.work() : asked.all.map(ask));
  }
}

/** Carries out a plan whose statements are answered in time. */
export async function carryOutInTime<T>(
  plan: Plan<T>,
  ask: (statement: Statement) => Promise<readonly Found[]>,
): Promise<T> {
  const unawaited: Promise<unknown>[] = [];
  for (let step = plan.next(); ;) {
    if (step.done === true) {
      await Promise.all(unawaited);
      return step.value;
    }
    const { value: asked } = step;
    if ('work' in asked) step = plan.next(await asked.work());
    else {
      const answers = Promise.all(asked.all.map(ask));
      answers.catch(() => undefined);
      if (!asked.isAwaited) unawaited.push(answers);
      step = plan.next(asked.isAwaited ? await behind(unawaited, answers) : []);
    }
  }
}

/** Of statements that fail one after the other, the first says why. */
async function behind<T>(unawaited: readonly Promise<unknown>[], answers: Promise<T>): Promise<T> {
  try {
    return await answers;
  } catch (error) {
    await Promise.all(unawaited);
    throw error;
  }
}

/** How a store commits and reads. A plan may be made again, where its commit met another one. */
export type Ways = {
  readonly run: RunId;
  readonly write: <T>(plan: () => Plan<T>) => Promise<T>;
  readonly read: <T>(plan: () => Plan<T>) => Promise<T>;
};

/** A yes or no of a statement, which SQLite writes as a number. */
export function isTrue(value: Found[string]): boolean {
  return value === true || value === 1;
}
