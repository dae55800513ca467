// The reasons why a file of the inbox is not taken yet, each with what its owner can do about it.
import type { Words } from '../../base/language.ts';
import type { LeftAlone } from '../../inbox/inbox-entries.ts';
import type { WAITING_WHYS } from '../parts/watch-note.ts';

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
      return {
        en: `waits for its marker: a file of the same name with "${around.readyMarker ?? ''}" behind it`,
        fr: `attend son marqueur : un fichier du même nom suivi de « ${around.readyMarker ?? ''} »`,
      };
    case 'turn':
      return around.isWatched ? TURN_WORDS : UNWATCHED_WORDS;
    default:
      return WORDS[file.why];
  }
}

const TURN_WORDS: Words = {
  en: 'is complete and is taken at one of the next looks, as soon as a file of about its size is done',
  fr: "est complet et sera pris lors d'un des prochains passages, dès qu'un fichier de taille semblable sera terminé",
};
const UNWATCHED_WORDS: Words = {
  en: 'is complete, but no "paydrop watch" is running that would take it',
  fr: "est complet, mais aucun « paydrop watch » n'est en marche pour le prendre",
};

const WORDS: Readonly<Record<Exclude<InboxWhy, 'documents' | 'marker' | 'turn'>, Words>> = {
  settling: { en: 'is still being written', fr: "est encore en cours d'écriture" },
  unreadable: {
    en: 'may not be read by paydrop; give its user the right to read it',
    fr: 'ne peut pas être lu par paydrop ; donnez à son utilisateur le droit de le lire',
  },
  unfinished: {
    en: 'looks cut off; perhaps its upload is not finished. If nothing more comes, it is taken and refused with the reason',
    fr: "semble tronqué ; son envoi n'est peut-être pas terminé. Si rien d'autre n'arrive, il sera pris et refusé avec la raison",
  },
  standing: {
    en: 'stays here and is paid again at each time of its folder; take it away to end that',
    fr: 'reste ici et est payé de nouveau à chaque échéance de son dossier ; retirez-le pour y mettre fin',
  },
  name: {
    en: 'is left alone for its name, by which programs mark private or unfinished files; rename it when it is complete',
    fr: 'est laissé de côté à cause de son nom, qui désigne un fichier privé ou inachevé ; renommez-le une fois complet',
  },
  'no-file': {
    en: 'is no plain file (a folder, a link or a device) and is never opened; put the file itself there',
    fr: "n'est pas un simple fichier (un dossier, un lien ou un périphérique) et n'est jamais ouvert ; déposez le fichier lui-même",
  },
  linked: {
    en: 'stands under a second name somewhere else (a hard link); it is taken when it has only one, so copy it',
    fr: "existe sous un second nom ailleurs (lien physique) ; il sera pris quand il n'en aura plus qu'un : copiez-le",
  },
  'too-deep': {
    en: 'lies too deep; folders below this one are not looked at',
    fr: 'se trouve trop profondément ; les dossiers au-dessous ne sont pas examinés',
  },
  'odd-control': {
    en: 'has a control file that is no plain file (a link, a folder or a device) and is never opened; put the control file itself there, or take it away',
    fr: "a un fichier de contrôle qui n'est pas un simple fichier (un lien, un dossier ou un périphérique) et n'est jamais ouvert ; déposez le fichier de contrôle lui-même, ou enlevez-le",
  },
  'not-utf8': {
    en: 'is left alone: its name is not written in UTF-8, as an older program does; rename it without accents',
    fr: "est laissé de côté : son nom n'est pas écrit en UTF-8, comme le fait un ancien programme ; renommez-le sans accents",
  },
  'unnamed-folder': {
    en: 'is left alone: the config names other folders of the inbox, and not this one; name it in "tenants" or "schedules", or move the file',
    fr: "est laissé de côté : la configuration nomme d'autres dossiers de la boîte d'entrée, mais pas celui-ci ; nommez-le dans « tenants » ou « schedules », ou déplacez le fichier",
  },
  unnamed: {
    en: 'is a document that no spreadsheet in the inbox names; it stays until one does',
    fr: "est un document qu'aucun tableau de la boîte d'entrée ne nomme ; il reste jusqu'à ce que l'un d'eux le fasse",
  },
  control: {
    en: 'is a control file whose spreadsheet is not there yet',
    fr: "est un fichier de contrôle dont le tableau n'est pas encore là",
  },
  kind: {
    en: 'is no spreadsheet (csv, txt, tsv, xlsx) and no document that one names; it stays where it is',
    fr: "n'est ni un tableau (csv, txt, tsv, xlsx) ni un document que l'un d'eux nomme ; il reste où il est",
  },
};

function documentWords({ missing, until }: Told): Words {
  const named = missing.slice(0, NAMED_MOST).join(', ');
  const more = missing.length - NAMED_MOST;
  const en = `waits for documents that its rows name: ${named}${more > 0 ? ` and ${String(more)} more` : ''}`;
  const fr = `attend des documents que ses lignes nomment : ${named}${more > 0 ? ` et ${String(more)} autres` : ''}`;
  if (until === null) return { en, fr };
  return {
    en: `${en}; at ${until} it is taken without them, and those rows are to be fixed`,
    fr: `${fr} ; le ${until} il sera pris sans eux, et ces lignes seront à corriger`,
  };
}
