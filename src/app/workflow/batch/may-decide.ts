// Who may decide what (maker-checker, segregation of duties): the one rule below every door, whether an order is typed, clicked, sent by a program or dropped as a file.
import type { Config } from '../../config/config.ts';
import { asSystemUser, isAmongPeople, isSameName, isSamePerson } from '../../../base/person-name.ts';
import { APPROVER_ROLES } from '../../../contract/words.ts';
import type { Words } from '../../../base/language.ts';
import type { ApprovalAnswer, ApprovalBy, Proof } from '../../../ledger/approval.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';

/** `release`: held rows, the same bytes once more among them, and a file over its limits; `profile`: how other people's files are read; `service`: the account that pays. Each lets money go. */
type Permission = 'approve' | 'release' | 'profile' | 'service';

/** Who has each of them, where the page knows people by their roles. */
export const ROLES_THAT_MAY: Readonly<Record<Permission, readonly string[]>> = {
  approve: APPROVER_ROLES,
  release: APPROVER_ROLES,
  profile: ['treasurer', 'admin'],
  service: ['treasurer', 'admin'],
};

/** Who orders something, as far as the door shows it. */
export type Decider = {
  /** In the form of `readPersonName`. */
  readonly by: string;
  /** The approver on leave whose delegate `by` is, and whose `roles` these are then; absent for whoever decides alone. */
  readonly standsFor?: string | undefined;
  /** What shows that it is this person's order; if absent, a typed name. */
  readonly proof?: Proof;
  /** The system user who typed it. */
  readonly systemUser?: string;
  /** The person's roles at the page; null or absent where the page knows nobody. */
  readonly roles?: readonly string[] | null;
  /** Others who may decide, as far as the page knows people; absent where it knows nobody. */
  readonly others?: readonly string[];
  /** A program with a key: it decides nothing. */
  readonly isProgram?: boolean;
};

export type DeciderFault = {
  readonly code:
    | 'people_only'
    | 'approval_same_person'
    | 'approval_same_user'
    | 'approval_not_approver'
    | 'approval_signature_needed'
    | 'approval_role_missing'
    | 'approval_released_it'
    | 'approval_second_person';
  readonly words: Words;
};

/** The name under which an order counts, or why it does not. */
type MayDecide = { readonly by: string } | DeciderFault;

type Rules = Pick<Config, 'approvers'> & {
  readonly approvalBy: ApprovalBy;
  /** Who has let held rows of the file go, or verified an account in it. */
  readonly decided?: readonly { readonly by: string }[];
  /** Who has approved it, where another person has to as well. */
  readonly first?: Pick<ApprovalAnswer, 'by' | 'standsFor' | 'at' | 'systemUser'> | null;
};

/**
 * Whether a person may let go what others brought: never his own, only with the role or as an approver of the config, and signed where names do not count.
 * @param broughtBy the people and system users who brought the file, or the author of a profile.
 */
export function mayDecide(
  permission: Permission,
  decider: Decider,
  broughtBy: readonly string[],
  { approvers, approvalBy, decided = [], first = null }: Rules,
): MayDecide {
  const { by, standsFor, proof = 'typed', systemUser, roles = null, isProgram = false } = decider;
  if (isProgram) return { code: 'people_only', words: sentence('mayDecide.program') };
  // A delegate and whoever is on leave are one pair of eyes.
  const [own, before] = [eyesOf(decider), first === null ? [] : eyesOf(first)];
  if (own.some((name) => isAmongPeople(broughtBy, name)))
    return { code: 'approval_same_person', words: sentence('decideApproval.samePerson', { standsFor }) };
  const isLent = standsFor !== undefined;
  const isShared = isLent || first?.standsFor !== undefined;
  if (first !== null && own.some((name) => isAmongPeople(before, name)))
    return {
      code: 'approval_second_person',
      words: sentence('mayDecide.second', { at: first.at, isShared }),
    };
  if (
    (isLent && permission !== 'approve') ||
    (roles !== null && !ROLES_THAT_MAY[permission].some((role) => roles.includes(role)))
  )
    return { code: 'approval_role_missing', words: sentence('mayDecide.role', { permission }) };
  if ((isLent || approvalBy === 'signature') && proof !== 'signature')
    return { code: 'approval_signature_needed', words: sentence('decideApproval.signatureNeeded') };
  // Two decisions about one file are two people's, where there is another who may take the second.
  const known = decider.others ?? approvers.map(({ name }) => name);
  const counted = [...own, ...before];
  const others = known.filter((name) => !isAmongPeople(counted, name) && !isAmongPeople(broughtBy, name));
  if (others.length > 0 && decided.some((other) => own.some((name) => isSamePerson(other.by, name))))
    return {
      code: 'approval_released_it',
      words: sentence('mayDecide.released', { others: others.join(', ') }),
    };
  // The config assigns a folder or a key to its approver; a name is only what somebody wrote.
  if (proof !== 'typed' || approvers.length === 0) return { by };
  const approver = approvers.find(({ name }) => isSameName(name, by));
  if (approver === undefined) return { code: 'approval_not_approver', words: notApproverWords(approvers) };
  if (systemUser !== undefined && broughtBy.includes(asSystemUser(systemUser)))
    return { code: 'approval_same_user', words: sentence('decideApproval.sameUser', { user: systemUser }) };
  if (systemUser !== undefined && systemUser === first?.systemUser)
    return { code: 'approval_same_user', words: sentence('mayDecide.sameUser', { user: systemUser }) };
  return { by: approver.name };
}

/** Whose looks it is: of a delegate also that of the person on leave. */
function eyesOf({ by, standsFor }: Pick<Decider, 'by' | 'standsFor'>): readonly string[] {
  return standsFor === undefined ? [by] : [by, standsFor];
}

function notApproverWords(approvers: readonly { readonly name: string }[]): Words {
  return sentence('decideApproval.notApprover', { names: approvers.map(({ name }) => name).join(', ') });
}

/** Whether this person is among those who brought a file, under any spelling of the name. */
export function isBroughtBy({ submittedBy = [] }: Pick<BatchRecord, 'submittedBy'>, by: string): boolean {
  return isAmongPeople(submittedBy, by);
}

type TwoPeople = {
  readonly policy: Pick<Config['policy'], 'approval' | 'approvalBy'>;
  readonly approvers: Config['approvers'];
  readonly web: Pick<Config['web'], 'listen'>;
};

/** Whether an office has said that one person brings files and another lets them go. Where it has not, whoever works there decides alone. */
export function isForTwo({ policy, approvers, web }: TwoPeople): boolean {
  return policy.approval !== 'none' || approvers.length > 0 || web.listen !== null;
}

/** What counts as a decision at this moment: a signature where the page is on, unless the config says otherwise. */
export function approvalByNow({ policy, web }: Pick<TwoPeople, 'policy' | 'web'>): ApprovalBy {
  return policy.approvalBy ?? (web.listen === null ? 'name' : 'signature');
}

/** The same for an order to release, which needs no second person where the office has one alone. */
export function mayRelease(
  config: TwoPeople,
  decider: Decider,
  { submittedBy = [] }: Pick<BatchRecord, 'submittedBy'>,
): MayDecide {
  if (decider.isProgram !== true && !isForTwo(config)) return { by: decider.by };
  return mayDecide('release', decider, submittedBy, {
    approvers: config.approvers,
    approvalBy: approvalByNow(config),
  });
}
