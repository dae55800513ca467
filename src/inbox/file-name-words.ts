// Words in the name of a file that say that it is not meant for payment: a draft, a test, an old copy. The words that stop a row stop a file too.

/** Words in English, French, Spanish, German, Portuguese, Dutch and Italian, without accents. */
const WORDS = [
  'brouillons?|ebauche|drafts?|borrador|entwurf|rascunho|klad|bozza',
  'ne[ _.-]?(?:pas|plus)[ _.-]?(?:payer|regler|virer|traiter)|do[ _.-]?not[ _.-]?(?:pay|process|use)|don.?t[ _.-]?pay|no[ _.-]?pagar|nao[ _.-]?pagar|nicht[ _.-]?(?:be)?zahlen|niet[ _.-]?betalen|non[ _.-]?pagare',
  'tests?|essai|prueba|pruebas|teste|prova',
  'ancienne[ _.-]?version|old[ _.-]?version|obsolete|obsolet|version[ _.-]?antigua|obsoleto|perime|perimee|veraltet|verouderd',
  'back[ _-]?up|bak|sauvegarde|copia de seguridad|sicherung|sicherungskopie|reservekopie',
  'tmp',
  'sync[ _-]?conflict.*|conflicted[ _-]?copy|conflict|copie[ _-]?en[ _-]?conflit|conflit|konflikt|conflicto',
  'annule|annulee|cancelled|canceled|anulado|cancelado|storniert|geannuleerd|void',
  'a[ _-]?valider|a[ _-]?verifier|non[ _-]?valide|not[ _-]?approved|to[ _-]?be[ _-]?approved|en[ _-]?attente|on[ _-]?hold|hold|stop|suspendu|bloque|deja[ _-]?paye|already[ _-]?paid|por[ _-]?validar|sin[ _-]?validar|no[ _-]?aprobado|en[ _-]?espera|suspendido|bloqueado|ya[ _-]?pagado|proforma|pro[ _-]forma',
];

/** Words that may be part of any name, unless they stand at its beginning or its end: `ANCIEN paie`, `paie_old`. */
const AT_AN_END = '(?:ancien|ancienne|old|antiguo|antigo|alt|oud|vecchio)';

const AGAINST = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${WORDS.join('|')})(?![\\p{L}\\p{N}])|^${AT_AN_END}(?=[ _.-])|(?<=[ _.-])${AT_AN_END}$`,
  'iu',
);

/** The word of a file's name that says so, as it is written; null where none does. */
export function wordAgainst(fileName: string): string | null {
  const stem = fileName.replace(/\.[^.]*$/, '');
  const plain = stem.normalize('NFD').replace(/\p{M}/gu, '');
  const found = AGAINST.exec(plain)?.[0];
  return found ?? null;
}
