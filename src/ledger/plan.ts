// What a ledger does with its tables, said once for every store: a plan asks its statements one after the other, and is handed what each of them finds.
// SQLite carries it out at once, inside its commit; PostgreSQL waits for each answer.
import type { RunId } from '../payouts/progress.ts';
import type { Found } from './seals.ts';

type Scalar = string | number | boolean | null;

/** A list stands for all its items. */
export type Value = Scalar | readonly Scalar[];

/** Lines that a statement is about, which it reads as `FROM lines l`: one store takes all of them at once, the other one after the other. */
type Lines = {
  readonly columns: readonly { readonly name: string; readonly type: LineType }[];
  readonly values: readonly (readonly Scalar[])[];
  /** A commit in which any of them is not met is not made. */
  readonly isEachMet: boolean;
};

type LineType = 'text' | 'int' | 'bigint' | 'boolean' | 'numeric';

/** In the words of PostgreSQL, of which those are used that SQLite knows too, or that `inSqlite` puts into its own. */
export type Statement = {
  readonly text: string;
  readonly values: readonly Value[];
  /** Only takes a lock: nothing that a store with one writer has to do. */
  readonly isLock?: true;
  /** Their columns are numbered behind the values. */
  readonly lines?: Lines;
};

/** Statements that go on their way together, and whether the plan goes on with their answers, without them, or with the promise of them; or work of the store itself. */
type Asked =
  | { readonly all: readonly Statement[]; readonly answer: 'awaited' | 'left' | 'promised' }
  | { readonly work: () => unknown };

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
  return (yield { all, answer: 'awaited' }) as readonly (readonly Found[])[];
}

/** A statement whose answer nothing of the plan depends on. It is waited for at the end, and fails the plan where it fails. */
export function* send(text: string, values: readonly Value[] = []): Plan<void> {
  yield { all: [{ text, values }], answer: 'left' };
}

/** Several that are asked now, and whose answers are read once the plan has ended. */
export function* findLater(all: readonly Statement[]): Plan<Promise<readonly (readonly Found[])[]>> {
  return (yield { all, answer: 'promised' }) as Promise<readonly (readonly Found[])[]>;
}

/** A statement about each of some items. @param columns of a line, by name: its type, and its value of an item. */
export function eachOf<Item>(
  text: string,
  columns: Readonly<Record<string, readonly [LineType, (item: Item) => Scalar | undefined]>>,
  isEachMet = false,
) {
  const names = Object.entries(columns).map(([name, [type]]) => ({ name, type }));
  const readers = Object.values(columns).map(([, value]) => value);
  return (items: readonly Item[], values: readonly Value[] = []): Statement => {
    const lines = items.map((item) => readers.map((value) => value(item) ?? null));
    return { text, values, lines: { columns: names, values: lines, isEachMet } };
  };
}

/** As `find`; like the two below it asks nothing where there are no items. */
export function* findEach(statement: Statement): Plan<readonly Found[]> {
  if (statement.lines?.values.length === 0) return [];
  return (yield* findAll([statement]))[0] ?? [];
}

/** As `send`. */
export function* sendEach(statement: Statement): Plan<void> {
  if (statement.lines?.values.length !== 0) yield { all: [statement], answer: 'left' };
}

/** As `findLater`. */
export function* findEachLater(statement: Statement): Plan<Promise<unknown>> {
  return statement.lines?.values.length === 0 ? Promise.resolve() : yield* findLater([statement]);
}

/** Takes a lock until the end of the commit: what is asked behind it sees what others wrote before. */
export function* lock(text: string, values: readonly Value[] = []): Plan<void> {
  yield { all: [{ text, values, isLock: true }], answer: 'left' };
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
    if ('work' in asked) step = plan.next(asked.work());
    else {
      const answers = asked.all.map(ask);
      step = plan.next(asked.answer === 'promised' ? Promise.resolve(answers) : answers);
    }
  }
}

/** Carries out a plan whose statements are answered in time. @param end whether the answers that it left are waited for, or the commit waits for them. */
export async function carryOutInTime<T>(
  plan: Plan<T>,
  ask: (statement: Statement) => Promise<readonly Found[]>,
  end: 'awaited' | 'left' = 'awaited',
): Promise<T> {
  const unawaited: Promise<unknown>[] = [];
  for (let step = plan.next(); ;) {
    if (step.done === true) {
      if (end === 'awaited') await Promise.all(unawaited);
      return step.value;
    }
    const { value: asked } = step;
    if ('work' in asked) step = plan.next(await asked.work());
    else {
      const answers = Promise.all(asked.all.map(ask));
      answers.catch(() => undefined);
      if (asked.answer !== 'awaited') unawaited.push(answers);
      if (asked.answer === 'promised') step = plan.next(answers);
      else step = plan.next(asked.answer === 'awaited' ? await behind(unawaited, answers) : []);
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

/** Several plans at once: what each of them asks next goes on its way with what the others ask. It is waited for, also where a plan only sends it. */
export function* together<T extends readonly unknown[]>(
  ...plans: { readonly [At in keyof T]: Plan<T[At]> }
): Plan<T> {
  const results: unknown[] = [];
  const steps = plans.map((plan) => plan.next());
  for (;;) {
    const under = steps.flatMap((step, at) => (step.done === true ? [] : [{ at, asked: step.value }]));
    steps.forEach((step, at) => {
      if (step.done === true) results[at] = step.value;
    });
    if (under.length === 0) return results as unknown as T;
    const all = under.map(({ asked }) => statementsIn(asked));
    const answers = yield* findAll(all.flat());
    let from = 0;
    for (const [index, { at }] of under.entries()) {
      const end = from + (all[index]?.length ?? 0);
      const next = plans[at]?.next(answers.slice(from, end));
      if (next !== undefined) steps[at] = next;
      from = end;
    }
  }
}

function statementsIn(asked: Asked): readonly Statement[] {
  if ('work' in asked || asked.answer === 'promised')
    throw new Error('What is asked together are statements whose answers are waited for.');
  return asked.all;
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
