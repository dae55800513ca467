// What stands between this process and the service, as the last call met it, in words with a remedy: a person who reads that the service is out of reach
// learns from them what to mend.
import { joinWords, type Words } from '../../base/language.ts';
import type { Log } from '../../base/log.ts';
import { sentence } from '../../messages/messages.ts';
import type { Fault } from '../../service/errors.ts';
import type { NetworkCause } from '../../service/network-cause.ts';

export const CAUSE_WORDS: Readonly<Record<NetworkCause, Words>> = {
  name: sentence('network.name'),
  refused: sentence('network.refused'),
  'no-route': sentence('network.no-route'),
  late: sentence('network.late'),
  broken: sentence('network.broken'),
  'certificate-unknown': sentence('network.certificate-unknown'),
  'certificate-expired': sentence('network.certificate-expired'),
  'certificate-early': sentence('network.certificate-early'),
  'certificate-name': sentence('network.certificate-name'),
  'no-tls': sentence('network.no-tls'),
  proxy: sentence('network.proxy'),
  'proxy-login': sentence('network.proxy-login'),
  portal: sentence('network.portal'),
};

/** Nobody but a person ends these. */
const FOR_A_PERSON: ReadonlySet<NetworkCause> = new Set([
  'name',
  'certificate-unknown',
  'certificate-expired',
  'certificate-early',
  'certificate-name',
  'no-tls',
  'proxy',
  'proxy-login',
  'portal',
]);

export class ServiceTrouble {
  readonly #log: Log;
  #cause: NetworkCause | null = null;
  #isOver = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** How a call ended: with a fault, or with an answer (null). The log has each cause once, when it begins. */
  hear(fault: Fault | null): void {
    const cause = fault?.context.networkCause ?? null;
    if (this.#isOver || cause === this.#cause) return;
    this.#cause = cause;
    if (cause !== null)
      this.#log.warn('the service is out of reach', { reason: cause, remedy: CAUSE_WORDS[cause].en });
  }

  /** From now on calls end because this process ends, which says nothing of the service. */
  end(): void {
    this.#isOver = true;
  }

  /** Null where the service answers, or where nothing is known of why it does not. */
  get cause(): NetworkCause | null {
    return this.#cause;
  }

  /** True while nothing but a person can end it. */
  get needsPerson(): boolean {
    return this.#cause !== null && FOR_A_PERSON.has(this.#cause);
  }

  /** Why a file waits for the service. */
  get words(): Words {
    return serviceWords(this.#cause);
  }
}

/** Why a file waits for the service, by the cause as far as it is known. */
export function serviceWords(cause: NetworkCause | null | undefined): Words {
  if (cause === null || cause === undefined) return sentence('waitForService.service');
  return joinWords([CAUSE_WORDS[cause], sentence('waitForService.goesOn')]);
}
