// What people decide about files stands in the log of access too, beside who came in and who was let in: one place to see who did what at the page.
import type { Access } from '../contract/words.ts';
import type { Call, Route } from './call.ts';

const DECISIONS: ReadonlyMap<string, Access> = new Map([
  ['POST /files/:batch/approval', 'approved'],
  ['POST /files/:batch/decline', 'declined'],
  ['POST /files/:batch/pause', 'paused'],
  ['POST /files/:batch/resume', 'resumed'],
  ['POST /files/:batch/release', 'released'],
  ['POST /files/:batch/cancellation', 'closed_unpaid'],
]);

/** To be called once the route has done it; a look at what it would do is no decision. */
export function logDecision({ method, path }: Route, { room, by, params, body }: Call): void {
  const what = DECISIONS.get(`${method} ${path}`);
  const isLook = typeof body === 'object' && body !== null && 'dryRun' in body && body.dryRun === true;
  if (what === undefined || isLook) return;
  room.door.log(by.name, what, params['batch'] ?? '');
  const verified = typeof body === 'object' && body !== null && 'verified' in body ? body.verified : null;
  if (typeof verified === 'string')
    room.door.log(by.name, 'accounts_verified', `${params['batch'] ?? ''}: ${verified}`);
}
