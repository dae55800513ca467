// The library: the client of the payout service, webhook signatures, the sandbox, and the whole path of a file. Nothing inside imports this.
export { httpPayoutService } from './service/http-payout-service.ts';
export { undiciTransport } from './service/undici-transport.ts';
export type { Transport, TransportRequest, TransportResponse } from './service/transport.ts';
export { Refused, Unanswered, Unavailable, isFault } from './service/errors.ts';
export type { Fault } from './service/errors.ts';
export type * from './service/payout-service.ts';
export type { Balance, PayoutCorridor, Quotation, Transfer } from './service/wire.ts';
export { SIGNATURE_HEADER, signWebhook, signedPath, verifyWebhook } from './service/webhook-signature.ts';
export { startSandbox } from './sandbox/start-sandbox.ts';
export type { RunningSandbox, SandboxOptions } from './sandbox/start-sandbox.ts';
export { systemClock } from './base/clock.ts';
export { loadConfig } from './app/config/config.ts';
export { compose } from './app/compose.ts';
export type { Paydrop } from './app/parts.ts';
export { processBatch } from './app/workflow/process-batch.ts';
export { silentLog } from './base/log.ts';
