// What a file stands at once nobody works on it any more. It lies apart because every command has these words at hand, and few of them load a ledger.
const LEFT: ReadonlySet<string> = new Set(['checking', 'asking-prices', 'paying']);

/** The same once nobody works on it any more: at the end of a command. */
export function leftAs<Standing extends string>(standing: Standing): Standing | 'interrupted' {
  return LEFT.has(standing) ? 'interrupted' : standing;
}
