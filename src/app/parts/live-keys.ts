// The keys as they are at this moment. They are the one thing that changes under a process that goes on: whoever calls or listens asks for
// them each time anew, so that a rotated key is used from the next call on.
import type { WebhookKeys } from '../config/listeners.ts';

export class LiveKeys implements WebhookKeys {
  #keys: Required<WebhookKeys>;

  constructor(keys: Required<WebhookKeys>) {
    this.#keys = keys;
  }

  /** The key of the calls, which also signs the notifications. */
  get apiKey(): string {
    return this.#keys.apiKey;
  }

  get other(): Required<WebhookKeys>['other'] {
    return this.#keys.other;
  }

  change(keys: Required<WebhookKeys>): void {
    this.#keys = keys;
  }
}
