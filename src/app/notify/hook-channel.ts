// The HTTP hook of the config: the message as JSON, signed over its exact bytes. It goes through the same transport as the payments, which follows
// no redirect, repeats nothing and reads no endless answer.
import { createHmac } from 'node:crypto';

import { Cut, NotSent, type TransportRequest } from '../../service/transport.ts';
import { undiciTransport } from '../../service/undici-transport.ts';
import type { Channel, TellingFault } from './channel.ts';
import type { HookConfig } from '../config/notify-config.ts';

/** Lowercase hexadecimal HMAC-SHA256 of the raw body, keyed by the secret. */
export const HOOK_SIGNATURE_HEADER = 'x-paydrop-signature';

export function hookChannel({ url: text, timeout: timeoutMs }: HookConfig, secret: string | null): Channel {
  const url = new URL(text);
  const path = url.pathname + url.search;
  return {
    name: 'hook',
    shown: url.host,
    send: async (message) => {
      const body = Buffer.from(JSON.stringify(message));
      const headers = headersOf(body, message.id, secret);
      const status = await ask(url, { method: 'POST', path, headers, body, timeoutMs });
      return typeof status === 'number' ? faultOfStatus(status) : status;
    },
    // Any answer at all shows that somebody listens; whoever takes messages only need not like the question.
    verify: async () => {
      const status = await ask(url, { method: 'GET', path, headers: AGENT, body: null, timeoutMs });
      if (typeof status !== 'number') return status;
      return status >= 300 && status < 400 ? 'redirected' : null;
    },
  };
}

/** Messages are few and far between: a connection that is kept would only be a connection to lose. */
async function ask(url: URL, request: TransportRequest): Promise<number | TellingFault> {
  const { transport, close } = undiciTransport(new URL(url.origin), 1);
  try {
    return (await transport(request)).status;
  } catch (error) {
    return faultOf(error);
  } finally {
    await close();
  }
}

const AGENT = { 'user-agent': 'paydrop' };

function headersOf(body: Buffer, key: string, secret: string | null): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    ...AGENT,
    'idempotency-key': key,
    ...(secret === null ? {} : { [HOOK_SIGNATURE_HEADER]: signHook(secret, body) }),
  };
}

/** What a receiver computes over the bytes that came, and compares in constant time. */
export function signHook(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function faultOfStatus(status: number): TellingFault | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirected';
  return status === 401 || status === 403 ? 'login' : 'refused';
}

function faultOf(error: unknown): TellingFault {
  if (error instanceof NotSent) return /CERT|SIGN/.test(error.message) ? 'tls' : 'unreachable';
  if (error instanceof Cut) return error.reason === 'too-large' ? 'refused' : LATE[error.reason];
  throw error;
}

const LATE = { timeout: 'late', connection: 'unreachable' } as const;
