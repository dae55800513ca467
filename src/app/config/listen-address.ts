// The address of `webhooks.listen` or `metrics.listen`, checked when the config is read, so that a daemon does not start and then find out.
import { ConfigUnusable } from './yaml-file.ts';
import { sentence } from '../../messages/messages.ts';

export type ListenAddress = { readonly host: string; readonly port: number };

/** A name, an IPv4 address or an IPv6 address in brackets, and a port; 0 takes any free one. */
const FORM = /^(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i;
const PORT_MAX = 65_535;

/** @param name of the setting, for people. Throws `ConfigUnusable`. */
export function parseListenAddress(text: string, name = 'webhooks.listen'): ListenAddress {
  const [, bracketed, plain, digits] = FORM.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host !== undefined && port <= PORT_MAX) return { host, port };
  throw new ConfigUnusable(sentence('config.listen', { name, text }));
}
