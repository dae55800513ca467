// Every sentence that people read, in French, by key: the same keys and values as in src/messages/en.ts.
import type { EN } from './en.ts';

type Messages = {
  readonly [Key in keyof typeof EN]: (typeof EN)[Key] extends (values: infer Values) => string
    ? (values: Values) => string
    : string;
};

export const FR: Messages = {
  'hold.reference_paid_differently':
    "Un paiement avec cette référence est payé ou en cours, avec un autre bénéficiaire ou un autre montant. S'il s'agit d'un nouveau paiement, libérez cette ligne ; sinon, annulez-la avec --skip.",
  'hold.reference_undecided':
    "Une autre ligne avec cette référence n'est pas réglée : retenue, programmée, ou annulée alors qu'elle a pu être payée. Réglez d'abord cette autre ligne. Ne libérez celle-ci que si l'autre n'est jamais payée.",
  'hold.similar_reference':
    'Le même paiement porte ailleurs presque la même référence : seuls diffèrent les majuscules, les espaces, la ponctuation ou les zéros de tête. Si les deux sont voulus, libérez celui-ci ; sinon, annulez-le avec --skip.',
  'hold.earlier_row_paid':
    "Cette ligne a été copiée d'un résultat de paydrop. La ligne d'origine (payout.batch, payout.row) a été payée ou est en cours de paiement avec d'autres données. S'il s'agit d'un nouveau paiement, libérez cette ligne ; sinon, annulez-la avec --skip.",
  'hold.reversed_before':
    "Ce paiement a déjà été fait, et l'argent est revenu. Cherchez pourquoi avant qu'il ne reparte, puis libérez-le.",
  'hold.same_payment_recently':
    "Le même compte, le même montant et la même devise ont été payés ces derniers jours à partir d'un autre fichier. Si les deux sont dus, libérez cette ligne ; sinon, annulez-la avec --skip.",
  'hold.same_payment_other_reference':
    'Le même compte, le même montant et la même devise ont été payés ces derniers jours sous une autre référence. Si les deux sont dus, libérez cette ligne ; sinon, annulez-la avec --skip.',
  'hold.paid_in_earlier_period':
    "Un paiement avec cette référence, ou de la ligne d'origine, a été fait il y a quelque temps. S'il s'agit du paiement d'une nouvelle période, comme le salaire du mois suivant, libérez-le ; sinon, annulez-le avec --skip.",
  'hold.file_paid_before':
    "Un même fichier antérieur a déjà payé la plupart des lignes de ce fichier : tout le fichier attend donc une seule réponse. S'il est voulu, libérez-le ; s'il a été exporté de nouveau par erreur, annulez-le avec --skip.",
  'hold.equal_rows':
    'Deux lignes de ce fichier sont le même paiement et ne portent pas de référence. Si les deux sont voulues, libérez les deux ; sinon, annulez-en une avec --skip.',
  'hold.same_content':
    "Un fichier de même contenu a déjà été pris en charge, et cette ligne ne porte pas de référence. S'il est voulu de nouveau, libérez cette ligne ; sinon, annulez-la avec --skip.",
  'hold.new_account':
    "Ce bénéficiaire a déjà été payé, mais jamais sur ce compte. Demandez-lui confirmation par un moyen que vous connaissiez avant, pas par celui qui vous l'a annoncé ; puis libérez la ligne.",
  'hold.in_doubt_unsent':
    "Ce lot était terminé avant la perte du registre, et le service n'a aucun transfert de cette ligne : elle a été rejetée ou annulée. Ne la libérez que s'il est certain qu'elle est encore due.",
  'hold.in_doubt_unreadable':
    "Le service a un transfert de cette ligne, mais la ligne ne se lit plus comme le paiement qu'elle était : les réglages, les documents ou les corridors ont changé. Vérifiez ce transfert auprès du service.",
  'hold.in_doubt_unseen':
    "Le registre a été perdu, et pendant un moment le service peut ne pas montrer ce qui a été envoyé de cette ligne. paydrop la recherche de lui-même, puis continue ; personne n'a rien à faire.",
  'hold.over_row_limit':
    "Cette ligne dépasse la limite d'un paiement (limits.perRow). Rien n'en a été envoyé. Si elle est juste, libérez-la ; sinon, annulez-la avec --skip.",
  'hold.over_payee_limit':
    "Avec cette ligne, le bénéficiaire, ou le compte, recevrait en un jour plus que permis (limits.perPayeePerDay). Rien n'en a été envoyé. Si elle est juste, libérez-la ; sinon, annulez-la avec --skip.",
  'hold.over_fee_limit':
    "Les frais de cette ligne sont une plus grande part de son montant que ne permet limits.feeShare. Rien n'en a été envoyé. Si c'est juste, libérez-la ; sinon, annulez-la avec --skip.",
  'hold.under_rate_limit':
    "Le cours de cette ligne rapporte moins que ne l'exige limits.leastRates. Rien n'en a été envoyé. Si vous acceptez le cours, libérez-la ; sinon, annulez-la avec --skip.",
  'hold.quotation_mismatch':
    "Le service a coté autre chose que ce qui était demandé. Rien n'a été envoyé. Demandez au service pourquoi.",
  'hold.echo_mismatch':
    "Le service a créé un transfert qui diffère de cette ligne. Il n'a pas été confirmé et ne le sera pas. Demandez au service pourquoi.",
  'hold.id_collision':
    "Le service a déjà un autre transfert sous l'identifiant de cette ligne. Rien n'a été confirmé. Cherchez qui d'autre utilise ce compte.",
  'hold.unknown_status':
    'Le service a donné à ce transfert un statut que paydrop ne connaît pas. Vérifiez-le auprès du service.',
  'hold.status_went_back':
    'Le service a ramené ce transfert à un statut antérieur. Vérifiez-le auprès du service.',
  'hold.transfer_reinstated':
    'Un transfert antérieur de cette ligne, expiré sans paiement, est finalement payé : le paiement peut être fait deux fois. Appelez le service immédiatement.',
  'hold.confirm_uncertain':
    "Le transfert a expiré alors qu'on ignorait si sa confirmation était arrivée. Vérifiez-le auprès du service avant de payer de nouveau.",
  'hold.network_undecided':
    "Le réseau de paiement a refusé la confirmation, mais le transfert n'a pas pris fin. Vérifiez-le auprès du service avant de payer de nouveau.",
  'hold.document_refused':
    "Le service n'a pas accepté le document. Vérifiez le fichier (PDF ou image, pas trop lourd) et payez la ligne par un nouveau fichier.",
  'hold.document_changed':
    "Le document n'est pas celui qui a été vérifié. Remettez l'original, ou payez la ligne par un nouveau fichier.",
  'hold.document_demanded':
    'Le service redemande sans cesse un document pour ce transfert. Demandez-lui lequel il veut.',
  'hold.too_many_attempts':
    'Le transfert a expiré plusieurs fois sans être payé. Vérifiez la connexion et la durée de validité des cotations, puis payez la ligne par un nouveau fichier.',
  'hold.unexpected_refusal':
    "Le service a refusé d'une façon que son interface ne décrit pas. Vérifiez le transfert auprès du service.",
  'hold.batch_stopped':
    "Non payée, parce qu'une autre ligne de ce fichier a été refusée et que le fichier est payé en entier ou pas du tout. Libérez cette ligne pour la payer sans l'autre ; ou annulez-la avec --skip et déposez le fichier corrigé.",

  'refusalShare.describeShare': ({ refused, decided, percent, allowed }) =>
    `Le service ou le réseau a refusé ${String(refused)} lignes sur ${String(decided)} (${percent} %), et limits.refusalShare permet ${allowed} %.`,

  'limits.perRow': 'Cette ligne se monte à',
  'limits.perPayeePerDay':
    "Avec cette ligne, ce qui est payé aujourd'hui (UTC) à ce bénéficiaire ou sur ce compte se monterait à",
  'limits.perFile': 'Ce fichier se monterait à',
  'limits.perDay': "Les paiements d'aujourd'hui (UTC) se monteraient à",
  'limits.describeHit.limitsNamesAmount': ({ counted, show, name, currency }) =>
    `${counted.fr} ${show}, et limits.${name} ne nomme aucun montant en ${currency}.`,
  'limits.describeHit.feesLimitsAllows': ({ counted, show, name, show2, over }) =>
    `${counted.fr} ${show} frais compris ; limits.${name} permet ${show2} : ${over} de trop.`,

  'fileRefused.unreadable':
    "Vérifiez que le fichier est là et qu'il peut être lu, puis déposez-le de nouveau.",
  'fileRefused.file_changed':
    'Attendez que le programme qui écrit le fichier ait terminé, puis déposez-le de nouveau.',
  'fileRefused.kind_unknown':
    'Enregistrez le tableau en classeur Excel (.xlsx) ou en « CSV UTF-8 » et déposez ce fichier.',
  'fileRefused.not_text':
    "Ouvrez-le dans le programme qui l'a produit, enregistrez-le en « CSV UTF-8 » et déposez ce fichier.",
  'fileRefused.too_large':
    'Partagez le fichier en plusieurs, ou augmentez « intake.bytesMax » dans la configuration.',
  'fileRefused.too_many_rows':
    'Partagez le fichier en plusieurs, ou augmentez « intake.rowsMax » dans la configuration.',
  'fileRefused.empty_file':
    "Exportez le fichier de nouveau et vérifiez qu'il contient des lignes avant de le déposer.",
  'fileRefused.nul_character':
    "Le fichier est endommagé ou n'est pas du texte. Exportez-le de nouveau en « CSV UTF-8 ».",
  'fileRefused.bytes_undecodable':
    "Enregistrez le fichier en « CSV UTF-8 » pour qu'aucune lettre ne se perde, puis déposez-le de nouveau.",
  'fileRefused.encoding_uncertain':
    'Enregistrez le fichier en « CSV UTF-8 », ou indiquez son encodage dans le profil (« encoding: windows-1252 »).',
  'fileRefused.row_too_long':
    'Cherchez dans cette ligne des données collées par erreur ou, en CSV, un guillemet (") ouvert et jamais fermé.',
  'fileRefused.quote_stray':
    'Supprimez ce guillemet ("), ou exportez de nouveau le fichier pour que son programme écrive les guillemets.',
  'fileRefused.quote_not_closed':
    'Fermez ou supprimez ce guillemet ("). Le fichier a peut-être aussi été coupé : exportez-le de nouveau.',
  'fileRefused.quote_swallows_rows':
    'Supprimez le guillemet (") qui est de trop, pour que chaque paiement ait sa propre ligne.',
  'fileRefused.row_too_short':
    "Donnez à la ligne autant de cellules que l'en-tête ; le fichier a peut-être aussi été coupé.",
  'fileRefused.row_too_wide':
    'Mettez entre guillemets (") le texte qui contient le séparateur, ou supprimez les cellules de trop.',
  'fileRefused.header_not_found':
    "Placez au-dessus des paiements une ligne avec des noms de colonnes comme « Référence », « Montant », « Devise ». Si paydrop ne connaît pas ses noms, « paydrop profile FICHIER » propose ce qu'ils désignent.",
  'fileRefused.header_missing_above_cells': 'Donnez un nom à cette colonne, ou videz-la.',
  'fileRefused.amount_column_missing':
    "Nommez la colonne des montants « Montant », ou laissez « paydrop profile FICHIER » proposer laquelle c'est.",
  'fileRefused.layout_changed':
    "Si l'export doit être ainsi, examinez-le avec « paydrop profile FICHIER » et confirmez-le avec --save --replace ; sinon, exportez-le comme avant.",
  'fileRefused.profiles_several':
    "Donnez-leur des noms de fichiers ou des dossiers différents, pour qu'un seul convienne.",
  'fileRefused.column_twice':
    "Renommez ou supprimez l'une des deux, pour qu'il n'y ait aucun doute sur celle qui compte.",
  'fileRefused.no_rows': "Ajoutez les paiements sous l'en-tête et déposez le fichier de nouveau.",
  'fileRefused.number_ambiguous':
    'Écrivez les montants sans séparateur de milliers (1000) ou avec des décimales (1000,00), ou dites une fois pour toutes quel signe sépare les décimales : paydrop profile FICHIER --decimal-mark "," --save.',
  'fileRefused.numbers_mixed': 'Écrivez tous les montants de la colonne de la même façon.',
  'fileRefused.totals_differ':
    'Corrigez les lignes ou la ligne de total, puis déposez le fichier de nouveau.',
  'fileRefused.control_differs':
    "Le fichier ou son fichier de contrôle n'est pas le bon. Exportez de nouveau les deux et déposez-les ensemble.",
  'fileRefused.control_unreadable':
    'C\'est du JSON tel que { "rows": 120, "sum": "1250000" } ; corrigez-le, ou retirez-le.',
  'fileRefused.amount_ambiguous':
    'Renommez la colonne en « sourceAmount » (ce qui est envoyé) ou « destinationAmount » (ce qui arrive).',
  'fileRefused.not_workbook':
    "Ouvrez-le dans le programme qui l'a produit, enregistrez-le en classeur Excel (.xlsx) et déposez ce fichier.",
  'fileRefused.workbook_damaged':
    'Ouvrez-le dans un tableur, enregistrez-le sous un nouveau fichier .xlsx et déposez celui-ci.',
  'fileRefused.workbook_bomb': 'Copiez les lignes dans un nouveau classeur et déposez celui-ci.',
  'fileRefused.workbook_reader_died':
    'Copiez les lignes dans un nouveau classeur, ou enregistrez-les en « CSV UTF-8 », et déposez ce fichier.',
  'fileRefused.workbook_encrypted':
    'Retirez le mot de passe (« Enregistrer sous », « Outils » ou « Informations », sans mot de passe pour la lecture) et déposez le fichier de nouveau.',
  'fileRefused.workbook_old_format': 'Enregistrez-le en « Classeur Excel (.xlsx) » et déposez ce fichier.',
  'fileRefused.workbook_macros':
    'Enregistrez-le en « Classeur Excel (.xlsx) », qui ne garde pas de macros, et déposez ce fichier.',
  'fileRefused.workbook_external_links':
    'Remplacez les liaisons par leurs valeurs (« Modifier les liens », « Rompre la liaison ») et déposez le fichier de nouveau.',
  'fileRefused.sheet_not_found':
    'Corrigez le nom de la feuille dans le profil (« sheet »), ou renommez la feuille.',
  'fileRefused.sheets_ambiguous':
    "Indiquez dans le profil celle qu'il faut payer (« sheet »), ou enregistrez-la dans un classeur à elle seule.",
  'fileRefused.hidden_sheet':
    'Affichez la feuille et vérifiez-la, ou supprimez-la, puis déposez le fichier de nouveau.',
  'fileRefused.hidden_rows':
    'Affichez toutes les lignes (effacez les filtres) et vérifiez-les, ou supprimez celles qui sont masquées, puis déposez le fichier de nouveau.',
  'fileRefused.hidden_column':
    'Affichez la colonne et vérifiez-la, ou supprimez-la, puis déposez le fichier de nouveau.',
  'fileRefused.merged_cells':
    'Annulez la fusion pour que chaque ligne ait ses propres cellules, puis déposez le fichier de nouveau.',
  'fileRefused.formula_without_value':
    'Ouvrez le fichier dans un tableur, vérifiez les valeurs, enregistrez-le et déposez-le de nouveau.',
  'fileRefused.cell_error':
    'Corrigez la formule, ou écrivez la valeur elle-même, puis déposez le fichier de nouveau.',
  'fileRefused.number_shown_otherwise':
    'Donnez à la colonne un format de nombre simple, vérifiez de nouveau les montants et déposez le fichier de nouveau.',
  'fileRefused.cells_repeated':
    'Ouvrez-le dans un tableur, vérifiez les cellules, enregistrez-le sous un nouveau fichier .xlsx et déposez celui-ci.',
  'fileRefused.cell_outside_table':
    'Supprimez ce contenu, ou déplacez-le sur une autre feuille, puis déposez le fichier de nouveau.',
  'fileRefused.quotations_too_short':
    'Déposez des fichiers de moins de lignes, augmentez « service.concurrency » dans la configuration, ou choisissez « policy.strategy: row-by-row ».',
  'fileRefused.execution_date_unreadable':
    'Écrivez le jour sous la forme 2026-11-28, ou laissez-le vide, puis déposez le fichier de nouveau.',
  'fileRefused.execution_dates_differ':
    'Donnez le même jour à toutes les lignes, ou faites un fichier par jour, puis déposez-les de nouveau.',
  'fileRefused.execution_date_too_far':
    "Vérifiez l'année, ou déposez le fichier de nouveau plus près de ce jour.",
  'fileRefused.execution_date_standing':
    'Retirez le jour du fichier et de son nom, ou déposez-le dans un autre dossier.',

  'nameCell.text': ({ name }) => `« ${name} »`,
  'nameCell.rowColumn': ({ place, column, cell }) => `ligne ${place}, colonne ${column.fr} (${cell})`,

  'layout.checkLayout': ({ headerPlace, profile, joinWords2 }) =>
    `L'en-tête de la ligne ${headerPlace} n'est pas celui du profil « ${profile} » : ${joinWords2.fr}.`,
  'layout.gone': ({ counted }) => `la colonne ${counted.fr} a disparu`,
  'layout.new': ({ counted, letters }) => `la colonne ${counted.fr} (${letters}) est nouvelle`,
  'layout.moved': ({ counted, at, at2 }) => `la colonne ${counted.fr} est passée de ${at} à ${at2}`,
  'layout.quoted.withoutName': 'sans nom',
  'layout.quoted.text': ({ header }) => `« ${header} »`,

  'columns.name': ({ trim, cell }) => `« ${trim} » (${cell})`,
  'columns.columnTwice': ({ one, other, meaning }) =>
    `Les colonnes ${one.fr} et ${other.fr} désignent toutes deux « ${meaning} ».`,

  'profile.columnGone': ({ profile, folded }) =>
    `Le profil « ${profile} » sépare une colonne « ${folded} », que le fichier n'a pas.`,

  'stopFile.standing': ({ name, inbox, since }) =>
    `Le fichier ${name} se trouve dans la boîte d'entrée (${inbox}) depuis ${since} : aucun fichier de cet espace n'est payé tant qu'il y est. Quiconque peut écrire dans la boîte d'entrée peut l'enlever, de préférence la personne qui l'y a mis ; « paydrop resume » reprend ensuite.`,
  'stopFile.away': ({ inbox, path }) =>
    `Un fichier STOP se trouvait dans la boîte d'entrée (${inbox}) la dernière fois qu'elle a été vue, et elle est absente maintenant, ou un autre dossier a pris sa place ; son partage n'est peut-être pas monté. Aucun fichier de cet espace n'est payé avant son retour sans STOP ; « paydrop resume » reprend ensuite. Si elle a été déplacée exprès, la personne qui exploite paydrop enlève ${path}.`,

  'payoutCells.paid': 'Payé au bénéficiaire.',
  'payoutCells.failed': 'Le paiement a échoué ; les fonds ont été libérés.',
  'payoutCells.submitted': "En cours : confirmé, le statut final n'est pas encore connu.",
  'payoutCells.rejected': 'Non envoyé : la ligne est erronée.',
  'payoutCells.duplicate': 'Non envoyé : déjà payé ou en cours de paiement.',
  'payoutCells.held': 'Attend une décision.',
  'payoutCells.pending': 'Pas encore envoyé.',

  'difference.status': ({ shown, shown2 }) => `Le registre porte ${shown}, le service indique ${shown2}.`,
  'difference.requested': ({ asked, actual }) => `Le fichier demande ${asked}, le transfert porte ${actual}.`,
  'difference.amount': ({ ours, theirs }) =>
    `Le registre porte ${ours}, le service indique ${theirs} (envoyé + frais, reçu).`,
  'difference.missing':
    "Le service n'a plus ce transfert. Demandez-lui pourquoi avant d'en payer de nouveau quoi que ce soit.",
  'difference.unknownToRow':
    "Le service a, sous l'identifiant de cette ligne, un transfert que le registre n'a pas. « paydrop resume » regarde ce qui est encore ouvert ; sinon, demandez au service.",
  'difference.unknown':
    'Aucun lot de ce registre ne connaît ce transfert. Un autre outil utilise peut-être le même compte, ou un autre registre.',
  'difference.expired': ({ expiredAt }) =>
    `Le transfert a expiré sans paiement le ${expiredAt} et réserve encore des fonds.`,
  'difference.dead.reserves': ({ attempt }) =>
    `La tentative ${String(attempt)} a expiré sans paiement, et le service lui réserve encore des fonds.`,
  'difference.dead.mayReserve': ({ attempt }) =>
    `La tentative ${String(attempt)} a expiré sans paiement. Sa réservation peut encore exister auprès du service.`,
  'difference.alive': ({ attempt, shown }) =>
    `La tentative ${String(attempt)} avait expiré sans paiement et a été suivie d'une autre, et le service en indique maintenant ${shown} : la ligne peut être payée deux fois. Appelez le service.`,

  'totalsSheet.totalsHeader.what': 'Quoi',
  'totalsSheet.totalsHeader.unit': 'Unité',
  'totalsSheet.totalsHeader.howMuch': 'Combien',
  'totalsSheet.name': 'Totaux',
  'totalsSheet.paid': 'payées',
  'totalsSheet.failed': 'échouées',
  'totalsSheet.submitted': 'en cours',
  'totalsSheet.rejected': 'rejetées',
  'totalsSheet.duplicate': 'déjà payées',
  'totalsSheet.held': "en attente d'une décision",
  'totalsSheet.pending': 'pas encore envoyées',
  'totalsSheet.inAll': 'lignes en tout',
  'totalsSheet.rows': 'lignes',
  'totalsSheet.sent': 'envoyé',
  'totalsSheet.fees': 'frais',
  'totalsSheet.debited': 'débité',
  'totalsSheet.reserved': 'réservé',
  'totalsSheet.received': 'reçu',
  'totalsSheet.playMoney': 'SANDBOX : argent fictif',

  'batchNote.unreadableNote': ({ name, batch, holds }) =>
    `La note ${name} dans le dossier du lot ${batch} ne peut pas être lue ; elle dit ${holds.fr}. Plus rien n'est fait pour ce lot avant : remettez-la en place depuis une copie du dossier, puis lancez « paydrop resume ».`,

  'lastAnswered.holds': 'quelles réponses ont été données en dernier',

  'approvalStatus.answer.declinedByOn': ({ by, at, reason }) => `Refusé par ${by} le ${at} : ${reason}`,
  'approvalStatus.answer.approvedByOn': ({ by, at, isNext, id }) =>
    `Approuvé par ${by} le ${at}.${isNext ? ` « paydrop resume ${id} », ou « paydrop watch » s'il tourne, le paie.` : ''}`,

  'closedUnpaid.holds': 'quelles lignes une personne a annulées',

  'documents.holds': 'quels documents ses lignes nomment',

  'keptClaim.holds': 'de quel fichier déposé il provient',

  'controlTotals.checkControl.rows': ({ rows, rowCount }) =>
    `Le fichier de contrôle annonce ${rows} paiements, le fichier en a ${rowCount}.`,
  'controlTotals.checkControl.sum': ({ sum, found }) =>
    `Le fichier de contrôle annonce une somme de ${sum}, celle des lignes est ${found}.`,
  'controlTotals.unreadable': 'Le fichier de contrôle à côté du tableau ne peut pas être lu.',

  'sourceFile.describeFile.regularFile': "Ce n'est pas un fichier ordinaire.",
  'sourceFile.describeFile.fileEmptyBytes': 'Le fichier est vide (0 octet).',
  'sourceFile.checkSame': 'Le fichier a changé pendant sa lecture.',
  'sourceFile.openFile': ({ code }) => `Le fichier ne peut pas être ouvert (${code}).`,
  'sourceFile.readChunk': ({ code }) => `Le fichier ne peut pas être lu (${code}).`,
  'sourceFile.tooLarge': ({ bytes, bytesMax }) =>
    `Le fichier fait ${bytes} octets ; ${bytesMax} au plus sont acceptés.`,

  'guessEncoding.otherKinds.excelWorkbookAnother': 'un classeur Excel ou une autre archive zip',
  'guessEncoding.otherKinds.zipArchive': 'une archive zip',
  'guessEncoding.otherKinds.aPdf': 'un PDF',
  'guessEncoding.otherKinds.oldExcelWorkbook': 'un ancien classeur Excel (.xls) ou un classeur chiffré',
  'guessEncoding.otherKinds.gzipArchive': 'une archive gzip',
  'guessEncoding.otherKinds.imagePng': 'une image (PNG)',
  'guessEncoding.otherKinds.imageJpeg': 'une image (JPEG)',
  'guessEncoding.refuseOtherKinds': ({ kind }) => `Le fichier n'est pas un CSV : c'est ${kind.fr}.`,

  'textPlace.in': ({ line, column }) => `la ligne ${line}, colonne ${column}`,

  'refuseByte.text': ({ hex, where, encoding }) =>
    `L'octet ${hex} à ${where.fr} n'est pas une lettre en ${encoding}.`,
  'refuseByte.nulAt': ({ where }) => `Il y a un caractère NUL à ${where.fr}.`,

  'prove1252.uncertain': ({ where }) =>
    `Le fichier n'est pas en UTF-8, et à ${where.fr} il ne ressemble pas non plus à du Windows-1252.`,

  'proveUtf16.halfCharacter': ({ where }) => `À ${where.fr} se trouve une moitié de caractère UTF-16.`,

  'detectEncoding.readHead': 'Le fichier a été vidé pendant sa lecture.',

  'parseRecords.quoteFaults.quoteOpenedRow': ({ row, column }) =>
    `Un guillemet (") est ouvert à la ligne ${row}, colonne ${column}, et jamais fermé.`,
  'parseRecords.quoteFaults.quoteStandsWhere': ({ row, column }) =>
    `Un guillemet (") se trouve là où il n'a rien à faire, à la ligne ${row}, colonne ${column}.`,
  'parseRecords.tooLongFault': ({ row, recordCharsMax }) =>
    `La ligne ${row} dépasse ${recordCharsMax} caractères.`,

  'tableShape.checkShape': ({ columnLetters, place }) =>
    `La colonne ${columnLetters} n'a pas de nom dans l'en-tête, mais la ligne ${place} y contient du texte.`,
  'tableShape.countsDiffer': ({ place, counted, width }) =>
    `La ligne ${place} a ${counted.fr}, mais l'en-tête en a ${width}.`,
  'tableShape.checkSwallowedRows': ({ place, length }) =>
    `La ligne ${place} s'étend sur ${length} lignes qui ressemblent chacune à un paiement, parce qu'un guillemet (") les tient ensemble.`,

  'requireHeader.text': ({ record }) => `L'en-tête à la ligne ${record + 1} n'a pas de colonne de montants.`,
  'requireHeader.headerNotFound.fileHoldsNothing': 'Le fichier ne contient que des lignes vides.',
  'requireHeader.headerNotFound.thereHeaderRow': ({ headerWithinRows }) =>
    `Il n'y a pas d'en-tête : aucune des ${headerWithinRows} premières lignes ne nomme deux colonnes connues.`,

  'amountColumn.mixed': ({ text, where, text2, where2 }) =>
    `« ${text} » (${where.fr}) a un point décimal, « ${text2} » (${where2.fr}) une virgule décimale.`,
  'amountColumn.ambiguous': ({ text, where }) =>
    `« ${text} » (${where.fr}) peut signifier des milliers ou des décimales, et aucune autre cellule de la colonne ne dit lequel des deux.`,

  'totalsRow.totalsDiffer.withoutWhichNumber': ({ text, where }) =>
    ` (sans « ${text} », ${where.fr}, qui n'est pas un nombre)`,
  'totalsRow.totalsDiffer.totalButRows': ({ where, trim, sum, left }) =>
    `Le total (${where.fr}) est « ${trim} », mais la somme des lignes est ${sum}${left.fr}.`,
  'totalsRow.agrees': ({ cell, sum, rows }) =>
    `Total en ${cell} : ${sum.fr}, conforme ${rows === 1 ? 'à la ligne' : `aux ${rows} lignes`}.`,
  'totalsRow.footer.rowPaysNobody': ({ first, join2 }) =>
    `La ligne ${first} ne paie personne et n'est pas lue : ${join2}.`,
  'totalsRow.footer.rowsPayNobody': ({ first, last, join2 }) =>
    `Les lignes ${first} à ${last} ne paient personne et ne sont pas lues : ${join2}.`,

  'survey.noRows': ({ headerPlace }) => `Il n'y a aucune ligne sous l'en-tête de la ligne ${headerPlace}.`,
  'survey.tooManyRows': ({ rowsMax }) => `Le fichier a plus de ${rowsMax} lignes.`,

  'csvReader.noText': 'Le fichier ne contient aucun texte.',

  'fileBytes.readExactly': "Le fichier s'arrête trop tôt.",

  'refuseOtherFiles.fileXlsxWorkbook': "Le fichier n'est pas un classeur XLSX, bien que son nom le dise.",
  'refuseOtherFiles.workbookEncryptedOpens':
    "Le classeur est chiffré : il ne s'ouvre qu'avec un mot de passe.",
  'refuseOtherFiles.oldFormat': "Le classeur est dans l'ancien format d'Excel (.xls).",

  'walkXml.wellFormedXml': "ce n'est pas du XML bien formé",
  'walkXml.declaresEntitiesWhich': ({ part }) =>
    `Des entités sont déclarées dans ${part.fr}, ce qu'aucun tableur n'écrit.`,
  'walkXml.itsEncodingIs': ({ name }) => `son encodage est ${name}`,
  'walkXml.nestedTooDeep': 'ses éléments sont trop imbriqués',
  'walkXml.openRoot': ({ slice }) => `cela commence par <${slice}>`,
  'walkXml.startShapes.renamesElements': 'des éléments y sont renommés',
  'walkXml.startShapes.holdsWhereNone': ({ slice }) => `<${slice}> s'y trouve là où il n'a rien à faire`,
  'walkXml.startDecoder': "ce n'est pas de l'UTF-8",
  'walkXml.endless': ({ part, tokenCharsMax }) =>
    `Un texte ou un élément de ${part.fr} dépasse ${tokenCharsMax} caractères, ce qu'aucun tableur n'écrit.`,
  'walkXml.damaged': ({ part, what }) => `Lecture impossible de ${part.fr} : ${what.fr}.`,

  'zipDirectory.readZipDirectory.fileHoldsEntries': ({ count, entriesMax }) =>
    `Le fichier contient ${count} entrées ; ${entriesMax} au plus sont acceptées.`,
  'zipDirectory.readZipDirectory.listEntriesWhere':
    "la liste de ses entrées n'est pas là où elle devrait être",
  'zipDirectory.readZipDirectory.listEntriesMore': "la liste de ses entrées en contient plus qu'elle ne dit",
  'zipDirectory.findDirectory': "la fin manque, comme s'il avait été coupé",
  'zipDirectory.readEnd': 'il est en plusieurs volumes',
  'zipDirectory.readEnd64.endPointsOutside': 'sa fin renvoie hors du fichier',
  'zipDirectory.readEnd64.endReadable': 'sa fin est illisible',
  'zipDirectory.readListed.listEntriesReadable': 'la liste de ses entrées est illisible',
  'zipDirectory.readListed.listEntriesCut': 'la liste de ses entrées est coupée',
  'zipDirectory.readListed.nameEntryToo': "le nom d'une entrée est trop long",
  'zipDirectory.field': 'une taille manque dans la liste de ses entrées',
  'zipDirectory.safe': 'il renvoie à un endroit au-delà de sa fin',
  'zipDirectory.damaged': ({ what }) => `Le fichier n'est pas un zip entier : ${what.fr}.`,

  'checkEntries.text': 'Deux entrées du fichier portent le même nom.',
  'checkEntries.checkSizes.fileWouldGrow': ({ megabytes }) => `Le fichier grossirait jusqu'à ${megabytes} Mo`,
  'checkEntries.checkSizes.entryWouldGrow': ({ name, megabytes, megabytes2 }) =>
    `Son entrée « ${name} » grossirait de ${megabytes} à ${megabytes2} Mo`,
  'checkEntries.checkEntry.entryFileEncrypted': ({ name }) => `L'entrée « ${name} » du fichier est chiffrée.`,
  'checkEntries.checkEntry.entryPackedUnknown': ({ name, method }) =>
    `L'entrée « ${name} » est compressée d'une façon inconnue (${method}).`,
  'checkEntries.checkEntry.entryLiesOver': ({ name }) => `Son entrée « ${name} » en recouvre une autre`,
  'checkEntries.bomb': ({ what }) => `${what.fr}, ce qu'aucun tableur n'écrit.`,

  'inflateEntry.text': ({ name }) => `L'entrée « ${name} » dépasse la taille qu'elle annonce.`,
  'inflateEntry.damaged': ({ name }) => `L'entrée « ${name} » du fichier est endommagée.`,

  'packageParts.open': ({ name }) => `Il manque au fichier sa partie « ${name} ».`,
  'packageParts.refuseByType': 'Le fichier est un zip, mais pas un classeur.',
  'packageParts.macros': "Le classeur contient des macros, qui pourraient changer ce qu'il affiche.",
  'packageParts.externalLinks': "Le classeur prend des valeurs dans d'autres fichiers.",

  'sharedStrings.tooMuch': "Le classeur contient plus de texte qu'aucun fichier de paiements.",

  'styles.readStyles': ({ stylesMax }) => `Le classeur a plus de ${stylesMax} formats de cellule.`,

  'workbook.readWorkbook': 'Le fichier est un zip, mais pas un classeur en XML.',
  'workbook.joinSheets.sheetWorkbookName':
    "Une feuille du classeur porte un nom qu'aucune feuille ne peut avoir.",
  'workbook.joinSheets.workbookSheetsMost': ({ length, sheetsMax }) =>
    `Le classeur a ${length} feuilles ; ${sheetsMax} au plus sont acceptées.`,
  'workbook.joinSheets.sheetContent': ({ name }) => `La feuille « ${name} » n'a pas de contenu.`,
  'workbook.joinSheets.twoSheetsWorkbook': 'Deux feuilles du classeur portent le même nom.',

  'scanSheet.sheetIn': ({ sheet }) => `la feuille « ${sheet} »`,
  'scanSheet.cellsTwice': ({ sheet }) => `La feuille « ${sheet} » contient deux fois ses cellules.`,
  'scanSheet.tooLong': ({ cell }) =>
    `${cell} contient, avec les cellules qui précèdent, plus de texte qu'aucune ligne de paiement.`,
  'scanSheet.nextRow.sheetRowWithout': ({ sheet, last }) =>
    `La feuille « ${sheet} » a une ligne sans numéro, après la ligne ${last}.`,
  'scanSheet.nextRow.sheetRowStands': ({ sheet, place, last }) =>
    `Dans la feuille « ${sheet} », la ligne ${place} vient après la ligne ${last} : en double, ou dans le désordre.`,
  'scanSheet.nextColumn': ({ sheet, row }) =>
    `La feuille « ${sheet} » a une cellule sans position à la ligne ${row}.`,
  'scanSheet.repeated': ({ cell, row }) => `${cell} est en double ou dans le désordre, à la ligne ${row}.`,
  'scanSheet.takeMerge': ({ sheet }) =>
    `La feuille « ${sheet} » a des cellules fusionnées qui ne peuvent pas être lues.`,

  'chooseSheet.named': ({ wanted, list }) =>
    `Il n'y a pas de feuille « ${wanted} » ; le classeur contient ${list.fr}.`,
  'chooseSheet.onlyFitting': ({ list }) =>
    `Les feuilles ${list.fr} contiennent toutes des lignes qui pourraient être payées.`,
  'chooseSheet.nearest': "Le classeur n'a aucune feuille avec des cellules visibles.",
  'chooseSheet.hidden': ({ name }) =>
    `La feuille « ${name} » est masquée et contient des lignes qui pourraient être payées.`,
  'chooseSheet.list': ({ name }) => `« ${name} »`,

  'tableRows.take': ({ place, sheet }) =>
    `La ligne ${place} de la feuille « ${sheet} » est masquée ou filtrée.`,
  'tableRows.checkHiddenColumns': ({ letters, name, sheet }) =>
    `La colonne ${letters} (« ${name} ») de la feuille « ${sheet} » est masquée.`,
  'tableRows.faults.holdsFormulaWhose': "contient une formule dont aucun tableur n'a calculé la valeur",
  'tableRows.faults.showsError': ({ slice }) => `affiche l'erreur ${slice}`,
  'tableRows.faults.holdsButNumber': ({ text }) =>
    `contient ${text}, mais son format de nombre affiche autre chose`,
  'tableRows.faults.holdsValueCannot': 'contient une valeur qui ne peut pas être lue',
  'tableRows.checkCell': ({ place, says }) => `${place} ${says.fr}.`,
  'tableRows.beside': 'à côté du tableau, dans une colonne sans nom',
  'tableRows.below': ({ emptyRows }) => `sous ${emptyRows} lignes vides`,
  'tableRows.outside': ({ place, where }) => `${place} contient quelque chose, ${where.fr}.`,
  'tableRows.merged': ({ area }) => `Les cellules ${area} sont fusionnées.`,

  'readWorkbook.lookAtSheets': "Le classeur n'a aucune feuille avec des cellules.",

  'askReader.listen': ({ limitMs }) => `rien n'en est venu pendant ${limitMs} ms`,
  'askReader.endOf.doesWhenMemory': ', comme quand la mémoire est épuisée',
  'askReader.endOf.itEndedWith': ({ end, memory }) => `elle a pris fin avec ${end}${memory.fr}`,
  'askReader.died': ({ how }) => `La lecture du classeur a été abandonnée : ${how.fr}.`,

  'xlsxReader.refuseMacros': 'Un classeur de ce type (.xlsm) contient des macros.',

  'readRows.text': ({ counted }) => `${counted.fr} ne se lit pas comme un tableau.`,

  'keepSubmitters.holds': 'qui a apporté le fichier',

  'commandErrors.fileGone': ({ counted, batch }) =>
    `La copie de ${counted.fr} dans processing/${batch}/ de l'espace de travail a disparu ou n'est plus celle qui a été prise en charge. Remettez-la en place, puis lancez « paydrop resume ». Plus rien n'est envoyé pour ce fichier.`,
  'commandErrors.saysOtherwise': ({ batch }) =>
    `Le dossier du lot ${batch} dit autre chose que ce que le registre a noté à la prise en charge de son fichier : profile.yaml ou .policy.json y a été modifié, ajouté ou enlevé. Remettez-y ce qui s'y trouvait, puis lancez « paydrop resume ». Plus rien n'est envoyé pour ce lot.`,
  'commandErrors.listGone': ({ batch }) =>
    `La note .documents.json dans le dossier du lot ${batch} a disparu. Remettez-la en place depuis une copie du dossier, puis lancez « paydrop resume ». Rien n'est envoyé pour ce lot.`,

  'profileFor.readBy': 'selon quel profil il est lu',
  'profileFor.treatedBy': 'selon quelles règles il est traité',
  'profileFor.fittingProfile': ({ basename, names2 }) =>
    `Les profils ${names2} disent tous qu'ils sont pour ${basename}.`,

  'keepPayAt.holds': 'quand il doit être payé',

  'stopNote.holds': 'que le fichier, payé en entier ou pas du tout, a été arrêté',

  'standing.interrupted': ({ sent, rowCountWords, pending }) =>
    `Interrompu : ${sent} sur ${rowCountWords.fr} traitées, ${String(pending)} pas encore envoyées.`,
  'standing.watch': '« watch » le poursuit.',
  'standing.nobody': 'Aucun processus ne s’en occupe ; « paydrop resume » le poursuit.',
  'standing.paused': 'Mis en pause par quelqu’un ; « paydrop resume » le poursuit.',
  'standing.words.beingReadPaid': ({ pending, rows }) =>
    `En cours de lecture et de paiement : ${String(pending)} lignes sur ${String(rows)} ne sont pas encore envoyées.`,
  'standing.words.everythingSentService': ({ submitted }) =>
    `Tout est envoyé ; le service n'a pas encore dit ce qu'il est advenu de ${submitted === 1 ? '1 paiement' : `${String(submitted)} paiements`}.`,
  'standing.words.finishedAnswersLie': ({ finishedAt }) =>
    `Terminé${finishedAt === null ? '' : ` le ${finishedAt}`} ; ses réponses se trouvent dans la boîte de sortie.`,
  'standing.needs-you': 'À vous',
  'standing.under-way': 'En cours',
  'standing.scheduledTitle': 'Programmé',
  'standing.doneTitle': 'Terminé',
  'standing.checked': 'contrôlé',
  'standing.awaiting-approval': "attend l'approbation",
  'standing.scheduled': 'programmé',
  'standing.paying': 'en cours de paiement',
  'standing.tracking': 'envoyé, pas encore définitif',
  'standing.closed': 'clos',
  'standing.refused': 'refusé',
  'standing.paid': 'payé',
  'standing.failed': 'échoué',
  'standing.submitted': 'transmis',
  'standing.rejected': 'rejeté',
  'standing.duplicate': 'doublon',
  'standing.held': 'retenu',
  'standing.pending': 'en attente',
  'standing.payments.payment': '1 paiement',
  'standing.payments.payments': ({ payments }) => `${String(payments)} paiements`,
  'standing.sum': ({ counted, currency }) => `${counted.fr}\u00a0${currency}`,
  'standing.rowCount.row': '1 ligne',
  'standing.rowCount.rows': ({ rows }) => `${String(rows)} lignes`,
  'standing.places.row': ({ value }) => `ligne ${value ?? ''}`,
  'standing.places.rowsMore': ({ shown, more }) => `lignes ${shown} et ${String(more)} autres`,
  'standing.places.rows': ({ shown }) => `lignes ${shown}`,
  'standing.release': ({ batch, list, flags }) =>
    `paydrop release ${batch} --rows ${list}${flags} --by NOM --reason TEXTE`,
  'standing.heldCommands.pay': 'payer :  ',
  'standing.heldCommands.cancel': 'annuler :',
  'standing.moreReasons': ({ more }) =>
    `… et des lignes avec ${more === 1 ? '1 autre motif' : `${String(more)} autres motifs`} ; voyez le résultat.`,

  'batchStatus.repeated': ({ batch, id, join2 }) =>
    `${join2} ont déjà été payées par le lot ${batch} : tout le fichier attend. S'il est voulu : paydrop release ${id} --by NOM --reason TEXTE, puis « paydrop resume » ; avec --skip il est annulé.`,

  'notice.rows.row': '1 ligne',
  'notice.rows.rows': ({ count }) => `${String(count)} lignes`,
  'notice.moneyLines.debitedReservedFees': ({ sourceCurrency, debited, reserved, feeAmount }) =>
    `${sourceCurrency} : ${debited} débités, ${reserved} réservés, dont ${feeAmount} de frais`,
  'notice.moneyLines.received': ({ destinationCurrency, receiveAmount }) =>
    `${destinationCurrency} : ${receiveAmount} reçus`,

  'renderNotification.textOf': "SANDBOX : ceci est de l'argent fictif. Rien n'a été réellement payé.",
  'renderNotification.answers': 'Réponses dans la boîte de sortie :',
  'renderNotification.batchLines.file': ({ file }) => `Fichier : ${file}`,
  'renderNotification.batchLines.batch': ({ id }) => `Lot : ${id}`,
  'renderNotification.batchLines.whereStands': 'Où il en est :',

  'notifyBatch.notifyAccepted.accepted': 'accepté,',
  'notifyBatch.notifyAccepted.fileAccepted': 'Le fichier a été accepté :',
  'notifyBatch.notifyAccepted.askedForIn': ({ currency, amount, rowsWords }) =>
    `Demandé en ${currency} : ${amount} (${rowsWords.fr})`,
  'notifyBatch.notifyAccepted.nothingDoneNow':
    "Il n'y a rien à faire pour l'instant ; un autre message en dira la fin.",
  'notifyBatch.notifyRefused.toFix': ({ rows }) => `(${rows.fr} à corriger)`,
  'notifyBatch.notifyRefused.refusedNothingSent': "refusé, rien n'a été envoyé",
  'notifyBatch.notifyRefused.fileRefusedNothing': "Le fichier a été refusé, et rien n'en a été envoyé",
  'notifyBatch.notifyRefused.answerSaysWhy':
    'La réponse dit pourquoi en toutes lettres. Corrigez le fichier et déposez-le à nouveau.',
  'notifyBatch.notifyRefused.fixRowsFile':
    'Corrigez les lignes dans le fichier « rejected » (colonne payout.error) et déposez ce fichier tel quel.',
  'notifyBatch.headline': "déjà reçu, rien n'a été envoyé",
  'notifyBatch.notifyDuplicate.sameFileByte': ({ since }) =>
    `Le même fichier, octet pour octet, a été pris en charge le ${since}. Rien n'a été envoyé cette fois.`,
  'notifyBatch.notifyDuplicate.ifPaidAgain':
    "S'il doit vraiment être payé une nouvelle fois, « paydrop run --again » le fait.",
  'notifyBatch.notifyCompletion.finished': 'terminé,',
  'notifyBatch.notifyCompletion.everyRowFinal': 'Chaque ligne est définitive :',
  'notifyBatch.notifyCompletion.anotherEndTold': ({ version }) =>
    `Une autre fin de ce fichier a été annoncée auparavant. Les réponses au numéro ${String(version)} font foi ; les précédentes restent telles qu'elles étaient.`,
  'notifyBatch.notifyCompletion.thereNothingDo': "Il n'y a rien à faire.",
  'notifyBatch.notifyCompletion.fileSaysEach':
    "Le fichier « result » dit de chaque ligne non payée pourquoi (payout.reason). Les lignes à corriger, s'il y en a, se trouvent dans « rejected » : corrigez-les et déposez ce fichier.",
  'notifyBatch.notifyChanged.changedAfterEnd': 'modifié après sa fin, désormais',
  'notifyBatch.notifyChanged.serviceChangedPayments': ({ version }) =>
    `Le service a modifié des paiements de ce lot après sa clôture : un retour de fonds, ou une correction. Les réponses au numéro ${String(version)} font foi ; les précédentes restent telles qu'elles étaient.`,
  'notifyBatch.notifyChanged.now': 'Désormais :',
  'notifyBatch.notifyChanged.bookDifferenceAsk':
    'Comptabilisez la différence, et renseignez-vous auprès du bénéficiaire avant de payer à nouveau.',
  'notifyBatch.notifyApproval': 'attend une approbation,',

  'waitForService.credentials':
    "Le service a refusé la clé d'API. Mettez la bonne clé en place : « paydrop watch » reprend alors de lui-même, sinon lancez « paydrop resume ». Aucune ligne n'a échoué pour cela.",
  'waitForService.service':
    "Le service de paiement est injoignable, ou ne répond pas comme il le devrait. Vérifiez la connexion et l'adresse de base, puis lancez « paydrop resume ». Aucune ligne n'a échoué pour cela.",

  'priceLimits.feeHit': ({ fee, sent, most }) =>
    `Les frais sont de ${fee} sur ${sent}, et limits.feeShare permet ${most}.`,
  'priceLimits.rateHit': ({ sourceCurrency, rate, targetCurrency, least }) =>
    `Un ${sourceCurrency} rapporte ${rate} ${targetCurrency}, et limits.leastRates exige ${least}.`,

  'quote.outsideBounds': ({ amount, least, most }) =>
    `Le bénéficiaire recevrait ${amount} ; ce corridor paie de ${least} à ${most}. Changez le montant.`,

  'awaitTime.scheduled': ({ time }) => `Il sera payé le ${time.fr}, aux prix de ce moment.`,
  'awaitTime.missed': ({ time, batch }) =>
    `Il devait être payé le ${time.fr}, et ce moment a été manqué. S'il doit encore l'être : paydrop release ${batch} --by NOM --reason TEXTE, puis « paydrop resume » ; avec --skip il est annulé.`,

  'service.status.statusCodeWhich': ({ statusCode }) =>
    `code de statut ${statusCode}, que l'interface n'explique pas`,
  'service.refusal': ({ more, value }) => `Le service a refusé : ${value}${more.fr}.`,

  'judgeTransfer.failure': ({ meaning }) =>
    `Le paiement a échoué : ${meaning.fr}. Les fonds ont été libérés.`,
  'judgeTransfer.endChanged': ({ stage, now }) =>
    `Le service avait donné ce paiement pour « ${stage} » et indique maintenant ${now}. Demandez-lui pourquoi avant d'en payer de nouveau quoi que ce soit ; « paydrop release » reprend ensuite ce que dit le service.`,

  'oddAnswers.judge': ({ oddity }) =>
    `Le service répond d'une façon que son interface ne décrit pas (${oddity}). Vérifiez le transfert auprès du service.`,

  'findTransfer.collided': ({ status }) =>
    `Le service a déjà un autre transfert sous l'identifiant de cette ligne, et son statut est « ${status} ». Il diffère de cette ligne. Cherchez qui d'autre utilise ce compte avant d'en payer de nouveau quoi que ce soit.`,

  'judge.networkRefused': 'Le réseau de paiement a refusé le paiement.',
  'judge.lookItUp': 'Vérifiez auprès du service.',

  'revived.text': ({ transferId, attempt, now }) =>
    `Le transfert ${transferId} (tentative ${String(attempt)}) avait expiré sans paiement et avait été abandonné pour un autre, et le service en indique maintenant ${now} : ce paiement peut être fait deux fois. Appelez le service immédiatement. « paydrop release » poursuit ensuite la ligne.`,

  'withinLimits.unapproved': "Ce qui reste de ce fichier n'est pas approuvé.",
  'withinLimits.release': "Libérez la ligne si c'est juste.",
  'withinLimits.released': 'Elle avait été libérée à un meilleur prix.',

  'heldUnseen.text': ({ counted, until }) => `${counted.fr} (à partir de ${until})`,

  'waitForReads.unseen': ({ unseenUntil, counted }) =>
    `Le registre a été perdu, et jusqu'au ${unseenUntil} le service peut ne pas montrer tout ce qui avait été envoyé : ${counted.fr} jusque-là avant d'être recherchée. « watch » continue de lui-même, « paydrop resume » quand il est lancé ensuite.`,

  'describeShortfall.topUp':
    "Approvisionnez le solde, puis lancez « paydrop resume ». Aucune ligne n'a échoué pour cela.",
  'describeShortfall.sentenceOf.balanceRanOut': ({ currency }) => `Le solde en ${currency} est épuisé`,
  'describeShortfall.sentenceOf.atLeast': 'au moins ',
  'describeShortfall.sentenceOf.shortly': ({ ranOut, needed }) => `${ranOut.fr} : ${needed.fr}.`,
  'describeShortfall.sentenceOf.availableMissing': ({ least, show }) =>
    `sont disponibles, il manque ${least.fr}${show}`,
  'describeShortfall.sentenceOf.availableNow': 'sont maintenant disponibles',
  'describeShortfall.sentenceOf.whole': ({ ranOut, needed, available, left }) =>
    `${ranOut.fr} : ${needed.fr}, ${available} ${left.fr}.`,
  'describeShortfall.needed.paymentWaitsNeeds': ({ least, debit }) =>
    `1 paiement attend et demande ${least.fr}${debit}`,
  'describeShortfall.needed.paymentsWaitNeed': ({ rows, least, debit }) =>
    `${String(rows)} paiements attendent et demandent ${least.fr}${debit}`,

  'limitsBeforeSending.describeLimitsStop': ({ counted }) => `Non envoyé : ${counted.fr}.`,
  'limitsBeforeSending.left': ({ rows, unpriced, sum }) =>
    `${String(rows)} ${rows === 1 ? 'ligne' : 'lignes'}, ${unpriced === 0 ? '' : 'au moins '}${sum}`,
  'limitsBeforeSending.waysOut': ({ id }) =>
    `Si c'est juste, « paydrop release ${id} --by NOM --reason TEXTE » permet à ce fichier de dépasser les limites par fichier et par jour, puis « paydrop resume ${id} » le paie. Une limite par jour prend aussi fin avec le jour (UTC).`,

  'stopOfRun.waysOut': ({ id }) =>
    `Plus rien de ce fichier n'est envoyé. « paydrop status ${id} » énumère les lignes refusées ; si les autres sont justes, « paydrop release ${id} --by NOM --reason TEXTE », puis « paydrop resume ${id} ». Le décompte recommence alors.`,

  'notifyTrouble.credentials': "Rien n'est payé : le service refuse la clé d'API",
  'notifyTrouble.stop': "Rien n'est payé : le fichier STOP se trouve dans la boîte d'entrée",
  'notifyTrouble.machine': "Quelqu'un doit voir la machine sur laquelle paydrop tourne",

  'notifyWaiting.notifyShortfall': 'attend des fonds,',
  'notifyWaiting.headline': 'arrêté, une personne doit décider',
  'notifyWaiting.notifyHeld': ({ id }) =>
    `Voyez « paydrop status ${id} » ; « paydrop release ${id} --by NOM --reason TEXTE » les libère, avec --skip il les annule.`,
  'notifyWaiting.waits': 'attend une décision',
  'notifyWaiting.wait': 'attendent une décision',
  'notifyWaiting.codeLine.row': 'Ligne',
  'notifyWaiting.codeLine.rows': 'Lignes',
  'notifyWaiting.codeLine.text': ({ lead, named, code, counted }) =>
    `- ${lead.fr} ${named} (${code}) : ${counted.fr}`,

  'whole.nothing': "Rien du fichier n'a été confirmé, car il est payé en entier ou pas du tout.",
  'whole.nothingShown':
    "D'après ce que montre le service à présent, rien du fichier n'a été confirmé ; il est payé en entier ou pas du tout.",
  'whole.partConfirmed': ({ counted, confirmed }) =>
    `${counted.fr} déjà ${confirmed === 1 ? 'confirmée' : 'confirmées'}, par une exécution que ce registre ne connaît pas.`,
  'whole.waitingRows.rowWaitsPerson': '1 ligne attend une décision',
  'whole.waitingRows.rowsWaitPerson': ({ held }) => `${String(held)} lignes attendent une décision`,
  'whole.held': ({ rows, id }) =>
    `${rows.fr} : « paydrop status ${id} » dit pourquoi, « paydrop release » décide ; lancez ensuite « paydrop resume ».`,
  'whole.refused.rowRefused': ({ join }) => `La ligne ${join} a été refusée`,
  'whole.refused.rowsWereRefused': ({ join, isMore }) =>
    `Les lignes ${join}${isMore ? " et d'autres" : ''} ont été refusées`,
  'whole.mayBeConfirmed':
    "Une autre ligne de ce fichier a été refusée, et le fichier est payé en entier ou pas du tout. Une exécution antérieure a pu confirmer cette ligne, même si le service ne le montre pas. Libérez-la pour la payer sans l'autre : elle sera payée une fois au plus. Avant de la payer d'une autre façon, vérifiez-la auprès du service.",
  'whole.notWhole': ({ counted, refused }) => `${counted.fr} (${refused.fr}.)`,
  'whole.hidden': ({ refused, at }) =>
    `${refused.fr}. Le registre a été perdu, ou il est plus ancien que ce qui a été fait : les autres lignes ont donc pu être confirmées, même si le service ne le montre pas encore. Ce sera certain à partir de ${at} ; lancez alors « paydrop resume ». D'ici là, ne payez rien de ce fichier d'une autre façon.`,
  'whole.stopped': ({ rows, id }) =>
    `Le fichier est payé en entier ou pas du tout, et une de ses lignes a été refusée ; rien d'autre n'en est donc confirmé : ${rows.fr}. « paydrop release ${id} » paie les autres sans elle ; « paydrop status ${id} » dit pour chacune si elle peut être fermée avec --skip et payée par le fichier corrigé.`,
  'whole.runOut': ({ counted, at }) =>
    `Le temps était trop court pour confirmer ${counted.fr} après avoir tout réservé, ou ce qui a été réservé auparavant est trop ancien. Les réservations expirent d'elles-mêmes, ce qui est certain à partir de ${at} ; lancez alors « paydrop resume ». Aucune ligne n'a échoué pour cela.`,
  'whole.tooSlowNow': ({ counted }) =>
    `${counted.fr} Augmentez « service.concurrency » dans la configuration, ou attendez une heure plus calme ; lancez ensuite « paydrop resume ». Aucune ligne n'a échoué pour cela.`,
  'whole.underWay':
    "Certaines lignes sont encore en cours de traitement, ou n'ont pas encore reçu de réponse. Lancez « paydrop resume ».",

  'payBatch.paused': 'Le lot est en pause. « paydrop resume » le poursuit.',
  'payBatch.waitingWords': ({ counted }) => `${counted.fr}.`,

  'wholeInTime.tooSlow': ({ lives, rows, needed, speed }) =>
    `Le fichier est payé en entier ou pas du tout (policy.strategy: reserve-then-confirm) : toutes ses lignes doivent être réservées et confirmées tant que les cotations sont valables, soit ${lives}. ${rows === 1 ? '1 ligne demande' : `${String(rows)} lignes demandent`} environ ${needed} au rythme mesuré à présent (${speed.fr}, avec une marge pour une heure plus lente).`,
  'wholeInTime.pace.callsSecond': ({ calls }) => `${calls} appels par seconde`,
  'wholeInTime.pace.oneCall': ({ each }) => `un appel toutes les ${each}`,

  'checkText.cellHoldsCharacter': 'La cellule contient un caractère invisible. Retapez le texte à la main.',
  'checkText.cellCharactersMost': ({ length, lengthMax }) =>
    `La cellule a ${String(length)} caractères, ${String(lengthMax)} au plus sont acceptés.`,
  'checkText.keptWhichLoses': ({ text }) =>
    `« ${text} » n'est pas du texte : des zéros et des chiffres se perdent. Mettez cette colonne au format texte et retapez la valeur.`,
  'checkText.numberSpreadsheetProgram': ({ text }) =>
    `« ${text} » est un nombre que le tableur a raccourci. Mettez cette colonne au format texte et retapez le numéro.`,

  'corridor.findCorridor':
    'Dites où va l’argent : un payoutCorridorId, ou le pays, la devise, le type de transaction et le mode de règlement. « paydrop corridors » les liste.',
  'corridor.corridorById.thereCorridorAccount': ({ id }) =>
    `Ce compte n'a pas de corridor « ${id} ». « paydrop corridors » liste ceux qui existent.`,
  'corridor.corridorById.corridorSwitchedOff': ({ id }) =>
    `Le corridor « ${id} » est désactivé par le service.`,
  'corridor.corridorById.corridorRowSays': ({ id, contradicted, value, value2 }) =>
    `Le corridor « ${id} » a pour ${contradicted} « ${value ?? 'rien'} », la ligne dit « ${value2 ?? ''} ». Corrigez l'un des deux.`,
  'corridor.readChooser': ({ text }) =>
    `« ${text} » n'est pas un pays. Écrivez son code de trois lettres, par exemple CHN.`,
  'corridor.notListed': ({ text, join }) =>
    `« ${text} » n'est pas dans la liste : ${join}. Écrivez l'une de ces valeurs.`,
  'corridor.rejectNone': ({ describe }) =>
    `Aucun corridor actif n'a ${describe}. « paydrop corridors » liste ceux qui existent.`,
  'corridor.rejectSeveral': ({ describe, length, join, more, join2 }) =>
    `Avec ${describe}, il reste ${String(length)} corridors (${join}${more}). Ajoutez ${join2 || 'payoutCorridorId'}, ou nommez-en un dans payoutCorridorId.`,

  'readParties.readSender.mustCemacZone': ({ country, join }) =>
    `${country === '' ? "L'expéditeur n'a pas de pays" : `L'expéditeur est en ${country}`}. Il doit être dans la zone CEMAC : ${join}.`,
  'readParties.readSender.corridorRequiresSender': ({ id, field }) =>
    `Le corridor ${id} exige le champ ${field} de l'expéditeur. Remplissez-le, ou écrivez-le une fois pour toutes sous « sender » dans la configuration.`,
  'readParties.readReceiver': ({ id, field }) =>
    `Le corridor ${id} exige le champ ${field} du bénéficiaire. Remplissez-le.`,
  'readParties.withCountry':
    "Le fichier n'a pas de colonne pour le pays des bénéficiaires ; le pays de destination est envoyé.",
  'readParties.readDelivery.corridorRequiresFill': ({ id, field }) =>
    `Le corridor ${id} exige ${field}. Remplissez-le.`,
  'readParties.readDelivery.corridorRequiresFill2': ({ id, replaceAll }) =>
    `Le corridor ${id} exige ${replaceAll}. Remplissez l'un d'eux.`,

  'requestedAmount.filledColumn.rowAmountWrite':
    'La ligne n’a pas de montant. Écrivez-en un, ou supprimez la ligne.',
  'requestedAmount.filledColumn.rowAlsoAmount': ({ header }) =>
    `La ligne a aussi un montant sous « ${header} ». Gardez le bon et videz l'autre.`,
  'requestedAmount.rejectAmount.amountOnlyAmounts': ({ text }) =>
    `Le montant est « ${text} ». Seuls les montants supérieurs à zéro peuvent être payés.`,
  'requestedAmount.rejectAmount.cannotReadAmount': ({ text }) =>
    `« ${text} » ne se lit pas comme un montant. Écrivez des chiffres, par exemple 1500,50.`,
  'requestedAmount.agreesWithCell.columnButAmount': ({ header, named, currency }) =>
    `La colonne « ${header} » est en ${named}, mais le montant est ici en ${currency}. Corrigez l'un des deux.`,
  'requestedAmount.agreesWithCell.cellNamesCurrency': ({ text, currency }) =>
    `La cellule « ${text} » nomme une devise, mais le montant est ici en ${currency}. Corrigez l'un des deux.`,
  'requestedAmount.sideOfAmount.sayWhichCurrency': ({ targetCurrency, join2 }) =>
    `Dites dans quelle devise est le montant : ${targetCurrency} est ce que reçoit le bénéficiaire, ${join2} ce qui est envoyé.`,
  'requestedAmount.sideOfAmount.rowCorridorSends': ({ place, id, currency }) =>
    `Ligne ${place} : le corridor ${id} envoie et paie en ${currency}, donc un montant en ${currency} peut être ce qui est envoyé ou ce qui arrive.`,
  'requestedAmount.sideOfAmount.amountButRow': ({ currency, paidFrom, targetCurrency }) =>
    `Le montant est en ${currency}, mais la ligne est payée en ${paidFrom}. Écrivez le montant en ${paidFrom} ou en ${targetCurrency}, ou payez en ${currency}.`,
  'requestedAmount.sideOfAmount.currencyCorridorPays': ({ currency, id, targetCurrency, join }) =>
    `${currency} n'est pas une devise du corridor ${id} : il paie en ${targetCurrency} et prend ${join}.`,
  'requestedAmount.readSourceCurrency.sayWhichBalance': ({ join }) => `Dites de quel solde payer : ${join}.`,
  'requestedAmount.readSourceCurrency.corridorCannotPaid': ({ id, currency, join }) =>
    `Le corridor ${id} ne peut pas être payé en ${currency}, seulement en ${join}.`,
  'requestedAmount.decimals.currencyIsoSo': ({ currency }) =>
    `${currency} n'est pas une devise ISO 4217 : ses décimales ne sont pas connues.`,
  'requestedAmount.decimals.cellSaysPaydrop': ({ currency, counted, cell }) =>
    `${currency} ${counted.fr}, la cellule dit ${cell}. paydrop n'arrondit pas : écrivez le montant exact.`,
  'requestedAmount.isInside': ({ show, show2, show3 }) =>
    `Le montant est ${show} ; ce corridor paie de ${show2} à ${show3}. Changez le montant ou partagez le paiement.`,

  'validateRow.noPaymentOf.rowTotalPayment': ({ text }) =>
    `Cette ligne est un total (« ${text} »), pas un paiement. Supprimez-la ; seule la dernière ligne d'une liste peut en être le total, et il est alors contrôlé.`,
  'validateRow.noPaymentOf.rowStandsBelow': ({ cell }) =>
    `Cette ligne se trouve sous le total (${cell}) et n'est pas complète. Si c'est une remarque ou une signature, supprimez-la ; si c'est un paiement, placez-la au-dessus du total.`,
  'validateRow.readPurpose.purposeSentWrite': ({ written, purpose }) =>
    `L'objet « ${written} » est envoyé comme ${purpose} ; écrivez SERVICE_CHARGES s'il s'agit de services.`,
  'validateRow.readPurpose.sayWhatPayment': ({ listed }) => `Dites l'objet du paiement : ${listed}.`,
  'validateRow.readPurpose.purposeWriteOne': ({ purpose, listed }) =>
    `« ${purpose} » n'est pas un objet de paiement. Écrivez l'un de ceux-ci : ${listed}.`,
  'validateRow.readPurpose.purposePassedService': ({ purpose }) =>
    `L'objet « ${purpose} » est transmis tel quel ; le service peut le refuser.`,
  'validateRow.document.plainNameFile':
    'n’est pas le simple nom d’un fichier du dossier du tableau ou en dessous. Mettez-y le document et écrivez son nom.',
  'validateRow.document.foundFolderSpreadsheet':
    'est introuvable dans le dossier du tableau ou en dessous. Mettez-l’y, ou corrigez le nom ; majuscules et minuscules comptent.',
  'validateRow.document.linkFolderFile':
    'est un lien ou un dossier, pas un fichier. Mettez-y le document lui-même.',
  'validateRow.document.largerThanMb': 'dépasse 10 Mo. Réduisez-le.',
  'validateRow.document.pdfImagePng':
    'n’est ni un PDF ni une image (PNG, JPEG), par son nom ou par son contenu. Enregistrez le document en PDF.',
  'validateRow.readDocument.bankTransferNeeds':
    'Un virement demande sa facture ou son contrat. Écrivez le nom d’un PDF ou d’une image qui se trouve à côté du tableau.',
  'validateRow.readDocument.text': ({ name, words }) => `« ${name} » ${words.fr}`,

  'validateFile.withEarlierDigits': ({ now, before }) =>
    `« ${now} » était « ${before} » quand la ligne est venue d'abord : un tableur a supprimé les zéros. Mettez cette colonne au format texte et retapez le numéro ; si le plus court est juste, retirez les colonnes payout.`,
  'validateFile.withUniqueReference': ({ reference, earlier }) =>
    `La référence « ${reference} » figure déjà à la ligne ${earlier}. Donnez à chaque ligne sa propre référence.`,

  'examineFile.heldTogether.samePaymentHave': ({ counted, count }) =>
    `${counted.fr} sont le même paiement et n'ont pas de référence : run ${count === 2 ? 'les retiendrait toutes les deux' : 'les retiendrait toutes'}. Si chacune est voulue, donnez à chacune sa propre référence ; sinon, supprimez ce qui est en trop.`,
  'examineFile.heldTogether.samePaymentUnder': ({ counted, count }) =>
    `${counted.fr} sont le même paiement sous presque la même référence : run ${count === 2 ? 'les retiendrait toutes les deux' : 'les retiendrait toutes'}. Si chacune est voulue, donnez à chacune une référence dont les lettres ou les chiffres diffèrent ; sinon, supprimez ce qui est en trop.`,
  'examineFile.rowsIn.row': ({ value }) => `La ligne ${value ?? ''}`,
  'examineFile.rowsIn.rows': ({ join2 }) => `Les lignes ${join2}`,
  'examineFile.faultLines': ({ what, message }) => `${what} : ${message}`,
  'examineFile.toFix.rowFix': '1 ligne à corriger :',
  'examineFile.toFix.rowsFix': ({ rejected }) => `${String(rejected)} lignes à corriger :`,
  'examineFile.moreFaults': ({ more }) =>
    `… et ${more === 1 ? '1 autre erreur' : `${String(more)} autres erreurs`}.`,

  'refuseFile.refusedResult': ({ path }) => `Rien n'a été envoyé. Le motif se trouve dans ${path}.`,
  'refuseFile.withRejectedRows': ({ counted, rows, answer, la }) =>
    `Sur ${rows === 1 ? '1 ligne' : `${String(rows)} lignes`}, ${counted.fr} : rien du fichier n'a été envoyé. ${la} dans ${answer} (colonne payout.error) et faites payer ce fichier.`,

  'executionDay.executionDayOf': ({ named, written }) =>
    `Le nom du fichier dit qu'il est à payer le ${named}, et ses lignes disent le ${written}.`,
  'executionDay.dayInName': ({ join }) => `Le nom du fichier nomme plusieurs jours : ${join}.`,
  'executionDay.unreadable': ({ list2 }) => `La date d'exécution n'est pas lisible : ${list2}.`,
  'executionDay.differing': ({ list2 }) =>
    `Les lignes ne s'accordent pas sur le jour du paiement : ${list2}.`,

  'decidePayAt.assertNoDay': ({ day }) =>
    `Le fichier se trouve dans un dossier dont les fichiers sont payés régulièrement, et demande à être payé le ${day}.`,
  'decidePayAt.onDay': ({ timeWords }) =>
    `Le fichier demande à être payé le ${timeWords.fr}, soit dans plus d'un an.`,

  'takeBatch.changedWhileTaken': 'Le fichier a changé pendant sa prise en charge.',
  'takeBatch.announced': 'Le fichier ne peut pas être ouvert.',
  'takeBatch.takenBefore': ({ date, as }) =>
    `Le même fichier a été pris en charge le ${date} (${as.fr}). Rien n'a été envoyé.`,

  'unfinishedBatch.repeated.batch': ({ name, id }) => `« ${name} », lot ${id}`,
  'unfinishedBatch.repeated.showsDeliberatelyPays': ({ id }) =>
    `« paydrop status ${id} » le montre ; « run --again » le paie volontairement une seconde fois.`,
  'unfinishedBatch.repeated.finishedGoes': ({ id }) =>
    `Ce lot n'est pas terminé : « paydrop resume ${id} » le poursuit.`,

  'unusual.sharedAccount': ({ row }) => `La ligne ${row} paie un autre bénéficiaire sur le même compte.`,
  'unusual.newAccount.lastPaymentReceiver':
    'Le dernier paiement à ce bénéficiaire est allé sur un autre compte.',
  'unusual.newAccount.lastPaymentsReceiver': ({ length }) =>
    `Les ${String(length)} derniers paiements à ce bénéficiaire sont allés sur d'autres comptes.`,
  'unusual.warningsOf': ({ got, date }) =>
    `Au moins dix fois le dernier paiement à ce bénéficiaire (${got} le ${date}).`,

  'crossCheck.judgeRest': ({ rows, batch }) => `${String(rows)} lignes, lot ${batch}`,
  'crossCheck.open': ({ counted }) =>
    `${counted.fr} Un transfert de cette ligne est ouvert à côté. Fermez celle-ci avec --skip ; ne la libérez que si les deux sont à payer.`,
  'crossCheck.metRow': ({ placeOf }) => `Cette ligne est déjà payée ou en cours (${placeOf.fr}).`,
  'crossCheck.metReference': ({ reference, placeOf }) =>
    `La référence « ${reference ?? ''} » est déjà payée ou en cours (${placeOf.fr}).`,
  'crossCheck.judgeContent': ({ id, date }) => `lot ${id} du ${date}`,
  'crossCheck.held': ({ counted, where }) => `${counted.fr} (${where.fr})`,
  'crossCheck.placeOf': ({ row, batch, date }) => `ligne ${row} du lot ${batch}, ${date}`,
  'crossCheck.undecidedPlaceOf': ({ counted }) =>
    `${counted.fr} ; si ce fichier est refusé en entier, libérez celui-ci`,

  'approval.rows.row': '1 ligne',
  'approval.rows.rows': ({ rows }) => `${String(rows)} lignes`,
  'approval.what': ({ counted, sums }) => `En attente d'approbation : ${counted.fr}, ${sums} frais compris.`,
  'approval.sent': ({ rows, sums }) =>
    `${rows.fr} pour ${sums} avaient été envoyées avant ; la question porte sur le reste.`,
  'approval.shortfall': ({ availableAmount, sourceCurrency, shortfall }) =>
    `${availableAmount ?? '0'} ${sourceCurrency} sont disponibles, il manque ${shortfall} ${sourceCurrency}.`,
  'approval.held': ({ counted, held }) =>
    `${counted.fr} de plus ${held === 1 ? 'est retenue' : 'sont retenues'} et n'en ${held === 1 ? 'fait' : 'font'} pas partie ; ce qui est libéré plus tard fait l'objet d'une nouvelle demande.`,
  'approval.how.somebodyWhoLooked': "Quelqu'un qui l'a examiné",
  'approval.how.somebodyOtherThan': ({ names }) => `Quelqu'un d'autre que ${names}`,
  'approval.how.saysEveryRow': ({ other, id, preview }) =>
    `${other.fr} lance « paydrop approve ${id} --by NOM », ou « paydrop decline ${id} --by NOM --reason TEXTE » ; chaque ligne et son prix sont dans ${preview}.`,
  'approval.lapsed': ({ by, date, from, to, maxDrift }) =>
    `L'approbation de ${by} (${date}) est caduque : elle portait sur ${from}, et aux prix d'aujourd'hui c'est ${to}, plus de ${maxDrift} au-dessus.`,
  'approval.released': 'Des lignes ont été libérées depuis la dernière demande ; elle est donc renouvelée.',
  'approval.overThreshold': "Ce qui reste ferait dépasser au fichier le total qui se passe d'approbation.",
  'approval.renewed': 'En cours de route, les prix ont dépassé ce qui était approuvé.',

  'previewSheet.sendAmount': 'à envoyer',
  'previewSheet.feeAmount': 'frais',
  'previewSheet.debit': 'débit',
  'previewSheet.availableAmount': 'disponible',
  'previewSheet.shortfall': 'manquant',

  'approvalPreview.sentBefore': 'Envoyée avant cet aperçu ; ne fait pas partie de ce qui est à approuver.',

  'matchesRequest.byFile': ({ fileName, sums }) =>
    `Un fichier ${fileName} ne compte cette fois que s'il indique « total: ${sums} » : un fichier vide a pu être destiné à une autre demande.`,
  'matchesRequest.older': ({ askedAt, preview, sums }) =>
    `Rien n'a été approuvé : le fichier est plus ancien que la demande, faite le ${askedAt}. Voyez ${preview}, écrivez « total: ${sums} » dans un nouveau fichier et déposez-le. S'il est plus récent, l'horloge du lieu où il a été écrit est fausse ; « paydrop approve » s'en passe.`,
  'matchesRequest.totalMissing': ({ preview, sums }) =>
    `Rien n'a été approuvé : la demande a été renouvelée, et un fichier qui n'indique pas de total a pu être destiné à une autre. Voyez ${preview} ; s'il faut payer, déposez de nouveau le fichier avec la ligne « total: ${sums} ».`,

  'decideHeld.cancelled': ({ by, reason }) => `Annulée par ${by} : ${reason}`,

  'closeDeclined.declined': ({ by, reason }) => `Refusée par ${by} : ${reason}`,
  'closeDeclined.lookUp':
    'Le fichier a été refusé, et on ignore si la confirmation de ce transfert était arrivée avant. Vérifiez-le auprès du service avant de payer de nouveau.',

  'settleApproval.askedBefore':
    "La demande a déjà été faite, et aucune réponse n'est enregistrée (un registre reconstruit n'en connaît pas) ; elle est donc renouvelée.",

  'withdrawGone.unclear':
    "Le fichier a été retiré de son dossier, ou remplacé. Le service n'indique pas en ce moment si une partie en a été payée avant : d'ici là, rien n'en est envoyé et le fichier n'est pas retiré.",
  'withdrawGone.withdrawn': ({ time }) =>
    `Le fichier a été retiré de son dossier, ou remplacé, avant son heure (${time.fr}). Rien n'en est payé alors ; ce qui se trouve dans le dossier l'est.`,

  'clear.waitingWords':
    "Le dossier où se trouve le fichier n'est pas lisible en ce moment : on ne sait pas s'il doit encore être payé.",

  'leftOut.wordsFor': ({ batch, named, more }) =>
    `Absentes de ce fichier, mais toujours en cours de paiement dans le lot ${batch} : ligne ${named}${more > 0 ? ` et ${String(more)} autres` : ''}. « paydrop pause ${batch} » arrête ce qui n'est pas encore envoyé ; ce qui est confirmé ne peut pas être rappelé.`,

  'decideApproval.approved': ({ by, counted, fileName, hash, sums, maxDrift, id }) =>
    `Approuvé par ${by} : ${counted.fr} de ${fileName} (SHA-256 ${hash}…), ${sums} frais compris, et pas plus de ${maxDrift} au-dessus. « paydrop watch » le paie s'il tourne ; sinon « paydrop resume ${id} ».`,
  'decideApproval.given': ({ by, at }) =>
    `Le lot a déjà été approuvé par ${by} le ${at}. Rien n'a été changé.`,
  'decideApproval.declined': ({ by, at, reason }) => `Refusé par ${by} le ${at} : ${reason}`,
  'decideApproval.total': ({ describeSums, said }) =>
    `La demande porte sur ${describeSums}, et non sur ${said}. Rien n'a été approuvé ; revoyez l'aperçu.`,
  'decideApproval.notAsked.finishedApprovalAsked':
    "Le lot est terminé, et aucune approbation n'a été demandée.",
  'decideApproval.notAsked.approvalAskedYet':
    "Aucune approbation n'est (encore) demandée : ce qui n'est ni vérifié ni coté ne peut être approuvé.",
  'decideApproval.outdated': ({ id }) =>
    `Des lignes ont été libérées depuis la demande. « paydrop resume ${id} », ou « paydrop watch » s'il tourne, la renouvelle.`,
  'decideApproval.unknown': "Il n'y a pas de lot de ce nom. « paydrop status » les énumère.",
  'decideApproval.samePerson':
    "Qui a apporté le fichier ne peut pas l'approuver : quelqu'un d'autre doit l'examiner.",
  'decideApproval.tooLate':
    "Le lot a été approuvé et est en cours de paiement. « paydrop pause » arrête ce qui n'est pas encore envoyé.",

  'crossCheckUnseen.text': ({ id }) => `lot ${id}`,

  'notifyFault.unknown':
    'Un événement inattendu est survenu ; le journal de paydrop dit lequel. Ce qui a été envoyé est enregistré, et un nouvel essai se fera tout seul.',

  'watchReversals.changed':
    "Le service a modifié des paiements de ce lot après sa clôture. Les réponses au numéro le plus élevé font foi ; les précédentes restent telles qu'elles étaient.",

  'resumeBatches.followed':
    "Un paiement libéré après la clôture de ce lot n'est pas encore terminé. « watch » le suit jusqu'à son terme, ou le prochain « paydrop resume » ; la réponse vient alors au numéro suivant.",
  'resumeBatches.elsewhere': ({ file }) => `Un autre paydrop travaille en ce moment sur ${file}.`,
  'resumeBatches.liftedElsewhere': ({ file }) =>
    `La pause de ${file} est levée. Un autre paydrop travaille en ce moment sur ce fichier ; « watch » le poursuit de lui-même.`,

  'channel.unreachable': 'est injoignable',
  'channel.late': 'ne répond pas à temps',
  'channel.login': "refuse l'utilisateur ou le mot de passe",
  'channel.tls': 'ne propose aucune connexion chiffrée à laquelle cette machine se fie',
  'channel.receivers': "n'accepte pas de courrier de ou pour ces adresses",
  'channel.redirected': "renvoie à une autre adresse, qui n'est pas suivie",
  'channel.refused': 'refuse ce qui lui est envoyé',
  'channel.describeFault.mailServer': ({ shown }) => `Le serveur de courrier ${shown}`,
  'channel.describeFault.theHookAt': ({ shown }) => `Le point de notification ${shown}`,
  'channel.describeFault.text': ({ lead, value }) => `${lead.fr} ${value.fr}`,

  'printResults.headline.batch': ({ rows, batch, value }) => `${rows.fr}, lot ${batch}, ${value.fr}`,
  'printResults.headline.refused': ({ name }) => `${name} : refusé`,
  'printResults.headline.text': ({ name, standing }) => `${name} : ${standing.fr}`,
  'printResults.answerLines': ({ outbox }) => `Réponses dans ${outbox} :`,
  'printResults.moneyLines.sentFeesDebited': ({ sourceCurrency, send, fee, debit, isOpen, open }) =>
    `${sourceCurrency} : envoyé ${send.fr}, frais ${fee.fr}, débité ${debit.fr}${isOpen ? `, réservé ${open.fr}` : ''}`,
  'printResults.moneyLines.received': ({ destinationCurrency, grouped }) =>
    `${destinationCurrency} : reçu ${grouped.fr}`,

  'checkFile.everyRow': 'Toutes les lignes peuvent être payées.',
  'checkFile.ignored': ({ header }) => `La colonne « ${header} » n'est pas connue et n'est pas lue.`,
  'checkFile.correct': ({ path }) =>
    `Corrigez votre fichier ou ${path} (colonne payout.error), puis contrôlez de nouveau.`,

  'progressView.words.ofRows': ({ at, rows }) => `${String(at)} sur ${rows} lignes`,
  'progressView.words.text': '',
  'progressView.words.toLookAt': ({ toLookAt }) => ` · ${String(toLookAt)} à regarder`,
  'progressView.words.allSentFinal': ({ final, rows, look }) =>
    `tout envoyé · définitif ${String(final)}/${rows}${look.fr}`,
  'progressView.words.sentFinal': ({ sent, rows, final, look }) =>
    `envoyé ${String(sent)}/${String(rows)} · définitif ${String(final)}${look.fr}`,
  'progressView.allSent':
    'Tout est envoyé ; attente du réseau. Ctrl-C est sans risque : « paydrop resume » poursuit.',
  'progressView.barLine': ({ describeDuration }) => `reste ${describeDuration}`,
  'progressView.write.text': '',
  'progressView.write.aboutLeft': ({ describeDuration }) => `, reste environ ${describeDuration}`,

  'tellingStatus.standing.text': '',
  'tellingStatus.standing.messagesWaitOldest': ({ counted, waiting, since }) =>
    `${counted.fr} : ${String(waiting)} messages attendent, le plus ancien depuis ${since} ; de nouveaux essais se font tout seuls.`,
  'tellingStatus.standing.messagesWereNever': ({ givenUp, channel }) =>
    `${String(givenUp)} messages (${channel}) n'ont jamais été remis ; les réponses dans la boîte de sortie disent la même chose.`,

  'preview.nothingSent': "Rien n'a été envoyé. Les prix changent jusqu'à l'exécution du fichier.",
  'preview.wrong': ({ counted, count }) =>
    `${counted.fr} ${count === 1 ? 'ne peut pas être payée' : 'ne peuvent pas être payées'} à ce prix : voyez l'aperçu, colonne payout.error.`,
  'preview.unusual': ({ counted, count }) =>
    `${counted.fr} ${count === 1 ? 'paraît inhabituelle' : 'paraissent inhabituelles'} : voyez l'aperçu, colonne preview.warning.`,
  'preview.earlier': ({ date, id }) =>
    `Le même fichier a été pris en charge le ${date} (lot ${id}) : l'exécuter n'enverra rien.`,
  'preview.met': ({ counted, known, count }) =>
    `${counted.fr} ${known} pas ${count === 1 ? 'comptée' : 'comptées'} : voyez l'aperçu, colonne preview.warning.`,
  'preview.rowsIn.row': '1 ligne',
  'preview.rowsIn.rows': ({ count }) => `${String(count)} lignes`,
  'preview.cost': ({ sourceCurrency, send, fee, all, balance }) =>
    `${sourceCurrency} : ${send.fr} + ${fee.fr} de frais = ${all.fr}. ${balance.fr}`,
  'preview.balance.balanceKnown': "Le solde n'est pas connu.",
  'preview.balance.available': ({ available, isEnough, missing, sourceCurrency }) =>
    `Disponible : ${available.fr}.${isEnough ? '' : ` Il manque ${missing.fr} ${sourceCurrency}.`}`,

  'quoteForPreview.noValidPrice': 'Le service ne donne pas de prix encore valable.',
  'quoteForPreview.noPrice': ({ said }) => `Le service ne donne pas de prix : ${said}.`,

  'previewFile.stopped': "L'aperçu a été interrompu.",
  'previewFile.notTold': 'Le service ne donne pas les prix.',
  'previewFile.noPreview': "Aucun aperçu n'a été écrit, et rien n'a été envoyé. Redemandez-le.",

  'reconcileBatch.missing': ({ batch }) =>
    `Le fichier du lot ${batch} n'est ni dans processing/ ni dans archive/ : seuls le registre et le service ont été comparés.`,
  'reconcileBatch.changed': ({ batch }) =>
    `Le fichier du lot ${batch} n'est pas celui qui a été lu lors du paiement : ses octets ont changé. Seuls le registre et le service ont été comparés.`,

  'describeRelease.limits': 'Ce fichier peut dépasser les limites par fichier et par jour.',
  'describeRelease.refusals': 'Ce fichier peut continuer malgré ses refus.',
  'describeRelease.missed-time': 'Ce fichier continue bien que son heure soit passée.',
  'describeRelease.text': ({ batch }) => `« paydrop resume ${batch} » poursuit.`,
  'describeRelease.service':
    "Rien n'a été annulé. Avant d'être annulée, une ligne est recherchée auprès du service de paiement, qui est injoignable ou ne répond pas comme il le devrait. Vérifiez la connexion, puis réessayez.",
  'describeRelease.credentials':
    "Rien n'a été annulé. Avant d'être annulée, une ligne est recherchée auprès du service de paiement, qui a refusé la clé d'API. Mettez la bonne clé en place, puis réessayez.",
  'describeRelease.moved.rowCancelled': "Aucune ligne n'a été annulée.",
  'describeRelease.moved.rowReleased': "Aucune ligne n'a été libérée.",
  'describeRelease.moved.row': ({ counted, rows }) => `${counted.fr} : ligne ${rows}.`,
  'describeRelease.moved.cancelledRowConfirmed': ({ rows }) =>
    `Non annulée : ligne ${rows}. Elle a été confirmée, ou avait pris fin : seul le service peut dire si elle est payée ; elle est suivie jusqu'au bout.`,
  'describeRelease.notMoved.transferRowMay': ({ rows }) =>
    `Un transfert de la ligne ${rows} peut encore payer : vérifiez-le auprès du service, puis annulez la ligne avec --skip.`,
  'describeRelease.notMoved.cancelledRowTransfer': ({ rows }) =>
    `Non annulée : ligne ${rows}. Un transfert peut exister et être payé, et personne ne l'a encore vu. Libérez-la d'abord sans --skip : il est recherché avant tout envoi.`,
  'describeRelease.notMoved.releasedRowPerson': ({ rows, batch }) =>
    `Non libérée : ligne ${rows}. Une personne l'a déjà annulée, et elle le reste : « paydrop resume ${batch} » l'annule de nouveau. Si elle est tout de même due, payez-la par un nouveau fichier.`,
  'describeRelease.notMoved.heldRow': ({ rows }) => `Non retenue : ligne ${rows}.`,
  'describeRelease.stillHeld': ({ counted, batch }) =>
    `${counted.fr} : « paydrop status ${batch} » dit pourquoi, et « paydrop release ${batch} --rows LISTE --by NOM --reason TEXTE » les libère.`,
  'describeRelease.tooEarly': ({ skip, row, at }) =>
    `Non ${skip ? 'annulée' : 'libérée'} : ligne ${row}. Ce qui a déjà été envoyé peut encore la payer. Après le ${at}, lancez « paydrop resume », qui la vérifie encore une fois, puis réessayez.`,

  'checkAccount.cannotMove': ({ folder, processed }) =>
    `${folder} est lisible, mais ${processed} ne peut être créé, où vont les fichiers pris en charge. Faites-le créer avec le droit d'écriture, ou indiquez « processed: delete ».`,

  'plainHeaders.reference': 'Référence',
  'plainHeaders.destinationCountryIsoCode': 'Pays',
  'plainHeaders.targetCurrency': 'Devise de destination',
  'plainHeaders.transactionMode': 'Type de transaction',
  'plainHeaders.deliveryMethod': 'Mode de paiement',
  'plainHeaders.bankName': 'Banque',
  'plainHeaders.sourceCurrency': "Devise d'envoi",
  'plainHeaders.sourceAmount': 'Montant à envoyer',
  'plainHeaders.destinationAmount': 'Montant à recevoir',
  'plainHeaders.amount': 'Montant',
  'plainHeaders.currency': 'Devise',
  'plainHeaders.purposeOfRemittance': 'Motif',
  'plainHeaders.documentReferenceNumber': 'N° de facture',
  'plainHeaders.attachment': 'Pièce jointe',
  'plainHeaders.executionDate': "Date d'exécution",
  'plainHeaders.headers.beneficiary': 'Bénéficiaire',
  'plainHeaders.headers.company': 'Dénomination sociale',
  'plainHeaders.headers.registrationNumber': "N° d'immatriculation",
  'plainHeaders.headers.firstName': 'Prénom',
  'plainHeaders.headers.lastName': 'Nom de famille',
  'plainHeaders.headers.address': 'Adresse',
  'plainHeaders.headers.city': 'Ville',
  'plainHeaders.headers.beneficiaryCountry': 'Pays du bénéficiaire',
  'plainHeaders.headers.beneficiaryPhone': 'Téléphone du bénéficiaire',
  'plainHeaders.headers.beneficiaryEmail': 'Email du bénéficiaire',
  'plainHeaders.headers.accountHolder': 'Titulaire du compte',
  'plainHeaders.headers.accountNumber': 'N° de compte',
  'plainHeaders.headers.swiftCode': 'Code SWIFT',
  'plainHeaders.headers.walletNumber': 'N° de portefeuille',
  'plainHeaders.headers.walletEmail': 'Email du portefeuille',
  'plainHeaders.headers.cardNumber': 'N° de carte',
  'plainHeaders.namedHeader': ({ counted, canonical }) => `${counted.fr} (${canonical})`,

  'template.exampleOf': 'Chine',
  'template.registeredName': "raison sociale telle qu'elle est enregistrée",
  'template.registrationNumber': "numéro d'immatriculation (RCCM)",
  'template.firstName': 'prénom',
  'template.lastName': 'nom de famille',
  'template.fullName': 'nom complet',
  'template.address': 'adresse',
  'template.city': 'ville',
  'template.countryIsoCode': 'pays, par ses trois lettres',
  'template.msisdn': 'numéro de téléphone au format international, avec + et indicatif du pays',
  'template.email': 'adresse e-mail',
  'template.bankAccountHolderFullName': 'nom complet du titulaire du compte bancaire',
  'template.bankAccountNumber': 'numéro du compte bancaire ou IBAN, avec tous ses zéros',
  'template.bankAccountSwiftCode': 'code SWIFT (BIC) de la banque',
  'template.cardNumber': 'numéro de la carte, avec tous ses chiffres',
  'template.B': 'une entreprise',
  'template.C': 'un particulier',
  'template.modeIn': ({ from, to }) => `d'${from.fr} à ${to.fr}`,
  'template.bankTransfer': 'virement bancaire',
  'template.unionpayCard': 'carte UnionPay',
  'template.boundsIn': ({ grouped, grouped2, targetCurrency }) =>
    `de ${grouped.fr} à ${grouped2.fr} ${targetCurrency}`,
  'template.payments': 'Paiements',
  'template.required': 'Obligatoire. ',
  'template.one-of': 'Celle-ci ou une autre. ',
  'template.amount.title': "Ce n'est pas un montant",
  'template.amount.text': 'Écrivez un nombre supérieur à zéro.',
  'template.unlisted.title': "Ce n'est pas dans la liste",
  'template.unlisted.text': 'Ne le gardez que si vous en êtes sûr.',
  'template.wrong.title': 'Choisissez dans la liste',
  'template.wrong.text': "Rien d'autre ne convient à ce corridor.",
  'template.boundsRule.outsideBounds': 'Hors des bornes',
  'template.boundsRule.writeAmount': ({ bounds }) => `Écrivez un montant ${bounds.fr}.`,

  'templateColumns.yourOwnNumber':
    "Votre propre numéro de ce paiement, différent à chaque ligne. Grâce à lui, aucune ligne n'est jamais payée deux fois.",
  'templateColumns.inv': 'FAC-2026-001',
  'templateColumns.headerSaysAll': ({ id }) =>
    `L'en-tête le dit pour toutes les lignes : ${id}. Laissez vide.`,
  'templateColumns.whatPayment': ({ join }) => `L'objet du paiement : ${join}.`,
  'templateColumns.sourceCurrencyColumn': ({ join2 }) => `Le solde qui paie : ${join2}.`,
  'templateColumns.amountColumns.whatReceiverGets': ({ bounds, source }) =>
    `Ce que reçoit le bénéficiaire : ${bounds.fr}. Laissez vide là où « ${source.fr} » dit ce qui est envoyé.`,
  'templateColumns.amountColumns.whatSentCurrency': ({ paidFrom, target }) =>
    `Ce qui est envoyé, dans la devise de « ${paidFrom.fr} », si c'est ce montant qui est fixé. Seulement à la place de « ${target.fr} » : ne remplissez jamais les deux.`,
  'templateColumns.countryColumn':
    'Le pays du bénéficiaire, par son nom ou par ses trois lettres (Chine ou CHN).',
  'templateColumns.deliveryColumns.the': ({ inWords, isAlways, ways }) =>
    `À écrire : ${inWords.fr}.${isAlways ? '' : ` Un seul suffit : ${ways.fr}.`}`,
  'templateColumns.fieldColumn': ({ inWords, value }) => `${value} : ${inWords.fr}.`,
  'templateColumns.documentColumns.numberInvoiceContract':
    "Le numéro de la facture ou du contrat, s'il y en a un.",
  'templateColumns.documentColumns.nameInvoiceContract': ({ isBank }) =>
    `Le nom de la facture ou du contrat : un PDF ou une image à côté de ce fichier ou dans un sous-dossier.${isBank ? ' Un virement bancaire en demande un.' : ''}`,
  'templateColumns.documentColumns.invoicePdf': 'facture-10457.pdf',

  'templateInstructions.required': 'obligatoire',
  'templateInstructions.one-of': 'celle-ci ou une autre',
  'templateInstructions.optional': 'facultatif',
  'templateInstructions.head.column': 'Colonne',
  'templateInstructions.head.needed': 'À remplir',
  'templateInstructions.head.whatWrite': 'Que mettre',
  'templateInstructions.head.example': 'Exemple',
  'templateInstructions.titleOf': ({ country, targetCurrency, method }) =>
    `Paiements : ${country}, en ${targetCurrency}, par ${method.fr}`,
  'templateInstructions.linesOf.eachPaymentBoth': ({ bounds }) =>
    `Chaque paiement va ${bounds.fr}, bornes comprises. Bornes et colonnes sont celles du jour où ce fichier a été créé.`,
  'templateInstructions.linesOf.fillOneRow':
    '1. Remplissez une ligne par paiement sur la feuille « Paiements », sans fusionner de cellules ni masquer de lignes. Vous pouvez ajouter autant de lignes que vous voulez.',
  'templateInstructions.linesOf.yellowColumnsRequired': ({ hasAlternatives }) =>
    `2. Les colonnes jaunes sont obligatoires.${hasAlternatives ? ' Parmi les bleues qui vont ensemble, une seule suffit.' : ''} Les grises peuvent rester vides. Le tableau ci-dessous dit quoi mettre où.`,
  'templateInstructions.corridorLine.toAccountsAt': ({ bankName }) => `, vers des comptes chez ${bankName}`,
  'templateInstructions.corridorLine.corridorPaid': ({ id, mode, bank, join }) =>
    `Corridor ${id} : ${mode.fr}${bank.fr} ; payé depuis ${join}.`,
  'templateInstructions.closingLines.accountCardTelephone':
    "3. Les colonnes de comptes, de cartes et de téléphones sont au format texte, pour qu'aucun zéro et aucun chiffre ne se perde : ne collez que les valeurs (« collage spécial », « valeurs »).",
  'templateInstructions.closingLines.putInvoicesRows':
    '4. Placez à côté de ce fichier les factures que les lignes nomment.',
  'templateInstructions.closingLines.saveXlsxRun':
    '5. Enregistrez-le en .xlsx et lancez « paydrop check FICHIER » : cela dit ce qui reste à corriger. Ensuite, « paydrop preview FICHIER » dit ce que cela coûte, et « paydrop run FICHIER » paie.',

  'inbox.text': ({ readyMarker }) =>
    `attend son marqueur : un fichier du même nom suivi de « ${readyMarker ?? ''} »`,
  'inbox.turn':
    "est complet et sera pris lors d'un des prochains passages, dès qu'un fichier de taille semblable sera terminé",
  'inbox.unwatched': "est complet, mais aucun « paydrop watch » n'est en marche pour le prendre",
  'inbox.settling': "est encore en cours d'écriture",
  'inbox.unreadable': 'ne peut pas être lu par paydrop ; donnez à son utilisateur le droit de le lire',
  'inbox.unfinished':
    "semble tronqué ; son envoi n'est peut-être pas terminé. Si rien d'autre n'arrive, il sera pris et refusé avec la raison",
  'inbox.standing':
    'reste ici et est payé de nouveau à chaque échéance de son dossier ; retirez-le pour y mettre fin',
  'inbox.name':
    'est laissé de côté à cause de son nom, qui désigne un fichier privé ou inachevé ; renommez-le une fois complet',
  'inbox.no-file':
    "n'est pas un simple fichier (un dossier, un lien ou un périphérique) et n'est jamais ouvert ; déposez le fichier lui-même",
  'inbox.linked':
    "existe sous un second nom ailleurs (lien physique) ; il sera pris quand il n'en aura plus qu'un : copiez-le",
  'inbox.too-deep': 'se trouve trop profondément ; les dossiers au-dessous ne sont pas examinés',
  'inbox.odd-control':
    "a un fichier de contrôle qui n'est pas un simple fichier (un lien, un dossier ou un périphérique) et n'est jamais ouvert ; déposez le fichier de contrôle lui-même, ou enlevez-le",
  'inbox.not-utf8':
    "est laissé de côté : son nom n'est pas écrit en UTF-8, comme le fait un ancien programme ; renommez-le sans accents",
  'inbox.unnamed-folder':
    "est laissé de côté : la configuration nomme d'autres dossiers de la boîte d'entrée, mais pas celui-ci ; nommez-le dans « tenants » ou « schedules », ou déplacez le fichier",
  'inbox.unnamed':
    "est un document qu'aucun tableau de la boîte d'entrée ne nomme ; il reste jusqu'à ce que l'un d'eux le fasse",
  'inbox.control': "est un fichier de contrôle dont le tableau n'est pas encore là",
  'inbox.kind':
    "n'est ni un tableau (csv, txt, tsv, xlsx) ni un document que l'un d'eux nomme ; il reste où il est",
  'inbox.document': ({ counted, until }) =>
    `${counted.fr} ; le ${until} il sera pris sans eux, et ces lignes seront à corriger`,

  'showStatus.headline.watchRunning': 'watch ne tourne pas',
  'showStatus.headline.watchRunningSince': ({ localTime }) => `watch tourne depuis ${localTime}`,
  'showStatus.headline.needYouUnder': ({ watch, needs, way, later }) =>
    `${watch.fr} · ${needs} à vous · ${way} en cours · ${later} programmés`,
  'showStatus.describe': 'en pause',

  'takeApprovalFile.approval_not_allowed':
    "Rien n'a été approuvé : le fichier n'était pas dans le dossier d'un approbateur (« approvers » dans la configuration), ou d'autres peuvent écrire dans ce dossier ou dans un dossier au-dessus. « paydrop approve » fait de même.",
  'takeApprovalFile.approval_unreadable':
    "Rien n'a été approuvé : le fichier peut être vide tant que la demande est la première, ou indiquer « batch: … » et « total: … » comme dans la demande, et rien d'autre.",
  'takeApprovalFile.approval_interrupted':
    "paydrop a été arrêté au moment de cette approbation, et rien n'a été approuvé. Revoyez la demande, puis déposez de nouveau le fichier.",

  'tellOtherSeries.otherSeries': ({ series, time, id }) =>
    `Le même fichier se trouve aussi sous ${series}, et c'est sous ce nom qu'il compte pour le ${time.fr} (lot ${id}) : aucun jour n'est payé deux fois. Rien n'est payé sous le présent nom tant que les deux s'y trouvent. Retirez l'un des deux.`,

  'inboxPresence.gone': ({ inbox }) =>
    `La boîte d'entrée ${inbox} est introuvable. Les fichiers déposés ne sont pas vus avant son retour ; ce qui a été pris en charge continue.`,
  'inboxPresence.moved': ({ inbox }) =>
    `La boîte d'entrée ${inbox} se trouve sur un autre disque qu'au démarrage de « paydrop watch » ; son partage n'est peut-être pas monté. Si c'est voulu, redémarrez « paydrop watch ».`,

  'obeyConfig.restart': ({ list }) =>
    `La configuration a été modifiée, mais ceci n'est pris en compte qu'après un redémarrage de « paydrop watch » : ${list}.`,
  'obeyConfig.refused': ({ reason }) =>
    `La configuration modifiée est inutilisable, et la précédente reste en vigueur. ${reason}`,

  'bringAnswer.upload': ({ temporary }) =>
    `Le serveur n'a pas conservé tout ${temporary} ; son disque ou son quota est peut-être plein.`,

  'filesToFetch.locked': ({ shown }) =>
    `${shown} est chiffré, et ce compte n'a pas de clés pour l'ouvrir (« openpgp » dans la configuration). Il reste sur le serveur.`,
  'filesToFetch.tooLarge': ({ shown }) =>
    `${shown} dépasse la taille permise (intake.bytesMax ; 10 Mo pour un document, 64 Mo pour un fichier chiffré) et reste sur le serveur.`,

  'sequence.unnumbered': ({ shownName, names }) =>
    `${shownName} n'a pas de numéro comme dans ${names}, et reste sur le serveur. Faites-le renommer.`,
  'sequence.waitsFor': ({ shownName, shown }) =>
    `${shownName} attend sur le serveur : ${shown} devrait venir d'abord et n'est pas là. Faites-le livrer, ou mettez « sequence.first » au-dessus s'il ne viendra jamais.`,
  'sequence.notCome': ({ shown }) =>
    `Des numéros manquent parmi les fichiers pris en charge : ${shown}. Demandez-les, ou mettez « sequence.first » au-dessus.`,

  'exchangeRefusals.not_decrypted':
    "Le fichier ne peut être déchiffré : il est endommagé, ou chiffré pour une autre clé que la nôtre. Rien n'a été envoyé. Chiffrez-le pour notre clé et livrez-le de nouveau.",
  'exchangeRefusals.signature_missing':
    "Le fichier n'est pas signé, alors que ceux de ce compte doivent l'être. Rien n'a été envoyé. Signez-le avec la clé que nous connaissons, chiffrez-le et livrez-le de nouveau.",
  'exchangeRefusals.signature_wrong':
    "La signature du fichier n'est pas celle d'une clé que nous connaissons, ou le fichier a été modifié après sa signature. Rien n'a été envoyé. Vérifiez qui l'a produit avant de le signer de nouveau.",
  'exchangeRefusals.sequence_repeated':
    "Un fichier de ce numéro a déjà été pris en charge, avec un autre contenu, ou le numéro est inférieur au premier attendu. Rien n'a été envoyé. Livrez-le sous le numéro suivant s'il s'agit d'un nouveau fichier.",

  'placePull.occupied': ({ name, dirname }) =>
    `${name} a été récupéré et attend : un autre fichier de ce nom se trouve dans la boîte d'entrée (${dirname}).`,

  'pullAccount.unsafeNames': ({ folder, count, shown }) =>
    `${folder} contient ${count} noms qu'aucun fichier ne peut porter ici, et qui y restent : ${shown}. Faites-les renommer en lettres et chiffres simples.`,
};
