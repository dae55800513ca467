// docs/messages.md: each code with what it means and what to do in each language, from the tables of the code.
import { APPROVAL_FILE_CODES } from '../../src/app/workflow/approval/take-approval-file.ts';
import { DECISION_CODES } from '../../src/app/workflow/approval/decide-approval.ts';
import { REJECTION_CODES, type RejectionCode } from '../../src/payouts/rejection.ts';
import { heldRows } from './held-rows.ts';
import { code, generated, table } from './markdown.ts';
import { refusedFiles } from './refused-files.ts';

export function messagesPage(): string {
  return [
    generated(
      'Messages and codes',
      'For clerks and the helpdesk. paydrop always says the reason in words; the codes are for programs and for looking something up.',
    ),
    '## A row to fix\n',
    'In `result`: `payout.errorCode`, with spaces between several codes; `rejected` has the words in `payout.error`. The row was never sent.\n',
    table(
      [
        'code',
        'what is wrong, and what to do',
        'ce qui ne va pas, et que faire',
        'qué está mal, y qué hacer',
      ],
      REJECTION_CODES.map((name) => [code(name), REJECTIONS[name], FRENCH[name], SPANISH[name]]),
    ),
    ...refusedFiles(),
    ...heldRows(),
    '\n## An approval that is not obeyed\n',
    'From `approve` and `decline`, and in `<batch>.approve.refused.json`: ',
    `${[...new Set<string>([...DECISION_CODES, ...APPROVAL_FILE_CODES])].map(code).join(', ')}.`,
    '',
  ].join('\n');
}

const REJECTIONS: Readonly<Record<RejectionCode, string>> = {
  row_is_total: 'The row is a total, not a payment. Delete it; only the last row of a list may be its total.',
  row_below_total:
    'The row stands below the total and is not complete. Delete a remark or a signature; move a payment above the total.',
  corridor_missing:
    'Nothing says where the money goes. Add the country, currency and method, or `payoutCorridorId`.',
  corridor_unknown: 'There is no corridor with this id. `paydrop corridors` lists them.',
  corridor_none:
    'No corridor fits this country, currency, mode and method together. Compare with `paydrop corridors`.',
  corridor_ambiguous: 'More than one corridor fits. Add what the message names.',
  corridor_disabled: 'The service has switched this corridor off. Pay the row another way, or later.',
  value_not_listed: 'The cell holds none of the allowed values. Use one that the message lists.',
  source_currency_missing: 'Say which balance pays: `XAF`, `EUR` or `USD`.',
  source_currency_not_in_corridor:
    'This corridor cannot be paid from that balance. Use one that the message lists.',
  amount_missing: 'Fill one amount.',
  amount_twice: 'Both amounts are filled. Leave one empty.',
  amount_currency_missing: 'Say in which currency the amount is.',
  amount_currency_unrelated: 'The currency is neither the one that is sent nor the one that arrives.',
  amount_not_a_number: 'Write the amount as a number.',
  amount_not_positive: 'Write an amount above zero.',
  amount_too_many_decimals:
    'The currency has fewer decimals. Write the exact amount: paydrop does not round.',
  amount_outside_bounds: 'The corridor pays between the bounds that the message names.',
  amount_currency_contradicts: 'The cell names another currency than the column. Make them agree.',
  purpose_missing: 'Say what the payment is for.',
  purpose_malformed: 'Write the purpose in capitals with underscores, such as `SALARY_PAYMENT`.',
  sender_missing: 'Nothing says who pays. Fill `sender` in the config, or the `sender.` columns.',
  sender_outside_cemac:
    'The sender must be in Cameroon, Gabon, Chad, Congo, Equatorial Guinea or the Central African Republic.',
  receiver_field_missing: 'The corridor needs this field of the receiver. Fill it.',
  delivery_field_missing: 'The corridor needs this field of the account. Fill it.',
  text_unprintable:
    'The cell holds a line break or characters that cannot be printed. Type it again, in one line.',
  text_too_long: 'Shorten the text.',
  number_destroyed:
    'A spreadsheet program shortened the number. Format the column as text and enter the number again.',
  number_not_text: 'Format the column as text, so that no digit is lost.',
  telephone_malformed: 'Write the telephone number in digits, with its country code.',
  account_malformed:
    'Write the number of one account alone, or the SWIFT code of its bank: letters and digits, no words.',
  name_without_letters: 'The cell holds a number or a code. Write the name there.',
  attachment_missing:
    'This payment needs a document. Name a PDF or image in the attachment column; beside a message lies one that the fault names.',
  attachment_path: 'The name must be that of a file in the same folder or below it.',
  attachment_not_found: 'Put the document into the folder of the spreadsheet, under exactly this name.',
  attachment_not_a_file: 'The name leads to a folder or a link. Put the document itself there.',
  attachment_too_large: 'Make the document smaller.',
  attachment_kind: 'Use a PDF or an image.',
  reference_repeated: 'Two rows have this reference. Give each payment its own.',
  element_unsupported:
    'The message asks for something that the payout service cannot do. Take the element out of the payment.',
  iban_wrong: 'The check digits of the IBAN do not fit. Copy it from the papers of the payee.',
  country_contradicts: 'Account, bank and clearing system name different countries. Correct the wrong one.',
  person_name_undecided: 'Write the name as `Family name, First name`.',
  refused_by_service: 'The payout service refused the row. The message has its words.',
};

const FRENCH: Readonly<Record<RejectionCode, string>> = {
  row_is_total:
    'La ligne est un total et non un paiement. Supprimez-la ; seule la dernière ligne d’une liste peut être son total.',
  row_below_total:
    'La ligne se trouve sous le total et est incomplète. Supprimez une remarque ou une signature ; placez un paiement au-dessus du total.',
  corridor_missing:
    'Rien ne dit où va l’argent. Ajoutez le pays, la devise et le mode de paiement, ou `payoutCorridorId`.',
  corridor_unknown: 'Aucun corridor n’a cet identifiant. `paydrop corridors` les énumère.',
  corridor_none:
    'Aucun corridor ne réunit ce pays, cette devise, ce type et ce mode de paiement. Comparez avec `paydrop corridors`.',
  corridor_ambiguous: 'Plusieurs corridors conviennent. Ajoutez ce que le message demande.',
  corridor_disabled: 'Le service a fermé ce corridor. Payez la ligne autrement, ou plus tard.',
  value_not_listed:
    'La cellule ne contient aucune des valeurs permises. Écrivez l’une de celles que le message énumère.',
  source_currency_missing: 'Dites de quel solde payer : `XAF`, `EUR` ou `USD`.',
  source_currency_not_in_corridor:
    'Ce corridor ne se paie pas de ce solde. Prenez l’un de ceux que le message énumère.',
  amount_missing: 'Indiquez un montant.',
  amount_twice: 'Les deux montants sont remplis. Videz-en un.',
  amount_currency_missing: 'Dites dans quelle devise est le montant.',
  amount_currency_unrelated: 'La devise n’est ni celle qui est envoyée ni celle qui est reçue.',
  amount_not_a_number: 'Écrivez le montant en chiffres.',
  amount_not_positive: 'Écrivez un montant supérieur à zéro.',
  amount_too_many_decimals:
    'La devise a moins de décimales. Écrivez le montant exact : paydrop n’arrondit pas.',
  amount_outside_bounds: 'Le corridor paie entre les bornes que le message indique.',
  amount_currency_contradicts: 'La cellule nomme une autre devise que la colonne. Accordez-les.',
  purpose_missing: 'Dites l’objet du paiement.',
  purpose_malformed:
    'Écrivez l’objet en capitales, avec des traits de soulignement, par exemple `SALARY_PAYMENT`.',
  sender_missing:
    'Rien ne dit qui paie. Remplissez `sender` dans la configuration, ou les colonnes `sender.`.',
  sender_outside_cemac:
    'L’expéditeur doit se trouver au Cameroun, au Gabon, au Tchad, au Congo, en Guinée équatoriale ou en République centrafricaine.',
  receiver_field_missing: 'Le corridor exige cette donnée du bénéficiaire. Indiquez-la.',
  delivery_field_missing: 'Le corridor exige cette donnée du compte. Indiquez-la.',
  text_unprintable:
    'La cellule contient un retour à la ligne ou des caractères non imprimables. Saisissez-la de nouveau, sur une ligne.',
  text_too_long: 'Raccourcissez le texte.',
  number_destroyed:
    'Un tableur a tronqué le nombre. Mettez la colonne au format texte et saisissez-le de nouveau.',
  number_not_text: 'Mettez la colonne au format texte, pour qu’aucun chiffre ne se perde.',
  telephone_malformed: 'Écrivez le numéro de téléphone en chiffres, avec l’indicatif du pays.',
  account_malformed:
    'Écrivez le numéro d’un seul compte, ou le code SWIFT de sa banque : des lettres et des chiffres, sans mots.',
  name_without_letters: 'La cellule contient un nombre ou un code. Écrivez-y le nom.',
  attachment_missing:
    'Ce paiement demande une pièce. Nommez un PDF ou une image dans la colonne des pièces jointes ; à côté d’un message se trouve celle que le défaut nomme.',
  attachment_path: 'Le nom doit être celui d’un fichier du même dossier ou d’un dossier en dessous.',
  attachment_not_found: 'Mettez la pièce dans le dossier du tableau, sous ce nom exact.',
  attachment_not_a_file: 'Le nom mène à un dossier ou à un lien. Mettez-y la pièce elle-même.',
  attachment_too_large: 'Réduisez la taille de la pièce.',
  attachment_kind: 'Prenez un PDF ou une image.',
  reference_repeated: 'Deux lignes portent cette référence. Donnez à chaque paiement la sienne.',
  element_unsupported:
    'Le message demande ce que le service de paiement ne sait pas faire. Retirez l’élément du paiement.',
  iban_wrong:
    'Les chiffres de contrôle de l’IBAN ne sont pas justes. Recopiez-le des papiers du bénéficiaire.',
  country_contradicts:
    'Le compte, la banque et le système de compensation nomment des pays différents. Corrigez ce qui est faux.',
  person_name_undecided: 'Écrivez le nom sous la forme `Nom, Prénom`.',
  refused_by_service: 'Le service de paiement a refusé la ligne. Le message donne ses mots.',
};

const SPANISH: Readonly<Record<RejectionCode, string>> = {
  row_is_total:
    'La fila es un total, no un pago. Elimínela; solo la última fila de una lista puede ser su total.',
  row_below_total:
    'La fila está debajo del total y no está completa. Elimine una observación o una firma; ponga un pago encima del total.',
  corridor_missing:
    'Nada dice adónde va el dinero. Añada el país, la moneda y la forma de pago, o `payoutCorridorId`.',
  corridor_unknown: 'Ningún corredor tiene este identificador. `paydrop corridors` los enumera.',
  corridor_none:
    'Ningún corredor reúne este país, esta moneda, este tipo y esta forma de pago. Compare con `paydrop corridors`.',
  corridor_ambiguous: 'Hay más de un corredor que corresponde. Añada lo que el mensaje pide.',
  corridor_disabled: 'El servicio ha desactivado este corredor. Pague la fila de otra forma, o más tarde.',
  value_not_listed:
    'La celda no contiene ninguno de los valores permitidos. Escriba uno de los que enumera el mensaje.',
  source_currency_missing: 'Diga de qué saldo se paga: `XAF`, `EUR` o `USD`.',
  source_currency_not_in_corridor:
    'Este corredor no se puede pagar de ese saldo. Use uno de los que enumera el mensaje.',
  amount_missing: 'Indique un importe.',
  amount_twice: 'Los dos importes están rellenos. Vacíe uno.',
  amount_currency_missing: 'Diga en qué moneda está el importe.',
  amount_currency_unrelated: 'La moneda no es la que se envía ni la que llega.',
  amount_not_a_number: 'Escriba el importe en cifras.',
  amount_not_positive: 'Escriba un importe mayor que cero.',
  amount_too_many_decimals:
    'La moneda tiene menos decimales. Escriba el importe exacto: paydrop no redondea.',
  amount_outside_bounds: 'El corredor paga entre los límites que indica el mensaje.',
  amount_currency_contradicts:
    'La celda nombra una moneda distinta de la de la columna. Haga que concuerden.',
  purpose_missing: 'Diga el motivo del pago.',
  purpose_malformed: 'Escriba el motivo en mayúsculas con guiones bajos, como `SALARY_PAYMENT`.',
  sender_missing: 'Nada dice quién paga. Rellene `sender` en la configuración, o las columnas `sender.`.',
  sender_outside_cemac:
    'El ordenante debe estar en Camerún, Gabón, Chad, Congo, Guinea Ecuatorial o la República Centroafricana.',
  receiver_field_missing: 'El corredor exige este campo del beneficiario. Rellénelo.',
  delivery_field_missing: 'El corredor exige este campo de la cuenta. Rellénelo.',
  text_unprintable:
    'La celda contiene un salto de línea o caracteres que no se pueden imprimir. Escríbala de nuevo, en una línea.',
  text_too_long: 'Acorte el texto.',
  number_destroyed:
    'Un programa de hojas de cálculo acortó el número. Ponga la columna en formato de texto y vuelva a escribir el número.',
  number_not_text: 'Ponga la columna en formato de texto, para que no se pierda ninguna cifra.',
  telephone_malformed: 'Escriba el número de teléfono en cifras, con el prefijo del país.',
  account_malformed:
    'Escriba el número de una sola cuenta, o el código SWIFT de su banco: letras y cifras, sin palabras.',
  name_without_letters: 'La celda contiene un número o un código. Escriba ahí el nombre.',
  attachment_missing:
    'Este pago requiere un documento. Nombre un PDF o una imagen en la columna del documento adjunto; junto a un mensaje, el que indica el error.',
  attachment_path: 'El nombre debe ser el de un archivo de la misma carpeta o de una subcarpeta.',
  attachment_not_found: 'Ponga el documento en la carpeta de la hoja de cálculo, con ese nombre exacto.',
  attachment_not_a_file: 'El nombre lleva a una carpeta o a un enlace. Ponga ahí el documento mismo.',
  attachment_too_large: 'Reduzca el documento.',
  attachment_kind: 'Use un PDF o una imagen.',
  reference_repeated: 'Dos filas tienen esta referencia. Dé a cada pago la suya.',
  element_unsupported:
    'El mensaje pide una cosa que el servicio de pago no sabe hacer. Quite el elemento del pago.',
  iban_wrong: 'Los dígitos de control del IBAN no concuerdan. Cópielo de los documentos del beneficiario.',
  country_contradicts:
    'La cuenta, el banco y el sistema de compensación designan países diferentes. Corrija el que está mal.',
  person_name_undecided: 'Escriba el nombre como `Apellidos, Nombre`.',
  refused_by_service: 'El servicio de pago ha rechazado la fila. El mensaje tiene sus palabras.',
};
