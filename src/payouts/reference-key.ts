// References that a person takes for one: a program between two exports may change their case, spaces, punctuation or leading zeros.

/** What two writings of one reference have in common; empty when it holds neither letter nor digit. Two keys that agree are a suspicion, not a proof. */
export function referenceKey(reference: string): string {
  return (
    reference
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/\s+/gu, '')
      // What stands between two digits tells dates and sub-numbers apart: 1-11 is not 11-1. Elsewhere it is decoration.
      .replace(/(?<=\p{Nd})[^\p{L}\p{Nd}]+(?=\p{Nd})/gu, '-')
      .replace(/[^\p{L}\p{Nd}-]|(?<!\p{Nd})-|-(?!\p{Nd})/gu, '')
      .replace(/(?<!\p{Nd})0+(?=\p{Nd})/gu, '')
  );
}
