// What a person has written for paydrop to obey, and that it cannot.

/** A configuration that cannot be used; its message names the place and the remedy. */
export class ConfigUnusable extends Error {
  override readonly name = 'ConfigUnusable';
}
