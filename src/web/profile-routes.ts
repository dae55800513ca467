// How files are read, as far as people decide it at the page: what was proposed, and its confirmation by another person.
import type { DeciderFault } from '../app/desk/commands.ts';
import { confirmProfile, shownCell, shownProfiles, withdrawProfile } from '../app/desk/proposed-profiles.ts';
import { say } from '../base/language.ts';
import {
  profile,
  type ProfileConfirmation,
  profileConfirmation,
  type ReadingProfile,
} from '../contract/columns.ts';
import { listOf, named, shortList } from '../contract/schema.ts';
import { ROLES } from '../contract/words.ts';
import { deciderOf, ROLES_FOR_PROFILES } from './approval-routes.ts';
import { type Call, listPart, type ListPage, param, type Reply, type Route, route } from './call.ts';
import { DecisionProblem, Problem } from './problems.ts';

async function listProfiles(call: Call<unknown, ListPage>) {
  const profiles = shownProfiles(call.room.paydrop.config, deciderOf(call)).map(
    async ({ whyNot, ...profile }): Promise<ReadingProfile> => {
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
}

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

async function confirm(call: Call<ProfileConfirmation>) {
  const { digest: seen } = call.body;
  const name = param(call, 'name');
  const end = await confirmProfile(call.room.paydrop, name, { ...deciderOf(call), seen });
  return ended(call, end, 'profile_confirmed', name);
}

async function withdraw(call: Call) {
  const name = param(call, 'name');
  const end = await withdrawProfile(call.room.paydrop, name, deciderOf(call));
  return ended(call, end, 'profile_withdrawn', name);
}

type End = 'confirmed' | 'withdrawn' | 'unknown' | 'changed' | 'guarded' | DeciderFault;

/** A daemon reads its config again within a moment. */
function ended(
  call: Call,
  end: End,
  what: 'profile_confirmed' | 'profile_withdrawn',
  name: string,
): Reply<{ readonly name: string }> {
  if (typeof end !== 'string') throw new DecisionProblem(end.code, end.words);
  if (end === 'unknown') throw new Problem('profile_unknown');
  if (end === 'changed') throw new Problem('profile_changed');
  if (end === 'guarded') throw new Problem('profile_guarded');
  call.room.door.log(call.by.name, what, name);
  call.room.lookNow();
  return { status: 200, json: { name } };
}

export const PROFILE_ROUTES: readonly Route[] = [
  route('GET /profiles', ROLES, 'How files are read, proposals first', {
    query: shortList,
    replies: { 200: listOf(profile) },
    does: listProfiles,
  }),
  route(
    'POST /profiles/:name/confirmation',
    ROLES_FOR_PROFILES,
    'Has a proposed profile read the files of everybody; never by its author',
    { stepUp: 'always', body: profileConfirmation, replies: { 200: named }, does: confirm },
  ),
  route('DELETE /profiles/:name', ROLES, 'Takes a proposed profile away', {
    replies: { 200: named },
    does: withdraw,
  }),
];
