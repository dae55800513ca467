// What a request is about, for the journal.
import type { Operation } from '../invariants/journal.ts';

export type Described = {
  readonly operation: Operation;
  readonly subject: string;
  readonly quotationId: string | null;
};

export function describeCall(method: string, path: string, body: Uint8Array | null): Described {
  const known = (operation: Operation, subject: string, quotationId: string | null = null) => ({
    operation,
    subject,
    quotationId,
  });
  if (method === 'POST' && path === '/rates') return known('rates', textOf(body, 'externalId'));
  if (method === 'POST' && path === '/transfers')
    return known('create', textOf(body, 'externalId'), textOf(body, 'quotationId'));
  const [, id = '', action = ''] = /^\/transfers\/([^/]+)\/(confirm|attachment)$/.exec(path) ?? [];
  if (method === 'POST' && action === 'confirm') return known('confirm', decodeURIComponent(id));
  if (method === 'PUT' && action === 'attachment') return known('attach', decodeURIComponent(id));
  if (method === 'GET' && path.startsWith('/transfers?')) return known('list', '');
  const isRead = method === 'GET' && /^\/(transfers|rates)\/[^/]+$/.test(path);
  return known(isRead ? 'read' : 'other', decodeURIComponent(path.split('/').at(-1) ?? ''));
}

function textOf(body: Uint8Array | null, field: string): string {
  const parsed = JSON.parse(Buffer.from(body ?? []).toString()) as Readonly<Record<string, unknown>>;
  const value = parsed[field];
  return typeof value === 'string' ? value : '';
}
