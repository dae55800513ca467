// The way between a process and the service: it loses, delays, doubles and reorders messages in both directions, and damages answers.
// It is the transport of the real client, which runs above it unchanged.
import {
  Cut,
  NotSent,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../src/service/transport.ts';
import type { Operation, What } from '../invariants/journal.ts';
import { refusedCopy } from './refused-copy.ts';
import { brokenAnswer, forgedAnswer, forgedList, serverError, throttled } from './damage-answer.ts';
import { describeCall } from './describe-call.ts';
import type { Life } from './life.ts';
import type { ModelService, Reply } from './model-service.ts';
import type { Faults } from './plan.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import type { Write } from './witness.ts';

export type NetworkOptions = {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly faults: Faults;
  readonly service: ModelService;
  readonly write: Write;
  readonly isTroubled: () => boolean;
};

type Answered = Omit<Extract<What, { kind: 'answered' }>, 'kind' | 'call' | 'life'>;

type Call = {
  readonly number: number;
  readonly life: Life;
  readonly request: TransportRequest;
  readonly operation: Operation;
};

/** A page that some proxy shows in the place of an answer. */
const NO_REPLY: Reply = { status: 200, headers: {}, body: '', errorCode: null, transfer: null };

type Settle = (answer: () => TransportResponse | Error) => void;

const NO_ANSWER: Answered = {
  httpStatus: null,
  errorCode: null,
  transferId: null,
  status: null,
  serverTime: null,
  damage: null,
};

export class Network {
  /** Nobody can be reached. */
  isOut = false;
  readonly #options: NetworkOptions;
  #calls = 0;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** The transport of one process. */
  transportOf(life: Life, onCall: () => void): Transport {
    return (request) => {
      onCall();
      return life.act('call', () => this.#send(life, request));
    };
  }

  /** The same without delay and damage, for what happens while time stands still. What the service shows may lag all the same. */
  transportAtOnce(life: Life): Transport {
    return (request) => {
      const call = this.#asked(life, request);
      this.#options.write({ kind: 'arrived', call: call.number, copy: 0 });
      return Promise.resolve(
        this.#delivered(call, this.#options.service.handle({ ...request, by: 'us' }), null),
      );
    };
  }

  #asked(life: Life, request: TransportRequest): Call {
    const number = ++this.#calls;
    const { method, path, body, headers } = request;
    const described = describeCall(method, path, body);
    const apiKey = headers['x-api-key'] ?? '';
    const line = `${method} ${path}`;
    this.#options.write({ kind: 'sent', call: number, life: life.id, line, apiKey, ...described });
    return { number, life, request, operation: described.operation };
  }

  async #send(life: Life, request: TransportRequest): Promise<TransportResponse> {
    const { write } = this.#options;
    const call = this.#asked(life, request);
    const { number } = call;
    const answer = this.isOut || this.#happens('notSent') ? new NotSent('out') : await this.#exchange(call);
    if (answer instanceof Error) {
      const damage = answer instanceof NotSent ? 'unsent' : null;
      write({ kind: 'answered', call: number, life: life.id, ...NO_ANSWER, damage });
      throw answer;
    }
    return answer;
  }

  #exchange(call: Call): Promise<TransportResponse | Error> {
    const { scheduler, random } = this.#options;
    return new Promise((resolve) => {
      let isOver = false;
      // The first that comes counts; what comes later finds nobody who waits.
      const settle: Settle = (answer) => {
        if (isOver) return;
        isOver = true;
        deadline.cancel();
        resolve(answer());
      };
      const deadline = scheduler.after(call.request.timeoutMs, () => settle(() => new Cut('timeout')));
      if (call.operation === 'confirm' && this.#happens('refusedCopy')) {
        const refusal = refusedCopy(random, scheduler.now);
        scheduler.after(this.#hop(), () => settle(() => this.#delivered(call, refusal, null)));
        scheduler.after(random.between(0, this.#options.faults.lateMsMost), () =>
          this.#arrive(call, 1, settle),
        );
        return;
      }
      for (const [copy, ms] of this.#ways(call.operation).entries())
        scheduler.after(ms, () => this.#arrive(call, copy, settle));
      if (this.#happens('answerLost') && random.chance(0.3))
        scheduler.after(this.#hop(), () => settle(() => new Cut('connection')));
    });
  }

  /** When each copy of a request arrives; none when it is lost. */
  #ways(operation: Operation): readonly number[] {
    const { faults, random } = this.#options;
    if (operation === 'confirm' && this.#happens('confirmLost'))
      return random.chance(0.5) ? [] : [random.between(0, faults.lateMsMost)];
    if (this.#happens('requestLost')) return [];
    const late = (): number => random.between(0, faults.lateMsMost);
    const first = this.#happens('requestLate') ? late() : this.#hop();
    return this.#happens('requestTwice')
      ? [first, random.chance(0.5) ? first + this.#hop() : late()]
      : [first];
  }

  #arrive(call: Call, copy: number, settle: Settle): void {
    const { service, random, scheduler, faults, write } = this.#options;
    const isTurnedAway = (this.#happens('serverError') || this.#happens('throttled')) && random.chance(0.4);
    let reply: Reply | null = null;
    if (!isTurnedAway) {
      write({ kind: 'arrived', call: call.number, copy });
      reply = service.handle({ ...call.request, by: 'us' });
    }
    if (this.#happens('answerLost')) return;
    if (call.operation === 'create' && this.#happens('createUnanswered')) return;
    const ms = this.#happens('answerLate') ? random.between(0, faults.lateMsMost) : this.#hop();
    const { answer, damage } = this.#damaged(call, reply);
    scheduler.after(ms, () => settle(() => this.#delivered(call, answer, damage)));
  }

  #damaged(call: Call, reply: Reply | null): { readonly answer: Reply; readonly damage: Answered['damage'] } {
    const { random, scheduler } = this.#options;
    if (reply === null && random.chance(0.3))
      return { answer: brokenAnswer({ ...NO_REPLY }, random), damage: 'broken' };
    if (reply === null || this.#happens('serverError'))
      return {
        answer: random.chance(0.6) ? serverError(random) : throttled(random, scheduler.now),
        damage: 'broken',
      };
    if (this.#happens('throttled')) return { answer: throttled(random, scheduler.now), damage: 'broken' };
    if (this.#happens('answerBroken')) return { answer: brokenAnswer(reply, random), damage: 'broken' };
    const isList = call.operation === 'list';
    const canBeForged = isList || call.operation === 'create' || call.request.path.includes('/ext-');
    const forge = isList ? forgedList : forgedAnswer;
    const forged = canBeForged && this.#happens('answerForged') ? forge(reply, random) : null;
    return forged === null ? { answer: reply, damage: null } : { answer: forged, damage: 'echo' };
  }

  #delivered(
    call: Call,
    { status, headers, body, errorCode, transfer }: Reply,
    damage: Answered['damage'],
  ): TransportResponse {
    const date = Date.parse(headers['date'] ?? '');
    this.#options.write({
      kind: 'answered',
      call: call.number,
      life: call.life.id,
      httpStatus: status,
      errorCode,
      transferId: transfer?.id ?? null,
      status: transfer?.status ?? null,
      serverTime: Number.isNaN(date) ? null : date,
      damage,
    });
    return { status, headers: new Map(Object.entries(headers)), body: Buffer.from(body) };
  }

  #happens(fault: keyof Faults): boolean {
    const { random, faults, isTroubled } = this.#options;
    return faults[fault] > 0 && random.chance(faults[fault]) && isTroubled();
  }

  #hop(): number {
    return this.#options.random.between(2, 150);
  }
}
