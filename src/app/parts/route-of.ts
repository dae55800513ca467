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

const FORMS = Object.entries(ROUTES).map(([route, form]) => ({
  route: route as Route,
  method: route.slice(0, route.indexOf(' ')),
  form,
}));

export function routeOf({ method, path }: Pick<TransportRequest, 'method' | 'path'>): Route {
  return FORMS.find((known) => known.method === method && known.form.test(path))?.route ?? 'other';
}
