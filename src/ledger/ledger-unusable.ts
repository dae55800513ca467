// A ledger that cannot be trusted or written: nothing may be sent on its word.
import { ToldError, type Words } from '../base/language.ts';

export class LedgerUnusable extends ToldError {
  override readonly name: string = 'LedgerUnusable';
}

/** The ledger is out of reach for now: nothing may be sent, and who can wait tries again. What was being written may have reached it or not. */
export class LedgerAway extends LedgerUnusable {
  override readonly name = 'LedgerAway';
}

/** The batch was taken over since: another carrier goes on with it, and nothing was written. */
export class LeaseLost extends ToldError {
  override readonly name = 'LeaseLost';

  constructor(batch: string) {
    super({
      en: `Batch ${batch} is carried by another paydrop by now.`,
      fr: `Le lot ${batch} est désormais traité par un autre paydrop.`,
    });
  }
}

export const DAMAGED: Words = {
  en: 'The ledger is damaged. Move ledger.sqlite aside and run "paydrop rebuild" with the files that were paid.',
  fr: 'Le registre est endommagé. Mettez ledger.sqlite de côté et lancez « paydrop rebuild » avec les fichiers payés.',
};

/** SQLITE_BUSY: another program held the ledger for as long as we wait. */
export const BUSY = 5;

const DISK_FAILS: Words = {
  en: 'The disk under the ledger fails. Nothing more is sent. Check the disk, then run the same command again.',
  fr: "Le disque du registre est en panne. Plus rien n'est envoyé. Vérifiez le disque, puis relancez la même commande.",
};

const DISK_FULL: Words = {
  en: 'The disk is full. Make room, then run the same command again.',
  fr: 'Le disque est plein. Libérez de la place, puis relancez la même commande.',
};

/** Words for SQLite's primary result codes that a person can do something about. */
const WORDS: Readonly<Record<number, Words>> = {
  [BUSY]: {
    en: 'Another program holds the ledger. Close that program and try again.',
    fr: 'Un autre programme tient le registre. Fermez-le et réessayez.',
  },
  8: {
    en: 'The ledger cannot be written. Check the permissions of the workspace folder.',
    fr: "Le registre ne peut pas être écrit. Vérifiez les droits sur le dossier de l'espace de travail.",
  },
  10: DISK_FAILS,
  11: DAMAGED,
  13: DISK_FULL,
  14: {
    en: 'The ledger cannot be opened. Check that the workspace folder exists and that you may write there.',
    fr: "Le registre ne s'ouvre pas. Vérifiez que le dossier de l'espace de travail existe et que vous pouvez y écrire.",
  },
  26: {
    en: 'ledger.sqlite is not a ledger. Move it aside and run "paydrop rebuild" with the files that were paid.',
    fr: "ledger.sqlite n'est pas un registre. Mettez-le de côté et lancez « paydrop rebuild » avec les fichiers payés.",
  },
};

/** A fault of SQLite as a `LedgerUnusable`; any other error as it is, because it is a bug. */
export function asLedgerUnusable(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  // The low byte is the primary code; the higher ones are details.
  const code = Number(error.errcode) & 0xff;
  const words = WORDS[code];
  if (words === undefined) return error;
  return new (code === BUSY ? LedgerAway : LedgerUnusable)(words, { cause: error });
}

/** The disk did not take what the ledger was told to keep. */
export function notSynced(error: unknown): LedgerUnusable {
  const isFull =
    error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
  return new LedgerUnusable(isFull ? DISK_FULL : DISK_FAILS, { cause: error });
}

/** Our own JSON as it was written; the schema version guards its shape. Text that is none any more was changed under SQLite's eyes. */
export function readRecord(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new LedgerUnusable(DAMAGED, { cause: error });
  }
}
