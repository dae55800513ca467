// Who approves for an approver on leave: somebody with a passkey and without the role, from one day to another. The right is lent, so that it is none where the
// approver has lost the role, and no admin gives it.
import { randomUUID } from 'node:crypto';

import { isoTime } from '../../base/clock.ts';
import { APPROVER_ROLES, type Role } from '../../contract/words.ts';
import { inOneCommit, logAccess, PeopleFault, type PeopleFile, type PeopleRow } from './people-file.ts';
import type { People, Person } from './people.ts';

export type Delegation = {
  readonly id: string;
  /** On leave. */
  readonly person: Person;
  readonly delegate: Person;
  /** Days in the office's zone (`yyyy-mm-dd`), both included. */
  readonly from: string;
  readonly to: string;
};

const DAY_MS = 86_400_000;
const DAYS_MOST = 60;
/** Nobody knows their leave earlier. */
const BEGINS_WITHIN_DAYS = 366;

export class Delegates {
  readonly #people: People;
  readonly #file: PeopleFile;
  readonly #dayOf: (ms: number) => string;

  /** @param dayOf the day (`yyyy-mm-dd`) of a moment in the office's zone. */
  constructor(people: People, dayOf: (ms: number) => string) {
    this.#people = people;
    this.#file = people.file;
    this.#dayOf = dayOf;
  }

  /** What has not ended, today's and later, by its first day. Without those whose approver or delegate has left, or has the other role by now. */
  all(): readonly Delegation[] {
    return this.#db('SELECT * FROM delegates WHERE ended_at IS NULL AND to_day >= ? ORDER BY from_day, id')
      .all(this.#today())
      .flatMap((found) => this.#read(found));
  }

  /** For whom a person stands today, with the roles that are lent; null for nobody. */
  stoodFor(id: string): { readonly name: string; readonly roles: readonly Role[] } | null {
    const today = this.#today();
    const found = this.all().find(({ delegate, from }) => delegate.id === id && from <= today);
    if (found === undefined) return null;
    const { name, roles } = found.person;
    return { name, roles: roles.filter((role) => APPROVER_ROLES.includes(role)) };
  }

  /** Who may become one. */
  able(hasPasskey: (person: Person) => boolean): readonly Person[] {
    return this.#people.all().filter((person) => !lends(person) && hasPasskey(person));
  }

  /** Throws `PeopleFault`. @param able see `able`. */
  name(person: Person, id: string, from: string, to: string, able: readonly Person[]): Delegation {
    return inOneCommit(this.#file, () => {
      const delegate = able.find((each) => each.id === id);
      if (delegate === undefined || !lends(person)) throw new PeopleFault('delegate_unfit');
      if (this.#standsForAnother(person, id, from, to)) throw new PeopleFault('delegate_unfit');
      const today = this.#today();
      const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
      const isSoon = Date.parse(from) - Date.parse(today) <= BEGINS_WITHIN_DAYS * DAY_MS;
      if (from < today || !isSoon || !(days >= 1 && days <= DAYS_MOST))
        throw new PeopleFault('delegate_days');
      const made = { id: randomUUID(), person, delegate, from, to };
      this.#db(
        'INSERT INTO delegates (id, person, delegate, from_day, to_day, named_at) VALUES (?, ?, ?, ?, ?, ?)',
      ).run(made.id, person.id, delegate.id, from, to, isoTime(this.#file.clock.now()));
      logAccess(this.#file, person.name, 'delegate_named', aboutOf(made));
      return made;
    });
  }

  /** Throws `PeopleFault` where there is none that this person may end: either of the two, or an admin. */
  end(id: string, by: Person): void {
    inOneCommit(this.#file, () => {
      const found = this.seenBy(by).find((each) => each.id === id);
      if (found === undefined) throw new PeopleFault('delegate_unknown');
      this.#db('UPDATE delegates SET ended_at = ? WHERE id = ?').run(isoTime(this.#file.clock.now()), id);
      logAccess(this.#file, by.name, 'delegate_ended', aboutOf(found));
    });
  }

  /** An admin sees all. */
  seenBy({ id, roles }: Person): readonly Delegation[] {
    return this.all().filter(
      ({ person, delegate }) => roles.includes('admin') || person.id === id || delegate.id === id,
    );
  }

  #read({ id, person: lender, delegate: other, from_day: from, to_day: to }: PeopleRow): Delegation[] {
    const [person, delegate] = [this.#people.find(String(lender)), this.#people.find(String(other))];
    if (person === null || delegate === null) return [];
    if (!lends(person) || lends(delegate)) return [];
    return [{ id: String(id), person, delegate, from: String(from), to: String(to) }];
  }

  /** Whoever stood for two would be one with both of them. */
  #standsForAnother({ id }: Person, delegate: string, from: string, to: string): boolean {
    const found = this.#db(
      'SELECT 1 FROM delegates WHERE delegate = ? AND person <> ? AND ended_at IS NULL AND from_day <= ? AND to_day >= ?',
    ).get(delegate, id, to, from);
    return found !== undefined;
  }

  #today(): string {
    return this.#dayOf(this.#file.clock.now());
  }

  #db(sql: string) {
    return this.#file.database.prepare(sql);
  }
}

function lends({ roles }: Person): boolean {
  return roles.some((role) => APPROVER_ROLES.includes(role));
}

function aboutOf({ person, delegate, from, to }: Delegation): string {
  return `${delegate.name} for ${person.name}: ${from} – ${to}`;
}
