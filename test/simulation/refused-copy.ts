// What one copy of a confirm meets while another is still on its way: a machine of the service that has not seen the document or the funds yet, or a
// key that was just taken back.
import type { Reply } from './model-service.ts';
import type { Random } from './random.ts';

/** @param now virtual time in ms. */
export function refusedCopy(random: Random, now: number): Reply {
  const headers = { date: new Date(now).toUTCString() };
  const errorCode = random.pick([10022, 10024, null]);
  const body =
    errorCode === null ? '{"message":"Forbidden"}' : `{"errorCode":${String(errorCode)},"message":"no"}`;
  return { status: errorCode === null ? 403 : 500, headers, body, errorCode, transfer: null };
}
