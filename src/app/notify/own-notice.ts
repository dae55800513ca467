// The notices that a person has chosen at the page: of which news, and whether they still go to that person when they are sent. What a role or a person's
// own file forbids to decide is asked of nobody.
import { say } from '../../base/language.ts';
import { isSameName } from '../../base/person-name.ts';
import type { NoticeKind } from '../../contract/words.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';
import type { Config } from '../config/config.ts';
import type { NoticeEvent, NoticeMessage, NoticeReceiver } from '../config/notify-config.ts';
import type { Paydrop } from '../parts.ts';
import { type OwnNotices, withOwnNotices } from '../people/own-notices.ts';
import type { Person } from '../people/people.ts';

const KINDS: Readonly<Partial<Record<NoticeEvent, NoticeKind>>> = {
  approval: 'decision',
  held: 'decision',
  shortfall: 'funds',
  completion: 'done',
  refused: 'done',
  changed: 'reversed',
};

/** Null for news that nobody chooses at the page. */
export function kindOf(event: NoticeEvent): NoticeKind | null {
  return KINDS[event] ?? null;
}

type Own = Pick<Paydrop, 'config' | 'clock' | 'ledger' | 'log'>;

/** No fault of the people's file holds up a payment. */
export function whoChose(
  { config, clock, log }: Pick<Own, 'config' | 'clock' | 'log'>,
  kind: NoticeKind | null,
): readonly NoticeReceiver[] {
  if (kind === null || config.notify.email === undefined) return [];
  try {
    const people = withOwnNotices(config.workspacePath, clock, (own) => own.whoChose(kind));
    return (people ?? []).map(({ id }) => ({ person: id, kind }));
  } catch (error) {
    log.error('choices of people cannot be read', {
      reason: error instanceof Error ? error.name : 'unknown',
    });
    return [];
  }
}

/** The message with where it stands at the page, and why this person gets it. */
export function forPerson(
  { config }: Pick<Own, 'config'>,
  message: NoticeMessage,
  to: NoticeReceiver,
): NoticeMessage {
  const { publicUrl } = config.web;
  const address = publicUrl === null ? null : new URL(screenOf(message), publicUrl).href;
  const chosen = say(sentence('ownNotice.chosen', { address }), config.language);
  return { ...message, to, text: `${message.text}\n\n${chosen}` };
}

/** Of the page: where the file is decided about, or seen. */
function screenOf({ event, batch }: NoticeMessage): string {
  const screens: Readonly<Partial<Record<typeof event, string>>> = { approval: 'approvals', held: 'held' };
  return `/${screens[event] ?? 'files'}/${batch ?? ''}`;
}

/** As `mayDecide` of the workflow, which lies below: who may let go what others brought. */
export type DecisionRule = (
  permission: 'approve' | 'release',
  decider: {
    readonly by: string;
    readonly roles: readonly string[];
    readonly others: readonly string[];
    readonly proof: 'signature';
  },
  broughtBy: readonly string[],
  rules: {
    readonly approvers: Config['approvers'];
    readonly approvalBy: 'signature';
    readonly released: readonly { readonly by: string }[];
  },
) => object;

/** The address; null where the person is gone, has chosen otherwise since, or may not decide; undefined where this machine knows no people. */
export async function addressFor(
  { config, clock, ledger }: Own,
  rule: DecisionRule,
  message: NoticeMessage,
  to: NoticeReceiver,
): Promise<string | null | undefined> {
  const known = withOwnNotices(config.workspacePath, clock, (own) => standingOf(own, to));
  if (known === null) return undefined;
  if (known.address === null || !('kind' in to) || known.person === null) return known.address;
  const batch = await ledger.batch(message.batch ?? '');
  if (batch === null) return null;
  return mayHear(config.approvers, rule, known.person, known.people, message.event, batch)
    ? known.address
    : null;
}

function standingOf(own: OwnNotices, to: NoticeReceiver) {
  const person = own.people.find(to.person);
  const { address, asked } = person === null ? { address: null, asked: null } : own.addressOf(person);
  const people = own.people.all();
  if ('address' in to) return { person, people, address: asked?.address === to.address ? to.address : null };
  const isChosen = person !== null && own.chosen(person).includes(to.kind);
  return { person, people, address: isChosen ? address : null };
}

function mayHear(
  approvers: Config['approvers'],
  rule: DecisionRule,
  person: Person,
  people: readonly Person[],
  event: NoticeMessage['event'],
  batch: BatchRecord,
): boolean {
  if (event === 'completion' || event === 'refused') return hasPart(batch, person.name);
  if (event !== 'approval' && event !== 'held') return person.roles.length > 0;
  const permission = event === 'approval' ? 'approve' : 'release';
  const released = permission === 'approve' ? (askedAbout(batch)?.subject.released ?? []) : [];
  const may = (
    { name: by, roles }: Person,
    others: readonly string[],
    broughtBy: readonly string[],
  ): boolean => {
    const decider = { by, roles, others, proof: 'signature' as const };
    return !(
      'code' in rule(permission, decider, broughtBy, { approvers, approvalBy: 'signature', released })
    );
  };
  const others = people.filter((each) => may(each, [], [])).map(({ name }) => name);
  return may(person, others, batch.submittedBy ?? []);
}

/** Whether this person brought the file, or decided something about it. */
function hasPart(batch: BatchRecord, name: string): boolean {
  const { submittedBy = [], decisions } = batch;
  const asked = askedAbout(batch);
  const names = [...submittedBy, ...decisions.map(({ by }) => by), asked?.given?.by, asked?.declined?.by];
  return names.some((each) => each !== undefined && isSameName(each, name));
}

function askedAbout({ approval }: BatchRecord) {
  return approval?.kind === 'asked' ? approval : null;
}
