// E-mail through the SMTP server of the config. The message is plain text in one part; addresses come from the config alone, and whatever a
// stranger has named stands in the subject and the text, where nodemailer encodes it.
import { createTransport } from 'nodemailer';

import { startDeadline } from '../../base/clock.ts';
import type { Channel, TellingFault } from './channel.ts';
import type { NoticeMessage } from '../config/notice-events.ts';
import type { EmailConfig } from '../config/notify-config.ts';

/** Connecting, and the greeting of the server; the whole has the config's own bound. */
const CONNECT_MS = 10_000;

/** An answer of a server is a few lines. */
const ANSWER_BYTES_MAX = 64 * 1024;

export function emailChannel(email: EmailConfig, password: string | null): Channel {
  const { host, port, timeout } = email;
  const transport = transportOf(email, password);
  return {
    name: 'email',
    shown: `${host}:${String(port)}`,
    send: (message, signal) =>
      within(timeout, signal, async (deadline) => {
        const { rejected } = await transport.sendMail({ ...mailOf(email, message), signal: deadline });
        // The others have it, and a second try would give it to them twice.
        return rejected.length > 0 && rejected.length === receiversOf(email).length ? 'receivers' : null;
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
    // A server that lets the end of a connection wait holds up nobody.
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

function mailOf(email: EmailConfig, { id, at, event, batch, subject, text }: NoticeMessage) {
  const [, domain = 'paydrop.invalid'] = email.from.split('@');
  return {
    from: email.from,
    to: [...receiversOf(email)],
    subject,
    text,
    date: new Date(at),
    messageId: `<${id}@${domain}>`,
    headers: {
      // Out-of-office programs leave it unanswered.
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

/** By nodemailer's own codes; what it knows beyond them stays untold. */
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
