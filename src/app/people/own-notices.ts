// What people have chosen to be told of, and where to. A code that was sent to an address shows that it is the person's own, so that nobody has paydrop
// write to a stranger.
import { randomInt } from 'node:crypto';

import { type Clock, isoTime } from '../../base/clock.ts';
import { NOTICE_KINDS, NOTICE_WAYS, type NoticeKind, type NoticeWay } from '../../contract/words.ts';
import {
  accessLog,
  hashOf,
  inOneCommit,
  logAccess,
  openedPeople,
  PeopleFault,
  type PeopleFile,
  textOrNull,
} from './people-file.ts';
import { People, type Person } from './people.ts';
import { PushBrowsers } from './push-browsers.ts';

type Choices = Readonly<Record<NoticeWay, readonly NoticeKind[]>>;

/** A person, and the browser that tells them; null for their address. */
type NoticePlace = { readonly person: string; readonly browser: string | null };

type OwnAddress = {
  readonly address: string | null;
  /** One that a code was sent to, which counts until then (ISO). */
  readonly asked: { readonly address: string; readonly endsAt: string } | null;
};

const CODE_DIGITS = 6;
const CODE_LASTS_MS = 30 * 60_000;

/** Of a million codes; then another one has to be sent. */
const TRIES_MOST = 5;

/** Whoever owns the address may be a stranger: so many codes a day are a nuisance, and no flood. */
const CODES_PER_DAY = 5;
const DAY_MS = 86_400_000;

export class OwnNotices {
  readonly people: People;
  readonly browsers: PushBrowsers;
  readonly #file: PeopleFile;

  constructor(people: People) {
    this.people = people;
    this.browsers = new PushBrowsers(people.file);
    this.#file = people.file;
  }

  chosen({ id }: Person): Choices {
    const found = this.#db('SELECT kind, way FROM notice_choices WHERE person = ?').all(id);
    const of = (way: NoticeWay): readonly NoticeKind[] =>
      NOTICE_KINDS.filter((kind) => found.some((each) => each['kind'] === kind && each['way'] === way));
    return { mail: of('mail'), browser: of('browser') };
  }

  choose(person: Person, choices: Choices): void {
    inOneCommit(this.#file, () => {
      this.#db('DELETE FROM notice_choices WHERE person = ?').run(person.id);
      const put = this.#db('INSERT INTO notice_choices (person, kind, way) VALUES (?, ?, ?)');
      for (const way of NOTICE_WAYS) for (const kind of new Set(choices[way])) put.run(person.id, kind, way);
      const told = NOTICE_WAYS.map((way) => `${way}: ${choices[way].join(', ') || '–'}`);
      logAccess(this.#file, person.name, 'notices_chosen', told.join('; '));
    });
  }

  addressOf({ id }: Pick<Person, 'id'>): OwnAddress {
    const found = this.#db('SELECT * FROM notice_addresses WHERE person = ?').get(id);
    const [asked, endsAt] = [textOrNull(found?.['asked']), Number(found?.['code_ends_at'])];
    const isOpen = asked !== null && this.#file.clock.now() < endsAt;
    return {
      address: textOrNull(found?.['address']),
      asked: isOpen ? { address: asked, endsAt: isoTime(endsAt) } : null,
    };
  }

  /** Gives the code that is to be sent there; an earlier one counts no more. Throws `PeopleFault` after too many. */
  askAddress(person: Person, address: string): string {
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
    const now = this.#file.clock.now();
    inOneCommit(this.#file, () => {
      const asked = accessLog(this.#file, {
        ...{ who: person.name, what: ['notice_address_asked'], about: null, to: null, before: null },
        from: isoTime(now - DAY_MS),
        limit: CODES_PER_DAY,
      });
      if (asked.length >= CODES_PER_DAY) throw new PeopleFault('notice_codes_many');
      this.#db(
        `INSERT INTO notice_addresses (person, asked, code_hash, code_ends_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (person) DO UPDATE SET asked = ?2, code_hash = ?3, code_ends_at = ?4, tries = 0`,
      ).run(person.id, address, hashOf(code), now + CODE_LASTS_MS);
      logAccess(this.#file, person.name, 'notice_address_asked', address);
    });
    return code;
  }

  /** Throws `PeopleFault` for a code that is wrong, was tried too often, or has ended. */
  confirmAddress(person: Person, code: string): void {
    const isRight = inOneCommit(this.#file, () => {
      const { asked } = this.addressOf(person);
      const found = this.#db('SELECT code_hash, tries FROM notice_addresses WHERE person = ?').get(person.id);
      if (asked === null || Number(found?.['tries']) >= TRIES_MOST) return false;
      if (found?.['code_hash'] !== hashOf(code)) {
        this.#db('UPDATE notice_addresses SET tries = tries + 1 WHERE person = ?').run(person.id);
        return false;
      }
      this.#db(
        'UPDATE notice_addresses SET address = asked, asked = NULL, code_hash = NULL WHERE person = ?',
      ).run(person.id);
      logAccess(this.#file, person.name, 'notice_address_set', asked.address);
      return true;
    });
    if (!isRight) throw new PeopleFault('notice_code_wrong');
  }

  /** The confirmed address, and one that waits for its code. */
  removeAddress(person: Person): void {
    inOneCommit(this.#file, () => {
      const { address } = this.addressOf(person);
      this.#db('DELETE FROM notice_addresses WHERE person = ?').run(person.id);
      if (address !== null) logAccess(this.#file, person.name, 'notice_address_removed', address);
    });
  }

  /** Where everybody who has chosen this kind is to be told of it. */
  whoChose(kind: NoticeKind): readonly NoticePlace[] {
    return this.people.all().flatMap((person) => {
      const { mail, browser } = this.chosen(person);
      const isReached = mail.includes(kind) && this.addressOf(person).address !== null;
      return [
        ...(isReached ? [{ person: person.id, browser: null }] : []),
        ...(browser.includes(kind) ? this.browsers.of(person) : []).map(({ id }) => ({
          person: person.id,
          browser: id,
        })),
      ];
    });
  }

  #db(sql: string) {
    return this.#file.database.prepare(sql);
  }
}

/** Null where nobody was ever invited to the page of this workspace. */
export function withOwnNotices<T>(root: string, clock: Clock, work: (notices: OwnNotices) => T): T | null {
  const file = openedPeople({ root }, clock);
  if (file === null) return null;
  try {
    return work(new OwnNotices(new People(file)));
  } finally {
    file.database.close();
  }
}

/** Whether anybody is to be told something in a browser. */
export function hasBrowsers(root: string, clock: Clock): boolean {
  return withOwnNotices(root, clock, ({ browsers }) => browsers.isAny()) ?? false;
}
