// The page is written apart from the rest, and what it believes to be told must be what is told: its own shapes are held against the bodies of the table of
// routes. Those in turn are held against every reply that a test gets.
import { expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';

import { en } from '../../src/page/words/en.ts';
import type * as page from '../../src/page/shapes.ts';
import { ACCESS } from '../../src/app/people/people-file.ts';
import { assertAsDescribed } from '../web/replies.ts';
import type * as bodies from '../../src/web/bodies.ts';

type Told<Name extends keyof typeof bodies> = (typeof bodies)[Name] extends z.ZodType
  ? z.output<(typeof bodies)[Name]>
  : never;

it('reads nothing that is not told', () => {
  expectTypeOf<Told<'session'>>().toExtend<page.Session>();
  expectTypeOf<Told<'upload'>>().toExtend<page.Upload>();
  expectTypeOf<Told<'proposal'>>().toExtend<page.Proposal>();
  expectTypeOf<Told<'fault'>>().toExtend<page.Fault>();
  expectTypeOf<Told<'sheet'>>().toExtend<page.SheetPage>();
  expectTypeOf<Told<'summary'>>().toExtend<page.Summary>();
  expectTypeOf<Told<'answer'>>().toExtend<page.Answer>();
  expectTypeOf<Told<'question'>>().toExtend<page.Question>();
  expectTypeOf<Told<'comparison'>>().toExtend<page.Comparison>();
  expectTypeOf<Told<'heldGroup'>>().toExtend<page.HeldGroup>();
  expectTypeOf<Told<'trial'>>().toExtend<page.Trial>();
  expectTypeOf<Told<'released'>>().toExtend<page.Released>();
  expectTypeOf<Told<'stop'>>().toExtend<page.Stop>();
  expectTypeOf<Told<'balance'>>().toExtend<page.MoneyLine>();
  expectTypeOf<Told<'balanceLine'>>().toExtend<page.BalanceLine>();
  expectTypeOf<Told<'schedule'>>().toExtend<page.Schedule>();
  expectTypeOf<Told<'job'>>().toExtend<page.Job>();
  expectTypeOf<Told<'person'>>().toExtend<page.PersonView>();
  expectTypeOf<Told<'invitation'>>().toExtend<page.Invitation>();
  expectTypeOf<Told<'programKey'>>().toExtend<page.ProgramKey>();
  expectTypeOf<Told<'access'>>().toExtend<page.AuditEntry>();
  expectTypeOf<Told<'finding'>>().toExtend<page.Finding>();
});

it('is held against what a test gets: a field too few or too many is a fault', () => {
  const url = 'http://localhost/api/v1/stop';
  const told = (stop: object | null) => () => assertAsDescribed('GET', url, 200, stop);
  expect(told({ stop: { words: 'Armand', since: null } })).not.toThrow();
  expect(told({ stop: { words: 'Armand' } })).toThrow('since');
  expect(told({ stop: null, more: 1 })).toThrow('more');
});

it('has words for everything that the log of access may say', () => {
  for (const what of ACCESS) expect(Object.keys(en)).toContain(`access.${what}`);
});
