// The keys that a notification may be signed with. While the API key is changed, the service and we do not change at the same moment, so a second
// one may count for a time; an end is always set, because a forgotten old key is a key of somebody else.

export type WebhookKeys = {
  readonly apiKey: string;
  /** The key before or the key to come; `until` in ms since 1970. */
  readonly other?: { readonly apiKey: string; readonly until: number } | null;
};

export function validKeys({ apiKey, other = null }: WebhookKeys, now: number): readonly string[] {
  return other !== null && now < other.until ? [apiKey, other.apiKey] : [apiKey];
}
