// Writes that wait at the same moment share a commit, and those of one kind are made by one call, over either store.

/** A way to write: those of a lower order are made first. */
export type Sharing = {
  readonly order: number;
  /** Nobody relies on it before a later write is durable. */
  readonly isLazy: boolean;
};

/** `kind`: the order of a write that is made together with its like; null for one that is made by itself. */
type Kind = { readonly kind: number | null };

/** In the order in which they are made, each with those that are made with it: a write by itself stays behind all that came before it. */
export function madeTogether<Write extends Kind>(group: readonly Write[]): readonly (readonly Write[])[] {
  const made: (readonly Write[])[] = [];
  let waiting: Write[] = [];
  const makeWaiting = (): void => {
    const kinds = [...Map.groupBy(waiting, ({ kind }) => kind ?? 0)].sort(([one], [other]) => one - other);
    made.push(...kinds.map(([, of]) => of));
    waiting = [];
  };
  for (const write of group)
    if (write.kind !== null) waiting.push(write);
    else {
      makeWaiting();
      made.push([write]);
    }
  makeWaiting();
  return made;
}
