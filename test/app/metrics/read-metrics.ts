// Reads the text format strictly, as a scraper does: anything that is not exactly in its form fails the test.
export type ReadMetrics = {
  /** `name{label="value",…}` as it stands → its number. */
  readonly values: ReadonlyMap<string, number>;
  /** Name of a family → its type. */
  readonly types: ReadonlyMap<string, string>;
};

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HELP = new RegExp(`^# HELP (${NAME}) \\S.*$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|[+-]Inf|NaN)$`,
);

export function readMetrics(text: string): ReadMetrics {
  const values = new Map<string, number>();
  const types = new Map<string, string>();
  if (!text.endsWith('\n')) throw new Error('The last line has no end.');
  let family = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const help = HELP.exec(line)?.[1];
    const [, typed, type] = TYPE.exec(line) ?? [];
    const [, name, labels, value] = SAMPLE.exec(line) ?? [];
    if (help !== undefined) {
      if (types.has(help)) throw new Error(`${help} comes twice.`);
      family = help;
    } else if (typed !== undefined && type !== undefined) {
      if (typed !== family) throw new Error(`${typed} has no help.`);
      types.set(typed, type);
    } else if (name !== undefined) {
      const base = types.get(family) === 'histogram' ? name.replace(/_(bucket|sum|count)$/, '') : name;
      if (base !== family) throw new Error(`${name} stands under ${family}.`);
      const key = labels === undefined ? name : `${name}{${labels}}`;
      if (values.has(key)) throw new Error(`${key} comes twice.`);
      values.set(key, Number(value));
    } else throw new Error(`not a line of metrics: ${line}`);
  }
  return { values, types };
}
