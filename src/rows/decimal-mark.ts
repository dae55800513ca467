// Which of the two marks divides whole from fraction is the one question about numbers that money hangs on.

/** Thousands are then divided by the other mark, a space of any kind or an apostrophe. */
export type DecimalMark = '.' | ',';
