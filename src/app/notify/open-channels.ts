// The channels of the config, each opened once.
import { createHmac } from 'node:crypto';

import { createTransport } from 'nodemailer';

import { startDeadline } from '../../base/clock.ts';
import type { ChannelName } from '../../ledger/notices.ts';
import { Cut, NotSent, type TransportRequest } from '../../service/transport.ts';
import { undiciTransport } from '../../service/undici-transport.ts';
import { type Config, proxyOfHook } from '../config/config.ts';
import { isLoopback } from '../config/listeners.ts';
import type { EmailConfig, HookConfig, NoticeMessage } from '../config/notify-config.ts';
import type { Channel, TellingFault } from './channel.ts';

export function openChannels({ notify, notifySecrets, service }: Config): ReadonlyMap<ChannelName, Channel> {
  const { email, hook } = notify;
  const channels = [
    ...(email === undefined ? [] : [emailChannel(email, notifySecrets?.smtpPassword ?? null)]),
    ...(hook === undefined
      ? []
      : [hookChannel(hook, notifySecrets?.hookSecret ?? null, (url) => proxyOfHook({ service }, url))]),
  ];
  return new Map(channels.map((channel) => [channel.name, channel]));
}

// The HTTP hook of the config: the message as JSON, signed over its exact bytes. It uses the same transport as the payments, which follows no
// redirect, repeats nothing and reads no endless response.

/** Lowercase hexadecimal HMAC-SHA256 of the raw body, keyed by the secret. */
const HOOK_SIGNATURE_HEADER = 'x-paydrop-signature';

function hookChannel(
  { url: text, timeout: timeoutMs }: HookConfig,
  secret: string | null,
  proxyFor: (url: URL) => URL | null,
): Channel {
  const url = new URL(text);
  // One that listens on this machine is not known to any proxy.
  const proxy = isLoopback(url) ? null : proxyFor(url);
  const ask = (request: TransportRequest) => askOnce(url, proxy, request);
  const path = url.pathname + url.search;
  return {
    name: 'hook',
    shown: url.host,
    send: async (message) => {
      const body = Buffer.from(JSON.stringify(message));
      const headers = headersOf(body, message.id, secret);
      const status = await ask({ method: 'POST', path, headers, body, timeoutMs });
      return typeof status === 'number' ? faultOfStatus(status) : status;
    },
    // Any response shows that a server listens; a receiver of messages need not accept this question.
    verify: async () => {
      const status = await ask({ method: 'GET', path, headers: AGENT, body: null, timeoutMs });
      if (typeof status !== 'number') return status;
      return status >= 300 && status < 400 ? 'redirected' : null;
    },
  };
}

/** Messages are rare, so a connection that is kept open would only be one more that can break. */
export async function askOnce(
  url: URL,
  proxy: URL | null,
  request: TransportRequest,
): Promise<number | TellingFault> {
  const { transport, close } = undiciTransport(new URL(url.origin), 1, proxy);
  try {
    return (await transport(request)).status;
  } catch (error) {
    return hookFault(error);
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

/** A receiver computes this over the received bytes, and compares it in constant time. */
function signHook(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

export function faultOfStatus(status: number): TellingFault | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirected';
  return status === 401 || status === 403 ? 'login' : 'refused';
}

function hookFault(error: unknown): TellingFault {
  if (error instanceof NotSent)
    return /^certificate|^no-tls/.test(error.networkCause) ? 'tls' : 'unreachable';
  if (error instanceof Cut) return error.reason === 'too-large' ? 'refused' : LATE[error.reason];
  throw error;
}

const LATE = { timeout: 'late', connection: 'unreachable' } as const;

// E-mail through the SMTP server of the config. The message is plain text in one part; addresses come from the config, or from a person who has confirmed the own one. Text that strangers
// wrote stands only in the subject and the body, where nodemailer encodes it.

/** For connecting and the server's greeting; the config bounds the whole. */
const CONNECT_MS = 10_000;

/** A server's reply has only a few lines. */
const ANSWER_BYTES_MAX = 64 * 1024;

function emailChannel(email: EmailConfig, password: string | null): Channel {
  const { host, port, timeout } = email;
  const transport = transportOf(email, password);
  return {
    name: 'email',
    shown: `${host}:${String(port)}`,
    send: (message, signal, own) =>
      within(timeout, signal, async (deadline) => {
        const to = own === undefined ? receiversOf(email) : [own];
        const { rejected } = await transport.sendMail({
          ...mailOf(email.from, to, message),
          signal: deadline,
        });
        // The other receivers have it already, and a second try would send it to them again.
        return rejected.length > 0 && rejected.length === to.length ? 'receivers' : null;
      }),
    verify: () =>
      within(timeout, null, async () => {
        await transport.verify();
        return null;
      }),
  };
}

function transportOf({ host, port, security, user, timeout }: EmailConfig, password: string | null) {
  return createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user === undefined || password === null ? {} : { auth: { user, pass: password } }),
    connectionTimeout: Math.min(CONNECT_MS, timeout),
    greetingTimeout: Math.min(CONNECT_MS, timeout),
    dnsTimeout: Math.min(CONNECT_MS, timeout),
    socketTimeout: timeout,
    // A server that delays the end of a connection delays nobody.
    socketCloseTimeout: 0,
    maxResponseSize: ANSWER_BYTES_MAX,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
}

function receiversOf({ to }: EmailConfig): readonly string[] {
  return typeof to === 'string' ? [to] : to;
}

function mailOf(from: string, to: readonly string[], { id, at, event, batch, subject, text }: NoticeMessage) {
  const [, domain = 'paydrop.invalid'] = from.split('@');
  return {
    from,
    to: [...to],
    subject,
    text,
    date: new Date(at),
    messageId: `<${id}@${domain}>`,
    headers: {
      // Out-of-office programs do not reply to it.
      'Auto-Submitted': 'auto-generated',
      'X-Paydrop-Event': event,
      ...(batch === null ? {} : { 'X-Paydrop-Batch': batch }),
    },
  };
}

async function within(
  timeoutMs: number,
  signal: AbortSignal | null,
  work: (deadline: AbortSignal) => Promise<TellingFault | null>,
): Promise<TellingFault | null> {
  const deadline = startDeadline(timeoutMs);
  try {
    return await work(signal === null ? deadline.signal : AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    return faultOf(error);
  } finally {
    deadline.clear();
  }
}

/** By nodemailer's own codes; any further detail it has is not reported. */
const FAULTS: Readonly<Record<string, TellingFault>> = {
  EAUTH: 'login',
  ENOAUTH: 'login',
  EENVELOPE: 'receivers',
  ETLS: 'tls',
  ETIMEDOUT: 'late',
  EABORT: 'late',
  ECONNECTION: 'unreachable',
  EDNS: 'unreachable',
};

function faultOf(error: unknown): TellingFault {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code !== 'ESOCKET') return FAULTS[code] ?? 'refused';
  const words = error instanceof Error ? error.message : '';
  return /certificate|self.signed|SSL|TLS/i.test(words) ? 'tls' : 'unreachable';
}
