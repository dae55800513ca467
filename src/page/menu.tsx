// Where to go: in three groups beside the screen; on a telephone the four that are used there stand in a bar below, the others behind it. Who is signed in,
// the language and the colours lie behind the person's initials.
import { useEffect, useId, useState } from 'preact/hooks';

import type { Question } from '../contract/approvals.ts';
import type { HeldGroup } from '../contract/decisions.ts';
import type { List } from '../contract/schema.ts';
import type { Session } from '../contract/session.ts';
import { LANGUAGES, type Role } from '../contract/words.ts';
import { ask } from './api.ts';
import { useData, useOrder } from './data.ts';
import { Icon, type IconName } from './icons.tsx';
import { chooseLanguage, type Key, language, LANGUAGE_NAMES, t } from './language.ts';
import { Button, Light, Trouble } from './parts.tsx';
import { go, Link } from './router.tsx';
import { may, useSession } from './session.ts';
import { useProposals } from './proposals.ts';
import { actAs } from './sign-in.tsx';

type MenuEntry = readonly [to: string, icon: IconName, words: Key, ...roles: readonly Role[]];

const GROUPS: readonly (readonly [title: Key, entries: readonly MenuEntry[]])[] = [
  [
    'nav.work',
    [
      ['/', 'todo', 'nav.needsYou'],
      ['/drop', 'drop', 'nav.drop', 'maker'],
      ['/files', 'files', 'nav.files'],
      ['/approvals', 'approvals', 'nav.approvals'],
      ['/held', 'held', 'nav.held'],
      ['/payees', 'payees', 'nav.payees'],
    ],
  ],
  [
    'nav.moneyGroup',
    [
      ['/money', 'money', 'nav.money'],
      ['/schedules', 'schedules', 'nav.schedules'],
      ['/answers', 'reports', 'nav.answers'],
      ['/reconcile', 'reconcile', 'nav.reconcile', 'treasurer'],
    ],
  ],
  [
    'nav.office',
    [
      ['/profiles', 'profiles', 'nav.profiles', 'maker', 'treasurer', 'admin', 'auditor'],
      ['/people', 'people', 'nav.people', 'admin', 'auditor'],
      ['/audit', 'audit', 'nav.audit', 'admin', 'auditor'],
      ['/settings', 'settings', 'nav.settings'],
    ],
  ],
];

/** What a telephone is taken out for: to approve, by who may; else to see how it stands. */
const IN_BAR: readonly string[] = ['/', '/files', '/drop', '/money', '/approvals'];
const IN_BAR_OF_CHECKERS: readonly string[] = ['/', '/approvals', '/files', '/drop', '/money'];
const BAR_MOST = 4;

export function Menu({ path }: { readonly path: string }) {
  const { session } = useSession();
  const [isOpen, setOpen] = useState(false);
  const badge = useBadges();
  useEffect(() => setOpen(false), [path]);
  const isHere = (to: string): boolean => (to === '/' ? path === '/' : path.startsWith(to));
  const groups = GROUPS.map(
    ([title, entries]) =>
      [title, entries.filter(([, , , ...roles]) => roles.length === 0 || may(session, ...roles))] as const,
  ).filter(([, entries]) => entries.length > 0);
  const inBar = may(session, 'checker') ? IN_BAR_OF_CHECKERS : IN_BAR;
  const bar = groups
    .flatMap(([, entries]) => entries)
    .filter(([to]) => inBar.includes(to))
    .toSorted(([one], [other]) => inBar.indexOf(one) - inBar.indexOf(other))
    .slice(0, BAR_MOST);
  // What waits behind the closed menu is told on its button.
  const behind = groups
    .flatMap(([, entries]) => entries)
    .filter((entry) => !bar.includes(entry))
    .reduce((sum, [to]) => sum + (badge[to] ?? 0), 0);
  return (
    <>
      <div class={isOpen ? 'menu open' : 'menu'} id="menu">
        <nav aria-label={t('nav.label')}>
          {groups.map(([title, entries]) => (
            <div key={title}>
              <h2>{t(title)}</h2>
              <ul>
                {entries.map(([to, icon, words]) => (
                  <li key={to}>
                    <Link to={to} current={isHere(to)}>
                      <Icon of={icon} />
                      {t(words)}
                      <Badge n={badge[to]} />
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
          <Self />
        </nav>
      </div>
      <nav class="bottom-bar" aria-label={t('nav.short')}>
        {bar.map(([to, icon, words]) => (
          <Link key={to} to={to} current={isHere(to)}>
            <Icon of={icon} />
            {t(words === 'nav.drop' ? 'nav.dropShort' : words)}
            <Badge n={badge[to]} />
          </Link>
        ))}
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => {
            setOpen(!isOpen);
            scrollTo(0, 0);
          }}
        >
          <Icon of="menu" />
          {t('nav.menu')}
          <Badge n={behind} />
        </button>
      </nav>
    </>
  );
}

function Badge({ n = 0 }: { readonly n: number | undefined }) {
  return n === 0 ? null : <span class="badge">{n}</span>;
}

function useBadges(): Readonly<Record<string, number>> {
  const approvals = useData<List<Question>>('/approvals?state=waiting', { kinds: ['approval', 'batch'] });
  const held = useData<List<HeldGroup>>('/held', { kinds: ['rows', 'batch'] });
  const profiles = useProposals();
  const mine = (approvals.data?.data ?? []).filter(({ mayAnswer }) => mayAnswer).length;
  const heldRows = (held.data?.data ?? []).reduce((sum, { rows }) => sum + rows, 0);
  return { '/approvals': mine, '/held': heldRows, '/profiles': profiles.length };
}

/** Who is signed in, in which language and light. */
function Self() {
  const { session, change } = useSession();
  const order = useOrder();
  const id = useId();
  const { person, demo } = session;
  const leave = async (): Promise<void> => {
    change(await ask<Session>('/session', { method: 'DELETE' }).then(() => ask<Session>('/session')));
    go('/', { replace: true });
  };
  return (
    <div class="self">
      <button type="button" class="button quiet" popovertarget={id}>
        <span class="initials" aria-hidden="true">
          {initialsOf(person.name)}
        </span>
        {person.name}
      </button>
      <div id={id} class="self-menu" popover="auto">
        {demo === null ? null : (
          <label>
            <span class="hint">{t('shell.actingAs')}</span>
            <select
              value={person.id}
              onChange={({ currentTarget }) =>
                order.run(async () => change(await actAs(currentTarget.value)))
              }
            >
              {demo.map(({ id: each, name }) => (
                <option key={each} value={each}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          <span class="hint">{t('shell.language')}</span>
          <select
            value={language()}
            onChange={({ currentTarget: { selectedIndex } }) =>
              chooseLanguage(LANGUAGES[selectedIndex] ?? language())
            }
          >
            {LANGUAGES.map((each) => (
              <option key={each} value={each} lang={each}>
                {LANGUAGE_NAMES[each]}
              </option>
            ))}
          </select>
        </label>
        <Light />
        {demo === null ? (
          <Button busy={order.isBusy} onClick={() => order.run(leave)}>
            {t('shell.signOut')}
          </Button>
        ) : null}
        <Trouble problem={order.problem} />
      </div>
    </div>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => word?.slice(0, 1).toUpperCase() ?? '')
    .join('');
}
