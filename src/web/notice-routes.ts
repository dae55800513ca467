// What a person is told of, and where: of oneself alone, with a session.
import { askToConfirm, hasMail } from '../app/desk/confirm-address.ts';
import {
  type AddressAsked,
  addressAsked,
  type AddressCode,
  addressCode,
  notices,
  type Notices,
  type NoticesChosen,
  noticesChosen,
} from '../contract/notices.ts';
import { type Call, type Reply, type Route, route } from './call.ts';
import { Problem } from './problems.ts';
import { sessionOf } from './session-routes.ts';

function shown(call: Call): Promise<Reply<Notices>> {
  const { person } = sessionOf(call);
  const own = call.room.door.notices;
  const json = {
    chosen: { mail: own.chosen(person) },
    mail: { isOffered: hasMail(call.room.paydrop), ...own.addressOf(person) },
  };
  return Promise.resolve({ status: 200, json });
}

function choose(call: Call<NoticesChosen>) {
  call.room.door.notices.choose(sessionOf(call).person, call.body.mail);
  return shown(call);
}

async function askAddress(call: Call<AddressAsked>) {
  const { paydrop, door } = call.room;
  if (!hasMail(paydrop)) throw new Problem('notice_mail_off');
  await askToConfirm(paydrop, door, sessionOf(call).person, call.body.address);
  return shown(call);
}

function confirmAddress(call: Call<AddressCode>) {
  call.room.door.notices.confirmAddress(sessionOf(call).person, call.body.code);
  return shown(call);
}

function removeAddress(call: Call) {
  call.room.door.notices.removeAddress(sessionOf(call).person);
  return shown(call);
}

export const NOTICE_ROUTES: readonly Route[] = [
  route('GET /session/notices', 'people', 'What one is told of, and where', {
    replies: { 200: notices },
    does: shown,
  }),
  route('PUT /session/notices', 'people', 'Chooses what one is told of', {
    body: noticesChosen,
    replies: { 200: notices },
    does: choose,
  }),
  route('POST /session/notices/address', 'people', 'Has a code sent to an address of one’s own', {
    stepUp: 'always',
    body: addressAsked,
    replies: { 200: notices },
    does: askAddress,
  }),
  route('POST /session/notices/address/code', 'people', 'Confirms the address with the code', {
    body: addressCode,
    replies: { 200: notices },
    does: confirmAddress,
  }),
  route('DELETE /session/notices/address', 'people', 'Takes the address away', {
    replies: { 200: notices },
    does: removeAddress,
  }),
];
