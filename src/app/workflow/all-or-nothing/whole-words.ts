// What the owner of a file is told that is paid whole or not at all, when something stands in its way. That nothing was confirmed is said first, and
// only where it is certain: whoever believes it may pay the file another way.
import { isoTime } from '../../../base/clock.ts';
import { joinWords, type Words } from '../../../base/language.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { HOLDS } from '../../../payouts/hold.ts';
import type { Survey } from './survey-whole.ts';
import { sentence } from '../../../messages/messages.ts';

const NOTHING: Words = sentence('whole.nothing');

const NOTHING_SHOWN: Words = sentence('whole.nothingShown');

/** What is confirmed of the file, before the words of anything that holds it up; nothing where a held row says itself that it may have been paid. */
export function confirmedSoFar(survey: Survey): (words: Words) => Words {
  const lead = leadOf(survey);
  return (words) => (lead === null ? words : joinWords([lead, words]));
}

function leadOf(survey: Survey): Words | null {
  if (survey.confirmed > 0) return partConfirmed(survey);
  if (survey.mayHaveGone > 0) return null;
  return survey.maybeConfirmed > 0 ? NOTHING_SHOWN : NOTHING;
}

function partConfirmed({ confirmed }: Survey): Words {
  const [en, fr] =
    confirmed === 1
      ? ['1 row of the file is', '1 ligne du fichier est']
      : [`${String(confirmed)} rows of the file are`, `${String(confirmed)} lignes du fichier sont`];
  return sentence('whole.partConfirmed', { counted: { en, fr }, confirmed });
}

/** `1 row waits`, `12 rows wait` for a person. */
function waitingRows(held: number): Words {
  return held === 1
    ? sentence('whole.waitingRows.rowWaitsPerson')
    : sentence('whole.waitingRows.rowsWaitPerson', { held });
}

/** A row waits for a person; the others wait for it. */
export function heldWords({ standings: { held } }: Survey, { id }: BatchRecord): Words {
  const rows = waitingRows(held);
  return sentence('whole.held', { rows, id });
}

/** For which of its rows a file cannot be whole. */
export function refusedWords({ refusedRows, standings: { refused } }: Survey): Words {
  const isMore = refused > refusedRows.length;
  return refused === 1
    ? sentence('whole.refused.rowRefused', { join: refusedRows.join() })
    : sentence('whole.refused.rowsWereRefused', { join: refusedRows.join(', '), isMore });
}

const MAY_BE_CONFIRMED: Words = sentence('whole.mayBeConfirmed');

/** What is said of a row that is held for one that was refused; `isUnconfirmed`: nobody has confirmed it. */
export function notWholeWords(refused: Words, isUnconfirmed: boolean): Words {
  const { en, fr } = isUnconfirmed ? HOLDS.batch_stopped.words : MAY_BE_CONFIRMED;
  return sentence('whole.notWhole', { counted: { en, fr }, refused });
}

/** A row was refused for good, and a read may still hide that others were confirmed. */
export function hiddenWords(refused: Words, hiddenUntil: number): Words {
  const at = isoTime(hiddenUntil);
  return sentence('whole.hidden', { refused, at });
}

/** After the file was stopped. */
export function stoppedWords(held: number, { id }: BatchRecord): Words {
  const rows = waitingRows(held);
  return sentence('whole.stopped', { rows, id });
}

/** Transfers of an earlier try must have run out before anything new is created; where none is known, what may still stand is in other hands. */
export function runOutWords({ standings, provableAt }: Survey): Words {
  if (!Number.isFinite(provableAt)) return UNDER_WAY_WORDS;
  const transfers = standings.stands + standings.open;
  const [en, fr] =
    transfers === 1
      ? ['its row', 'sa ligne']
      : [`its ${String(transfers)} rows`, `ses ${String(transfers)} lignes`];
  const at = isoTime(provableAt);
  return sentence('whole.runOut', { counted: { en, fr }, at });
}

/** The file would not fit into the time at this hour. */
export function tooSlowNow({ en, fr }: Words): Words {
  return sentence('whole.tooSlowNow', { counted: { en, fr } });
}

/** Rows are in other hands, or their answers are still missing. */
export const UNDER_WAY_WORDS: Words = sentence('whole.underWay');
