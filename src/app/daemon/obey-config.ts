// What becomes of a daemon's parts when its config was changed on disk: the next file, the next go at a batch and the next call obey it; what
// is under way goes on as it began.
import type { Words } from '../../base/language.ts';
import type { Config } from '../config/config.ts';
import { senderOf } from '../compose.ts';
import type { Paydrop } from '../parts.ts';

/** The same parts under another config. The keys are changed in place, because whoever calls and whoever listens holds them. */
export function obeyConfig(paydrop: Paydrop, config: Config): Paydrop {
  const { keys, isSandbox } = paydrop;
  keys.change({ apiKey: config.apiKey ?? keys.apiKey, other: config.otherWebhookKey ?? null });
  return { ...paydrop, config, sender: senderOf(config, isSandbox) };
}

export function restartWords(names: readonly string[]): Words {
  const list = names.join(', ');
  return {
    en: `The config was changed, but this is obeyed only after a restart of "paydrop watch": ${list}.`,
    fr: `La configuration a été modifiée, mais ceci n'est pris en compte qu'après un redémarrage de « paydrop watch » : ${list}.`,
  };
}

/** `reason` names the place and the remedy. */
export function refusedWords(reason: string): Words {
  return {
    en: `The changed config cannot be used, and the one before stays in force. ${reason}`,
    fr: `La configuration modifiée est inutilisable, et la précédente reste en vigueur. ${reason}`,
  };
}
