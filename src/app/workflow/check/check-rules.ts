// Everything that a row of a file is held against, gathered once for the file.
import type { Language } from '../../../base/language.ts';
import type { DocumentList } from '../../../inbox/documents.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { PartyFields } from '../../../service/payout-service.ts';
import type { PayoutCorridor } from '../../../service/wire.ts';
import type { Paydrop } from '../../parts.ts';
import { readEarlierDigits, type EarlierDigits } from './earlier-digits.ts';
import { loadCorridors } from './load-corridors.ts';

export type CheckRules = {
  readonly corridors: readonly PayoutCorridor[];
  /** The default sending party. */
  readonly sender: PartyFields;
  readonly documents: DocumentList;
  readonly earlier: EarlierDigits;
  readonly language: Language;
};

/** Throws a `Fault` when the corridors cannot be had. */
export async function rulesFor(
  paydrop: Paydrop,
  file: ReadFile,
  documents: DocumentList,
): Promise<CheckRules> {
  const { service, sender, config } = paydrop;
  const corridors = await loadCorridors(service);
  const earlier = await readEarlierDigits(paydrop, file, documents.door);
  return { corridors, sender, documents, earlier, language: config.language };
}
