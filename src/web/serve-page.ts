// The page as files: bundled from the sources of a clone when it starts, or as the package carries it. All of it is held in memory, compressed before
// anybody asks, under names that change with the content.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

import { z } from 'zod';

import type { HttpContext } from './call.ts';

/** The sources in a clone, the built page in the package: the same place relative to this file. */
const FOLDER = fileURLToPath(new URL('../page/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Text of these by name; `index.html` is the page itself. */
type PageFiles = ReadonlyMap<string, string>;

/** Null where there is neither a built page nor the means to build one. */
async function pageFiles(): Promise<PageFiles | null> {
  if (existsSync(join(FOLDER, 'main.tsx'))) return bundlePage();
  const names: readonly string[] = await readdir(FOLDER).catch(() => []);
  if (!names.includes('index.html')) return null;
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(FOLDER, name), 'utf8')] as const)),
  );
}

/** Under one name whatever its content, so that a browser takes a new one for the same. */
const WORKER = 'notices-worker.ts';

/** One script, a chunk for each language and for screens that open later, and one style sheet. Null without esbuild, which a clone alone has. */
export async function bundlePage(): Promise<PageFiles | null> {
  const esbuild = await import('esbuild').catch(() => null);
  if (esbuild === null) return null;
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: FOLDER,
    entryPoints: ['main.tsx', 'style.css', WORKER],
    outdir: 'out',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    banner: { js: '/* The licences of what is bundled: /assets/licences.txt */' },
    logLevel: 'silent',
  });
  const files = new Map(outputFiles.map(({ path, text }) => [path.slice(path.lastIndexOf('/') + 1), text]));
  const named = (pattern: RegExp): string => [...files.keys()].find((name) => pattern.test(name)) ?? '';
  files.set('notices-worker.js', files.get(named(/^notices-worker-/)) ?? '');
  files.delete(named(/^notices-worker-/));
  const page = await readFile(join(FOLDER, 'index.html'), 'utf8');
  files.set(
    'index.html',
    page
      .replace('main.tsx', `/assets/${named(/^main-.*\.js$/)}`)
      .replace('style.css', `/assets/${named(/^style-.*\.css$/)}`)
      .replace('icon.svg', '/assets/icon.svg'),
  );
  files.set('licences.txt', await licencesOf(Object.keys(metafile.inputs)));
  files.set('icon.svg', await readFile(join(FOLDER, 'icon.svg'), 'utf8'));
  return files;
}

/** Of the packages among these files, as each of them brings its own. */
async function licencesOf(paths: readonly string[]): Promise<string> {
  const folders = new Set(paths.flatMap((path) => PACKAGE_OF.exec(path)?.[0] ?? []));
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version } = z
      .object({ name: z.string(), version: z.string() })
      .parse(JSON.parse(await readFile(join(FOLDER, folder, 'package.json'), 'utf8')));
    return `${name} ${version}\n\n${await readFile(join(FOLDER, folder, 'LICENSE'), 'utf8')}`;
  });
  return (await Promise.all(texts)).join('\n\n');
}

const PACKAGE_OF = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Content security policy, against cross-site scripting (XSS): only files from here are run, shown or asked, and no text becomes a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // One policy, for the address of the service worker of notices.
  'trusted-types notices',
].join('; ');

type PageFile = {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Readonly<Record<'br' | 'gzip' | 'identity', Uint8Array>>;
};

export class Page {
  readonly #files: ReadonlyMap<string, PageFile>;

  private constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
  }

  static async open(): Promise<Page | null> {
    const files = await pageFiles();
    if (files === null) return null;
    return new Page(
      new Map(
        await Promise.all([...files].map(async ([name, text]) => [name, await kept(name, text)] as const)),
      ),
    );
  }

  /** Null for anything that is no part of the page; every address of a screen is answered with the page itself. */
  answer({ req }: HttpContext): Response | null {
    if (req.method !== 'GET' && req.method !== 'HEAD') return null;
    const asset = /^\/assets\/([\w.-]+)$/.exec(req.path)?.[1];
    if (asset === undefined && (NO_SCREEN.test(req.path) || !wantsPage(req.path, req.header('accept') ?? '')))
      return null;
    const file = this.#files.get(asset ?? 'index.html');
    if (file === undefined) return null;
    const { headers, bytes } = file;
    if (req.header('if-none-match') === headers['etag']) return new Response(null, { status: 304, headers });
    const accepted = req.header('accept-encoding') ?? '';
    const coding = (['br', 'gzip'] as const).find((each) => accepted.includes(each)) ?? 'identity';
    const coded = coding === 'identity' ? headers : { ...headers, 'content-encoding': coding };
    const body = req.method === 'HEAD' ? null : new Uint8Array(bytes[coding]);
    return new Response(body, { status: 200, headers: coded });
  }
}

/** A program that takes anything gets the page at its own address alone: elsewhere it has mistyped one of the interface. */
function wantsPage(path: string, accept: string): boolean {
  return /\bhtml\b|^$/.test(accept) || (path === '/' && accept.includes('*/*'));
}

const NO_SCREEN = /^\/(?:api|assets|problems)(?:\/|$)/;

const HASH_CHARACTERS = 22;

async function kept(name: string, text: string): Promise<PageFile> {
  const identity = Buffer.from(text, 'utf8');
  const [br, zipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)]);
  const etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, HASH_CHARACTERS)}"`;
  const isNamedByContent = /-[0-9A-Z]{8}\.\w+$/.test(name);
  const headers = {
    'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    'cache-control': isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag,
    ...(name === 'index.html'
      ? { 'content-security-policy': POLICY, 'cross-origin-opener-policy': 'same-origin' }
      : {}),
  };
  return { headers, bytes: { br, gzip: zipped, identity } };
}
