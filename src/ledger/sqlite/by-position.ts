// Encounters come in one list; a row is judged by all of its own at once.
import type { Encounter } from '../records.ts';

export function byPosition(encounters: readonly Encounter[]): ReadonlyMap<number, readonly Encounter[]> {
  const groups = new Map<number, Encounter[]>();
  for (const encounter of encounters) {
    const group = groups.get(encounter.position);
    if (group === undefined) groups.set(encounter.position, [encounter]);
    else group.push(encounter);
  }
  return groups;
}
