// The proxy by which an address is reached, if any: that of the config, else that of the environment, as other programs of the machine find it.

type Environment = Readonly<Record<string, string | undefined>>;

function variable(environment: Environment, name: string): string {
  return (environment[name.toLowerCase()] ?? environment[name] ?? '').trim();
}

/** The proxy for an address; null where it is reached directly. `HTTPS_PROXY` and `NO_PROXY` count where the config names none, and for https alone. */
export function proxyFor(address: URL, configured: URL | null, environment: Environment): URL | null {
  if (configured !== null) return configured;
  const named = variable(environment, 'HTTPS_PROXY');
  if (address.protocol !== 'https:' || named === '' || isExcepted(address, environment)) return null;
  return parsedProxy(named);
}

/** Many write it as `proxy.example.com:3128`. Null for what is no address of a proxy. */
export function parsedProxy(text: string): URL | null {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.hostname !== '' ? parsed : null;
}

/** An entry is `*`, a host, or the end of one (`.example.com` and `example.com` alike), each with or without a port. */
export function isExcepted(address: URL, environment: Environment): boolean {
  const listed = variable(environment, 'NO_PROXY');
  const host = bare(address.hostname);
  const port = address.port === '' ? (address.protocol === 'https:' ? '443' : '80') : address.port;
  return listed
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', ofPort] =
        /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      const end = bare(name.replace(/^\*?\./, ''));
      const isNamed = name === '*' || host === end || host.endsWith(`.${end}`);
      return isNamed && (ofPort === undefined || ofPort === port);
    });
}

function bare(host: string): string {
  return host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}
