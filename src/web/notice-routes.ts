// What a person is told of, and where: of oneself alone, with a session.
import { askToConfirm, hasMail, pushKeyOf, subscriptionFault } from '../app/desk/notice-places.ts';
import {
  type AddressAsked,
  addressAsked,
  type AddressCode,
  addressCode,
  notices,
  type Notices,
  type NoticesChosen,
  noticesChosen,
  type Subscribing,
  subscribing,
} from '../contract/notices.ts';
import { lineOf } from './approval-routes.ts';
import { type Call, param, type Reply, type Route, route } from './call.ts';
import { Problem } from './problems.ts';
import { sessionOf } from './session-routes.ts';

function shown(call: Call): Promise<Reply<Notices>> {
  const { person } = sessionOf(call);
  const { paydrop, door } = call.room;
  const own = door.notices;
  const json = {
    chosen: own.chosen(person),
    mail: { isOffered: hasMail(paydrop), ...own.addressOf(person) },
    pushKey: pushKeyOf(paydrop, door),
    browsers: own.browsers.of(person),
  };
  return Promise.resolve({ status: 200, json });
}

function choose(call: Call<NoticesChosen>) {
  call.room.door.notices.choose(sessionOf(call).person, call.body);
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

function addBrowser(call: Call<Subscribing>) {
  const { paydrop, door } = call.room;
  const { endpoint, keys, name } = call.body;
  const subscription = { endpoint, ...keys };
  const fault = subscriptionFault(paydrop, subscription);
  if (fault !== null) throw new Problem(fault);
  door.notices.browsers.add(sessionOf(call).person, lineOf(name), subscription);
  return shown(call);
}

function removeBrowser(call: Call) {
  const { browsers } = call.room.door.notices;
  if (!browsers.remove(sessionOf(call).person, param(call, 'browser')))
    throw new Problem('notice_browser_unknown');
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
  route('POST /session/notices/browsers', 'people', 'Has a browser tell what one has chosen (Web Push)', {
    stepUp: 'always',
    body: subscribing,
    replies: { 200: notices },
    does: addBrowser,
  }),
  route('DELETE /session/notices/browsers/:browser', 'people', 'Takes a browser away', {
    replies: { 200: notices },
    does: removeBrowser,
  }),
];
