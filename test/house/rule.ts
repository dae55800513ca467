// What a rule of the house is: a fact about the sources, and a made-up house that breaks it, so that no rule can rot into one that never fails.
import type ts from 'typescript';

import { nodesOf, placeOf, type Source } from './sources.ts';

export type Rule = {
  readonly fact: string;
  /** The places that break the rule, each with what is wrong there. */
  readonly violations: (house: readonly Source[]) => readonly string[];
  /** Houses that break the rule, each on its own. */
  readonly broken: readonly Files[];
  /** The same need met within the rule. */
  readonly sound: Files;
};

/** Path → text. */
export type Files = Readonly<Record<string, string>>;

/** A rule about single nodes: `wrong` says what is wrong with one, or null. Each broken file breaks it alone. */
export function nodeRule(
  fact: string,
  wrong: (node: ts.Node, source: Source) => string | null,
  broken: Files,
  sound: Files,
): Rule {
  const violations = (house: readonly Source[]) =>
    house.flatMap((source) =>
      [...nodesOf(source.ast)].flatMap((node) => {
        const found = wrong(node, source);
        return found === null ? [] : [`${placeOf(source, node)} ${found}`];
      }),
    );
  return { fact, violations, broken: oneByOne(broken), sound };
}

/** A rule about whole files: `wrong` says what is wrong with one, or null. Each broken file breaks it alone. */
export function fileRule(
  fact: string,
  wrong: (source: Source) => string | null,
  broken: Files,
  sound: Files,
): Rule {
  const violations = (house: readonly Source[]) =>
    house.flatMap((source) => {
      const found = wrong(source);
      return found === null ? [] : [`${source.path} ${found}`];
    });
  return { fact, violations, broken: oneByOne(broken), sound };
}

function oneByOne(files: Files): readonly Files[] {
  return Object.entries(files).map(([path, text]) => ({ [path]: text }));
}
