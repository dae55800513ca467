// A changed config may bring the key of another account. A running daemon uses it once a transfer that its ledger knows proves that it does not; until then it keeps the key it has.
import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import type { Paydrop } from '../parts.ts';
import { accountOf, assertSameAccount } from '../parts/bound-account.ts';
import { describeError } from '../parts/describe-error.ts';

/** The pause before the service is asked once more. */
const AGAIN_MS = 30_000;

type Question = { readonly apiKey: string; answer: 'asked' | 'proven' | Words; askAgainAt: number };

export class KeyProof {
  readonly #wake: () => void;
  #question: Question | null = null;

  /** @param wake is called with every answer. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Whether a key may be used now: `asked` while the service is being asked, or words that say why not yet. */
  of(paydrop: Paydrop, apiKey: string | null): 'proven' | 'asked' | Words {
    if (apiKey === null || apiKey === paydrop.keys.apiKey) return 'proven';
    const question = this.#question;
    const isRefused = typeof question?.answer === 'object';
    if (question?.apiKey === apiKey && !(isRefused && paydrop.clock.now() >= question.askAgainAt))
      return question.answer;
    this.#ask(paydrop, apiKey);
    return 'asked';
  }

  #ask(paydrop: Paydrop, apiKey: string): void {
    const question: Question = { apiKey, answer: 'asked', askAgainAt: 0 };
    this.#question = question;
    const { baseUrl } = paydrop.config;
    assertSameAccount(
      paydrop,
      accountOf({ baseUrl, apiKey }),
      paydrop.asAccount(() => apiKey),
    )
      .then(
        () => {
          question.answer = 'proven';
        },
        (error: unknown) => {
          question.answer = sentence('obeyConfig.key', { words: describeError(error).words });
          question.askAgainAt = paydrop.clock.now() + AGAIN_MS;
        },
      )
      .finally(this.#wake);
  }
}
