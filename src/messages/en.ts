// Every sentence that people read, in English, by key. src/messages/fr.ts has the same keys in French.
import type { Words } from '../base/language.ts';

export const EN = {
  'hold.reference_paid_differently':
    'A payment with this reference is paid or under way with another receiver or amount. If this is a new payment, release it; if not, cancel it with --skip.',
  'hold.reference_undecided':
    'Another row with this reference is not settled: on hold, scheduled, or cancelled but possibly paid. Settle that row first. Release this one only if the other will never be paid.',
  'hold.similar_reference':
    'The same payment has nearly the same reference elsewhere: only case, spaces, punctuation or leading zeros differ. If both are meant, release this one; if not, cancel it with --skip.',
  'hold.earlier_row_paid':
    'This row was copied from a paydrop result. The original row (payout.batch, payout.row) was or is being paid with different details. If this is a new payment, release it; if not, cancel it with --skip.',
  'hold.reversed_before':
    'This payment was made before, and the money came back. Find out why before it goes out again; then release it.',
  'hold.same_payment_recently':
    'The same account, amount and currency were paid from another file in the last days. If both are owed, release this row; if not, cancel it with --skip.',
  'hold.same_payment_other_reference':
    'The same account, amount and currency were paid under another reference in the last days. If both are owed, release this row; if not, cancel it with --skip.',
  'hold.paid_in_earlier_period':
    "A payment with this reference, or of the row that this one comes from, was made some time ago. If this is the payment of a new period, such as next month's salary, release it; if not, cancel it with --skip.",
  'hold.file_paid_before':
    'One earlier file paid most rows of this file before, so all of it waits for one answer. If the file is meant, release it; if it was exported again by mistake, cancel it with --skip.',
  'hold.equal_rows':
    'Two rows of this file are the same payment and carry no reference. If both are meant, release both; if not, cancel one with --skip.',
  'hold.same_content':
    'A file with the same content was taken before, and this row carries no reference. If it is meant again, release this row; if not, cancel it with --skip.',
  'hold.new_account':
    'This receiver was paid before, and never on this account. Ask the receiver by a way that you know from before, not by the one that told you; then release the row.',
  'hold.in_doubt_unsent':
    'This batch was finished before the ledger was lost, and the service has no transfer for this row: it was rejected or cancelled. Release it only if it is certainly still owed.',
  'hold.in_doubt_unreadable':
    'The service has a transfer of this row, but the row can no longer be read as the payment that it was: the settings, the documents or the corridors have changed. Look the transfer up at the service.',
  'hold.in_doubt_unseen':
    'The ledger was lost, and for a while the service may not show what was sent of this row. paydrop looks for it again by itself, and goes on then; nobody has to do anything.',
  'hold.over_row_limit':
    'This row is over the limit of one payment (limits.perRow). Nothing of it was sent. If it is right, release it; if not, cancel it with --skip.',
  'hold.over_payee_limit':
    'With this row the payee, or the account, would get more in a day than one may (limits.perPayeePerDay). Nothing of it was sent. If it is right, release it; if not, cancel it with --skip.',
  'hold.over_fee_limit':
    'The fee of this row is a larger share of its amount than limits.feeShare allows. Nothing of it was sent. If it is right, release it; if not, cancel it with --skip.',
  'hold.under_rate_limit':
    'The rate of this row brings less than limits.leastRates demands. Nothing of it was sent. If you accept the rate, release it; if not, cancel it with --skip.',
  'hold.quotation_mismatch':
    'The service quoted something else than was asked. Nothing was sent. Ask the service why.',
  'hold.echo_mismatch':
    'The service created a transfer that differs from this row. It was not confirmed and will not be. Ask the service why.',
  'hold.id_collision':
    'The service already has another transfer under the id of this row. Nothing was confirmed. Find out who else uses this account.',
  'hold.unknown_status':
    'The service gave this transfer a status that paydrop does not know. Look it up at the service.',
  'hold.status_went_back':
    'The service moved this transfer back to an earlier status. Look it up at the service.',
  'hold.transfer_reinstated':
    'An earlier transfer of this row, which had expired unpaid, is being paid after all: the payment may be made twice. Call the service at once.',
  'hold.confirm_uncertain':
    'The transfer expired while it was not known whether its confirmation had arrived. Look it up at the service before paying again.',
  'hold.network_undecided':
    'The payout network refused the confirmation, but the transfer did not end. Look it up at the service before paying again.',
  'hold.document_refused':
    'The service did not take the document. Check the file (PDF or image, not too large) and pay the row from a new file.',
  'hold.document_changed':
    'The document is not the one that was checked. Put the original back, or pay the row from a new file.',
  'hold.document_demanded':
    'The service keeps asking for a document for this transfer. Ask the service which one it wants.',
  'hold.too_many_attempts':
    'The transfer expired unpaid several times. Check the connection and the validity of quotations, then pay the row from a new file.',
  'hold.unexpected_refusal':
    'The service refused in a way that its interface does not describe. Look the transfer up at the service.',
  'hold.batch_stopped':
    'Not paid, because another row of this file was refused and the file is paid whole or not at all. Release this row to pay it without that one; or cancel it with --skip and drop the corrected file.',

  'refusalShare.describeShare': ({
    refused,
    decided,
    percent,
    allowed,
  }: {
    refused: number;
    decided: number;
    percent: string;
    allowed: string;
  }) =>
    `The service or the network refused ${String(refused)} of ${String(decided)} rows (${percent}%), and limits.refusalShare allows ${allowed}%.`,

  'limits.perRow': 'This row comes to',
  'limits.perPayeePerDay': 'With this row, what is paid to this payee or account today (UTC) would come to',
  'limits.perFile': 'This file would come to',
  'limits.perDay': 'The payments of today (UTC) would come to',
  'limits.describeHit.limitsNamesAmount': ({
    counted,
    show,
    name,
    currency,
  }: {
    counted: Words;
    show: string;
    name: string;
    currency: string;
  }) => `${counted.en} ${show}, and limits.${name} names no amount in ${currency}.`,
  'limits.describeHit.feesLimitsAllows': ({
    counted,
    show,
    name,
    show2,
    over,
  }: {
    counted: Words;
    show: string;
    name: string;
    show2: string;
    over: string;
  }) => `${counted.en} ${show} with fees; limits.${name} allows ${show2}: ${over} too much.`,

  'fileRefused.unreadable': 'Check that the file is there and may be read, then drop it again.',
  'fileRefused.file_changed': 'Wait until the program that writes the file has finished, then drop it again.',
  'fileRefused.kind_unknown':
    'Save the spreadsheet as an Excel workbook (.xlsx) or as "CSV UTF-8" and drop that file.',
  'fileRefused.not_text': 'Open it in the program that made it, save it as "CSV UTF-8" and drop that file.',
  'fileRefused.too_large': 'Split the file, or raise "intake.bytesMax" in the config.',
  'fileRefused.too_many_rows': 'Split the file, or raise "intake.rowsMax" in the config.',
  'fileRefused.empty_file': 'Export the file again and check that it holds rows before dropping it.',
  'fileRefused.nul_character': 'The file is damaged or is not text. Export it again as "CSV UTF-8".',
  'fileRefused.bytes_undecodable':
    'Save the file as "CSV UTF-8" so that no letter is lost, then drop it again.',
  'fileRefused.encoding_uncertain':
    'Save the file as "CSV UTF-8", or write its encoding into the profile ("encoding: windows-1252").',
  'fileRefused.row_too_long':
    'Look at that row for pasted data or, in CSV, for a quote (") that is opened and never closed.',
  'fileRefused.quote_stray':
    'Remove that quote ("), or export the file again so that its program writes the quotes.',
  'fileRefused.quote_not_closed':
    'Close or remove that quote ("). The file may also have been cut off: export it again.',
  'fileRefused.quote_swallows_rows':
    'Remove the quote (") that does not belong there, so that each payment has its own row.',
  'fileRefused.row_too_short':
    'Give the row the same number of cells as the header; the file may also have been cut off.',
  'fileRefused.row_too_wide':
    'Put text that holds the separator between quotes ("), or remove the extra cells.',
  'fileRefused.header_not_found':
    'Put a row with column names such as "reference", "amount", "currency" above the payments. If it has names that paydrop does not know, "paydrop profile FILE" proposes what they mean.',
  'fileRefused.header_missing_above_cells': 'Give that column a name, or empty it.',
  'fileRefused.amount_column_missing':
    'Name the column of the amounts "Amount", or let "paydrop profile FILE" propose which one it is.',
  'fileRefused.layout_changed':
    'If the export is meant to be so, look at it with "paydrop profile FILE" and confirm it with --save --replace; else export it as before.',
  'fileRefused.profiles_several': 'Make their file names or folders differ, so that exactly one fits.',
  'fileRefused.column_twice': 'Rename or remove one of the two, so that there is no doubt which is meant.',
  'fileRefused.no_rows': 'Add the payments under the header and drop the file again.',
  'fileRefused.number_ambiguous':
    'Write the amounts without marks between thousands (1000) or with decimals (1000.00), or say once for files like this one which mark divides decimals: paydrop profile FILE --decimal-mark "," --save.',
  'fileRefused.numbers_mixed': 'Write all amounts of the column in one way.',
  'fileRefused.totals_differ': 'Correct the rows or the totals row, then drop the file again.',
  'fileRefused.control_differs':
    'The file or its control file is not the one that was meant. Export both again and drop them together.',
  'fileRefused.control_unreadable':
    'It is JSON such as { "rows": 120, "sum": "1250000" }; correct it, or take it away.',
  'fileRefused.amount_ambiguous':
    'Rename the column to "sourceAmount" (what is sent) or "destinationAmount" (what arrives).',
  'fileRefused.not_workbook':
    'Open it in the program that made it, save it as an Excel workbook (.xlsx) and drop that file.',
  'fileRefused.workbook_damaged':
    'Open it in a spreadsheet program, save it as a new .xlsx file and drop that one.',
  'fileRefused.workbook_bomb': 'Copy the rows into a new workbook and drop that one.',
  'fileRefused.workbook_reader_died':
    'Copy the rows into a new workbook, or save them as "CSV UTF-8", and drop that file.',
  'fileRefused.workbook_encrypted':
    'Remove the password ("Save as", "Tools" or "Info", no password to open) and drop the file again.',
  'fileRefused.workbook_old_format': 'Save it as "Excel workbook (.xlsx)" and drop that file.',
  'fileRefused.workbook_macros':
    'Save it as "Excel workbook (.xlsx)", which keeps no macros, and drop that file.',
  'fileRefused.workbook_external_links':
    'Replace the links by their values ("Edit links", "Break link") and drop the file again.',
  'fileRefused.sheet_not_found':
    'Correct the name of the sheet in the profile ("sheet"), or rename the sheet.',
  'fileRefused.sheets_ambiguous':
    'Name the one to pay in the profile ("sheet"), or save it as a workbook of its own.',
  'fileRefused.hidden_sheet': 'Show the sheet and check it, or delete it, then drop the file again.',
  'fileRefused.hidden_rows':
    'Show all rows (clear the filters) and check them, or delete the hidden ones, then drop the file again.',
  'fileRefused.hidden_column': 'Show the column and check it, or delete it, then drop the file again.',
  'fileRefused.merged_cells': 'Unmerge them so that each row has cells of its own, then drop the file again.',
  'fileRefused.formula_without_value':
    'Open the file in a spreadsheet program, check the values, save it there and drop it again.',
  'fileRefused.cell_error': 'Correct the formula, or write the value itself, then drop the file again.',
  'fileRefused.number_shown_otherwise':
    'Give the column a plain number format, look at the amounts again, and drop the file again.',
  'fileRefused.cells_repeated':
    'Open it in a spreadsheet program, check the cells, save it as a new .xlsx file and drop that one.',
  'fileRefused.cell_outside_table': 'Delete it, or move it to another sheet, then drop the file again.',
  'fileRefused.quotations_too_short':
    'Drop files of fewer rows, raise "service.concurrency" in the config, or set "policy.strategy: row-by-row".',
  'fileRefused.execution_date_unreadable':
    'Write the day as 2026-11-28, or leave it out, then drop the file again.',
  'fileRefused.execution_dates_differ':
    'Give every row the same day, or make a file of each day, and drop them again.',
  'fileRefused.execution_date_too_far': 'Check the year, or drop the file again nearer to that day.',
  'fileRefused.execution_date_standing':
    'Take the day out of the file and its name, or drop it into another folder.',

  'nameCell.text': ({ name }: { name: string }) => `«${name}»`,
  'nameCell.rowColumn': ({ place, column, cell }: { place: string; column: Words; cell: string }) =>
    `row ${place}, column ${column.en} (${cell})`,

  'layout.checkLayout': ({
    headerPlace,
    profile,
    joinWords,
  }: {
    headerPlace: string;
    profile: string;
    joinWords: Words;
    joinWords2: Words;
  }) => `The header in row ${headerPlace} is not that of the profile "${profile}": ${joinWords.en}.`,
  'layout.gone': ({ counted }: { counted: Words }) => `the column ${counted.en} is gone`,
  'layout.new': ({ counted, letters }: { counted: Words; letters: string }) =>
    `the column ${counted.en} (${letters}) is new`,
  'layout.moved': ({ counted, at, at2 }: { counted: Words; at: string; at2: string }) =>
    `the column ${counted.en} has moved from ${at} to ${at2}`,
  'layout.quoted.withoutName': 'without a name',
  'layout.quoted.text': ({ header }: { header: string }) => `«${header}»`,

  'columns.name': ({ trim, cell }: { trim: string; cell: string }) => `«${trim}» (${cell})`,
  'columns.columnTwice': ({ one, other, meaning }: { one: Words; other: Words; meaning: string }) =>
    `Columns ${one.en} and ${other.en} both mean "${meaning}".`,

  'profile.columnGone': ({ profile, folded }: { profile: string; folded: string }) =>
    `The profile "${profile}" splits a column «${folded}», which the file does not have.`,

  'stopFile.standing': ({ name, inbox, since }: { name: string; inbox: string; since: string }) =>
    `The file ${name} stands in the inbox (${inbox}) since ${since}: no file of this workspace is paid while it is there. Whoever may write to the inbox can remove it, best the person who put it there; then "paydrop resume" goes on.`,
  'stopFile.away': ({ inbox, path }: { inbox: string; path: string }) =>
    `A file STOP stood in the inbox (${inbox}) when that was last seen, and the inbox is away now, or another folder stands in its place; perhaps its share is not mounted. No file of this workspace is paid until the inbox is back without STOP; then "paydrop resume" goes on. If the inbox was moved on purpose, whoever runs paydrop removes ${path}.`,

  'payoutCells.paid': 'Paid to the recipient.',
  'payoutCells.failed': 'The payment failed; the funds were released.',
  'payoutCells.submitted': 'On its way: confirmed, the final status is not known yet.',
  'payoutCells.rejected': 'Not sent: the row is wrong.',
  'payoutCells.duplicate': 'Not sent: already paid or being paid.',
  'payoutCells.held': 'Waits for a person.',
  'payoutCells.pending': 'Not sent yet.',

  'difference.status': ({ shown, shown2 }: { shown: string; shown2: string }) =>
    `The ledger has ${shown}, the service says ${shown2}.`,
  'difference.requested': ({ asked, actual }: { asked: string; actual: string }) =>
    `The file asks for ${asked}, the transfer has ${actual}.`,
  'difference.amount': ({ ours, theirs }: { ours: string; theirs: string }) =>
    `The ledger has ${ours}, the service says ${theirs} (sent + fee, received).`,
  'difference.missing':
    'The service no longer has this transfer. Ask it why before anything of it is paid again.',
  'difference.unknownToRow':
    'The service has a transfer under the id of this row that the ledger does not have. "paydrop resume" looks at what is still open; otherwise ask the service.',
  'difference.unknown':
    'No batch of this ledger knows this transfer. Another tool may use the same account, or another ledger.',
  'difference.expired': ({ expiredAt }: { expiredAt: string }) =>
    `The transfer expired unpaid at ${expiredAt}, and still reserves funds.`,
  'difference.dead.reserves': ({ attempt }: { attempt: number }) =>
    `Attempt ${String(attempt)} expired unpaid, and the service still reserves funds for it.`,
  'difference.dead.mayReserve': ({ attempt }: { attempt: number }) =>
    `Attempt ${String(attempt)} expired unpaid. Its reservation may still stand at the service.`,
  'difference.alive': ({ attempt, shown }: { attempt: number; shown: string }) =>
    `Attempt ${String(attempt)} had expired unpaid and was followed by another, and the service now says ${shown} of it: the row may be paid twice. Call the service.`,

  'totalsSheet.totalsHeader.what': 'What',
  'totalsSheet.totalsHeader.unit': 'Unit',
  'totalsSheet.totalsHeader.howMuch': 'How much',
  'totalsSheet.name': 'Totals',
  'totalsSheet.paid': 'paid',
  'totalsSheet.failed': 'failed',
  'totalsSheet.submitted': 'submitted',
  'totalsSheet.rejected': 'rejected',
  'totalsSheet.duplicate': 'duplicate',
  'totalsSheet.held': 'held',
  'totalsSheet.pending': 'pending',
  'totalsSheet.inAll': 'rows in all',
  'totalsSheet.rows': 'rows',
  'totalsSheet.sent': 'sent',
  'totalsSheet.fees': 'fees',
  'totalsSheet.debited': 'debited',
  'totalsSheet.reserved': 'reserved',
  'totalsSheet.received': 'received',
  'totalsSheet.playMoney': 'SANDBOX: play money',

  'batchNote.unreadableNote': ({ name, batch, holds }: { name: string; batch: string; holds: Words }) =>
    `The note ${name} in the folder of batch ${batch} cannot be read; it says ${holds.en}. Nothing more is done for this batch before it can: put it back from a copy of the folder, then run "paydrop resume".`,

  'lastAnswered.holds': 'what was answered last',

  'approvalStatus.answer.declinedByOn': ({ by, at, reason }: { by: string; at: string; reason: string }) =>
    `Declined by ${by} on ${at}: ${reason}`,
  'approvalStatus.answer.approvedByOn': ({
    by,
    at,
    isNext,
    id,
  }: {
    by: string;
    at: string;
    isNext: boolean;
    id: string;
  }) =>
    `Approved by ${by} on ${at}.${isNext ? ` "paydrop resume ${id}", or a running "paydrop watch", pays it.` : ''}`,

  'closedUnpaid.holds': 'which rows a person cancelled',

  'documents.holds': 'which documents its rows name',

  'keptClaim.holds': 'which dropped file it was taken from',

  'controlTotals.checkControl.rows': ({ rows, rowCount }: { rows: number; rowCount: number }) =>
    `The control file says ${rows} payments, the file has ${rowCount}.`,
  'controlTotals.checkControl.sum': ({ sum, found }: { sum: string; found: string }) =>
    `The control file says a sum of ${sum}, the rows add up to ${found}.`,
  'controlTotals.unreadable': 'The control file beside the spreadsheet cannot be read.',

  'sourceFile.describeFile.regularFile': 'This is not a regular file.',
  'sourceFile.describeFile.fileEmptyBytes': 'The file is empty (0 bytes).',
  'sourceFile.checkSame': 'The file changed while it was read.',
  'sourceFile.openFile': ({ code }: { code: string }) => `The file cannot be opened (${code}).`,
  'sourceFile.readChunk': ({ code }: { code: string }) => `The file cannot be read (${code}).`,
  'sourceFile.tooLarge': ({ bytes, bytesMax }: { bytes: number; bytesMax: number }) =>
    `The file has ${bytes} bytes; at most ${bytesMax} are taken.`,

  'guessEncoding.otherKinds.excelWorkbookAnother': 'an Excel workbook or another zip archive',
  'guessEncoding.otherKinds.zipArchive': 'a zip archive',
  'guessEncoding.otherKinds.aPdf': 'a PDF',
  'guessEncoding.otherKinds.oldExcelWorkbook': 'an old Excel workbook (.xls) or an encrypted one',
  'guessEncoding.otherKinds.gzipArchive': 'a gzip archive',
  'guessEncoding.otherKinds.imagePng': 'an image (PNG)',
  'guessEncoding.otherKinds.imageJpeg': 'an image (JPEG)',
  'guessEncoding.refuseOtherKinds': ({ kind }: { kind: Words }) => `The file is not a CSV: it is ${kind.en}.`,

  'textPlace.in': ({ line, column }: { line: number; column: number }) => `line ${line}, column ${column}`,

  'refuseByte.text': ({ hex, where, encoding }: { hex: string; where: Words; encoding: string }) =>
    `The byte ${hex} at ${where.en} is no letter in ${encoding}.`,
  'refuseByte.nulAt': ({ where }: { where: Words }) => `There is a NUL character at ${where.en}.`,

  'prove1252.uncertain': ({ where }: { where: Words }) =>
    `The file is not UTF-8, and at ${where.en} it does not look like Windows-1252 either.`,

  'proveUtf16.halfCharacter': ({ where }: { where: Words }) =>
    `At ${where.en} stands half a character of UTF-16.`,

  'detectEncoding.readHead': 'The file was emptied while it was read.',

  'parseRecords.quoteFaults.quoteOpenedRow': ({ row, column }: { row: number; column: string }) =>
    `A quote (") is opened in row ${row}, column ${column} and never closed.`,
  'parseRecords.quoteFaults.quoteStandsWhere': ({ row, column }: { row: number; column: string }) =>
    `A quote (") stands where none belongs, in row ${row}, column ${column}.`,
  'parseRecords.tooLongFault': ({ row, recordCharsMax }: { row: number; recordCharsMax: number }) =>
    `Row ${row} is longer than ${recordCharsMax} characters.`,

  'tableShape.checkShape': ({ columnLetters, place }: { columnLetters: string; place: string }) =>
    `Column ${columnLetters} has no name in the header, but row ${place} has text in it.`,
  'tableShape.countsDiffer': ({ place, counted, width }: { place: string; counted: Words; width: number }) =>
    `Row ${place} has ${counted.en}, but the header has ${width}.`,
  'tableShape.checkSwallowedRows': ({ place, length }: { place: number; length: number }) =>
    `Row ${place} goes on over ${length} lines that look like rows of their own, because a quote (") holds them together.`,

  'requireHeader.text': ({ record }: { record: number }) =>
    `The header in row ${record + 1} has no column of amounts.`,
  'requireHeader.headerNotFound.fileHoldsNothing': 'The file holds nothing but empty rows.',
  'requireHeader.headerNotFound.thereHeaderRow': ({ headerWithinRows }: { headerWithinRows: number }) =>
    `There is no header: no row among the first ${headerWithinRows} names two known columns.`,

  'amountColumn.mixed': ({
    text,
    where,
    text2,
    where2,
  }: {
    text: string;
    where: Words;
    text2: string;
    where2: Words;
  }) => `«${text}» in ${where.en} has a decimal point, «${text2}» in ${where2.en} a decimal comma.`,
  'amountColumn.ambiguous': ({ text, where }: { text: string; where: Words }) =>
    `«${text}» in ${where.en} may mean thousands or a fraction, and no other cell of its column tells which.`,

  'totalsRow.totalsDiffer.withoutWhichNumber': ({ text, where }: { text: string; where: Words }) =>
    ` (without «${text}» in ${where.en}, which is no number)`,
  'totalsRow.totalsDiffer.totalButRows': ({
    where,
    trim,
    sum,
    left,
  }: {
    where: Words;
    trim: string;
    sum: string;
    left: Words;
  }) => `The total in ${where.en} is «${trim}», but the rows add up to ${sum}${left.en}.`,
  'totalsRow.agrees': ({ cell, sum, rows }: { cell: string; sum: Words; rows: number }) =>
    `Total in ${cell}: ${sum.en}, agrees with the ${rows === 1 ? 'row' : `${rows} rows`}.`,
  'totalsRow.footer.rowPaysNobody': ({ first, join }: { first: string; join: string; join2: string }) =>
    `Row ${first} pays nobody and is not read: ${join}.`,
  'totalsRow.footer.rowsPayNobody': ({
    first,
    last,
    join,
  }: {
    first: string;
    last: string;
    join: string;
    join2: string;
  }) => `Rows ${first}–${last} pay nobody and are not read: ${join}.`,

  'survey.noRows': ({ headerPlace }: { headerPlace: string }) =>
    `There is no row below the header in row ${headerPlace}.`,
  'survey.tooManyRows': ({ rowsMax }: { rowsMax: number }) => `The file has more than ${rowsMax} rows.`,

  'csvReader.noText': 'The file holds no text.',

  'fileBytes.readExactly': 'The file ends too early.',

  'refuseOtherFiles.fileXlsxWorkbook': 'The file is no XLSX workbook, although its name says so.',
  'refuseOtherFiles.workbookEncryptedOpens': 'The workbook is encrypted: it opens with a password only.',
  'refuseOtherFiles.oldFormat': 'The workbook is in the old format of Excel (.xls).',

  'walkXml.wellFormedXml': 'it is no well-formed XML',
  'walkXml.declaresEntitiesWhich': ({ part }: { part: Words }) =>
    `${part.en} declares entities, which no spreadsheet program writes.`,
  'walkXml.itsEncodingIs': ({ name }: { name: string }) => `its encoding is ${name}`,
  'walkXml.nestedTooDeep': 'it is nested too deep',
  'walkXml.openRoot': ({ slice }: { slice: string }) => `it starts with <${slice}>`,
  'walkXml.startShapes.renamesElements': 'it renames elements',
  'walkXml.startShapes.holdsWhereNone': ({ slice }: { slice: string }) =>
    `it holds <${slice}> where none belongs`,
  'walkXml.startDecoder': 'it is not in UTF-8',
  'walkXml.endless': ({ part, tokenCharsMax }: { part: Words; tokenCharsMax: number }) =>
    `${part.en} holds one text or element of more than ${tokenCharsMax} characters, which no spreadsheet program writes.`,
  'walkXml.damaged': ({ part, what }: { part: Words; what: Words }) =>
    `${part.en} cannot be read: ${what.en}.`,

  'zipDirectory.readZipDirectory.fileHoldsEntries': ({
    count,
    entriesMax,
  }: {
    count: number;
    entriesMax: number;
  }) => `The file holds ${count} entries; at most ${entriesMax} are taken.`,
  'zipDirectory.readZipDirectory.listEntriesWhere': 'its list of entries is not where it should be',
  'zipDirectory.readZipDirectory.listEntriesMore': 'its list of entries has more than it says',
  'zipDirectory.findDirectory': 'its end is missing, as if it had been cut off',
  'zipDirectory.readEnd': 'it has several volumes',
  'zipDirectory.readEnd64.endPointsOutside': 'its end points outside of the file',
  'zipDirectory.readEnd64.endReadable': 'its end is not readable',
  'zipDirectory.readListed.listEntriesReadable': 'its list of entries is not readable',
  'zipDirectory.readListed.listEntriesCut': 'its list of entries is cut off',
  'zipDirectory.readListed.nameEntryToo': 'the name of an entry is too long',
  'zipDirectory.field': 'a size is missing in its list of entries',
  'zipDirectory.safe': 'it names a place beyond its end',
  'zipDirectory.damaged': ({ what }: { what: Words }) => `The file is not a whole zip: ${what.en}.`,

  'checkEntries.text': 'Two entries of the file have one name.',
  'checkEntries.checkSizes.fileWouldGrow': ({ megabytes }: { megabytes: number }) =>
    `The file would grow to ${megabytes} MB`,
  'checkEntries.checkSizes.entryWouldGrow': ({
    name,
    megabytes,
    megabytes2,
  }: {
    name: string;
    megabytes: number;
    megabytes2: number;
  }) => `Its entry «${name}» would grow from ${megabytes} to ${megabytes2} MB`,
  'checkEntries.checkEntry.entryFileEncrypted': ({ name }: { name: string }) =>
    `The entry «${name}» of the file is encrypted.`,
  'checkEntries.checkEntry.entryPackedUnknown': ({ name, method }: { name: string; method: number }) =>
    `The entry «${name}» is packed in an unknown way (${method}).`,
  'checkEntries.checkEntry.entryLiesOver': ({ name }: { name: string }) =>
    `Its entry «${name}» lies over another one`,
  'checkEntries.bomb': ({ what }: { what: Words }) => `${what.en}, which no spreadsheet program writes.`,

  'inflateEntry.text': ({ name }: { name: string }) =>
    `The entry «${name}» grows beyond the size that it states.`,
  'inflateEntry.damaged': ({ name }: { name: string }) => `The entry «${name}» of the file is damaged.`,

  'packageParts.open': ({ name }: { name: string }) => `The file lacks its part «${name}».`,
  'packageParts.refuseByType': 'The file is a zip, but no workbook.',
  'packageParts.macros': 'The workbook holds macros, which could change what it shows.',
  'packageParts.externalLinks': 'The workbook takes values from other files.',

  'sharedStrings.tooMuch': 'The workbook holds more text than any file of payments.',

  'styles.readStyles': ({ stylesMax }: { stylesMax: number }) =>
    `The workbook has more than ${stylesMax} cell formats.`,

  'workbook.readWorkbook': 'The file is a zip, but no workbook in XML.',
  'workbook.joinSheets.sheetWorkbookName': 'A sheet of the workbook has a name that no sheet can have.',
  'workbook.joinSheets.workbookSheetsMost': ({ length, sheetsMax }: { length: number; sheetsMax: number }) =>
    `The workbook has ${length} sheets; at most ${sheetsMax} are taken.`,
  'workbook.joinSheets.sheetContent': ({ name }: { name: string }) => `The sheet «${name}» has no content.`,
  'workbook.joinSheets.twoSheetsWorkbook': 'Two sheets of the workbook have one name.',

  'scanSheet.sheetIn': ({ sheet }: { sheet: string }) => `The sheet «${sheet}»`,
  'scanSheet.cellsTwice': ({ sheet }: { sheet: string }) => `The sheet «${sheet}» has its cells twice.`,
  'scanSheet.tooLong': ({ cell }: { cell: string }) =>
    `${cell} holds more text, with the cells before it, than any row of payments.`,
  'scanSheet.nextRow.sheetRowWithout': ({ sheet, last }: { sheet: string; last: number }) =>
    `The sheet «${sheet}» has a row without a number, after row ${last}.`,
  'scanSheet.nextRow.sheetRowStands': ({
    sheet,
    place,
    last,
  }: {
    sheet: string;
    place: number;
    last: number;
  }) => `In the sheet «${sheet}» row ${place} stands after row ${last}: twice, or out of order.`,
  'scanSheet.nextColumn': ({ sheet, row }: { sheet: string; row: number }) =>
    `The sheet «${sheet}» has a cell without a place in row ${row}.`,
  'scanSheet.repeated': ({ cell, row }: { cell: string; row: number }) =>
    `${cell} stands twice or out of order, in row ${row}.`,
  'scanSheet.takeMerge': ({ sheet }: { sheet: string }) =>
    `The sheet «${sheet}» has merged cells that cannot be read.`,

  'chooseSheet.named': ({ wanted, list }: { wanted: string; list: Words }) =>
    `There is no sheet «${wanted}»; the workbook has ${list.en}.`,
  'chooseSheet.onlyFitting': ({ list }: { list: Words }) =>
    `The sheets ${list.en} all hold rows that could be paid.`,
  'chooseSheet.nearest': 'The workbook has no sheet with cells that can be seen.',
  'chooseSheet.hidden': ({ name }: { name: string }) =>
    `The sheet «${name}» is hidden and holds rows that could be paid.`,
  'chooseSheet.list': ({ name }: { name: string }) => `«${name}»`,

  'tableRows.take': ({ place, sheet }: { place: number; sheet: string }) =>
    `Row ${place} of the sheet «${sheet}» is hidden or filtered out.`,
  'tableRows.checkHiddenColumns': ({
    letters,
    name,
    sheet,
  }: {
    letters: string;
    name: string;
    sheet: string;
  }) => `Column ${letters} («${name}») of the sheet «${sheet}» is hidden.`,
  'tableRows.faults.holdsFormulaWhose': 'holds a formula whose value no spreadsheet program has computed',
  'tableRows.faults.showsError': ({ slice }: { slice: string }) => `shows the error ${slice}`,
  'tableRows.faults.holdsButNumber': ({ text }: { text: string }) =>
    `holds ${text}, but its number format shows something else`,
  'tableRows.faults.holdsValueCannot': 'holds a value that cannot be read',
  'tableRows.checkCell': ({ place, says }: { place: string; says: Words }) => `${place} ${says.en}.`,
  'tableRows.beside': 'beside the table, in a column without a name',
  'tableRows.below': ({ emptyRows }: { emptyRows: number }) => `below ${emptyRows} empty rows`,
  'tableRows.outside': ({ place, where }: { place: string; where: Words }) =>
    `${place} holds something, ${where.en}.`,
  'tableRows.merged': ({ area }: { area: string }) => `The cells ${area} are merged.`,

  'readWorkbook.lookAtSheets': 'The workbook has no sheet with cells.',

  'askReader.listen': ({ limitMs }: { limitMs: number }) => `nothing came of it for ${limitMs} ms`,
  'askReader.endOf.doesWhenMemory': ', as it does when memory runs out',
  'askReader.endOf.itEndedWith': ({ end, memory }: { end: string; memory: Words }) =>
    `it ended with ${end}${memory.en}`,
  'askReader.died': ({ how }: { how: Words }) => `Reading the workbook was given up: ${how.en}.`,

  'xlsxReader.refuseMacros': 'A workbook of this kind (.xlsm) holds macros.',

  'readRows.text': ({ counted }: { counted: Words }) => `${counted.en} cannot be read as a spreadsheet.`,

  'keepSubmitters.holds': 'who brought the file',

  'commandErrors.fileGone': ({ counted, batch }: { counted: Words; batch: string }) =>
    `The copy of ${counted.en} in processing/${batch}/ of the workspace is gone or no longer what was taken. Put it back there, then run "paydrop resume". Nothing more is sent for it.`,
  'commandErrors.saysOtherwise': ({ batch }: { batch: string }) =>
    `The folder of batch ${batch} says otherwise than the ledger recorded when its file was taken: profile.yaml or .policy.json there was changed, added or removed. Put back what was there, then run "paydrop resume". Nothing more is sent for it.`,
  'commandErrors.listGone': ({ batch }: { batch: string }) =>
    `The note .documents.json in the folder of batch ${batch} is gone. Put it back from a copy of the folder, then run "paydrop resume". Nothing is sent for it.`,

  'profileFor.readBy': 'by which profile it is read',
  'profileFor.treatedBy': 'by which rules it is treated',
  'profileFor.fittingProfile': ({ names, basename }: { names: string; basename: string; names2: string }) =>
    `The profiles ${names} all say that they are for ${basename}.`,

  'keepPayAt.holds': 'when it is to be paid',

  'stopNote.holds': 'that the file, which is paid whole or not at all, was stopped',

  'standing.interrupted': ({
    sent,
    rowCountWords,
    pending,
  }: {
    sent: string;
    rowCountWords: Words;
    pending: number;
  }) => `Interrupted: ${sent} of ${rowCountWords.en} done, ${String(pending)} not sent yet.`,
  'standing.watch': '"watch" goes on with it.',
  'standing.nobody': 'No process is working on it; "paydrop resume" goes on.',
  'standing.paused': 'Paused by somebody; "paydrop resume" goes on with it.',
  'standing.words.beingReadPaid': ({ pending, rows }: { pending: number; rows: number }) =>
    `Is being read and paid: ${String(pending)} of ${String(rows)} rows are not sent yet.`,
  'standing.words.everythingSentService': ({ submitted }: { submitted: number }) =>
    `Everything is sent; the service has not said yet what became of ${submitted === 1 ? '1 payment' : `${String(submitted)} payments`}.`,
  'standing.words.finishedAnswersLie': ({ finishedAt }: { finishedAt: null | string }) =>
    `Finished${finishedAt === null ? '' : ` at ${finishedAt}`}; its answers lie in the outbox.`,
  'standing.needs-you': 'Needs you',
  'standing.under-way': 'Under way',
  'standing.scheduledTitle': 'Scheduled',
  'standing.doneTitle': 'Done',
  'standing.checked': 'checked',
  'standing.awaiting-approval': 'waits for approval',
  'standing.scheduled': 'scheduled',
  'standing.paying': 'being paid',
  'standing.tracking': 'sent, not all final',
  'standing.closed': 'closed',
  'standing.refused': 'refused',
  'standing.paid': 'paid',
  'standing.failed': 'failed',
  'standing.submitted': 'submitted',
  'standing.rejected': 'rejected',
  'standing.duplicate': 'duplicate',
  'standing.held': 'held',
  'standing.pending': 'pending',
  'standing.payments.payment': '1 payment',
  'standing.payments.payments': ({ payments }: { payments: number }) => `${String(payments)} payments`,
  'standing.sum': ({ counted, currency }: { counted: Words; currency: string }) =>
    `${counted.en} ${currency}`,
  'standing.rowCount.row': '1 row',
  'standing.rowCount.rows': ({ rows }: { rows: number }) => `${String(rows)} rows`,
  'standing.places.row': ({ value }: { value: undefined | string }) => `row ${value ?? ''}`,
  'standing.places.rowsMore': ({ shown, more }: { shown: string; more: number }) =>
    `rows ${shown} and ${String(more)} more`,
  'standing.places.rows': ({ shown }: { shown: string }) => `rows ${shown}`,
  'standing.release': ({ batch, list, flags }: { batch: string; list: string; flags: string }) =>
    `paydrop release ${batch} --rows ${list}${flags} --by NAME --reason TEXT`,
  'standing.heldCommands.pay': 'pay:   ',
  'standing.heldCommands.cancel': 'cancel:',
  'standing.moreReasons': ({ more }: { more: number }) =>
    `… and rows with ${more === 1 ? '1 other reason' : `${String(more)} other reasons`}; see the result.`,

  'batchStatus.repeated': ({ join, batch, id }: { join: string; batch: string; id: string; join2: string }) =>
    `${join} rows were paid before by batch ${batch}: all of the file waits. If it is meant: paydrop release ${id} --by NAME --reason TEXT, then "paydrop resume"; with --skip it is cancelled.`,

  'notice.rows.row': '1 row',
  'notice.rows.rows': ({ count }: { count: number }) => `${String(count)} rows`,
  'notice.moneyLines.debitedReservedFees': ({
    sourceCurrency,
    debited,
    reserved,
    feeAmount,
  }: {
    sourceCurrency: string;
    debited: string;
    reserved: string;
    feeAmount: string;
  }) => `${sourceCurrency}: ${debited} debited, ${reserved} reserved, fees ${feeAmount} among them`,
  'notice.moneyLines.received': ({
    destinationCurrency,
    receiveAmount,
  }: {
    destinationCurrency: string;
    receiveAmount: string;
  }) => `${destinationCurrency}: ${receiveAmount} received`,

  'renderNotification.textOf': 'SANDBOX: this is play money. Nothing was really paid.',
  'renderNotification.answers': 'Answers in the outbox:',
  'renderNotification.batchLines.file': ({ file }: { file: string }) => `File: ${file}`,
  'renderNotification.batchLines.batch': ({ id }: { id: string }) => `Batch: ${id}`,
  'renderNotification.batchLines.whereStands': 'Where it stands:',

  'notifyBatch.notifyAccepted.accepted': 'accepted,',
  'notifyBatch.notifyAccepted.fileAccepted': 'The file was accepted:',
  'notifyBatch.notifyAccepted.askedForIn': ({
    currency,
    amount,
    rowsWords,
  }: {
    currency: string;
    amount: string;
    rowsWords: Words;
  }) => `Asked for in ${currency}: ${amount} (${rowsWords.en})`,
  'notifyBatch.notifyAccepted.nothingDoneNow':
    'Nothing is to be done now; its end is told in another message.',
  'notifyBatch.notifyRefused.toFix': ({ rows }: { rows: Words }) => `(${rows.en} to fix)`,
  'notifyBatch.notifyRefused.refusedNothingSent': 'refused, nothing was sent',
  'notifyBatch.notifyRefused.fileRefusedNothing': 'The file was refused, and nothing of it was sent',
  'notifyBatch.notifyRefused.answerSaysWhy': 'The answer says why in words. Mend the file and drop it again.',
  'notifyBatch.notifyRefused.fixRowsFile':
    'Fix the rows in the file "rejected" (column payout.error) and drop that file as it is.',
  'notifyBatch.headline': 'came before, nothing was sent',
  'notifyBatch.notifyDuplicate.sameFileByte': ({ since }: { since: string }) =>
    `The same file, byte for byte, was taken on ${since}. Nothing was sent for it now.`,
  'notifyBatch.notifyDuplicate.ifPaidAgain':
    'If it is to be paid again on purpose, "paydrop run --again" does that.',
  'notifyBatch.notifyCompletion.finished': 'finished,',
  'notifyBatch.notifyCompletion.everyRowFinal': 'Every row is final:',
  'notifyBatch.notifyCompletion.anotherEndTold': ({ version }: { version: number }) =>
    `Another end was told of this file before. The answers with the number ${String(version)} hold; the earlier ones stay as they were.`,
  'notifyBatch.notifyCompletion.thereNothingDo': 'There is nothing to do.',
  'notifyBatch.notifyCompletion.fileSaysEach':
    'The file "result" says of each row that was not paid why (payout.reason). Rows to fix stand in "rejected", if there are any: correct them and drop that file.',
  'notifyBatch.notifyChanged.changedAfterEnd': 'changed after its end, now',
  'notifyBatch.notifyChanged.serviceChangedPayments': ({ version }: { version: number }) =>
    `The service has changed payments of this batch after it was closed: a reversal, or a correction. The answers with the number ${String(version)} hold; the earlier ones stay as they were.`,
  'notifyBatch.notifyChanged.now': 'Now:',
  'notifyBatch.notifyChanged.bookDifferenceAsk':
    'Book the difference, and ask whoever was to get the money before it is paid again.',
  'notifyBatch.notifyApproval': 'waits for approval,',

  'waitForService.credentials':
    'The service refused the API key. Put the right key in place: "paydrop watch" then goes on by itself, otherwise run "paydrop resume". No row has failed because of it.',
  'waitForService.service':
    'The payout service cannot be reached, or does not answer as it should. Check the connection and the base URL, then run "paydrop resume". No row has failed because of it.',

  'priceLimits.feeHit': ({ fee, sent, most }: { fee: string; sent: string; most: string }) =>
    `The fee is ${fee} on ${sent}, and limits.feeShare allows ${most}.`,
  'priceLimits.rateHit': ({
    sourceCurrency,
    rate,
    targetCurrency,
    least,
  }: {
    sourceCurrency: string;
    rate: string;
    targetCurrency: string;
    least: string;
  }) => `One ${sourceCurrency} brings ${rate} ${targetCurrency}, and limits.leastRates demands ${least}.`,

  'quote.outsideBounds': ({ amount, least, most }: { amount: string; least: string; most: string }) =>
    `The recipient would get ${amount}; this corridor pays from ${least} to ${most}. Change the amount.`,

  'awaitTime.scheduled': ({ time }: { time: Words }) =>
    `It is paid on ${time.en}, at the prices of that moment.`,
  'awaitTime.missed': ({ time, batch }: { time: Words; batch: string }) =>
    `It was to be paid on ${time.en}, and that was missed. If it is still to be paid: paydrop release ${batch} --by NAME --reason TEXT, then "paydrop resume"; with --skip it is cancelled.`,

  'service.status.statusCodeWhich': ({ statusCode }: { statusCode: string }) =>
    `status code ${statusCode}, which the interface does not explain`,
  'service.refusal': ({ meaning, more }: { meaning: string; more: Words; value: string }) =>
    `The service refused: ${meaning}${more.en}.`,

  'judgeTransfer.failure': ({ meaning }: { meaning: Words }) =>
    `The payment failed: ${meaning.en}. The funds were released.`,
  'judgeTransfer.endChanged': ({ stage, now }: { stage: string; now: string }) =>
    `The service had said that this payment was ${stage}, and now says ${now}. Ask the service why, before anything of it is paid again; "paydrop release" then takes over what the service says.`,

  'oddAnswers.judge': ({ oddity }: { oddity: string }) =>
    `The service answers in a way that its interface does not describe (${oddity}). Look the transfer up at the service.`,

  'findTransfer.collided': ({ status }: { status: string }) =>
    `The service already has another transfer under the id of this row, and it is ${status}. It differs from this row. Find out who else uses this account before anything of it is paid again.`,

  'judge.networkRefused': 'The payout network refused the payment.',
  'judge.lookItUp': 'Look it up at the service.',

  'revived.text': ({ transferId, attempt, now }: { transferId: string; attempt: number; now: string }) =>
    `Transfer ${transferId} (attempt ${String(attempt)}) had expired unpaid and was given up for another, and the service now says ${now} of it: this payment may be made twice. Call the service at once. "paydrop release" then goes on with the row.`,

  'withinLimits.unapproved': 'What is left of this file is not approved.',
  'withinLimits.release': 'Release the row if it is right.',
  'withinLimits.released': 'It was released before, at a better price.',

  'heldUnseen.text': ({ counted, until }: { counted: Words; until: string }) =>
    `${counted.en} (from ${until} on)`,

  'waitForReads.unseen': ({ unseenUntil, counted }: { unseenUntil: string; counted: Words }) =>
    `The ledger was lost, and until ${unseenUntil} the service may not show all that was sent before: ${counted.en} for that and is then looked for again. "watch" goes on by itself, "paydrop resume" does when it is run after that.`,

  'describeShortfall.topUp':
    'Top up the balance, then run "paydrop resume". No row has failed because of it.',
  'describeShortfall.sentenceOf.balanceRanOut': ({ currency }: { currency: string }) =>
    `The ${currency} balance ran out`,
  'describeShortfall.sentenceOf.atLeast': 'at least ',
  'describeShortfall.sentenceOf.shortly': ({ ranOut, needed }: { ranOut: Words; needed: Words }) =>
    `${ranOut.en}: ${needed.en}.`,
  'describeShortfall.sentenceOf.availableMissing': ({ least, show }: { least: Words; show: string }) =>
    `are available, ${least.en}${show} are missing`,
  'describeShortfall.sentenceOf.availableNow': 'are available now',
  'describeShortfall.sentenceOf.whole': ({
    ranOut,
    needed,
    available,
    left,
  }: {
    ranOut: Words;
    needed: Words;
    available: string;
    left: Words;
  }) => `${ranOut.en}: ${needed.en}, ${available} ${left.en}.`,
  'describeShortfall.needed.paymentWaitsNeeds': ({ least, debit }: { least: Words; debit: string }) =>
    `1 payment waits and needs ${least.en}${debit}`,
  'describeShortfall.needed.paymentsWaitNeed': ({
    rows,
    least,
    debit,
  }: {
    rows: number;
    least: Words;
    debit: string;
  }) => `${String(rows)} payments wait and need ${least.en}${debit}`,

  'limitsBeforeSending.describeLimitsStop': ({ counted }: { counted: Words }) => `Not sent: ${counted.en}.`,
  'limitsBeforeSending.left': ({ rows, unpriced, sum }: { rows: number; unpriced: number; sum: string }) =>
    `${String(rows)} ${rows === 1 ? 'row' : 'rows'} of ${unpriced === 0 ? '' : 'at least '}${sum}`,
  'limitsBeforeSending.waysOut': ({ id }: { id: string }) =>
    `If it is right, "paydrop release ${id} --by NAME --reason TEXT" lets this file go over the limits of a file and a day, then "paydrop resume ${id}" pays it. A limit of a day is also over with the day (UTC).`,

  'stopOfRun.waysOut': ({ id }: { id: string }) =>
    `Nothing more of this file is sent. "paydrop status ${id}" lists the refused rows; if the others are right, "paydrop release ${id} --by NAME --reason TEXT", then "paydrop resume ${id}". The count starts anew then.`,

  'notifyTrouble.credentials': 'Nothing is paid: the service refuses the API key',
  'notifyTrouble.stop': 'Nothing is paid: the file STOP stands in the inbox',
  'notifyTrouble.machine': 'Somebody has to look at the machine on which paydrop runs',

  'notifyWaiting.notifyShortfall': 'waits for funds,',
  'notifyWaiting.headline': 'stopped, a person has to decide',
  'notifyWaiting.notifyHeld': ({ id }: { id: string }) =>
    `Look with "paydrop status ${id}"; "paydrop release ${id} --by NAME --reason TEXT" lets them go, with --skip it cancels them.`,
  'notifyWaiting.waits': 'waits for a person',
  'notifyWaiting.wait': 'wait for a person',
  'notifyWaiting.codeLine.row': 'Row',
  'notifyWaiting.codeLine.rows': 'Rows',
  'notifyWaiting.codeLine.text': ({
    lead,
    named,
    code,
    counted,
  }: {
    lead: Words;
    named: string;
    code: string;
    counted: Words;
  }) => `- ${lead.en} ${named} (${code}): ${counted.en}`,

  'whole.nothing': 'Nothing of the file was confirmed, because it is paid whole or not at all.',
  'whole.nothingShown':
    'As far as the service shows by now, nothing of the file was confirmed; it is paid whole or not at all.',
  'whole.partConfirmed': ({ counted }: { counted: Words; confirmed: number }) =>
    `${counted.en} confirmed already, by a run that this ledger does not know of.`,
  'whole.waitingRows.rowWaitsPerson': '1 row waits for a person',
  'whole.waitingRows.rowsWaitPerson': ({ held }: { held: number }) =>
    `${String(held)} rows wait for a person`,
  'whole.held': ({ rows, id }: { rows: Words; id: string }) =>
    `${rows.en}: "paydrop status ${id}" says why, "paydrop release" decides; then run "paydrop resume".`,
  'whole.refused.rowRefused': ({ join }: { join: string }) => `Row ${join} was refused`,
  'whole.refused.rowsWereRefused': ({ join, isMore }: { join: string; isMore: boolean }) =>
    `Rows ${join}${isMore ? ' and others' : ''} were refused`,
  'whole.mayBeConfirmed':
    'Another row of this file was refused, and the file is paid whole or not at all. An earlier run may have confirmed this row, though the service does not show it. Release it to pay it without the other one: that pays it once at most. Before you pay it in any other way, look it up at the service.',
  'whole.notWhole': ({ counted, refused }: { counted: Words; refused: Words }) =>
    `${counted.en} (${refused.en}.)`,
  'whole.hidden': ({ refused, at }: { refused: Words; at: string }) =>
    `${refused.en}. The ledger was lost, or is older than what was done, so the other rows may have been confirmed although the service does not show it yet. From ${at} on it is certain: run "paydrop resume" then. Until then pay nothing of this file in another way.`,
  'whole.stopped': ({ rows, id }: { rows: Words; id: string }) =>
    `The file is paid whole or not at all, and a row of it was refused, so nothing more of it is confirmed: ${rows.en}. "paydrop release ${id}" pays the others without it; "paydrop status ${id}" says of each whether it can be closed with --skip and paid from the corrected file instead.`,
  'whole.runOut': ({ counted, at }: { counted: Words; at: string }) =>
    `The time was too short to confirm ${counted.en} after all had been reserved, or what was reserved earlier is too old. What is reserved runs out by itself, which is certain from ${at} on; run "paydrop resume" then. No row has failed because of it.`,
  'whole.tooSlowNow': ({ counted }: { counted: Words }) =>
    `${counted.en} Raise "service.concurrency" in the config, or wait for a faster hour; then run "paydrop resume". No row has failed because of it.`,
  'whole.underWay': 'Some rows are still being worked on, or got no answer yet. Run "paydrop resume".',

  'payBatch.paused': 'The batch is paused. "paydrop resume" goes on.',
  'payBatch.waitingWords': ({ counted }: { counted: Words }) => `${counted.en}.`,

  'wholeInTime.tooSlow': ({
    lives,
    rows,
    needed,
    speed,
  }: {
    lives: string;
    rows: number;
    needed: string;
    speed: Words;
  }) =>
    `The file is paid whole or not at all (policy.strategy: reserve-then-confirm), so all its rows have to be reserved and confirmed while the quotations live, which is ${lives}. ${rows === 1 ? '1 row needs' : `${String(rows)} rows need`} about ${needed} at the pace measured now (${speed.en}, with room for a slower hour).`,
  'wholeInTime.pace.callsSecond': ({ calls }: { calls: string }) => `${calls} calls a second`,
  'wholeInTime.pace.oneCall': ({ each }: { each: string }) => `one call in ${each}`,

  'checkText.cellHoldsCharacter':
    'The cell holds a character that cannot be seen. Type the text again by hand.',
  'checkText.cellCharactersMost': ({ length, lengthMax }: { length: number; lengthMax: number }) =>
    `The cell has ${String(length)} characters, at most ${String(lengthMax)} are taken.`,
  'checkText.keptWhichLoses': ({ text, kind }: { text: string; kind: string }) =>
    `"${text}" is kept as a ${kind}, which loses zeros and digits. Format this column as text and type it again.`,
  'checkText.numberSpreadsheetProgram': ({ text }: { text: string }) =>
    `"${text}" is a number that the spreadsheet program has shortened. Format this column as text and type the number again.`,

  'corridor.findCorridor':
    'Say where the money goes: a payoutCorridorId, or the country, currency, mode and delivery method. "paydrop corridors" lists them.',
  'corridor.corridorById.thereCorridorAccount': ({ id }: { id: string }) =>
    `There is no corridor "${id}" for this account. "paydrop corridors" lists the ones there are.`,
  'corridor.corridorById.corridorSwitchedOff': ({ id }: { id: string }) =>
    `The corridor "${id}" is switched off at the service.`,
  'corridor.corridorById.corridorRowSays': ({
    id,
    contradicted,
    value,
    value2,
  }: {
    id: string;
    contradicted: string;
    value: null | string;
    value2: undefined | string;
  }) =>
    `The corridor "${id}" has ${contradicted} "${value ?? 'none'}", the row says "${value2 ?? ''}". Correct one of the two.`,
  'corridor.readChooser': ({ text }: { text: string }) =>
    `"${text}" is no country. Write its three-letter code, for example CHN.`,
  'corridor.notListed': ({ text, join }: { text: string; join: string }) =>
    `"${text}" is none of ${join}. Write one of these.`,
  'corridor.rejectNone': ({ describe }: { describe: string }) =>
    `No enabled corridor has ${describe}. "paydrop corridors" lists the ones there are.`,
  'corridor.rejectSeveral': ({
    describe,
    length,
    join,
    more,
    join2,
  }: {
    describe: string;
    length: number;
    join: string;
    more: string;
    join2: string;
  }) =>
    `With ${describe} the row leaves ${String(length)} corridors (${join}${more}). Add ${join2 || 'payoutCorridorId'}, or name one in payoutCorridorId.`,

  'readParties.readSender.mustCemacZone': ({ country, join }: { country: string; join: string }) =>
    `${country === '' ? 'The sender has no country' : `The sender is in ${country}`}. It must be in the CEMAC zone: ${join}.`,
  'readParties.readSender.corridorRequiresSender': ({ id, field }: { id: string; field: string }) =>
    `The corridor ${id} requires the sender's ${field}. Fill it in, or set it once under "sender" in the config.`,
  'readParties.readReceiver': ({ id, field }: { id: string; field: string }) =>
    `The corridor ${id} requires the receiver's ${field}. Fill it in.`,
  'readParties.withCountry':
    "The file has no column of the receivers' countries; the destination country is sent.",
  'readParties.readDelivery.corridorRequiresFill': ({ id, field }: { id: string; field: string }) =>
    `The corridor ${id} requires ${field}. Fill it in.`,
  'readParties.readDelivery.corridorRequiresFill2': ({
    id,
    choices,
  }: {
    id: string;
    choices: string;
    replaceAll: string;
  }) => `The corridor ${id} requires ${choices}. Fill in one of them.`,

  'requestedAmount.filledColumn.rowAmountWrite': 'The row has no amount. Write one, or delete the row.',
  'requestedAmount.filledColumn.rowAlsoAmount': ({ header }: { header: string }) =>
    `The row also has an amount under "${header}". Keep the one that is meant and empty the other.`,
  'requestedAmount.rejectAmount.amountOnlyAmounts': ({ text }: { text: string }) =>
    `The amount is "${text}". Only amounts above zero can be paid.`,
  'requestedAmount.rejectAmount.cannotReadAmount': ({ text }: { text: string }) =>
    `"${text}" cannot be read as an amount. Write digits, for example 1500.50.`,
  'requestedAmount.agreesWithCell.columnButAmount': ({
    header,
    named,
    currency,
  }: {
    header: string;
    named: string;
    currency: string;
  }) =>
    `The column "${header}" is in ${named}, but the amount is in ${currency} here. Correct one of the two.`,
  'requestedAmount.agreesWithCell.cellNamesCurrency': ({
    text,
    currency,
  }: {
    text: string;
    currency: string;
  }) => `The cell "${text}" names a currency, but the amount is in ${currency} here. Correct one of the two.`,
  'requestedAmount.sideOfAmount.sayWhichCurrency': ({
    targetCurrency,
    join,
  }: {
    targetCurrency: string;
    join: string;
    join2: string;
  }) =>
    `Say in which currency the amount is: ${targetCurrency} is what the receiver gets, ${join} what is sent.`,
  'requestedAmount.sideOfAmount.rowCorridorSends': ({
    place,
    id,
    currency,
  }: {
    place: string;
    id: string;
    currency: string;
  }) =>
    `Row ${place}: the corridor ${id} sends and pays ${currency}, so an amount in ${currency} could be what is sent or what arrives.`,
  'requestedAmount.sideOfAmount.amountButRow': ({
    currency,
    paidFrom,
    targetCurrency,
  }: {
    currency: string;
    paidFrom: string;
    targetCurrency: string;
  }) =>
    `The amount is in ${currency}, but the row is paid from ${paidFrom}. Write the amount in ${paidFrom} or ${targetCurrency}, or pay from ${currency}.`,
  'requestedAmount.sideOfAmount.currencyCorridorPays': ({
    currency,
    id,
    targetCurrency,
    join,
  }: {
    currency: string;
    id: string;
    targetCurrency: string;
    join: string;
  }) => `${currency} is not a currency of the corridor ${id}: it pays ${targetCurrency} and takes ${join}.`,
  'requestedAmount.readSourceCurrency.sayWhichBalance': ({ join }: { join: string }) =>
    `Say from which balance to pay: ${join}.`,
  'requestedAmount.readSourceCurrency.corridorCannotPaid': ({
    id,
    currency,
    join,
  }: {
    id: string;
    currency: string;
    join: string;
  }) => `The corridor ${id} cannot be paid from ${currency}, only from ${join}.`,
  'requestedAmount.decimals.currencyIsoSo': ({ currency }: { currency: string }) =>
    `${currency} is not a currency of ISO 4217, so its decimals are not known.`,
  'requestedAmount.decimals.cellSaysPaydrop': ({
    currency,
    counted,
    cell,
  }: {
    currency: string;
    counted: Words;
    cell: string;
  }) =>
    `${currency} has ${counted.en}, the cell says ${cell}. paydrop does not round: write the exact amount.`,
  'requestedAmount.isInside': ({ show, show2, show3 }: { show: string; show2: string; show3: string }) =>
    `The amount is ${show}; this corridor pays from ${show2} to ${show3}. Change the amount or split the payment.`,

  'validateRow.noPaymentOf.rowTotalPayment': ({ text }: { text: string }) =>
    `This row is a total («${text}») and no payment. Delete it; only the last row of a list may be its total, and is checked then.`,
  'validateRow.noPaymentOf.rowStandsBelow': ({ cell }: { cell: string }) =>
    `This row stands below the total in ${cell} and is not complete. If it is a remark or a signature, delete it; if it is a payment, move it above the total.`,
  'validateRow.readPurpose.purposeSentWrite': ({ written, purpose }: { written: string; purpose: string }) =>
    `The purpose "${written}" is sent as ${purpose}; write SERVICE_CHARGES where services were bought.`,
  'validateRow.readPurpose.sayWhatPayment': ({ listed }: { listed: string }) =>
    `Say what the payment is for: ${listed}.`,
  'validateRow.readPurpose.purposeWriteOne': ({ purpose, listed }: { purpose: string; listed: string }) =>
    `"${purpose}" is not a purpose. Write one of ${listed}.`,
  'validateRow.readPurpose.purposePassedService': ({ purpose }: { purpose: string }) =>
    `The purpose "${purpose}" is passed on as it is; the service may refuse it.`,
  'validateRow.document.plainNameFile':
    'is not a plain name of a file in the folder of the spreadsheet or below it. Put the document there and write its name.',
  'validateRow.document.foundFolderSpreadsheet':
    'was not found in the folder of the spreadsheet or below it. Put it there, or correct the name; upper and lower case count.',
  'validateRow.document.linkFolderFile': 'is a link or a folder, not a file. Put the document itself there.',
  'validateRow.document.largerThanMb': 'is larger than 10 MB. Make it smaller.',
  'validateRow.document.pdfImagePng':
    'is not a PDF or an image (PNG, JPEG), by its name or by what is inside. Save the document as PDF.',
  'validateRow.readDocument.bankTransferNeeds':
    'A bank transfer needs its invoice or contract. Write the name of a PDF or image that lies beside the spreadsheet.',
  'validateRow.readDocument.text': ({ name, words }: { name: string; words: Words }) =>
    `"${name}" ${words.en}`,

  'validateFile.withEarlierDigits': ({ now, before }: { now: string; before: string }) =>
    `"${now}" was "${before}" when the row came first: a spreadsheet program has dropped its zeros. Format this column as text and type the number again; if the shorter one is right, take the payout columns away.`,
  'validateFile.withUniqueReference': ({ reference, earlier }: { reference: string; earlier: string }) =>
    `The reference "${reference}" stands in row ${earlier} already. Give every row its own reference.`,

  'examineFile.heldTogether.samePaymentHave': ({ counted, count }: { counted: Words; count: number }) =>
    `${counted.en} are the same payment and have no reference: run would hold ${count === 2 ? 'both' : 'all of them'}. If each is meant, give each its own reference; if not, delete what is too much.`,
  'examineFile.heldTogether.samePaymentUnder': ({ counted, count }: { counted: Words; count: number }) =>
    `${counted.en} are the same payment under nearly the same reference: run would hold ${count === 2 ? 'both' : 'all of them'}. If each is meant, give each a reference that differs in its letters or digits; if not, delete what is too much.`,
  'examineFile.rowsIn.row': ({ value }: { value: undefined | string }) => `Row ${value ?? ''}`,
  'examineFile.rowsIn.rows': ({ join }: { join: string; join2: string }) => `Rows ${join}`,
  'examineFile.faultLines': ({ what, message }: { what: string; message: string }) => `${what}: ${message}`,
  'examineFile.toFix.rowFix': '1 row to fix:',
  'examineFile.toFix.rowsFix': ({ rejected }: { rejected: number }) => `${String(rejected)} rows to fix:`,
  'examineFile.moreFaults': ({ more }: { more: number }) =>
    `… and ${more === 1 ? '1 other fault' : `${String(more)} other faults`}.`,

  'refuseFile.refusedResult': ({ path }: { path: string }) => `Nothing was sent. The reason is in ${path}.`,
  'refuseFile.withRejectedRows': ({
    counted,
    rows,
    it,
    answer,
  }: {
    counted: Words;
    rows: number;
    it: string;
    answer: string;
    la: string;
  }) =>
    `${counted.en} of ${String(rows)} cannot be paid as written, so nothing of the file was sent. Correct ${it} in ${answer} (column payout.error) and have that file paid.`,

  'executionDay.executionDayOf': ({ named, written }: { named: string; written: string }) =>
    `The name of the file says that it is to be paid on ${named}, and its rows say on ${written}.`,
  'executionDay.dayInName': ({ join }: { join: string }) =>
    `The name of the file names several days: ${join}.`,
  'executionDay.unreadable': ({ list }: { list: string; list2: string }) =>
    `No day can be read from the execution date: ${list}.`,
  'executionDay.differing': ({ list }: { list: string; list2: string }) =>
    `The rows do not agree on the day on which they are to be paid: ${list}.`,

  'decidePayAt.assertNoDay': ({ day }: { day: string }) =>
    `The file stands in a folder whose files are paid again and again, and asks to be paid on ${day}.`,
  'decidePayAt.onDay': ({ timeWords }: { timeWords: Words }) =>
    `The file asks to be paid on ${timeWords.en}, which is more than a year away.`,

  'takeBatch.changedWhileTaken': 'The file changed while it was being taken.',
  'takeBatch.announced': 'The file cannot be opened.',
  'takeBatch.takenBefore': ({ date, as }: { date: string; as: Words }) =>
    `The same file was taken on ${date} as ${as.en}. Nothing was sent.`,

  'unfinishedBatch.repeated.batch': ({ name, id }: { name: string; id: string }) => `"${name}", batch ${id}`,
  'unfinishedBatch.repeated.showsDeliberatelyPays': ({ id }: { id: string }) =>
    `"paydrop status ${id}" shows it; "run --again" deliberately pays it a second time.`,
  'unfinishedBatch.repeated.finishedGoes': ({ id }: { id: string }) =>
    `It is not finished: "paydrop resume ${id}" goes on with it.`,

  'unusual.sharedAccount': ({ row }: { row: string }) =>
    `Row ${row} pays another receiver on the same account.`,
  'unusual.newAccount.lastPaymentReceiver': 'The last payment to this receiver went to another account.',
  'unusual.newAccount.lastPaymentsReceiver': ({ length }: { length: number }) =>
    `The last ${String(length)} payments to this receiver went to other accounts.`,
  'unusual.warningsOf': ({ got, date }: { got: string; date: string }) =>
    `At least ten times the last payment to this receiver (${got} on ${date}).`,

  'crossCheck.judgeRest': ({ rows, batch }: { rows: number; batch: string }) =>
    `${String(rows)} rows, batch ${batch}`,
  'crossCheck.open': ({ counted }: { counted: Words }) =>
    `${counted.en} A transfer of this row is open beside it. Close this one with --skip; release it only if both are to be paid.`,
  'crossCheck.metRow': ({ placeOf }: { placeOf: Words }) =>
    `This row is paid or under way already (${placeOf.en}).`,
  'crossCheck.metReference': ({ reference, placeOf }: { reference: null | string; placeOf: Words }) =>
    `The reference "${reference ?? ''}" is paid or under way already (${placeOf.en}).`,
  'crossCheck.judgeContent': ({ id, date }: { id: string; date: string }) => `batch ${id} of ${date}`,
  'crossCheck.held': ({ counted, where }: { counted: Words; where: Words }) => `${counted.en} (${where.en})`,
  'crossCheck.placeOf': ({ row, batch, date }: { row: string; batch: string; date: string }) =>
    `row ${row} of batch ${batch}, ${date}`,
  'crossCheck.undecidedPlaceOf': ({ counted }: { counted: Words }) =>
    `${counted.en}; if that file is refused as a whole, release this one`,

  'approval.rows.row': '1 row',
  'approval.rows.rows': ({ rows }: { rows: number }) => `${String(rows)} rows`,
  'approval.what': ({ counted, sums }: { counted: Words; sums: string }) =>
    `Waits for approval: ${counted.en}, ${sums} with fees.`,
  'approval.sent': ({ rows, sums }: { rows: Words; sums: string }) =>
    `${rows.en} of ${sums} had been sent before; the question is about the rest.`,
  'approval.shortfall': ({
    availableAmount,
    sourceCurrency,
    shortfall,
  }: {
    availableAmount: null | string;
    sourceCurrency: string;
    shortfall: string;
  }) =>
    `${availableAmount ?? '0'} ${sourceCurrency} are available, ${shortfall} ${sourceCurrency} are missing.`,
  'approval.held': ({ counted, held }: { counted: Words; held: number }) =>
    `${counted.en} more ${held === 1 ? 'is' : 'are'} held and not part of it; what is released later is asked anew.`,
  'approval.how.somebodyWhoLooked': 'Somebody who has looked at it',
  'approval.how.somebodyOtherThan': ({ names }: { names: string }) => `Somebody other than ${names}`,
  'approval.how.saysEveryRow': ({ other, id, preview }: { other: Words; id: string; preview: string }) =>
    `${other.en} says "paydrop approve ${id} --by NAME", or "paydrop decline ${id} --by NAME --reason TEXT"; every row with its price is in ${preview}.`,
  'approval.lapsed': ({
    by,
    date,
    from,
    to,
    maxDrift,
  }: {
    by: string;
    date: string;
    from: string;
    to: string;
    maxDrift: string;
  }) =>
    `The approval of ${by} (${date}) has lapsed: it was for ${from}, and at today's prices it is ${to}, more than ${maxDrift} above.`,
  'approval.released': 'Rows were released since the last question, so it is asked anew.',
  'approval.overThreshold': 'What is left would take the file over the total that needs no approval.',
  'approval.renewed': 'On the way the prices exceeded what was approved.',

  'previewSheet.sendAmount': 'to send',
  'previewSheet.feeAmount': 'fees',
  'previewSheet.debit': 'debit',
  'previewSheet.availableAmount': 'available',
  'previewSheet.shortfall': 'missing',

  'approvalPreview.sentBefore': 'Sent before this preview; not part of what is to be approved.',

  'matchesRequest.byFile': ({ fileName, sums }: { fileName: string; sums: string }) =>
    `A file ${fileName} counts only if it says "total: ${sums}" this time: an empty one may have been meant for another question.`,
  'matchesRequest.older': ({ askedAt, preview, sums }: { askedAt: string; preview: string; sums: string }) =>
    `Nothing was approved: the file is older than the question, which was asked on ${askedAt}. Look at ${preview}, write "total: ${sums}" into a new file, and drop that. If it is newer, the clock of the place where it was written is wrong; "paydrop approve" needs none.`,
  'matchesRequest.totalMissing': ({ preview, sums }: { preview: string; sums: string }) =>
    `Nothing was approved: the question was asked anew, and a file that names no total may have been meant for another one. Look at ${preview}; if it is to be paid, drop the file again with the line "total: ${sums}".`,

  'decideHeld.cancelled': ({ by, reason }: { by: string; reason: string }) => `Cancelled by ${by}: ${reason}`,

  'closeDeclined.declined': ({ by, reason }: { by: string; reason: string }) =>
    `Declined by ${by}: ${reason}`,
  'closeDeclined.lookUp':
    'The file was declined, and it is not known whether the confirmation of this transfer had arrived before. Look it up at the service before paying again.',

  'settleApproval.askedBefore':
    'This was asked before, and no answer is on record (a rebuilt ledger knows none), so it is asked anew.',

  'withdrawGone.unclear':
    'The file was taken out of its folder, or replaced. Whether some of it was paid before, the service does not tell at this moment: until it does, nothing of it is sent, and the file is not withdrawn.',
  'withdrawGone.withdrawn': ({ time }: { time: Words }) =>
    `The file was taken out of its folder, or replaced, before its time (${time.en}). Nothing of it is paid then; what stands in the folder is.`,

  'clear.waitingWords':
    'The folder in which the file stands cannot be read at this moment: it is not known whether it is still to be paid.',

  'leftOut.wordsFor': ({ batch, named, more }: { batch: string; named: string; more: number }) =>
    `Not in this file any more, but still being paid by batch ${batch}: row ${named}${more > 0 ? ` and ${String(more)} more` : ''}. "paydrop pause ${batch}" stops what is not sent yet; what is confirmed cannot be called back.`,

  'decideApproval.approved': ({
    by,
    counted,
    fileName,
    hash,
    sums,
    maxDrift,
    id,
  }: {
    by: string;
    counted: Words;
    fileName: string;
    hash: string;
    sums: string;
    maxDrift: string;
    id: string;
  }) =>
    `Approved by ${by}: ${counted.en} of ${fileName} (SHA-256 ${hash}…), ${sums} with fees, and no more than ${maxDrift} above. A running "paydrop watch" pays it; else "paydrop resume ${id}" does.`,
  'decideApproval.given': ({ by, at }: { by: string; at: string }) =>
    `It was approved by ${by} on ${at} already. Nothing was changed.`,
  'decideApproval.declined': ({ by, at, reason }: { by: string; at: string; reason: string }) =>
    `Declined by ${by} on ${at}: ${reason}`,
  'decideApproval.total': ({ describeSums, said }: { describeSums: string; said: string }) =>
    `The question is about ${describeSums}, and not about ${said}. Nothing was approved; look at the preview once more.`,
  'decideApproval.notAsked.finishedApprovalAsked': 'It is finished, and no approval was asked for it.',
  'decideApproval.notAsked.approvalAskedYet':
    'No approval is asked for it (yet): what is not checked and priced cannot be approved.',
  'decideApproval.outdated': ({ id }: { id: string }) =>
    `Rows were released since it was asked. "paydrop resume ${id}", or a running "paydrop watch", asks anew.`,
  'decideApproval.unknown': 'There is no batch of this name. "paydrop status" lists them.',
  'decideApproval.samePerson': 'Who brought the file cannot approve it: somebody else has to look at it.',
  'decideApproval.tooLate':
    'It was approved and is being paid. "paydrop pause" stops what has not been sent yet.',

  'crossCheckUnseen.text': ({ id }: { id: string }) => `batch ${id}`,

  'notifyFault.unknown':
    'Something unexpected happened; the log of paydrop says what. What was sent is on record, and it is tried again by itself.',

  'watchReversals.changed':
    'The service has changed payments of this batch after it was closed. The answers with the highest number hold; the earlier ones stay as they were.',

  'resumeBatches.followed':
    'A payment that was released after this batch was closed has not ended yet. "watch" follows it to its end, or the next "paydrop resume" does; then it is answered under the next number.',
  'resumeBatches.elsewhere': ({ file }: { file: string }) =>
    `Another paydrop works on ${file} at this moment.`,
  'resumeBatches.liftedElsewhere': ({ file }: { file: string }) =>
    `The pause of ${file} is lifted. Another paydrop works on it at this moment; "watch" goes on with it by itself.`,

  'channel.unreachable': 'cannot be reached',
  'channel.late': 'does not answer in time',
  'channel.login': 'refuses the user or the password',
  'channel.tls': 'offers no connection that is encrypted and that this machine trusts',
  'channel.receivers': 'takes no mail from or to these addresses',
  'channel.redirected': 'answers with another address, which is not followed',
  'channel.refused': 'refuses what it is sent',
  'channel.describeFault.mailServer': ({ shown }: { shown: string }) => `The mail server ${shown}`,
  'channel.describeFault.theHookAt': ({ shown }: { shown: string }) => `The hook at ${shown}`,
  'channel.describeFault.text': ({ lead, value }: { lead: Words; value: Words }) => `${lead.en} ${value.en}`,

  'printResults.headline.batch': ({ rows, batch, value }: { rows: Words; batch: string; value: Words }) =>
    `${rows.en}, batch ${batch}, ${value.en}`,
  'printResults.headline.refused': ({ name }: { name: string }) => `${name}: refused`,
  'printResults.headline.text': ({ name, standing }: { name: string; standing: Words }) =>
    `${name}: ${standing.en}`,
  'printResults.answerLines': ({ outbox }: { outbox: string }) => `Answers in ${outbox}:`,
  'printResults.moneyLines.sentFeesDebited': ({
    sourceCurrency,
    send,
    fee,
    debit,
    isOpen,
    open,
  }: {
    sourceCurrency: string;
    send: Words;
    fee: Words;
    debit: Words;
    isOpen: boolean;
    open: Words;
  }) =>
    `${sourceCurrency}: sent ${send.en}, fees ${fee.en}, debited ${debit.en}${isOpen ? `, reserved ${open.en}` : ''}`,
  'printResults.moneyLines.received': ({
    destinationCurrency,
    grouped,
  }: {
    destinationCurrency: string;
    grouped: Words;
  }) => `${destinationCurrency}: received ${grouped.en}`,

  'checkFile.everyRow': 'Every row can be paid.',
  'checkFile.ignored': ({ header }: { header: string }) =>
    `The column "${header}" is not known and is ignored.`,
  'checkFile.correct': ({ path }: { path: string }) =>
    `Correct your file or ${path} (column payout.error), and check again.`,

  'progressView.words.ofRows': ({ at, rows }: { at: number; rows: string }) =>
    `${String(at)} of ${rows} rows`,
  'progressView.words.text': '',
  'progressView.words.toLookAt': ({ toLookAt }: { toLookAt: number }) => ` · ${String(toLookAt)} to look at`,
  'progressView.words.allSentFinal': ({ final, rows, look }: { final: number; rows: string; look: Words }) =>
    `all sent · final ${String(final)}/${rows}${look.en}`,
  'progressView.words.sentFinal': ({
    sent,
    rows,
    final,
    look,
  }: {
    sent: number;
    rows: number;
    final: number;
    look: Words;
  }) => `sent ${String(sent)}/${String(rows)} · final ${String(final)}${look.en}`,
  'progressView.allSent': 'All sent; waiting for the network. Ctrl-C is safe: "paydrop resume" goes on.',
  'progressView.barLine': ({ describeDuration }: { describeDuration: string }) => `${describeDuration} left`,
  'progressView.write.text': '',
  'progressView.write.aboutLeft': ({ describeDuration }: { describeDuration: string }) =>
    `, about ${describeDuration} left`,

  'tellingStatus.standing.text': '',
  'tellingStatus.standing.messagesWaitOldest': ({
    counted,
    waiting,
    since,
  }: {
    counted: Words;
    waiting: number;
    since: string;
  }) =>
    `${counted.en}: ${String(waiting)} messages wait, the oldest since ${since}; they are tried again by themselves.`,
  'tellingStatus.standing.messagesWereNever': ({ givenUp, channel }: { givenUp: number; channel: string }) =>
    `${String(givenUp)} messages (${channel}) were never delivered; the answers in the outbox say the same.`,

  'preview.nothingSent': 'Nothing was sent. Prices change until the file is run.',
  'preview.wrong': ({ counted }: { counted: Words; count: number }) =>
    `${counted.en} cannot be paid at this price: see the preview, column payout.error.`,
  'preview.unusual': ({ counted, count }: { counted: Words; count: number }) =>
    `${counted.en} ${count === 1 ? 'looks' : 'look'} unusual: see the preview, column preview.warning.`,
  'preview.earlier': ({ date, id }: { date: string; id: string }) =>
    `The same file was taken on ${date} as batch ${id}: a run of it sends nothing.`,
  'preview.met': ({ counted, are }: { counted: Words; are: string; known: string; count: number }) =>
    `${counted.en} ${are} known by reference and ${are} not counted: see the preview, column preview.warning.`,
  'preview.rowsIn.row': '1 row',
  'preview.rowsIn.rows': ({ count }: { count: number }) => `${String(count)} rows`,
  'preview.cost': ({
    sourceCurrency,
    send,
    fee,
    all,
    balance,
  }: {
    sourceCurrency: string;
    send: Words;
    fee: Words;
    all: Words;
    balance: Words;
  }) => `${sourceCurrency}: ${send.en} + ${fee.en} fees = ${all.en}. ${balance.en}`,
  'preview.balance.balanceKnown': 'The balance is not known.',
  'preview.balance.available': ({
    available,
    isEnough,
    missing,
    sourceCurrency,
  }: {
    available: Words;
    isEnough: boolean;
    missing: Words;
    sourceCurrency: string;
  }) => `Available: ${available.en}.${isEnough ? '' : ` Missing: ${missing.en} ${sourceCurrency}.`}`,

  'quoteForPreview.noValidPrice': 'The service gives no price that is still valid.',
  'quoteForPreview.noPrice': ({ said }: { said: string }) => `The service gives no price: ${said}.`,

  'previewFile.stopped': 'The preview was stopped.',
  'previewFile.notTold': 'The service does not tell the prices.',
  'previewFile.noPreview': 'No preview was written, and nothing was sent. Ask for it again.',

  'reconcileBatch.missing': ({ batch }: { batch: string }) =>
    `The file of batch ${batch} is in neither processing/ nor archive/: ledger and service alone were compared.`,
  'reconcileBatch.changed': ({ batch }: { batch: string }) =>
    `The file of batch ${batch} is not the one that was read when it was paid: its bytes have changed. Ledger and service alone were compared.`,

  'describeRelease.limits': 'This file may go over the limits of a file and a day.',
  'describeRelease.refusals': 'This file may go on in spite of its refusals.',
  'describeRelease.missed-time': 'This file goes on although its time has passed.',
  'describeRelease.text': ({ batch }: { batch: string }) => `"paydrop resume ${batch}" goes on.`,
  'describeRelease.service':
    'Nothing was cancelled. Before a row is cancelled it is looked up at the payout service, which cannot be reached, or does not answer as it should. Check the connection, then try again.',
  'describeRelease.credentials':
    'Nothing was cancelled. Before a row is cancelled it is looked up at the payout service, which refused the API key. Put the right key in place, then try again.',
  'describeRelease.moved.rowCancelled': 'No row was cancelled.',
  'describeRelease.moved.rowReleased': 'No row was released.',
  'describeRelease.moved.row': ({ counted, rows }: { counted: Words; rows: string }) =>
    `${counted.en}: row ${rows}.`,
  'describeRelease.moved.cancelledRowConfirmed': ({ rows }: { rows: string }) =>
    `Not cancelled: row ${rows}. It was confirmed, or had ended, so only the service can say whether it is paid; it is followed to its end.`,
  'describeRelease.notMoved.transferRowMay': ({ rows }: { rows: string }) =>
    `A transfer of row ${rows} may still pay: look it up at the service, then cancel the row with --skip.`,
  'describeRelease.notMoved.cancelledRowTransfer': ({ rows }: { rows: string }) =>
    `Not cancelled: row ${rows}. A transfer of it may exist and may be paid, and nobody has seen it yet. Release it without --skip first: it is looked up before anything is sent.`,
  'describeRelease.notMoved.releasedRowPerson': ({ rows, batch }: { rows: string; batch: string }) =>
    `Not released: row ${rows}. A person has cancelled it before, and it stays cancelled: "paydrop resume ${batch}" cancels it again. If it is owed after all, pay it from a new file.`,
  'describeRelease.notMoved.heldRow': ({ rows }: { rows: string }) => `Not held: row ${rows}.`,
  'describeRelease.stillHeld': ({ counted, batch }: { counted: Words; batch: string }) =>
    `${counted.en}: "paydrop status ${batch}" says why, and "paydrop release ${batch} --rows LIST --by NAME --reason TEXT" lets them go.`,
  'describeRelease.tooEarly': ({ skip, row, at }: { skip: boolean; row: string; at: string }) =>
    `Not ${skip ? 'cancelled' : 'released'}: row ${row}. Its payment may still be made by what was sent already. After ${at}, say "paydrop resume", which looks at it once more, and then try again.`,

  'checkAccount.cannotMove': ({ folder, processed }: { folder: string; processed: string }) =>
    `${folder} can be read, but ${processed} cannot be created, and files that were taken go there. Have it created with the right to write, or set "processed: delete".`,

  'plainHeaders.reference': 'Reference',
  'plainHeaders.destinationCountryIsoCode': 'Country',
  'plainHeaders.targetCurrency': 'Destination currency',
  'plainHeaders.transactionMode': 'Transaction type',
  'plainHeaders.deliveryMethod': 'Payment method',
  'plainHeaders.bankName': 'Bank',
  'plainHeaders.sourceCurrency': 'Send currency',
  'plainHeaders.sourceAmount': 'Amount to send',
  'plainHeaders.destinationAmount': 'Amount to receive',
  'plainHeaders.amount': 'Amount',
  'plainHeaders.currency': 'Currency',
  'plainHeaders.purposeOfRemittance': 'Purpose',
  'plainHeaders.documentReferenceNumber': 'Invoice number',
  'plainHeaders.attachment': 'Attached file',
  'plainHeaders.executionDate': 'Execution date',
  'plainHeaders.headers.beneficiary': 'Beneficiary',
  'plainHeaders.headers.company': 'Company',
  'plainHeaders.headers.registrationNumber': 'Registration number',
  'plainHeaders.headers.firstName': 'First name',
  'plainHeaders.headers.lastName': 'Last name',
  'plainHeaders.headers.address': 'Address',
  'plainHeaders.headers.city': 'City',
  'plainHeaders.headers.beneficiaryCountry': 'Beneficiary country',
  'plainHeaders.headers.beneficiaryPhone': 'Beneficiary phone',
  'plainHeaders.headers.beneficiaryEmail': 'Beneficiary email',
  'plainHeaders.headers.accountHolder': 'Account holder',
  'plainHeaders.headers.accountNumber': 'Account number',
  'plainHeaders.headers.swiftCode': 'SWIFT code',
  'plainHeaders.headers.walletNumber': 'Wallet number',
  'plainHeaders.headers.walletEmail': 'Wallet email',
  'plainHeaders.headers.cardNumber': 'Card number',
  'plainHeaders.namedHeader': ({ counted, canonical }: { counted: Words; canonical: string }) =>
    `${counted.en} (${canonical})`,

  'template.exampleOf': 'China',
  'template.registeredName': 'name as it is registered',
  'template.registrationNumber': 'registration number',
  'template.firstName': 'first name',
  'template.lastName': 'last name',
  'template.fullName': 'full name',
  'template.address': 'address',
  'template.city': 'city',
  'template.countryIsoCode': 'country, by its three letters',
  'template.msisdn': 'telephone number in international form, with + and country code',
  'template.email': 'e-mail address',
  'template.bankAccountHolderFullName': 'full name of the holder of the bank account',
  'template.bankAccountNumber': 'number of the bank account or IBAN, with all its zeros',
  'template.bankAccountSwiftCode': 'SWIFT code (BIC) of the bank',
  'template.cardNumber': 'number of the card, all its digits',
  'template.B': 'a business',
  'template.C': 'an individual',
  'template.modeIn': ({ from, to }: { from: Words; to: Words }) => `from ${from.en} to ${to.en}`,
  'template.bankTransfer': 'bank transfer',
  'template.unionpayCard': 'UnionPay card',
  'template.boundsIn': ({
    grouped,
    grouped2,
    targetCurrency,
  }: {
    grouped: Words;
    grouped2: Words;
    targetCurrency: string;
  }) => `from ${grouped.en} to ${grouped2.en} ${targetCurrency}`,
  'template.payments': 'Payments',
  'template.required': 'Required. ',
  'template.one-of': 'This or another. ',
  'template.amount.title': 'Not an amount',
  'template.amount.text': 'Write a number above zero.',
  'template.unlisted.title': 'Not on the list',
  'template.unlisted.text': 'Keep it only if you are sure.',
  'template.wrong.title': 'Choose one of the list',
  'template.wrong.text': 'Nothing else fits this corridor.',
  'template.boundsRule.outsideBounds': 'Outside the bounds',
  'template.boundsRule.writeAmount': ({ bounds }: { bounds: Words }) => `Write an amount ${bounds.en}.`,

  'templateColumns.yourOwnNumber':
    'Your own number of this payment, a different one in every row. With it no row is ever paid twice.',
  'templateColumns.inv': 'INV-2026-001',
  'templateColumns.headerSaysAll': ({ id }: { id: string }) =>
    `The header says it for all rows: ${id}. Leave it empty.`,
  'templateColumns.whatPayment': ({ join }: { join: string }) => `What the payment is for: ${join}.`,
  'templateColumns.sourceCurrencyColumn': ({ join }: { join: string; join2: string }) =>
    `The balance that pays: ${join}.`,
  'templateColumns.amountColumns.whatReceiverGets': ({ bounds, source }: { bounds: Words; source: Words }) =>
    `What the receiver gets: ${bounds.en}. Leave it empty where "${source.en}" says what is sent.`,
  'templateColumns.amountColumns.whatSentCurrency': ({
    paidFrom,
    target,
  }: {
    paidFrom: Words;
    target: Words;
  }) =>
    `What is sent, in the currency of "${paidFrom.en}", where that is what is fixed. Only instead of "${target.en}": never fill in both.`,
  'templateColumns.countryColumn': "The receiver's country, by name or by its three letters (China or CHN).",
  'templateColumns.deliveryColumns.the': ({
    inWords,
    isAlways,
    ways,
  }: {
    inWords: Words;
    isAlways: boolean;
    ways: Words;
  }) => `The ${inWords.en}.${isAlways ? '' : ` One is enough: ${ways.en}.`}`,
  'templateColumns.fieldColumn': ({ prefix, inWords }: { prefix: string; inWords: Words; value: string }) =>
    `The ${prefix}'s ${inWords.en}.`,
  'templateColumns.documentColumns.numberInvoiceContract':
    'The number of the invoice or contract, if there is one.',
  'templateColumns.documentColumns.nameInvoiceContract': ({ isBank }: { isBank: boolean }) =>
    `The name of the invoice or contract: a PDF or image that lies beside this file or in a folder below it.${isBank ? ' A bank transfer needs one.' : ''}`,
  'templateColumns.documentColumns.invoicePdf': 'invoice-10457.pdf',

  'templateInstructions.required': 'required',
  'templateInstructions.one-of': 'this or another',
  'templateInstructions.optional': 'optional',
  'templateInstructions.head.column': 'Column',
  'templateInstructions.head.needed': 'Needed',
  'templateInstructions.head.whatWrite': 'What to write',
  'templateInstructions.head.example': 'Example',
  'templateInstructions.titleOf': ({
    country,
    targetCurrency,
    method,
  }: {
    country: string;
    targetCurrency: string;
    method: Words;
  }) => `Payments to ${country} in ${targetCurrency}, by ${method.en}`,
  'templateInstructions.linesOf.eachPaymentBoth': ({ bounds }: { bounds: Words }) =>
    `Each payment is ${bounds.en}, both included. Bounds and columns are those of the day on which this file was made.`,
  'templateInstructions.linesOf.fillOneRow':
    '1. Fill in one row for each payment on the sheet "Payments", without merging cells or hiding rows. Rows may be added without end.',
  'templateInstructions.linesOf.yellowColumnsRequired': ({ hasAlternatives }: { hasAlternatives: boolean }) =>
    `2. Yellow columns are required.${hasAlternatives ? ' Of blue ones that belong together, one is enough.' : ''} Grey ones may stay empty. The table below says what goes where.`,
  'templateInstructions.corridorLine.toAccountsAt': ({ bankName }: { bankName: string }) =>
    `, to accounts at ${bankName}`,
  'templateInstructions.corridorLine.corridorPaid': ({
    id,
    mode,
    bank,
    join,
  }: {
    id: string;
    mode: Words;
    bank: Words;
    join: string;
  }) => `Corridor ${id}: ${mode.en}${bank.en}; paid from ${join}.`,
  'templateInstructions.closingLines.accountCardTelephone':
    '3. Account, card and telephone columns are set to text, so that no zero and no digit is lost: paste values only ("paste special", "values").',
  'templateInstructions.closingLines.putInvoicesRows':
    '4. Put the invoices that the rows name beside this file.',
  'templateInstructions.closingLines.saveXlsxRun':
    '5. Save it as .xlsx and run "paydrop check FILE": it says what is left to fix. Then "paydrop preview FILE" says what it costs, and "paydrop run FILE" pays it.',

  'inbox.text': ({ readyMarker }: { readyMarker: null | string }) =>
    `waits for its marker: a file of the same name with "${readyMarker ?? ''}" behind it`,
  'inbox.turn':
    'is complete and is taken at one of the next looks, as soon as a file of about its size is done',
  'inbox.unwatched': 'is complete, but no "paydrop watch" is running that would take it',
  'inbox.settling': 'is still being written',
  'inbox.unreadable': 'may not be read by paydrop; give its user the right to read it',
  'inbox.unfinished':
    'looks cut off; perhaps its upload is not finished. If nothing more comes, it is taken and refused with the reason',
  'inbox.standing': 'stays here and is paid again at each time of its folder; take it away to end that',
  'inbox.name':
    'is left alone for its name, by which programs mark private or unfinished files; rename it when it is complete',
  'inbox.no-file':
    'is no plain file (a folder, a link or a device) and is never opened; put the file itself there',
  'inbox.linked':
    'stands under a second name somewhere else (a hard link); it is taken when it has only one, so copy it',
  'inbox.too-deep': 'lies too deep; folders below this one are not looked at',
  'inbox.odd-control':
    'has a control file that is no plain file (a link, a folder or a device) and is never opened; put the control file itself there, or take it away',
  'inbox.not-utf8':
    'is left alone: its name is not written in UTF-8, as an older program does; rename it without accents',
  'inbox.unnamed-folder':
    'is left alone: the config names other folders of the inbox, and not this one; name it in "tenants" or "schedules", or move the file',
  'inbox.unnamed': 'is a document that no spreadsheet in the inbox names; it stays until one does',
  'inbox.control': 'is a control file whose spreadsheet is not there yet',
  'inbox.kind':
    'is no spreadsheet (csv, txt, tsv, xlsx) and no document that one names; it stays where it is',
  'inbox.document': ({ counted, until }: { counted: Words; until: string }) =>
    `${counted.en}; at ${until} it is taken without them, and those rows are to be fixed`,

  'showStatus.headline.watchRunning': 'watch is not running',
  'showStatus.headline.watchRunningSince': ({ localTime }: { localTime: string }) =>
    `watch is running since ${localTime}`,
  'showStatus.headline.needYouUnder': ({
    watch,
    needs,
    way,
    later,
  }: {
    watch: Words;
    needs: string;
    way: string;
    later: string;
  }) => `${watch.en} · ${needs} need you · ${way} under way · ${later} scheduled`,
  'showStatus.describe': 'paused',

  'takeApprovalFile.approval_not_allowed':
    'Nothing was approved: the file did not lie in the folder of an approver ("approvers" in the config), or others can write into that folder or one above it. "paydrop approve" does the same.',
  'takeApprovalFile.approval_unreadable':
    'Nothing was approved: the file may be empty while the question is the first one, or say "batch: …" and "total: …" as the question has them, and nothing else.',
  'takeApprovalFile.approval_interrupted':
    'paydrop was stopped over this approval, and nothing was approved. Look at the question once more, and drop the file again.',

  'tellOtherSeries.otherSeries': ({ series, time, id }: { series: string; time: Words; id: string }) =>
    `The same file stands as ${series} too, and under that name it counts for ${time.en} (batch ${id}): no day is paid twice. Nothing is paid for this name as long as both stand. Take one of the two away.`,

  'inboxPresence.gone': ({ inbox }: { inbox: string }) =>
    `The inbox ${inbox} is not there. Files that are dropped are not seen until it is back; what was taken goes on.`,
  'inboxPresence.moved': ({ inbox }: { inbox: string }) =>
    `The inbox ${inbox} lies on another disk than when "paydrop watch" started; perhaps its share is not mounted. If it was moved on purpose, restart "paydrop watch".`,

  'obeyConfig.restart': ({ list }: { list: string }) =>
    `The config was changed, but this is obeyed only after a restart of "paydrop watch": ${list}.`,
  'obeyConfig.refused': ({ reason }: { reason: string }) =>
    `The changed config cannot be used, and the one before stays in force. ${reason}`,

  'bringAnswer.upload': ({ temporary }: { temporary: string }) =>
    `The server has not kept all of ${temporary}; perhaps its disk or quota is full.`,

  'filesToFetch.locked': ({ shown }: { shown: string }) =>
    `${shown} is encrypted, and this account has no keys to open it ("openpgp" in the config). It stays on the server.`,
  'filesToFetch.tooLarge': ({ shown }: { shown: string }) =>
    `${shown} is larger than files may be (intake.bytesMax; documents 10 MB, encrypted files 64 MB) and stays on the server.`,

  'sequence.unnumbered': ({ shownName, names }: { shownName: string; names: string }) =>
    `${shownName} has no number as in ${names}, and stays on the server. Have it renamed.`,
  'sequence.waitsFor': ({ shownName, shown }: { shownName: string; shown: string }) =>
    `${shownName} waits on the server: ${shown} should come first and has not. Have it delivered, or set "sequence.first" above it when it never will be.`,
  'sequence.notCome': ({ shown }: { shown: string }) =>
    `Numbers are missing among the files that were taken: ${shown}. Ask for them, or set "sequence.first" above them.`,

  'exchangeRefusals.not_decrypted':
    'The file cannot be decrypted: it is damaged, or encrypted to another key than ours. Nothing was sent. Encrypt it to our key and deliver it again.',
  'exchangeRefusals.signature_missing':
    'The file is not signed, and files of this account have to be. Nothing was sent. Sign it with the key that we know, encrypt it and deliver it again.',
  'exchangeRefusals.signature_wrong':
    'The signature of the file is not that of a key that we know, or the file was changed after it was signed. Nothing was sent. Find out who made it before it is signed again.',
  'exchangeRefusals.sequence_repeated':
    'A file with this number was taken already, with another content, or the number is below the first that is expected. Nothing was sent. Deliver it under the next number if it is a new one.',

  'placePull.occupied': ({ name, dirname }: { name: string; dirname: string }) =>
    `${name} was fetched and waits: another file of this name lies in the inbox (${dirname}).`,

  'pullAccount.unsafeNames': ({ folder, count, shown }: { folder: string; count: string; shown: string }) =>
    `${folder} holds ${count} names that no file here may have, and they stay there: ${shown}. Have them renamed to plain letters and digits.`,
} as const;
