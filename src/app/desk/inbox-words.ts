// The reasons why a file of the inbox is not taken yet, each with what its owner can do about it.
import type { Words } from '../../base/language.ts';
import type { LeftAlone } from '../../inbox/inbox-entries.ts';
import type { WAITING_WHYS } from '../parts/watch-note.ts';
import { sentence } from '../../messages/messages.ts';

export type InboxWhy = (typeof WAITING_WHYS)[number] | LeftAlone | 'unnamed' | 'control' | 'kind';

type Told = { readonly why: InboxWhy; readonly missing: readonly string[]; readonly until: string | null };
type Around = { readonly isWatched: boolean; readonly readyMarker: string | null };

/** Documents that are named one by one; the others are counted. */
const NAMED_MOST = 10;

export function inboxWords(file: Told, around: Around): Words {
  switch (file.why) {
    case 'documents':
      return documentWords(file);
    case 'marker':
      return sentence('inbox.text', { readyMarker: around.readyMarker });
    case 'turn':
      return around.isWatched ? TURN_WORDS : UNWATCHED_WORDS;
    default:
      return WORDS[file.why];
  }
}

const TURN_WORDS: Words = sentence('inbox.turn');
const UNWATCHED_WORDS: Words = sentence('inbox.unwatched');

const WORDS: Readonly<Record<Exclude<InboxWhy, 'documents' | 'marker' | 'turn'>, Words>> = {
  settling: sentence('inbox.settling'),
  unreadable: sentence('inbox.unreadable'),
  unfinished: sentence('inbox.unfinished'),
  standing: sentence('inbox.standing'),
  name: sentence('inbox.name'),
  'no-file': sentence('inbox.no-file'),
  linked: sentence('inbox.linked'),
  'too-deep': sentence('inbox.too-deep'),
  'odd-control': sentence('inbox.odd-control'),
  'not-utf8': sentence('inbox.not-utf8'),
  'unnamed-folder': sentence('inbox.unnamed-folder'),
  unnamed: sentence('inbox.unnamed'),
  control: sentence('inbox.control'),
  kind: sentence('inbox.kind'),
};

function documentWords({ missing, until }: Told): Words {
  const named = missing.slice(0, NAMED_MOST).join(', ');
  const more = missing.length - NAMED_MOST;
  const en = `waits for documents that its rows name: ${named}${more > 0 ? ` and ${String(more)} more` : ''}`;
  const fr = `attend des documents que ses lignes nomment : ${named}${more > 0 ? ` et ${String(more)} autres` : ''}`;
  if (until === null) return { en, fr };
  return sentence('inbox.document', { counted: { en, fr }, until });
}
