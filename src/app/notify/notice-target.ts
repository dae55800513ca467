// Whether a notice still goes to the person that it is for when it is sent, and where. What a role or a person's own file forbids to decide is asked of
// nobody.
import { zoneOf } from '../../base/local-time.ts';
import { isSameName } from '../../base/person-name.ts';
import { decidersOf, firstOf, waitsForAnswer } from '../../ledger/approval.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { Config } from '../config/config.ts';
import { dayIn } from '../config/schedule-config.ts';
import type { NoticeMessage, NoticeReceiver } from '../config/notify-config.ts';
import type { Paydrop } from '../parts.ts';
import { Delegates } from '../people/delegates.ts';
import { type OwnNotices, withOwnNotices } from '../people/own-notices.ts';
import type { Person } from '../people/people.ts';
import type { PushSubscription } from '../people/push-browsers.ts';

/** As `mayDecide` of the workflow, which lies below: who may let go what others brought. */
export type DecisionRule = (
  permission: 'approve' | 'release',
  decider: {
    readonly by: string;
    readonly standsFor?: string | undefined;
    readonly roles: readonly string[];
    readonly others: readonly string[];
    readonly proof: 'signature';
  },
  broughtBy: readonly string[],
  rules: {
    readonly approvers: Config['approvers'];
    readonly approvalBy: 'signature';
    readonly decided: readonly { readonly by: string }[];
    readonly first: { readonly by: string; readonly standsFor?: string; readonly at: string } | null;
  },
) => object;

/** An address, or a browser. */
type Target =
  { readonly address: string } | { readonly browser: string; readonly subscription: PushSubscription };

/** Null where the person is gone, has chosen otherwise since, or may not decide; undefined where this machine knows no people. */
export async function targetOf(
  { config, clock, ledger }: Pick<Paydrop, 'config' | 'clock' | 'ledger'>,
  rule: DecisionRule,
  message: NoticeMessage,
  to: NoticeReceiver,
): Promise<Target | null | undefined> {
  const dayOf = (ms: number): string => dayIn(zoneOf(config), ms);
  const known = withOwnNotices(config.workspacePath, clock, (own) => standingOf(own, to, dayOf));
  if (known === null) return undefined;
  const { person, target } = known;
  if (target === null || !('kind' in to) || person === null) return target;
  const batch = await ledger.batch(message.batch ?? '');
  if (batch === null) return null;
  return mayHear(config.approvers, rule, { ...known, person }, message.event, batch) ? target : null;
}

type NoticeContext = {
  readonly person: Person | null;
  readonly people: readonly Person[];
  /** For whom the person approves as a delegate. */
  readonly stoodFor: ReturnType<Delegates['stoodFor']>;
  readonly target: Target | null;
};

function standingOf(own: OwnNotices, to: NoticeReceiver, dayOf: (ms: number) => string): NoticeContext {
  const [person, people] = [own.people.find(to.person), own.people.all()];
  if (person === null) return { person, people, stoodFor: null, target: null };
  const stoodFor = new Delegates(own.people, dayOf).stoodFor(person.id);
  return { person, people, stoodFor, target: chosenTarget(own, person, to) };
}

function chosenTarget(own: OwnNotices, person: Person, to: NoticeReceiver): Target | null {
  const { address, asked } = own.addressOf(person);
  if ('address' in to) return asked?.address === to.address ? { address: to.address } : null;
  const { mail, browser } = own.chosen(person);
  if (to.browser === null) return mail.includes(to.kind) && address !== null ? { address } : null;
  const subscription = own.browsers.find(person.id, to.browser);
  return browser.includes(to.kind) && subscription !== null ? { browser: to.browser, subscription } : null;
}

function mayHear(
  approvers: Config['approvers'],
  rule: DecisionRule,
  { person, people, stoodFor }: NoticeContext & { readonly person: Person },
  event: NoticeMessage['event'],
  batch: BatchRecord,
): boolean {
  if (event === 'completion' || event === 'refused') return hasPart(batch, person.name);
  if (event !== 'approval' && event !== 'held') return person.roles.length > 0;
  // Answered while the mail server was away, it waits no longer.
  if (event === 'approval' && !waitsForAnswer(batch)) return false;
  const permission = event === 'approval' ? 'approve' : 'release';
  const asked = permission === 'approve' ? askedAbout(batch) : null;
  const decided = asked === null ? [] : decidersOf(asked.subject);
  const first = asked && firstOf(asked);
  const may = (
    { name: by, roles }: Pick<Person, 'name' | 'roles'>,
    others: readonly string[],
    broughtBy: readonly string[],
    standsFor?: string,
  ): boolean => {
    const decider = { by, standsFor, roles, others, proof: 'signature' as const };
    return !(
      'code' in rule(permission, decider, broughtBy, { approvers, approvalBy: 'signature', decided, first })
    );
  };
  const others = people.filter((each) => may(each, [], [])).map(({ name }) => name);
  const broughtBy = batch.submittedBy ?? [];
  return (
    may(person, others, broughtBy) ||
    (stoodFor !== null && may({ name: person.name, roles: stoodFor.roles }, others, broughtBy, stoodFor.name))
  );
}

/** Whether this person brought the file, or decided something about it. */
function hasPart(batch: BatchRecord, name: string): boolean {
  const { submittedBy = [], decisions } = batch;
  const asked = askedAbout(batch);
  const names = [
    ...submittedBy,
    ...decisions.map(({ by }) => by),
    asked?.first?.by,
    asked?.given?.by,
    asked?.declined?.by,
  ];
  return names.some((each) => each !== undefined && isSameName(each, name));
}

function askedAbout({ approval }: BatchRecord) {
  return approval?.kind === 'asked' ? approval : null;
}
