// Why the service could not be reached, as its owner can mend it: by the codes of Node and undici, and by answers that no service gives. It decides nothing
// about a payment.
export type NetworkCause =
  | 'name'
  | 'refused'
  | 'no-route'
  | 'late'
  | 'broken'
  | 'certificate-unknown'
  | 'certificate-expired'
  | 'certificate-early'
  | 'certificate-name'
  | 'no-tls'
  | 'proxy'
  | 'proxy-login'
  | 'portal';

const BY_CODE: ReadonlyMap<string, NetworkCause> = new Map([
  ['ENOTFOUND', 'name'],
  ['EAI_AGAIN', 'name'],
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'no-route'],
  ['ENETUNREACH', 'no-route'],
  ['ETIMEDOUT', 'late'],
  ['UND_ERR_CONNECT_TIMEOUT', 'late'],
  ['CERT_HAS_EXPIRED', 'certificate-expired'],
  ['CERT_NOT_YET_VALID', 'certificate-early'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate-name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate-unknown'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate-unknown'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'certificate-unknown'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate-unknown'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate-unknown'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'no-tls'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'no-tls'],
  ['EPROTO', 'no-tls'],
  ['UND_ERR_PRX_CONN', 'proxy'],
  ['UND_ERR_PRX_TLS', 'proxy'],
]);

/** Over a proxy these are about the proxy itself: it alone looks for the service. */
const ABOUT_PROXY: ReadonlySet<NetworkCause> = new Set(['name', 'refused', 'no-route', 'late']);

/** What a proxy answers to the wish for a tunnel, as undici tells it. */
const TUNNEL_REFUSED = /^Proxy response \((?<status>\d{3})\)/;

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The status by which a proxy refused to open a tunnel, so that nothing went through; null for any other error. */
export function refusalOfProxy(error: unknown): number | null {
  const message = error instanceof Error ? error.message : '';
  const status = TUNNEL_REFUSED.exec(message)?.groups?.['status'];
  return status === undefined ? null : Number(status);
}

const PROXY_LOGIN = 407;

export function causeOfError(error: unknown, isOverProxy: boolean): NetworkCause {
  const refused = refusalOfProxy(error);
  if (refused !== null) return refused === PROXY_LOGIN ? 'proxy-login' : 'proxy';
  const cause = BY_CODE.get(codeOf(error)) ?? 'broken';
  return isOverProxy && ABOUT_PROXY.has(cause) ? 'proxy' : cause;
}

/** RFC 6585: a portal asks for a login first. */
const NETWORK_LOGIN = 511;

type HttpAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
};

/** Of an answer that somebody else gives in place of the service; null where it may be the service's own. */
export function causeOfAnswer({ status, headers, body }: HttpAnswer): NetworkCause | null {
  if (status === PROXY_LOGIN) return 'proxy-login';
  if (status === NETWORK_LOGIN || (status >= 300 && status < 400)) return 'portal';
  const isPage =
    /\bhtml\b/i.test(headers.get('content-type') ?? '') ||
    /^\s*<(?:!doctype\s+html|html)\b/i.test(headOf(body));
  return isPage && status < 400 ? 'portal' : null;
}

const HEAD_BYTES = 256;

function headOf(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, HEAD_BYTES)).toString('latin1');
}
