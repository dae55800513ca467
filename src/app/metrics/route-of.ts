// Which call of the interface a request is, without the ids in its path: labels of a metric must be few, and must name no payment.
import type { TransportRequest } from '../../service/transport.ts';

/** Each with the form of its path behind the base address. */
const ROUTES = {
  'GET /payout-corridors': /^\/payout-corridors(\?|$)/,
  'POST /rates': /^\/rates$/,
  'GET /rates/{id}': /^\/rates\/[^/]+$/,
  'POST /transfers': /^\/transfers$/,
  'GET /transfers': /^\/transfers(\?|$)/,
  'GET /transfers/{id}': /^\/transfers\/[^/?]+$/,
  'PUT /transfers/{id}/attachment': /^\/transfers\/[^/]+\/attachment$/,
  'POST /transfers/{id}/confirm': /^\/transfers\/[^/]+\/confirm$/,
  'GET /public/balances': /^\/public\/balances$/,
} as const;

export type Route = keyof typeof ROUTES | 'other';

export function routeOf({ method, path }: Pick<TransportRequest, 'method' | 'path'>): Route {
  const found = Object.entries(ROUTES).find(
    ([name, form]) => name.startsWith(`${method} `) && form.test(path),
  );
  return found === undefined ? 'other' : (found[0] as Route);
}
