// Who approves for an approver on leave: on which days, until when, and what neither of the two may do, since both are one pair of eyes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Delegates } from '../../../src/app/people/delegates.ts';
import { openPeopleFile, type PeopleFile } from '../../../src/app/people/people-file.ts';
import { People, type Person } from '../../../src/app/people/people.ts';
import { type Decider, mayDecide } from '../../../src/app/workflow/batch/may-decide.ts';
import { type ManualClock, manualClock } from '../../sandbox/manual-clock.ts';

const SIGNED = { proof: 'signature', roles: ['checker'] } as const;
const ZOE: Decider = { by: 'Zoé Abena', standsFor: 'Marie Ngo', ...SIGNED };
const MARIE: Decider = { by: 'Marie Ngo', ...SIGNED };
const AT = '2026-11-30T08:00:00Z';

type Rules = Pick<Parameters<typeof mayDecide>[3], 'decided' | 'first'>;

/** What becomes of an approval, or of another decision. */
function decided(decider: Decider, broughtBy: readonly string[] = [], rules: Rules = {}): string {
  const known = { approvers: [], approvalBy: 'name' as const, ...rules };
  const end = mayDecide('approve', { others: ['Marie Ngo', 'Joe Tchoua'], ...decider }, broughtBy, known);
  return 'code' in end ? end.code : end.by;
}

describe('the rule', () => {
  it.each([
    ['for whoever is on leave', ZOE, [], {}, 'Zoé Abena'],
    ['what the delegate brought', ZOE, ['Zoé Abena'], {}, 'approval_same_person'],
    ['what the one on leave brought', ZOE, ['NGO Marie'], {}, 'approval_same_person'],
    ['what another brought', ZOE, ['Armand Mbarga'], {}, 'Zoé Abena'],
    ['beside the one on leave', ZOE, [], { first: { by: 'Marie Ngo', at: AT } }, 'approval_second_person'],
    ['beside oneself', ZOE, [], { first: { by: 'Zoé Abena', at: AT } }, 'approval_second_person'],
    [
      'the one on leave beside the delegate',
      MARIE,
      [],
      { first: { by: 'Zoé Abena', standsFor: 'Marie Ngo', at: AT } },
      'approval_second_person',
    ],
    [
      'beside another delegate of the same person',
      ZOE,
      [],
      { first: { by: 'Paul Essono', standsFor: 'Marie Ngo', at: AT } },
      'approval_second_person',
    ],
    ['beside a third person', ZOE, [], { first: { by: 'Joe Tchoua', at: AT } }, 'Zoé Abena'],
    [
      'a third person beside the delegate',
      { by: 'Joe Tchoua', ...SIGNED },
      [],
      { first: { by: 'Zoé Abena', standsFor: 'Marie Ngo', at: AT } },
      'Joe Tchoua',
    ],
    ['what the one on leave released', ZOE, [], { decided: [{ by: 'Marie Ngo' }] }, 'approval_released_it'],
    ['without a signature', { ...ZOE, proof: 'typed' }, [], {}, 'approval_signature_needed'],
    ['of somebody who has lost the role', { ...ZOE, roles: [] }, [], {}, 'approval_role_missing'],
    ['by a program', { ...ZOE, isProgram: true }, [], {}, 'people_only'],
  ] satisfies [string, Decider, string[], Rules, string][])(
    '%s',
    (_, decider, broughtBy, rules, expected) => {
      expect(decided(decider, broughtBy, rules)).toBe(expected);
    },
  );

  it.each(['release', 'profile', 'service'] as const)('lends no right to %s', (permission) => {
    const rules = { approvers: [], approvalBy: 'name' as const };
    const roles = ['checker', 'treasurer', 'admin'];
    expect(mayDecide(permission, { ...ZOE, roles }, [], rules)).toMatchObject({
      code: 'approval_role_missing',
    });
  });
});

describe('the days', () => {
  let clock: ManualClock;
  let folder: string;
  let file: PeopleFile;
  let [marie, zoe, aline]: Person[] = [];
  let delegates: Delegates;
  let people: People;
  beforeEach(async () => {
    clock = manualClock(Date.parse('2026-12-01T10:00:00Z'));
    folder = await mkdtemp(join(tmpdir(), 'paydrop-people-'));
    file = openPeopleFile({ root: folder }, clock);
    people = new People(file);
    marie = people.add({ name: 'Marie Ngo', roles: ['checker', 'maker'], invitedBy: null });
    zoe = people.add({ name: 'Zoé Abena', roles: ['maker'], invitedBy: null });
    aline = people.add({ name: 'Aline Biya', roles: ['admin'], invitedBy: null });
    delegates = new Delegates(people, (ms) => new Date(ms).toISOString().slice(0, 10));
  });
  afterEach(async () => {
    file.database.close();
    await rm(folder, { recursive: true });
  });

  const known = (person: Person | undefined): Person => {
    if (person === undefined) throw new Error('Somebody who was added.');
    return person;
  };
  const name = (from: string, to: string, by = marie, who = zoe) =>
    delegates.name(
      known(by),
      known(who).id,
      from,
      to,
      delegates.able(() => true),
    );
  const moveTo = (time: string): void => clock.advance(Date.parse(time) - clock.now());
  const stoodFor = () => delegates.stoodFor(known(zoe).id);

  it('begin and end by themselves, and lend the roles that approve alone', () => {
    name('2026-12-02', '2026-12-03');
    expect(stoodFor()).toBeNull();
    moveTo('2026-12-02T00:00:00Z');
    expect(stoodFor()).toEqual({ name: 'Marie Ngo', roles: ['checker'] });
    moveTo('2026-12-03T23:59:59Z');
    expect(stoodFor()).not.toBeNull();
    moveTo('2026-12-04T00:00:00Z');
    expect([stoodFor(), delegates.all()]).toEqual([null, []]);
  });

  it.each([
    ['2026-12-01', '2027-01-29', true],
    ['2026-12-01', '2027-01-30', false],
    ['2026-12-05', '2026-12-04', false],
    ['2026-11-30', '2026-12-04', false],
    ['2027-12-02', '2027-12-03', true],
    ['2027-12-03', '2027-12-03', false],
  ])('from %s to %s', (from, to, isFit) => {
    if (isFit) expect(name(from, to)).toMatchObject({ from, to });
    else expect(() => name(from, to)).toThrow('delegate_days');
  });

  it.each(['delegate', 'approver', 'admin'])('are ended by the %s', (who) => {
    const { id } = name('2026-12-01', '2026-12-09');
    const other = people.add({ name: 'Paul Essono', roles: ['checker'], invitedBy: null });
    expect(() => delegates.end(id, other)).toThrow('delegate_unknown');
    delegates.end(id, known({ delegate: zoe, approver: marie, admin: aline }[who]));
    expect(stoodFor()).toBeNull();
    expect(() => delegates.end(id, known(marie))).toThrow('delegate_unknown');
  });

  it('end with the role of the one and with the departure of either', () => {
    name('2026-12-01', '2026-12-09');
    people.setRoles(known(marie).id, ['maker'], 'Aline Biya');
    expect(stoodFor()).toBeNull();
    people.setRoles(known(marie).id, ['checker'], 'Aline Biya');
    expect(stoodFor()).not.toBeNull();
    people.remove(known(zoe).id, null);
    expect(delegates.all()).toEqual([]);
  });

  it('are for one approver at a time, also where the other has lost the role for a while', () => {
    const joe = people.add({ name: 'Joe Tchoua', roles: ['treasurer'], invitedBy: null });
    const { id } = name('2026-12-03', '2026-12-09');
    for (const [from, to] of [
      ['2026-12-01', '2026-12-03'],
      ['2026-12-09', '2026-12-12'],
      ['2026-12-05', '2026-12-06'],
    ] as const)
      expect(() => name(from, to, joe)).toThrow('delegate_unfit');
    people.setRoles(known(marie).id, ['maker'], 'Aline Biya');
    expect(() => name('2026-12-05', '2026-12-06', joe)).toThrow('delegate_unfit');
    people.setRoles(known(marie).id, ['checker'], 'Aline Biya');
    expect(name('2026-12-10', '2026-12-12', joe)).toMatchObject({ person: { name: 'Joe Tchoua' } });
    expect(name('2026-12-09', '2026-12-10', marie, aline)).toMatchObject({
      delegate: { name: 'Aline Biya' },
    });
    delegates.end(id, known(marie));
    expect(name('2026-12-05', '2026-12-06', joe)).toMatchObject({ from: '2026-12-05' });
  });

  it('are for nobody who may approve, has no passkey, or names themselves', () => {
    const paul = people.add({ name: 'Paul Essono', roles: ['treasurer'], invitedBy: null });
    expect(() => name('2026-12-01', '2026-12-02', marie, paul)).toThrow('delegate_unfit');
    expect(() => name('2026-12-01', '2026-12-02', marie, marie)).toThrow('delegate_unfit');
    expect(() => name('2026-12-01', '2026-12-02', zoe, aline)).toThrow('delegate_unfit');
    const none = delegates.able(() => false);
    expect(() => delegates.name(known(marie), known(zoe).id, '2026-12-01', '2026-12-02', none)).toThrow(
      'delegate_unfit',
    );
  });
});
