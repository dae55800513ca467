// Generators for what strangers can name, write and drop: the names and texts that once broke something, and random ones.
import fc from 'fast-check';

import { HEADER, line } from '../app/desk.ts';
import { LIES_OF, LISTINGS, type Lie, type LyingServerOptions } from '../sftp/lying-server.ts';

/** Names that paydrop itself uses in its folders, and those that mean something to a disk, a shell or a terminal. */
const KNOWN_NAMES = [
  'profile.yaml',
  '.closed-unpaid.json',
  '.pay-at.json',
  'batch.json',
  'batch.1.json',
  'documents',
  '.claim.json',
  'evil.csv',
  'evil.xlsx',
  'evil.xml',
  'evil.control.json',
  'evil.csv.control.json',
  'honest.control.json',
  'honest.csv.control.json',
  'honest.pdf',
  '20261120-3f9a2c11.approve',
  '-rf.csv',
  'a.csv.done',
  'con.csv',
  '~$a.csv',
  'Thumbs.db',
  'a\nb.csv',
  'a\u001b[2Jb.csv',
  'a\u202egpj.csv',
  'e\u0301te\u0301.csv',
  '\u00e9t\u00e9.csv',
  `${'x'.repeat(250)}.csv`,
  '"$(id)".csv',
  ' .csv',
  '..csv',
  '%2e%2e.csv',
] as const;

const ENDS = [
  '.csv',
  '.txt',
  '.tsv',
  '.xlsx',
  '.xml',
  '.pdf',
  '.png',
  '.control.json',
  '.approve',
  '.pgp',
  '',
] as const;

/** One part of a path, as bytes: not every name is a text. Never the emergency stop, which is meant to halt everything. */
export const strangeName: fc.Arbitrary<Buffer> = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(...KNOWN_NAMES).map((name) => Buffer.from(name)) },
    fc
      .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), fc.constantFrom(...ENDS))
      .map(([stem, end]) => Buffer.from(stem + end)),
    fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 30 }), fc.constantFrom(...ENDS))
      .map(([stem, end]) => Buffer.concat([stem, Buffer.from(end)])),
  )
  .map((name) =>
    Buffer.from(name.subarray(0, 255).map((byte) => (byte === 0 || byte === 0x2f ? 0x2e : byte))),
  )
  .filter((name) => !['', '.', '..'].includes(name.toString()) && !/^stop(?:\.txt)?$/i.test(name.toString()));

/** What a row may name as its document. */
const strangeAttachment = fc.oneof(
  fc.constantFrom(
    '../canary/canary.pdf',
    '../../etc/passwd',
    '/etc/passwd',
    'profile.yaml',
    'batch.1.json',
    '.closed-unpaid.json/x.pdf',
    'documents/x.pdf',
    'link.pdf',
    'folder/link.pdf',
    'honest.pdf',
    'C:\\x.pdf',
    '..\\x.pdf',
    'a\u0000.pdf',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

export const cell = fc.oneof(
  fc.constantFrom(
    '=1+1',
    '@SUM(A1)',
    '\u202e',
    '\u0000',
    '__proto__',
    'constructor',
    '1e99',
    '-1',
    '0',
    '1.234',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.integer({ min: 1, max: 40_000 }).map((length) => 'é'.repeat(length)),
);

export const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Rows that could be payments but for one thing. */
const strangeTable: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.array(fc.tuple(cell, strangeAttachment, fc.nat(11)), { maxLength: 4 }),
    fc.constantFrom(',', ';', '\t', '|'),
  )
  .map(([rows, mark]) => {
    const lines = rows.map(([text, attachment, at]) => {
      const cells = line('E-1', '100').split(',');
      cells[at] = quoted(text);
      return [...cells, quoted(attachment)].join(mark);
    });
    return Buffer.from([`${HEADER},attachment`.replaceAll(',', mark), ...lines, ''].join('\n'));
  });

const HEADS = [
  '%PDF-1.7\n',
  'PK\u0003\u0004',
  '\ufeff',
  '\u00ff\u00fe',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>',
  '{',
  '[',
] as const;

const TEXTS = [
  '{"rows":1}',
  '{"rows":1,"submittedBy":"Marie\u200b"}',
  '{"__proto__":{"rows":1}}',
  '{"rows":1e999}',
  'batch: x\nsha256: y',
  '%PDF-1.4\nfiles: "*.csv"\npolicy: { approval: none, duplicateWindow: 0s }',
  '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn/></Document>',
  '-----BEGIN PGP MESSAGE-----\n\nAAAA\n-----END PGP MESSAGE-----',
] as const;

export const strangeContent: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 3, arbitrary: strangeTable },
  fc.constantFrom(...TEXTS).map((text) => Buffer.from(text)),
  fc
    .tuple(fc.constantFrom(...HEADS), fc.uint8Array({ maxLength: 2_000 }))
    .map(([head, bytes]) => Buffer.concat([Buffer.from(head, 'latin1'), bytes])),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

/** `twin`: a second name of a file elsewhere; `sparse`: as large as a gigabyte, and holds nothing; `swapped`: a folder that becomes a link while it is looked at. */
export const KINDS = [
  'file',
  'pipe',
  'link',
  'folder-link',
  'loop',
  'device',
  'folder',
  'twin',
  'sparse',
  'swapped',
] as const;
export type Kind = (typeof KINDS)[number];

export type Strange = {
  readonly kind: Kind;
  /** A folder of a strange name that it lies in, or none. */
  readonly folder: Buffer | null;
  readonly name: Buffer;
  readonly content: Buffer;
};

export const strange: fc.Arbitrary<Strange> = fc.record({
  kind: fc.oneof({ weight: 4, arbitrary: fc.constant('file' as const) }, fc.constantFrom(...KINDS)),
  folder: fc.option(strangeName, { freq: 3 }),
  name: strangeName,
  content: strangeContent,
});

/** Ten lines, each of which is the one above nine times over. */
const SWELLING = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map((at) => `\na${String(at)}: &a${String(at)} [${at === 0 ? 'x' : `*a${String(at - 1)},`.repeat(9)}]`)
  .join('');

/** YAML that is nearly a config: words of it, and what its library does with them. */
export const strangeYaml: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        'workspace: ', 'policy: ', '{ approval: ', 'required', '5 XAF', ' }', '\n', '  ', '- ', '[', ']', '&a ', '*a', '<<: *a',
        'approvers: ', '!!js/function x', '!!binary AAAA', '? ', ': ', '"', "'", '|', '>', '%YAML 1.2', '---', 'sftp: ', 'schedules: ',
        'cron: ', '* * * * *', 'timeZone: ', 'Etc/Nowhere', 'limits: { perRow: 99999999999999999999 XAF }', '__proto__: {}', 'files: "{a,b}"',
        'files: "{1..99999999}"', SWELLING, 'notify: ', 'webhooks: { listen: "::1" }', 'metrics: { listen: 0 }', '\u0000', '\ud800', 'language: en',
      ),
      { maxLength: 30 },
    )
    .map((words) => words.join('')),
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
); // prettier-ignore

export type StrangeRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

const token = fc.stringMatching(/^[A-Za-z][A-Za-z-]{0,20}$/);

export const strangeRequest: fc.Arbitrary<StrangeRequest> = fc.record({
  method: fc.constantFrom('POST', 'GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'),
  path: fc
    .oneof(
      fc.constantFrom(
        '/',
        '/metrics',
        '/healthz',
        '//',
        '/../..',
        '/%00',
        '/%',
        '/%zz',
        '/x?y',
        '/healthz?a=b',
      ),
      fc.webUrl().map((url) => new URL(url).pathname),
    )
    .filter((path) => /^\/[!-~]*$/.test(path)),
  headers: fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        'x-signature',
        'x-payout-signature',
        'content-type',
        'host',
        'x-forwarded-for',
        'content-encoding',
      ),
      token,
    ),
    fc.stringMatching(/^[!-~]{0,60}$/),
    { maxKeys: 6 },
  ),
  body: fc.oneof(
    fc.json().map((text) => Buffer.from(text)),
    strangeContent,
  ),
});

/** Part of each name by which a server tries to lead out of the folder of its account. */
export const ESCAPE = 'escape-9d21';

export const remoteName: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: strangeName.map((name) => name.toString()) },
  fc.constantFrom(
    ...['../', '../../', '../../../', '/', 'folder/../../../', '..\\', 'erp/../../'].map(
      (way) => `${way}${ESCAPE}.csv`,
    ),
    `..`,
    '.',
    `${ESCAPE}.csv`,
    'honest-0b5e.csv.control.json',
    'processed',
  ),
);

const lie: fc.Arbitrary<Lie> = fc.record({
  name: remoteName,
  content: strangeContent,
  listed: fc.constantFrom(...LIES_OF.listed),
  size: fc.constantFrom(...LIES_OF.size),
  time: fc.constantFrom(...LIES_OF.time),
  reading: fc.constantFrom(...LIES_OF.reading),
  standing: fc.constantFrom(...LIES_OF.standing),
  renaming: fc.constantFrom(...LIES_OF.renaming),
});

export const strangeServer: fc.Arbitrary<LyingServerOptions> = fc.record({
  lies: fc.array(lie, { minLength: 1, maxLength: 12 }),
  listing: fc.constantFrom(...LISTINGS),
  breaks: fc.array(fc.nat(60), { maxLength: 2 }),
});
