// What a daemon looks at before it starts, because nobody will be there to look later: the disk under the ledger, and the clock of the machine.
import type { Words } from '../../base/language.ts';
import { isFault } from '../../service/errors.ts';
import type { Paydrop } from '../parts.ts';
import { examineClock, ledgerFolder, networkOf, networkWords } from './doctor.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import { sentence } from '../../messages/messages.ts';

/** Warnings, in words. Throws `ConfigUnusable` where it must not start. */
export async function checkStart(paydrop: Paydrop, ask = networkOf): Promise<readonly Words[]> {
  const folder = ledgerFolder(paydrop);
  const network = await ask(folder);
  if (network !== null) throw new ConfigUnusable(networkWords(folder, network));
  const { service, serviceClock, clock, log } = paydrop;
  try {
    await serviceClock.ask(() => service.payoutCorridors());
  } catch (error) {
    if (!isFault(error)) throw error;
    // A service that is out at this moment is waited for like at any other.
    return [];
  }
  const { ok, words } = examineClock(serviceClock.latestNow(), clock.now());
  if (ok) return [];
  log.warn('clock differs from the service');
  return [sentence('doctor.clockWarning', { words })];
}
