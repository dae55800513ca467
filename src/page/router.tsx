// Where the reader is: the address says it all, filters too, so that it can be kept, sent to somebody and gone back from.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

export type Address = { readonly path: string; readonly query: URLSearchParams };

const listeners = new Set<() => void>();

function here(): Address {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

function moved(): void {
  for (const listener of listeners) listener();
}

export function go(to: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  moved();
}

/** Sets filters of the address; a value of null takes one away. */
export function setFilters(values: Readonly<Record<string, string | null>>): void {
  const { path, query } = here();
  for (const [name, value] of Object.entries(values))
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  const text = query.toString();
  go(text === '' ? path : `${path}?${text}`, { replace: true });
}

export function usePlace(): Address {
  const [place, setPlace] = useState(here);
  // With the first sight of the page: a link that is followed before the browser has painted must be heard too.
  useLayoutEffect(() => {
    const listener = (): void => setPlace(here());
    listeners.add(listener);
    addEventListener('popstate', listener);
    return () => {
      listeners.delete(listener);
      removeEventListener('popstate', listener);
    };
  }, []);
  return place;
}

export type LinkProps = {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly current?: boolean;
  /** It opens something beside what is being read, which stays where it is. */
  readonly isBeside?: boolean;
  /** Called where it is followed in this tab. */
  readonly onFollow?: () => void;
};

/** A link that needs no new page; opened in a new tab it is a link as every other. */
export function Link({ to, children, class: name, current, isBeside, onFollow }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onFollow?.();
    go(to);
    if (isBeside !== true) scrollTo(0, 0);
  };
  return (
    <a href={to} class={name} aria-current={current === true ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  );
}

/** The parts of an address after its pattern, such as `/files/:batch`; null where it is another. */
export function match(pattern: string, path: string): readonly string[] | null {
  const [wanted, given] = [pattern.split('/'), path.replace(/(.)\/$/, '$1').split('/')];
  if (wanted.length !== given.length) return null;
  const parts: string[] = [];
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    if (part.startsWith(':')) parts.push(decodeURIComponent(value));
    else if (part !== value) return null;
  }
  return parts;
}
