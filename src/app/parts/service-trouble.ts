// What stands between this process and the service, as the last call met it, in words with a remedy: a person who reads that the service is out of reach
// learns from them what to mend.
import { joinWords, type Words } from '../../base/language.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { sentence } from '../../messages/messages.ts';
import { type Fault, Unanswered, Unavailable } from '../../service/errors.ts';
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

/** A restart, a deployment, a cable: most outages end by themselves within this time (grace period). One that does not is a person's. */
export const OUTAGE_ENDS_MS = 15 * 60_000;

export class ServiceTrouble {
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #cause: NetworkCause | null = null;
  /** Monotonic: the first call since the last answer that got none. */
  #awaySince: number | null = null;
  #isOver = false;

  constructor(log: Log, clock: Pick<Clock, 'monotonic'>) {
    this.#log = log;
    this.#clock = clock;
  }

  /** How a call ended: with a fault, or with an answer (null). The log has each cause once, when it begins. */
  hear(fault: Fault | null): void {
    if (this.#isOver) return;
    this.#awaySince = fault !== null && isAway(fault) ? (this.#awaySince ?? this.#clock.monotonic()) : null;
    const cause = fault?.context.networkCause ?? null;
    if (cause === this.#cause) return;
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

  /** True while nothing but a person can end it, and once it has lasted longer than what ends by itself. */
  get needsPerson(): boolean {
    if (this.#cause !== null && FOR_A_PERSON.has(this.#cause)) return true;
    return this.#awaySince !== null && this.#clock.monotonic() - this.#awaySince >= OUTAGE_ENDS_MS;
  }

  /** Why a file waits for the service. */
  get words(): Words {
    return serviceWords(this.#cause);
  }
}

/** False where the service itself has answered, be it with a refusal. */
function isAway(fault: Fault): boolean {
  if (fault.context.networkCause !== undefined) return true;
  if (fault instanceof Unavailable) return fault.reason === 'unreachable' || fault.reason === 'overloaded';
  return fault instanceof Unanswered && !fault.isOdd;
}

/** Why a file waits for the service, by the cause as far as it is known. */
export function serviceWords(cause: NetworkCause | null | undefined): Words {
  if (cause === null || cause === undefined) return sentence('waitForService.service');
  return joinWords([CAUSE_WORDS[cause], sentence('waitForService.goesOn')]);
}
