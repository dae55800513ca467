// A changed config may bring the key of another account. A running daemon uses it once a transfer that its ledger knows proves that it does not; until then it keeps the config it has.
import { say } from '../../base/language.ts';
import type { Paydrop } from '../parts.ts';
import { accountOf, assertSameAccount } from '../parts/bound-account.ts';
import { describeError } from '../parts/describe-error.ts';
import type { ChangedConfig, Reload } from './config-reload.ts';

/** The pause before the service is asked once more. */
const AGAIN_MS = 30_000;

/** `refused`: why not, in the reader's language. */
type Proof = 'asked' | 'proven' | { readonly refused: string; readonly askAgainAt: number };

export class KeyProof {
  readonly #wake: () => void;
  /** The last changed config, which is not in force yet. */
  #changed: ChangedConfig | null = null;
  #proof: Proof = 'proven';

  /** @param wake is called with every answer of the service. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** The reload, once its key is proven: null until then, `refused` while the service does not show that it is the same account. */
  proven(paydrop: Paydrop, reload: Reload): Reload {
    if (reload !== null && 'refused' in reload) return reload;
    if (reload !== null) {
      this.#changed = reload;
      const { apiKey } = reload.config;
      if (apiKey === null || apiKey === paydrop.keys.apiKey) this.#proof = 'proven';
      else this.#ask(paydrop, apiKey);
    }
    const changed = this.#changed;
    if (changed === null || this.#proof === 'asked') return null;
    if (this.#proof === 'proven') {
      this.#changed = null;
      return changed;
    }
    const { refused, askAgainAt } = this.#proof;
    if (paydrop.clock.now() >= askAgainAt) this.#ask(paydrop, changed.config.apiKey ?? '');
    return { refused };
  }

  #ask(paydrop: Paydrop, apiKey: string): void {
    const asked = this.#changed;
    this.#proof = 'asked';
    const answered = (proof: Proof): void => {
      // Of a config that was changed once more meanwhile nobody asks any longer.
      if (this.#changed === asked) this.#proof = proof;
      this.#wake();
    };
    const { baseUrl, language } = paydrop.config;
    const service = paydrop.asAccount(() => apiKey);
    assertSameAccount(paydrop, accountOf({ baseUrl, apiKey }), service).then(
      () => answered('proven'),
      (error: unknown) => {
        const refused = say(describeError(error).words, language);
        answered({ refused, askAgainAt: paydrop.clock.now() + AGAIN_MS });
      },
    );
  }
}
