// Where a status notification may go: HTTPS anywhere, and plain HTTP only to this very machine when the sandbox was told to allow it.

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for a URL that notifications may be posted to. */
export function isCallbackUrl(text: string, allowHttp: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && allowHttp && LOOPBACK.test(hostname));
}

/** The URL as it is stored on the transfer: normalised and percent-encoded, but no `/` put behind a URL that has no path. */
export function storedCallbackUrl(text: string): string {
  const normalised = new URL(text).href;
  return normalised === `${text}/` ? text : normalised;
}
