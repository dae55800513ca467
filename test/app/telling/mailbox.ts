// An SMTP server of the test's own on loopback: it keeps every mail as it came over the wire, and can refuse, ask for a login, or be away.
import { type AddressInfo } from 'node:net';

import { SMTPServer } from 'smtp-server';
import { afterEach } from 'vitest';

export type Mail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  /** Header names in lower case; folded lines are put together, encoded words are read. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
};

export type Mailbox = {
  readonly port: number;
  readonly mails: Mail[];
  readonly close: () => Promise<void>;
};

export type MailboxOptions = {
  readonly port?: number;
  readonly login?: { readonly user: string; readonly password: string };
  readonly refuses?: (to: string) => boolean;
  readonly tls?: { readonly key: string; readonly cert: string };
};

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

export async function mailbox(options: MailboxOptions = {}): Promise<Mailbox> {
  const mails: Mail[] = [];
  const { login, refuses = () => false, tls } = options;
  const server = new SMTPServer({
    logger: false,
    ...(tls === undefined ? { disabledCommands: ['STARTTLS'] } : tls),
    authOptional: login === undefined,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      if (username === login?.user && password === login?.password) done(null, { user: username });
      else done(new Error('no such user'));
    },
    onRcptTo: ({ address }, _session, done) => done(refuses(address) ? new Error('no such mailbox') : null),
    onData: (stream, { envelope }, done) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const raw = Buffer.concat(pieces).toString('utf8');
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw, ...parse(raw) });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  let isOpen = true;
  const close = (): Promise<void> =>
    isOpen ? new Promise((resolve) => server.close(() => resolve(void (isOpen = false)))) : Promise.resolve();
  open.push(close);
  return { port, mails, close };
}

function parse(raw: string): Pick<Mail, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), readWords(line.slice(colon + 1).trim())] as const;
    }),
  );
  return { headers, text: readBody(raw.slice(end + 4), headers.get('content-transfer-encoding') ?? '') };
}

/** RFC 2047, as far as nodemailer uses it. */
function readWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('latin1')
        : readQuoted(text.replaceAll('_', ' ')),
    )
    .replace(/[\u0080-\u00ff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString('utf8'));
}

function readBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  return Buffer.from(readQuoted(body.replace(/=\r\n/g, '')), 'latin1').toString('utf8');
}

/** Bytes, as Latin-1. */
function readQuoted(text: string): string {
  return text.replace(/=([0-9A-F]{2})/gi, (_all, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  );
}
