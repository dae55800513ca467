// What `approve` and `decline` say at their end.
import { say, type Language } from '../base/language.ts';
import type { DecisionEnd } from '../app/desk/commands.ts';
import { complain, print, printJson } from './print.ts';

export function printDecision(
  batch: string,
  end: DecisionEnd,
  { json, language }: { readonly json: boolean; readonly language: Language },
): void {
  const words = say(end.words, language);
  if (json) printJson({ batch, decision: end.kind, code: end.kind === 'refused' ? end.code : null, words });
  else if (end.kind === 'refused') complain(words);
  else print(words);
}
