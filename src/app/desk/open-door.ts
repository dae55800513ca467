// Access to the page and the interface: people, their sign-in, and the keys of programs. Loaded as a whole, and only where it is asked for.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { type Clock, systemClock } from '../../base/clock.ts';
import { zoneOf } from '../../base/local-time.ts';
import { isSameName } from '../../base/person-name.ts';
import { type Access, APPROVER_ROLES, type Role } from '../../contract/words.ts';
import { openWorkspace } from '../../inbox/workspace.ts';
import type { Config } from '../config/config.ts';
import { dayIn } from '../config/schedule-config.ts';
import { Browsers } from '../people/browsers.ts';
import { Delegates } from '../people/delegates.ts';
import { Comments } from '../people/comments.ts';
import { Oidc } from '../people/oidc.ts';
import { OwnNotices } from '../people/own-notices.ts';
import { Passkeys } from '../people/passkeys.ts';
import { People } from '../people/people.ts';
import {
  accessChain,
  inOneCommit,
  logAccess,
  logAccessOnce,
  openPeopleFile,
  PeopleFault,
  type PeopleFile,
} from '../people/people-file.ts';
import { ProgramKeys } from '../people/program-keys.ts';
import { Sessions } from '../people/sessions.ts';
import { VerifiedAccounts } from '../people/verified-accounts.ts';
import { BalanceHistory } from './money-status.ts';

export { PeopleFault };

export type Door = {
  readonly file: PeopleFile;
  readonly people: People;
  readonly passkeys: Passkeys;
  readonly sessions: Sessions;
  readonly browsers: Browsers;
  /** Null where no provider is configured. */
  readonly oidc: Oidc | null;
  readonly notices: OwnNotices;
  readonly comments: Comments;
  readonly delegates: Delegates;
  readonly keys: ProgramKeys;
  readonly balances: BalanceHistory;
  readonly verified: VerifiedAccounts;
  /** Writes to the access log. */
  readonly log: (who: string, what: Access, about: string) => void;
  /** The same, unless it is there already. */
  readonly logOnce: Door['log'];
  readonly accessLog: () => ReturnType<typeof accessChain>;
  readonly close: () => void;
};

export async function openDoor(config: Config, clock: Clock = systemClock): Promise<Door> {
  const file = openPeopleFile(await openWorkspace(config.workspacePath, config.folderPaths), clock);
  const people = new People(file);
  const close = (): void => file.database.close();
  const [passkeys, sessions] = [new Passkeys(people), new Sessions(people)];
  const log: Door['log'] = (who, what, about) => inOneCommit(file, () => logAccess(file, who, what, about));
  return {
    file,
    people,
    passkeys,
    sessions,
    browsers: new Browsers(people),
    oidc: config.web.oidc && new Oidc(people, config.web.oidc),
    notices: new OwnNotices(people),
    comments: new Comments(file),
    delegates: new Delegates(people, (ms) => dayIn(zoneOf(config), ms)),
    keys: new ProgramKeys(file),
    balances: new BalanceHistory(file),
    verified: new VerifiedAccounts(file),
    log,
    logOnce: (who, what, about) => inOneCommit(file, () => logAccessOnce(file, who, what, about)),
    accessLog: () => accessChain(file),
    close,
  };
}

/** Of the person with that name; empty for somebody whom the page does not know. Null where it knows nobody who may decide yet. */
export async function rolesAtPage(config: Config, name: string): Promise<readonly Role[] | null> {
  // Opened for somebody's order, it would be made.
  if (!existsSync(join(config.workspacePath, 'people.sqlite'))) return null;
  const door = await openDoor(config);
  try {
    const people = door.people.all();
    if (!people.some(({ roles }) => APPROVER_ROLES.some((role) => roles.includes(role)))) return null;
    return people.find((person) => isSameName(person.name, name))?.roles ?? [];
  } finally {
    door.close();
  }
}
