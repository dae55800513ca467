// A file that cannot be taken as a whole. Whoever made it reads the message, so it says what is wrong, where, and what to do.
import { joinWords, type Words } from '../base/language.ts';

export const FILE_REFUSAL_CODES = [
  'unreadable',
  'file_changed',
  'kind_unknown',
  'not_text',
  'too_large',
  'too_many_rows',
  'empty_file',
  'nul_character',
  'bytes_undecodable',
  'encoding_uncertain',
  'row_too_long',
  'quote_stray',
  'quote_not_closed',
  'quote_swallows_rows',
  'row_too_short',
  'row_too_wide',
  'header_not_found',
  'header_missing_above_cells',
  'amount_column_missing',
  'column_twice',
  'layout_changed',
  'profiles_several',
  'no_rows',
  'number_ambiguous',
  'numbers_mixed',
  'totals_differ',
  'control_differs',
  'control_unreadable',
  'amount_ambiguous',
  'not_workbook',
  'workbook_damaged',
  'workbook_bomb',
  'workbook_reader_died',
  'workbook_encrypted',
  'workbook_old_format',
  'workbook_macros',
  'workbook_external_links',
  'sheet_not_found',
  'sheets_ambiguous',
  'hidden_sheet',
  'hidden_rows',
  'hidden_column',
  'merged_cells',
  'formula_without_value',
  'cell_error',
  'number_shown_otherwise',
  'cells_repeated',
  'cell_outside_table',
  'quotations_too_short',
  'execution_date_unreadable',
  'execution_dates_differ',
  'execution_date_too_far',
  'execution_date_standing',
] as const;
export type FileRefusalCode = (typeof FILE_REFUSAL_CODES)[number];

/** What to do about each, in words for the person who made the file. */
export const REMEDIES: Readonly<Record<FileRefusalCode, Words>> = {
  unreadable: {
    en: 'Check that the file is there and may be read, then drop it again.',
    fr: "Vérifiez que le fichier est là et qu'il peut être lu, puis déposez-le de nouveau.",
  },
  file_changed: {
    en: 'Wait until the program that writes the file has finished, then drop it again.',
    fr: 'Attendez que le programme qui écrit le fichier ait terminé, puis déposez-le de nouveau.',
  },
  kind_unknown: {
    en: 'Save the spreadsheet as an Excel workbook (.xlsx) or as "CSV UTF-8" and drop that file.',
    fr: 'Enregistrez le tableau en classeur Excel (.xlsx) ou en « CSV UTF-8 » et déposez ce fichier.',
  },
  not_text: {
    en: 'Open it in the program that made it, save it as "CSV UTF-8" and drop that file.',
    fr: "Ouvrez-le dans le programme qui l'a produit, enregistrez-le en « CSV UTF-8 » et déposez ce fichier.",
  },
  too_large: {
    en: 'Split the file, or raise "intake.bytesMax" in the config.',
    fr: 'Partagez le fichier en plusieurs, ou augmentez « intake.bytesMax » dans la configuration.',
  },
  too_many_rows: {
    en: 'Split the file, or raise "intake.rowsMax" in the config.',
    fr: 'Partagez le fichier en plusieurs, ou augmentez « intake.rowsMax » dans la configuration.',
  },
  empty_file: {
    en: 'Export the file again and check that it holds rows before dropping it.',
    fr: "Exportez le fichier de nouveau et vérifiez qu'il contient des lignes avant de le déposer.",
  },
  nul_character: {
    en: 'The file is damaged or is not text. Export it again as "CSV UTF-8".',
    fr: "Le fichier est endommagé ou n'est pas du texte. Exportez-le de nouveau en « CSV UTF-8 ».",
  },
  bytes_undecodable: {
    en: 'Save the file as "CSV UTF-8" so that no letter is lost, then drop it again.',
    fr: "Enregistrez le fichier en « CSV UTF-8 » pour qu'aucune lettre ne se perde, puis déposez-le de nouveau.",
  },
  encoding_uncertain: {
    en: 'Save the file as "CSV UTF-8", or write its encoding into the profile ("encoding: windows-1252").',
    fr: 'Enregistrez le fichier en « CSV UTF-8 », ou indiquez son encodage dans le profil (« encoding: windows-1252 »).',
  },
  row_too_long: {
    en: 'Look at that row for pasted data or, in CSV, for a quote (") that is opened and never closed.',
    fr: 'Cherchez dans cette ligne des données collées par erreur ou, en CSV, un guillemet (") ouvert et jamais fermé.',
  },
  quote_stray: {
    en: 'Remove that quote ("), or export the file again so that its program writes the quotes.',
    fr: 'Supprimez ce guillemet ("), ou exportez de nouveau le fichier pour que son programme écrive les guillemets.',
  },
  quote_not_closed: {
    en: 'Close or remove that quote ("). The file may also have been cut off: export it again.',
    fr: 'Fermez ou supprimez ce guillemet ("). Le fichier a peut-être aussi été coupé : exportez-le de nouveau.',
  },
  quote_swallows_rows: {
    en: 'Remove the quote (") that does not belong there, so that each payment has its own row.',
    fr: 'Supprimez le guillemet (") qui est de trop, pour que chaque paiement ait sa propre ligne.',
  },
  row_too_short: {
    en: 'Give the row the same number of cells as the header; the file may also have been cut off.',
    fr: "Donnez à la ligne autant de cellules que l'en-tête ; le fichier a peut-être aussi été coupé.",
  },
  row_too_wide: {
    en: 'Put text that holds the separator between quotes ("), or remove the extra cells.',
    fr: 'Mettez entre guillemets (") le texte qui contient le séparateur, ou supprimez les cellules de trop.',
  },
  header_not_found: {
    en: 'Put a row with column names such as "reference", "amount", "currency" above the payments. If it has names that paydrop does not know, "paydrop profile FILE" proposes what they mean.',
    fr: "Placez au-dessus des paiements une ligne avec des noms de colonnes comme « Référence », « Montant », « Devise ». Si paydrop ne connaît pas ses noms, « paydrop profile FICHIER » propose ce qu'ils désignent.",
  },
  header_missing_above_cells: {
    en: 'Give that column a name, or empty it.',
    fr: 'Donnez un nom à cette colonne, ou videz-la.',
  },
  amount_column_missing: {
    en: 'Name the column of the amounts "Amount", or let "paydrop profile FILE" propose which one it is.',
    fr: "Nommez la colonne des montants « Montant », ou laissez « paydrop profile FICHIER » proposer laquelle c'est.",
  },
  layout_changed: {
    en: 'If the export is meant to be so, look at it with "paydrop profile FILE" and confirm it with --save --replace; else export it as before.',
    fr: "Si l'export doit être ainsi, examinez-le avec « paydrop profile FICHIER » et confirmez-le avec --save --replace ; sinon, exportez-le comme avant.",
  },
  profiles_several: {
    en: 'Make their file names or folders differ, so that exactly one fits.',
    fr: "Donnez-leur des noms de fichiers ou des dossiers différents, pour qu'un seul convienne.",
  },
  column_twice: {
    en: 'Rename or remove one of the two, so that there is no doubt which is meant.',
    fr: "Renommez ou supprimez l'une des deux, pour qu'il n'y ait aucun doute sur celle qui compte.",
  },
  no_rows: {
    en: 'Add the payments under the header and drop the file again.',
    fr: "Ajoutez les paiements sous l'en-tête et déposez le fichier de nouveau.",
  },
  number_ambiguous: {
    en: 'Write the amounts without marks between thousands (1000) or with decimals (1000.00), or say once for files like this one which mark divides decimals: paydrop profile FILE --decimal-mark "," --save.',
    fr: 'Écrivez les montants sans séparateur de milliers (1000) ou avec des décimales (1000,00), ou dites une fois pour toutes quel signe sépare les décimales : paydrop profile FICHIER --decimal-mark "," --save.',
  },
  numbers_mixed: {
    en: 'Write all amounts of the column in one way.',
    fr: 'Écrivez tous les montants de la colonne de la même façon.',
  },
  totals_differ: {
    en: 'Correct the rows or the totals row, then drop the file again.',
    fr: 'Corrigez les lignes ou la ligne de total, puis déposez le fichier de nouveau.',
  },
  control_differs: {
    en: 'The file or its control file is not the one that was meant. Export both again and drop them together.',
    fr: "Le fichier ou son fichier de contrôle n'est pas le bon. Exportez de nouveau les deux et déposez-les ensemble.",
  },
  control_unreadable: {
    en: 'It is JSON such as { "rows": 120, "sum": "1250000" }; correct it, or take it away.',
    fr: 'C\'est du JSON tel que { "rows": 120, "sum": "1250000" } ; corrigez-le, ou retirez-le.',
  },
  amount_ambiguous: {
    en: 'Rename the column to "sourceAmount" (what is sent) or "destinationAmount" (what arrives).',
    fr: 'Renommez la colonne en « sourceAmount » (ce qui est envoyé) ou « destinationAmount » (ce qui arrive).',
  },
  not_workbook: {
    en: 'Open it in the program that made it, save it as an Excel workbook (.xlsx) and drop that file.',
    fr: "Ouvrez-le dans le programme qui l'a produit, enregistrez-le en classeur Excel (.xlsx) et déposez ce fichier.",
  },
  workbook_damaged: {
    en: 'Open it in a spreadsheet program, save it as a new .xlsx file and drop that one.',
    fr: 'Ouvrez-le dans un tableur, enregistrez-le sous un nouveau fichier .xlsx et déposez celui-ci.',
  },
  workbook_bomb: {
    en: 'Copy the rows into a new workbook and drop that one.',
    fr: 'Copiez les lignes dans un nouveau classeur et déposez celui-ci.',
  },
  workbook_reader_died: {
    en: 'Copy the rows into a new workbook, or save them as "CSV UTF-8", and drop that file.',
    fr: 'Copiez les lignes dans un nouveau classeur, ou enregistrez-les en « CSV UTF-8 », et déposez ce fichier.',
  },
  workbook_encrypted: {
    en: 'Remove the password ("Save as", "Tools" or "Info", no password to open) and drop the file again.',
    fr: 'Retirez le mot de passe (« Enregistrer sous », « Outils » ou « Informations », sans mot de passe pour la lecture) et déposez le fichier de nouveau.',
  },
  workbook_old_format: {
    en: 'Save it as "Excel workbook (.xlsx)" and drop that file.',
    fr: 'Enregistrez-le en « Classeur Excel (.xlsx) » et déposez ce fichier.',
  },
  workbook_macros: {
    en: 'Save it as "Excel workbook (.xlsx)", which keeps no macros, and drop that file.',
    fr: 'Enregistrez-le en « Classeur Excel (.xlsx) », qui ne garde pas de macros, et déposez ce fichier.',
  },
  workbook_external_links: {
    en: 'Replace the links by their values ("Edit links", "Break link") and drop the file again.',
    fr: 'Remplacez les liaisons par leurs valeurs (« Modifier les liens », « Rompre la liaison ») et déposez le fichier de nouveau.',
  },
  sheet_not_found: {
    en: 'Correct the name of the sheet in the profile ("sheet"), or rename the sheet.',
    fr: 'Corrigez le nom de la feuille dans le profil (« sheet »), ou renommez la feuille.',
  },
  sheets_ambiguous: {
    en: 'Name the one to pay in the profile ("sheet"), or save it as a workbook of its own.',
    fr: "Indiquez dans le profil celle qu'il faut payer (« sheet »), ou enregistrez-la dans un classeur à elle seule.",
  },
  hidden_sheet: {
    en: 'Show the sheet and check it, or delete it, then drop the file again.',
    fr: 'Affichez la feuille et vérifiez-la, ou supprimez-la, puis déposez le fichier de nouveau.',
  },
  hidden_rows: {
    en: 'Show all rows (clear the filters) and check them, or delete the hidden ones, then drop the file again.',
    fr: 'Affichez toutes les lignes (effacez les filtres) et vérifiez-les, ou supprimez celles qui sont masquées, puis déposez le fichier de nouveau.',
  },
  hidden_column: {
    en: 'Show the column and check it, or delete it, then drop the file again.',
    fr: 'Affichez la colonne et vérifiez-la, ou supprimez-la, puis déposez le fichier de nouveau.',
  },
  merged_cells: {
    en: 'Unmerge them so that each row has cells of its own, then drop the file again.',
    fr: 'Annulez la fusion pour que chaque ligne ait ses propres cellules, puis déposez le fichier de nouveau.',
  },
  formula_without_value: {
    en: 'Open the file in a spreadsheet program, check the values, save it there and drop it again.',
    fr: 'Ouvrez le fichier dans un tableur, vérifiez les valeurs, enregistrez-le et déposez-le de nouveau.',
  },
  cell_error: {
    en: 'Correct the formula, or write the value itself, then drop the file again.',
    fr: 'Corrigez la formule, ou écrivez la valeur elle-même, puis déposez le fichier de nouveau.',
  },
  number_shown_otherwise: {
    en: 'Give the column a plain number format, look at the amounts again, and drop the file again.',
    fr: 'Donnez à la colonne un format de nombre simple, vérifiez de nouveau les montants et déposez le fichier de nouveau.',
  },
  cells_repeated: {
    en: 'Open it in a spreadsheet program, check the cells, save it as a new .xlsx file and drop that one.',
    fr: 'Ouvrez-le dans un tableur, vérifiez les cellules, enregistrez-le sous un nouveau fichier .xlsx et déposez celui-ci.',
  },
  cell_outside_table: {
    en: 'Delete it, or move it to another sheet, then drop the file again.',
    fr: 'Supprimez ce contenu, ou déplacez-le sur une autre feuille, puis déposez le fichier de nouveau.',
  },
  quotations_too_short: {
    en: 'Drop files of fewer rows, raise "service.concurrency" in the config, or set "policy.strategy: row-by-row".',
    fr: 'Déposez des fichiers de moins de lignes, augmentez « service.concurrency » dans la configuration, ou choisissez « policy.strategy: row-by-row ».',
  },
  execution_date_unreadable: {
    en: 'Write the day as 2026-11-28, or leave it out, then drop the file again.',
    fr: 'Écrivez le jour sous la forme 2026-11-28, ou laissez-le vide, puis déposez le fichier de nouveau.',
  },
  execution_dates_differ: {
    en: 'Give every row the same day, or make a file of each day, and drop them again.',
    fr: 'Donnez le même jour à toutes les lignes, ou faites un fichier par jour, puis déposez-les de nouveau.',
  },
  execution_date_too_far: {
    en: 'Check the year, or drop the file again nearer to that day.',
    fr: "Vérifiez l'année, ou déposez le fichier de nouveau plus près de ce jour.",
  },
  execution_date_standing: {
    en: 'Take the day out of the file and its name, or drop it into another folder.',
    fr: 'Retirez le jour du fichier et de son nom, ou déposez-le dans un autre dossier.',
  },
};

export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: FileRefusalCode;
  readonly fault: Words;
  /** What is wrong, and what to do. The message of the error itself is for whoever reads a stack, in English. */
  readonly words: Words;

  /** `fault` says what is wrong and where, as one or more sentences; what to do is added from the table. */
  constructor(code: FileRefusalCode, fault: Words, options?: ErrorOptions) {
    const words = joinWords([fault, REMEDIES[code]]);
    super(words.en, options);
    this.code = code;
    this.fault = fault;
    this.words = words;
  }
}
