// How files are read, as far as people decide it at the page: what was proposed, and its confirmation by another person.
import { z } from 'zod';

import type { DeciderFault } from '../app/desk/commands.ts';
import { confirmProfile, shownCell, shownProfiles, withdrawProfile } from '../app/desk/proposed-profiles.ts';
import { ROLES } from '../app/people/people.ts';
import { say } from '../base/language.ts';
import { deciderOf, ROLES_FOR_PROFILES, route } from './approval-routes.ts';
import { listOf, moment, shortPage, stepUp, text } from './bodies.ts';
import { type Call, listPart, param, type Reply, type Route } from './call.ts';
import { DecisionProblem, Problem } from './problems.ts';

const shownProfile = z.object({
  name: text,
  files: z.array(text),
  columns: z.array(
    z.object({
      header: text,
      column: text.nullable(),
      title: text.nullable(),
      /** Cells of a file of its author's, accounts masked; none where there is no such file. */
      samples: z.array(text),
    }),
  ),
  author: text.nullable(),
  confirmed: z.object({ by: text, at: moment }).nullable(),
  isProposal: z.boolean(),
  replaces: z.boolean(),
  text,
  digest: text,
  mayConfirm: z.boolean(),
  whyNotWords: text.nullable(),
});

const listProfiles: Route['does'] = async (call) => {
  const profiles = shownProfiles(call.room.paydrop.config, deciderOf(call)).map(
    async ({ whyNot, ...profile }) => {
      const sample = profile.isProposal ? await sampleOf(call, profile) : NO_SAMPLE;
      return {
        ...profile,
        columns: profile.columns.map(({ header, column, words, isMasked }) => ({
          header,
          column,
          title: words && say(words, call.reader),
          samples: sample(header).map((cell) => shownCell(cell, isMasked)),
        })),
        mayConfirm: profile.isProposal && whyNot === null,
        whyNotWords: whyNot && say(whyNot.words, call.reader),
      };
    },
  );
  return listPart(call, await Promise.all(profiles));
};

const SAMPLE_ROWS = 3;

/** The first cells of a column, by its header. */
type Sample = (header: string) => readonly string[];
const NO_SAMPLE: Sample = () => [];

/** From a file that its author has sent and not submitted yet, where there is one with these very columns. */
async function sampleOf(
  { room: { uploads }, reader }: Call,
  { author, columns }: Pick<ReturnType<typeof shownProfiles>[number], 'author' | 'columns'>,
): Promise<Sample> {
  if (author === null) return NO_SAMPLE;
  for (const { id } of await uploads.views(author, reader)) {
    const sheet = await uploads.sheet(id, author, (of, place) => of.readSheet(place, false, 0, SAMPLE_ROWS));
    const headers = (sheet?.header ?? []).map((header) => header.trim());
    if (sheet === null || !columns.every(({ header }) => headers.includes(header))) continue;
    return (header) => sheet.rows.map(({ cells }) => cells[headers.indexOf(header)] ?? '');
  }
  return NO_SAMPLE;
}

const confirming = z.strictObject({ digest: text.regex(/^[0-9a-f]{64}$/), stepUp });

const confirm: Route['does'] = async (call) => {
  const { digest: seen } = call.body as z.output<typeof confirming>;
  const name = param(call, 'name');
  const end = await confirmProfile(call.room.paydrop, name, { ...deciderOf(call), seen });
  return ended(call, end, 'profile_confirmed', name);
};

const withdraw: Route['does'] = async (call) => {
  const name = param(call, 'name');
  const end = await withdrawProfile(call.room.paydrop, name, deciderOf(call));
  return ended(call, end, 'profile_withdrawn', name);
};

type End = 'confirmed' | 'withdrawn' | 'unknown' | 'changed' | 'guarded' | DeciderFault;

/** A daemon reads its config again within a moment. */
function ended(call: Call, end: End, what: 'profile_confirmed' | 'profile_withdrawn', name: string): Reply {
  if (typeof end !== 'string') throw new DecisionProblem(end.code, end.words);
  if (end === 'unknown') throw new Problem('profile_unknown');
  if (end === 'changed') throw new Problem('profile_changed');
  if (end === 'guarded') throw new Problem('profile_guarded');
  call.room.door.log(call.by.name, what, name);
  call.room.lookNow();
  return { status: 200, json: { name } };
}

export const PROFILE_ROUTES: readonly Route[] = [
  route('GET', '/profiles', ROLES, 'How files are read, proposals first', listProfiles, {
    query: z.strictObject(shortPage),
    replies: { 200: listOf(shownProfile) },
  }),
  route(
    'POST',
    '/profiles/:name/confirmation',
    ROLES_FOR_PROFILES,
    'Has a proposed profile read the files of everybody; never by its author',
    confirm,
    { stepUp: 'always', body: confirming, replies: { 200: z.object({ name: text }) } },
  ),
  route('DELETE', '/profiles/:name', ROLES, 'Takes a proposed profile away', withdraw, {
    replies: { 200: z.object({ name: text }) },
  }),
];
