// Error answers of the model service: the code alone is promised by the interface, the HTTP status is one of its holes.
import type { Holes } from './plan.ts';

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly errorCode: number;

  constructor(errorCode: number) {
    super(String(errorCode));
    this.errorCode = errorCode;
  }
}

/** Codes that other services answer with 404 or 409. */
const BY_KIND: Readonly<Record<number, number>> = {
  10002: 409,
  10007: 404,
  10008: 404,
  10011: 409,
  10013: 404,
  10014: 404,
  10015: 409,
  10024: 422,
};

export function statusOf(errorCode: number, { refusalStatus }: Holes): number {
  // With 10001 only a 400 is an answer; anything else says that the service broke.
  if (errorCode === 10001) return 400;
  if (refusalStatus === 'all-500') return 500;
  return refusalStatus === 'by-kind' ? (BY_KIND[errorCode] ?? 400) : 500;
}
