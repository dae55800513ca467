// Arguments of the programs that measure and prove: an invalid number would prove nothing, and look as if it did.
import { Command, InvalidArgumentError } from 'commander';

/** Wrong usage, as `paydrop` itself ends with it. */
export const WRONG_USAGE = 2;

/** A program under the name by which it is called; an argument that it does not understand ends it with 2 and one sentence. */
export function program(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .allowExcessArguments(false)
    .showHelpAfterError('--help lists the options.')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE));
}

export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= least && value <= most) return value;
    const bounds =
      most === Number.MAX_SAFE_INTEGER
        ? `of at least ${String(least)}`
        : `from ${String(least)} to ${String(most)}`;
    throw new InvalidArgumentError(`It takes a whole number ${bounds}.`);
  };

/** Minutes, percents: more than 0. */
export function positive(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It takes a number above 0.');
}
