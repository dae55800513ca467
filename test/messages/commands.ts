/** An option, or a command behind a quotation mark or a colon: elsewhere `paydrop` is the subject of a sentence. */
export const COMMAND =
  /(?<![\w-])--[a-z]|["«:\s]\s*paydrop [a-z]+ (?:--|[A-Z<⟨])|["«:]\s*paydrop [a-z]|["«]\s*(?:run|watch)\b|\bnpx\b/;
