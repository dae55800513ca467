// Who may use the page: people by name, their roles, and how they join: by a link that counts once. A name belongs to one person, in every
// spelling, so that the person who brought a file is recognised when it is approved.
import { randomUUID } from 'node:crypto';

import { isoTime } from '../../base/clock.ts';
import { type Role, ROLES } from '../../contract/words.ts';
import { isSamePerson, readPersonName } from '../../base/person-name.ts';
import {
  type PeopleRow,
  hashOf,
  inOneCommit,
  logAccess,
  newSecret,
  PeopleFault,
  type PeopleFile,
  textOrNull,
} from './people-file.ts';

export type Person = {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  /** Roles that count once another admin has confirmed them; null where nothing is pending. */
  readonly pending: { readonly roles: readonly Role[]; readonly by: string } | null;
  readonly invitedBy: string | null;
  readonly createdAt: string;
};

export type Invitation = {
  readonly id: string;
  /** Null for the first person, who chooses the name. */
  readonly name: string | null;
  readonly roles: readonly Role[];
  readonly by: string | null;
  readonly isConfirmed: boolean;
  readonly endsAt: string;
};

/** The person who installs paydrop sits at the screen that shows the link. */
const SET_UP_WITHIN_MS = 15 * 60_000;
const INVITED_FOR_MS = 72 * 3_600_000;

/** With these roles a person can let money go, or give others the right to. */
const WEIGHTY: ReadonlySet<Role> = new Set<Role>(['checker', 'treasurer', 'admin']);

export class People {
  readonly file: PeopleFile;

  constructor(file: PeopleFile) {
    this.file = file;
  }

  /** Oldest first; removed people are not listed. */
  all(): readonly Person[] {
    return this.#db('SELECT * FROM people WHERE ended_at IS NULL ORDER BY created_at, id')
      .all()
      .map(toPerson);
  }

  find(id: string): Person | null {
    const found = this.#db('SELECT * FROM people WHERE id = ? AND ended_at IS NULL').get(id);
    return found === undefined ? null : toPerson(found);
  }

  /** The name, also of a removed person. */
  nameOf(id: string): string | null {
    return textOrNull(this.#db('SELECT name FROM people WHERE id = ?').get(id)?.['name']);
  }

  /** A link for the first person; null once there is an admin. It invalidates an earlier one. */
  setUpToken(): string | null {
    return inOneCommit(this.file, () => {
      if (this.#admins().length > 0) return null;
      this.#db('DELETE FROM invitations WHERE name IS NULL').run();
      logAccess(this.file, null, 'set_up');
      return this.#invite(null, ['admin'], null, true, SET_UP_WITHIN_MS).token;
    });
  }

  /** Returns the link's token, which is shown once and stored nowhere. Throws `PeopleFault`. @param by null for a person at the command line. */
  invite(
    name: string,
    roles: readonly Role[],
    by: string | null,
  ): { readonly token: string; readonly invitation: Invitation } {
    return inOneCommit(this.file, () => {
      const [read, isConfirmed] = [this.newName(name), !this.#needsSecond(roles) || by === null];
      logAccess(this.file, by, 'invited', `${read}: ${roles.join(', ')}`);
      if (isConfirmed && roles.some((role) => WEIGHTY.has(role)))
        logAccess(this.file, by, 'roles_given_alone', `${read}: ${roles.join(', ')}`);
      const { id, token } = this.#invite(read, roles, by, isConfirmed, INVITED_FOR_MS);
      return { token, invitation: this.#invitation('id', id) };
    });
  }

  /** The valid invitations, oldest first. */
  invitations(): readonly Invitation[] {
    const now = this.file.clock.now();
    return this.#db('SELECT * FROM invitations WHERE ends_at > ? AND name IS NOT NULL ORDER BY ends_at')
      .all(now)
      .map(toInvitation);
  }

  /** False where there is none. */
  endInvitation(id: string, by: string): boolean {
    return inOneCommit(this.file, () => {
      const { changes } = this.#db('DELETE FROM invitations WHERE id = ? AND name IS NOT NULL').run(id);
      if (Number(changes) > 0) logAccess(this.file, by, 'invitation_ended', id);
      return Number(changes) > 0;
    });
  }

  /** The invitation of a token, which stays usable. Throws `PeopleFault`. */
  invited(token: string, name: string | undefined): Invitation & { readonly name: string } {
    const invitation = this.#invitation('hash', hashOf(token));
    const called = invitation.name ?? this.newName(name ?? '');
    return { ...invitation, name: called };
  }

  /** Uses the token up, within the caller's commit that stores the person's passkey. Throws `PeopleFault`. */
  enrol(token: string, name: string | undefined): Person {
    const { id, roles, by, isConfirmed, name: called } = this.invited(token, name);
    this.newName(called, id);
    this.#db('DELETE FROM invitations WHERE id = ?').run(id);
    const pending = isConfirmed ? null : roles;
    const now = isConfirmed ? roles : roles.filter((role) => !WEIGHTY.has(role));
    return this.add({ name: called, roles: now, invitedBy: by, pending, pendingBy: by });
  }

  /** Call it within a commit. */
  add({ name, roles, invitedBy, pending = null, pendingBy = null, subject = null }: NewPerson): Person {
    const id = randomUUID();
    this.#db(
      'INSERT INTO people (id, name, roles, pending_roles, pending_by, invited_by, created_at, subject) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(
      id,
      name,
      roles.join(' '),
      pending?.join(' ') ?? null,
      pending === null ? null : pendingBy,
      invitedBy,
      isoTime(this.file.clock.now()),
      subject,
    );
    logAccess(this.file, name, 'enrolled', roles.join(', '));
    return this.#person(id);
  }

  /** Roles of weight wait for another admin, where there is one. The person whose roles change is signed out. Throws `PeopleFault`. */
  setRoles(id: string, roles: readonly Role[], by: string): Person {
    return inOneCommit(this.file, () => {
      const person = this.#person(id);
      this.#assertAdminLeft(person, roles);
      const given = roles.filter((role) => WEIGHTY.has(role) && !person.roles.includes(role));
      const waits = given.length > 0 && this.#needsSecond(given);
      const now = waits ? roles.filter((role) => !given.includes(role)) : roles;
      this.#db('UPDATE people SET roles = ?, pending_roles = ?, pending_by = ? WHERE id = ?').run(
        now.join(' '),
        waits ? roles.join(' ') : null,
        waits ? by : null,
        id,
      );
      this.#keepUnseated(person, now, by);
      const what = waits ? 'roles_pending' : given.length > 0 ? 'roles_given_alone' : 'roles_changed';
      logAccess(this.file, by, what, `${person.name}: ${roles.join(', ')}`);
      this.#endSessions(id);
      return this.#person(id);
    });
  }

  /** Throws `PeopleFault` where this admin may not confirm it, or where other roles wait than the admin has seen. */
  confirmRoles(id: string, by: Person, seen: readonly Role[] | null = null): Person {
    return inOneCommit(this.file, () => {
      const person = this.#person(id);
      if (person.pending === null) throw new PeopleFault('person_unknown');
      if (isSamePerson(person.pending.by, by.name) || person.id === by.id)
        throw new PeopleFault('second_admin_needed');
      const given = new Set(person.pending.roles);
      if (new Set(seen ?? given).symmetricDifference(given).size > 0) throw new PeopleFault('roles_changed');
      const roles = [...given].join(' ');
      const confirm = 'UPDATE people SET roles = ?, pending_roles = NULL, pending_by = NULL WHERE id = ?';
      this.#db(confirm).run(roles, id);
      logAccess(this.file, by.name, 'roles_confirmed', `${person.name}: ${roles}`);
      this.#endSessions(id);
      return this.#person(id);
    });
  }

  /** The passkeys stay on record, because their signatures are verified again later. Throws `PeopleFault`. */
  remove(id: string, by: string | null): Person {
    return inOneCommit(this.file, () => {
      const person = this.#person(id);
      this.#assertAdminLeft(person, []);
      const at = isoTime(this.file.clock.now());
      this.#db('UPDATE people SET ended_at = ?, subject = NULL WHERE id = ?').run(at, id);
      this.#db('UPDATE passkeys SET ended_at = ? WHERE person = ? AND ended_at IS NULL').run(at, id);
      this.#db('DELETE FROM notice_choices WHERE person = ?').run(id);
      this.#db('DELETE FROM notice_addresses WHERE person = ?').run(id);
      this.#db('DELETE FROM notice_browsers WHERE person = ?').run(id);
      this.#keepUnseated(person, [], by);
      this.#endSessions(id);
      logAccess(this.file, by, 'removed', person.name);
      return person;
    });
  }

  /** The name as stored. Throws `PeopleFault` if it is invalid, or may be another person's or a program's: what that one sent would become theirs. */
  newName(name: string, except?: string): string {
    const read = this.programName(name, except);
    const programs = this.#db('SELECT DISTINCT name FROM program_keys').all();
    if (programs.some((program) => isSamePerson(String(program['name']), read)))
      throw new PeopleFault('person_exists');
    return read;
  }

  /** The same for a program, which may have several keys. */
  programName(name: string, except?: string): string {
    const read = readPersonName(name);
    if (read === null) throw new PeopleFault('name_unfit');
    const invited = this.invitations().filter(({ id }) => id !== except);
    if ([...this.all(), ...invited].some((other) => other.name !== null && isSamePerson(other.name, read)))
      throw new PeopleFault('person_exists');
    return read;
  }

  #invite(
    name: string | null,
    roles: readonly Role[],
    by: string | null,
    isConfirmed: boolean,
    forMs: number,
  ) {
    const [id, token] = [randomUUID(), newSecret()];
    this.#db(
      'INSERT INTO invitations (id, hash, name, roles, invited_by, confirmed, ends_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ).run(id, hashOf(token), name, roles.join(' '), by, isConfirmed ? 1 : 0, this.file.clock.now() + forMs);
    return { id, token };
  }

  #invitation(column: 'id' | 'hash', value: string): Invitation {
    const found = this.#db(`SELECT * FROM invitations WHERE ${column} = ?`).get(value);
    if (found === undefined || this.file.clock.now() >= Number(found['ends_at']))
      throw new PeopleFault('token_unknown');
    // Once there is an admin, nobody can make himself one.
    if (found['name'] === null && this.#admins().length > 0) throw new PeopleFault('token_unknown');
    return toInvitation(found);
  }

  /** Also where one of two admins has removed the other: else either could remove the other first, and then act alone. */
  #needsSecond(roles: readonly Role[]): boolean {
    const isAlone = this.#admins().length < 2 && !this.#db('SELECT id FROM people WHERE unseated = 1').get();
    return !isAlone && roles.some((role) => WEIGHTY.has(role));
  }

  /** An admin who leaves voluntarily, or is removed at the command line, was not put out by the other one. */
  #keepUnseated({ id, name, roles }: Person, now: readonly Role[], by: string | null): void {
    const isPutOut = roles.includes('admin') && !now.includes('admin') && by !== null;
    if (isPutOut && !isSamePerson(by, name)) this.#db('UPDATE people SET unseated = 1 WHERE id = ?').run(id);
  }

  #admins(): readonly Person[] {
    return this.all().filter(({ roles }) => roles.includes('admin'));
  }

  #assertAdminLeft({ id, roles }: Person, next: readonly Role[]): void {
    if (!roles.includes('admin') || next.includes('admin')) return;
    if (this.#admins().every((admin) => admin.id === id)) throw new PeopleFault('admin_last');
  }

  #person(id: string): Person {
    const person = this.find(id);
    if (person === null) throw new PeopleFault('person_unknown');
    return person;
  }

  #endSessions(person: string): void {
    this.#db('DELETE FROM sessions WHERE person = ?').run(person);
  }

  #db(sql: string) {
    return this.file.database.prepare(sql);
  }
}

type NewPerson = {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly invitedBy: string | null;
  readonly pending?: readonly Role[] | null;
  readonly pendingBy?: string | null;
  /** The provider's own id of the person. */
  readonly subject?: string | null;
};

function toPerson(found: PeopleRow): Person {
  const pending = textOrNull(found['pending_roles']);
  return {
    id: String(found['id']),
    name: String(found['name']),
    roles: rolesIn(String(found['roles'])),
    pending: pending === null ? null : { roles: rolesIn(pending), by: textOrNull(found['pending_by']) ?? '' },
    invitedBy: textOrNull(found['invited_by']),
    createdAt: String(found['created_at']),
  };
}

function toInvitation(found: PeopleRow): Invitation {
  return {
    id: String(found['id']),
    name: textOrNull(found['name']),
    roles: rolesIn(String(found['roles'])),
    by: textOrNull(found['invited_by']),
    isConfirmed: found['confirmed'] === 1,
    endsAt: isoTime(Number(found['ends_at'])),
  };
}

function rolesIn(text: string): readonly Role[] {
  const words = text.split(' ');
  return ROLES.filter((role) => words.includes(role));
}
