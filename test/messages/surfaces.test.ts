// Every sentence on each surface: nothing is empty, and what is typed at a terminal is told at a terminal alone.
import { describe, expect, it } from 'vitest';

import { LANGUAGES, sameWords, say, type Reader } from '../../src/base/language.ts';
import { EN } from '../../src/messages/en.ts';
import { sentence } from '../../src/messages/messages.ts';
import { columnWords } from '../../src/page/words/columns.ts';
import { en } from '../../src/page/words/en.ts';
import { es } from '../../src/page/words/es.ts';
import { fr } from '../../src/page/words/fr.ts';
import { FILE_REFUSAL_CODES, REMEDIES } from '../../src/rows/file-refused.ts';
import { COMMAND } from './commands.ts';

/** Sentences that never come to the page: commands, their help and their ends; mails; files in a folder; the start of a daemon; the log. */
const ELSEWHERE =
  /^(?:progressView|halt|watch|describeRelease|help|main|showStatus|run|corridors|migrate|backup|restore|rebuild|sandbox|reconciled|reconcile|release|pause\.paused|usage|command\.noBatchOrFile|template(?!\.noCorridor)|templateInstructions|standing\.next|standing\.release|notifyBatch|notifyWaiting|inbox|inboxPresence|takeApprovalFile|obeyConfig|config|compose|boundAccount\.moved|receivers|profile\.(?:nothingSaved|splitHow)|demo|account\.line)\b/;

/** Sentences that answer an order at the page, or a choice there: no file repeats them. */
const NOT_IN_FILES = /^(?:insteadOfRelease|decideApproval|command|template|profile|approval)\b/;

function namesIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(/«[ \u00a0]?([^»]+?)[ \u00a0]?»/g), ([, name = '']) => name));
}

/** Stands for whatever a sentence names: words, a text, a number, a list. */
function standIn(name: string): unknown {
  const text = `⟨${name}⟩`;
  const ofList = { map: (each: (value: string) => string) => [each(text)], join: () => text };
  return Object.assign(Object(text), sameWords(text), ofList);
}

const pageEn = { ...en, ...columnWords.en };
const pageFr = { ...fr, ...columnWords.fr };
const pageEs = { ...es, ...columnWords.es };

const VALUES: object = new Proxy({}, { get: (_, name) => standIn(String(name)) });

function said(key: string, reader: Reader): string {
  return say((sentence as (of: string, values: object) => ReturnType<typeof sentence>)(key, VALUES), reader);
}

const KEYS = Object.keys(EN);

describe.each(LANGUAGES)('in the language %s', (language) => {
  const atPage: Reader = { language, surface: 'page' };

  it('no sentence is empty on a surface', () => {
    const told = KEYS.filter((key) => !ELSEWHERE.test(key) && Reflect.get(EN, key) !== '');
    const empty = told.filter((key) => [language, atPage].some((reader) => said(key, reader).trim() === ''));
    expect(empty).toEqual([]);
  });

  it('no command of a terminal stands at the page', () => {
    const told = KEYS.filter((key) => !ELSEWHERE.test(key) && COMMAND.test(said(key, atPage)));
    expect(told).toEqual([]);
  });

  it('a file names no command, and no screen or button of the page', () => {
    const inFile: Reader = { language, surface: 'file' };
    const told = KEYS.filter((key) => !ELSEWHERE.test(key));
    expect(told.filter((key) => COMMAND.test(said(key, inFile)))).toEqual([]);
    const ofPage = told.filter((key) => {
      const [terminal, page, file] = [language, atPage, inFile].map((reader) => namesIn(said(key, reader)));
      return page?.difference(terminal ?? page).intersection(file ?? page).size !== 0;
    });
    expect(ofPage.filter((key) => !NOT_IN_FILES.test(key))).toEqual([]);
  });

  it('every refused file has a remedy of its own on each surface', () => {
    for (const code of FILE_REFUSAL_CODES)
      for (const reader of [language, atPage])
        expect(say(REMEDIES[code], reader), code).toMatch(/\S{3,}.*\.$/);
  });
});

it.each([
  ['fr', pageFr, (name: string) => `«\u00a0${name}\u00a0»`],
  ['es', pageEs, (name: string) => `«${name}»`],
] as const)(
  'what to do at the page calls its screens, lists and buttons as they do (%s)',
  (language, page, quoted) => {
    const named = new Map<string, string>(
      Object.entries(pageEn).flatMap(([key, text]) =>
        typeof text === 'string' ? [[text, String(Reflect.get(page, key))] as const] : [],
      ),
    );
    const wrong: string[] = [];
    let names = 0;
    for (const key of KEYS) {
      const en = said(key, { language: 'en', surface: 'page' });
      const other = said(key, { language, surface: 'page' });
      if (en === said(key, 'en')) continue;
      for (const [, name = ''] of en.matchAll(/«([^⟨»]+)»/g)) {
        names += 1;
        const own = named.get(name);
        if (own === undefined || !other.includes(quoted(own))) wrong.push(`${key}: ${name}`);
      }
    }
    expect(names).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  },
);

it('Spanish asks with both marks, and has a space after a mark alone', () => {
  const atPage: Reader = { language: 'es', surface: 'page' };
  const texts = [
    ...KEYS.flatMap((key) => [said(key, 'es'), said(key, atPage)]),
    ...Object.values(pageEs).flatMap((text) => text),
  ];
  // In an address, and as what stands for its parameters, the mark is no question's.
  const isOdd = (text: string) =>
    text.replace(/\?[\w…]/g, '').split('?').length !== text.split('¿').length ||
    / [;:!?»](?!\w)|[«¿] |\p{L}[;:!?]\p{L}/u.test(text.replace(/\S+[/=]\S*|\w+:\w+/g, ''));
  expect(texts.filter(isOdd)).toEqual([]);
});

it('a command is noticed where it stands', () => {
  expect(COMMAND.test(sentence('hold.equal_rows').en)).toBe(true);
  expect(COMMAND.test(sentence('fileRefused.layout_changed').en)).toBe(true);
  expect(COMMAND.test(sentence('readMessage.other.debit').en)).toBe(false);
});
