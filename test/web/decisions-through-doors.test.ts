// Every decision through every door, asked by everybody: one rule says who may, and the table of what came out is printed.
import { execFile } from 'node:child_process';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { HEADER, lineTo } from '../app/desk.ts';
import { type Visitor, visitor } from './with-people.ts';
import { openWeb, order, type Web } from './with-web.ts';

const WHO = ['maker', 'maker and checker', 'checker', 'treasurer', 'stranger', 'key'] as const;
type Who = (typeof WHO)[number];

const NAMES: Readonly<Record<Exclude<Who, 'key'>, string>> = {
  maker: 'Armand Mbarga',
  'maker and checker': 'Berthe Biya',
  checker: 'Marie Ngo',
  treasurer: 'Joe Tchoua',
  stranger: 'Victor Nobody',
};

let web: Web;
let people: ReadonlyMap<Who, Visitor>;
let key: string;
let config: string;

beforeAll(async () => {
  // Names count here, so that the command line is a door at all; the page asks for its step-up all the same.
  web = await openWeb(CONFIG);
  people = new Map([
    ['maker', await visitor(web, NAMES.maker, 'maker')],
    ['maker and checker', await visitor(web, NAMES['maker and checker'], 'maker', 'checker')],
    ['checker', await visitor(web, NAMES.checker, 'checker')],
    ['treasurer', await visitor(web, NAMES.treasurer, 'treasurer')],
  ]);
  key = await web.key('Ledgerly');
});
afterAll(() => web.close());

const CONFIG =
  'policy: { approval: required, approvalBy: name, onInvalidRows: skip-rows }\nlimits: { perRow: 20000 XAF }';

let files = 0;

/** What is decided, each about a file of its own: `again` and `limit` let rows go that are held for that. */
const DECISIONS = ['release', 'again', 'limit', 'approve', 'decline', 'pause', 'resume', 'profile'] as const;
type What = (typeof DECISIONS)[number];

const HELD_FOR: Readonly<Record<string, string>> = {
  release: 'equal_rows',
  again: 'same_bytes_again',
  limit: 'over_row_limit',
};

/** Beside a row that waits for nothing but the approval. */
function heldRows(name: string, what: What): readonly string[] {
  if (what === 'again') return [lineTo(`${name}y`, `${name}-2`, '60')];
  if (what === 'limit') return [lineTo(`${name}y`, `${name}-2`, '1000')];
  const equal = lineTo(name, '', '100');
  return [equal, equal];
}

/** A file that asks for this decision, brought by the person who may bring and decide. */
async function brought(what: What): Promise<string> {
  files += 1;
  const name = `file-${String(files)}`;
  const text = `${[HEADER, ...heldRows(name, what), lineTo(`${name}x`, `${name}-1`, '50')].join('\n')}\n`;
  // Digits of a name are any digits to a profile: each file is another's by its letters.
  if (what === 'profile') return proposed(`layout-${String.fromCharCode(97 + (files % 26))}`);
  const batch = await submitted(name, text, false);
  if (what !== 'again') return batch;
  // As long as the first is not finished, the same bytes are that file.
  expect(await atPage('checker', 'approve', batch)).toBe('done');
  while ((await web.paydrop.ledger.batch(batch))?.state !== 'closed') await web.paydrop.clock.sleep(20);
  return submitted(`${name}-again`, text, true);
}

const berthe = (): Visitor => {
  const found = people.get('maker and checker');
  if (found === undefined) throw new Error('She is there.');
  return found;
};

async function uploaded(name: string, body: string): Promise<string> {
  const { cookie } = berthe();
  const sent = await fetch(`${web.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'x-file-name': `${name}.csv`, cookie, 'sec-fetch-site': 'same-origin' },
    body,
  });
  return ((await sent.json()) as { id: string }).id;
}

async function submitted(name: string, text: string, again: boolean): Promise<string> {
  const id = await uploaded(name, text);
  const { body } = await berthe().json('POST', `/uploads/${id}/submission`, { again });
  const batch = String(body['batch']);
  const isAsked = async () => (await berthe().json('GET', `/files/${batch}/approval`)).status === 200;
  const isHeld = async () => ((await web.paydrop.ledger.stageCounts(batch)).get('held') ?? 0) > 0;
  while (!(again ? await isHeld() : await isAsked())) await web.paydrop.clock.sleep(20);
  return batch;
}

/** A way of reading that its author proposes; gives its name. */
async function proposed(name: string): Promise<string> {
  const id = await uploaded(name, `${HEADER},Tel\n${lineTo(name, `${name}-1`, '70')},+8613900139000\n`);
  while ((await berthe().json('GET', `/uploads/${id}`)).body['state'] === 'checking')
    await web.paydrop.clock.sleep(20);
  const columns = { 'delivery.msisdn': 'ignore', Tel: 'delivery.msisdn' };
  expect((await berthe().json('POST', `/uploads/${id}/profile`, { columns, name })).status).toBe(201);
  return name;
}

/** `done`, or the code of the refusal. */
type Said = string;

async function atPage(who: Who, what: What, batch: string): Promise<Said> {
  const visiting = people.get(who);
  const path = pathOf(what, batch);
  if (who === 'key') {
    const { body } = await web.json(`/api/v1${path}`, { ...order({}), key });
    return String(body['code']);
  }
  if (visiting === undefined) {
    const { body } = await web.json(`/api/v1${path}`, { ...order({}), key: null });
    return String(body['code']);
  }
  const told = await ordered(visiting, what, path);
  return told.status < 300 ? 'done' : String(told.body['code']);
}

function pathOf(what: What, id: string): string {
  if (what === 'profile') return `/profiles/${id}/confirmation`;
  if (what === 'approve') return `/files/${id}/approval`;
  return `/files/${id}/${what in HELD_FOR ? 'release' : what}`;
}

async function ordered(who: Visitor, what: What, path: string) {
  if (what === 'approve') return signed(who, path);
  if (what === 'profile') {
    const { body } = await berthe().json('GET', '/profiles');
    const shown = (body['data'] as Record<string, string>[]).find(({ name = '' }) =>
      path.includes(`/${name}/`),
    );
    return who.confirmed('POST', path, { digest: shown?.['digest'] });
  }
  const code = HELD_FOR[what];
  if (code !== undefined) return who.confirmed('POST', path, { codes: [code], reason: 'two payments' });
  return who.json('POST', path, what === 'resume' ? {} : { reason: 'not now' });
}

async function signed(who: Visitor, path: string) {
  const { digest } = (await who.json('GET', path)).body;
  const options = await who.json('POST', `${path}/options`, { question: digest });
  if (options.status !== 200) return options;
  const assertion = who.passkey.sign(options.body as never);
  return who.json('POST', path, { question: digest, challenge: options.body['challenge'], assertion });
}

/** The real program, as somebody types it. */
function typed(who: Exclude<Who, 'key'>, what: What, batch: string): Promise<Said> {
  const reason = what === 'approve' ? [] : ['--reason', 'not now'];
  const args = [
    '--config',
    config,
    '--workspace',
    web.desk.workspace,
    what in HELD_FOR ? 'release' : what,
    batch,
    '--by',
    NAMES[who],
    ...reason,
    '--json',
  ];
  return new Promise((resolve) => {
    const { baseUrl, apiKey } = web.desk.sandbox;
    const env = { ...process.env, PAYDROP_BASE_URL: baseUrl, PAYDROP_API_KEY: apiKey };
    execFile(process.execPath, ['src/main.ts', ...args], { env }, (_, stdout) => {
      const { code = null } = JSON.parse(stdout) as { code?: string | null };
      resolve(code ?? 'done');
    });
  });
}

type Table = Readonly<Record<'page' | 'command', Readonly<Record<Who, Said | null>>>>;

/** What each gets of a decision that lets money go. The person who brought the file never does. */
const LETS_GO: Table = {
  page: {
    maker: 'role_missing',
    'maker and checker': 'approval_same_person',
    checker: 'done',
    treasurer: 'done',
    stranger: 'key_missing',
    key: 'people_only',
  },
  command: {
    maker: 'approval_role_missing',
    'maker and checker': 'approval_same_person',
    checker: 'done',
    treasurer: 'done',
    stranger: 'approval_role_missing',
    // A program has no command line of its own.
    key: null,
  },
};

/** Of a decision that forbids: it needs no second person, and whoever sits at the machine may stop it. */
const FORBIDS: Table = {
  page: { ...LETS_GO.page, 'maker and checker': 'done' },
  command: {
    maker: 'done',
    'maker and checker': 'done',
    checker: 'done',
    treasurer: 'done',
    stranger: 'done',
    key: null,
  },
};

const NOBODY: Readonly<Record<Who, null>> = {
  maker: null,
  'maker and checker': null,
  checker: null,
  treasurer: null,
  stranger: null,
  key: null,
};

const EXPECTED: Readonly<Record<What, Table>> = {
  release: LETS_GO,
  again: LETS_GO,
  limit: LETS_GO,
  approve: LETS_GO,
  decline: FORBIDS,
  pause: FORBIDS,
  // At the machine it lifts a pause and goes on in one: it asks the service, and is no decision alone.
  resume: { page: FORBIDS.page, command: NOBODY },
  // A matter of the page alone: at the machine a profile is a file of the config.
  profile: {
    page: { ...LETS_GO.page, 'maker and checker': 'role_missing', checker: 'role_missing' },
    command: NOBODY,
  },
};

it('is allowed or refused by one rule, whatever the door', async () => {
  config = await web.desk.write('doors.yaml', `web: { listen: "127.0.0.1:0" }\n${CONFIG}\n`);
  const lines: string[] = [];
  for (const what of DECISIONS)
    for (const door of ['page', 'command'] as const)
      for (const who of WHO) {
        const expected = EXPECTED[what][door][who];
        if (expected === null) continue;
        const batch = await brought(what);
        const said =
          door === 'page' ? await atPage(who, what, batch) : await typed(who as never, what, batch);
        lines.push(`${what} · ${door} · ${who}: ${said}`);
        expect(`${what} ${door} ${who} ${said}`).toBe(`${what} ${door} ${who} ${expected}`);
      }
  process.stdout.write(`${lines.join('\n')}\n`);
}, 600_000);
