// What becomes of a daemon's parts when its config was changed on disk: the next file, the next go at a batch and the next call obey it; what
// is under way goes on as it began.
import type { Words } from '../../base/language.ts';
import type { Config } from '../config/config.ts';
import { senderOf } from '../compose.ts';
import type { Paydrop } from '../parts.ts';
import { sentence } from '../../messages/messages.ts';

/** The same parts under another config. The keys are changed in place, because whoever calls and whoever listens holds them. */
export function obeyConfig(paydrop: Paydrop, config: Config): Paydrop {
  const { keys, isSandbox } = paydrop;
  keys.change({ apiKey: config.apiKey ?? keys.apiKey, other: config.otherWebhookKey ?? null });
  return { ...paydrop, config, sender: senderOf(config, isSandbox) };
}

export function restartWords(names: readonly string[]): Words {
  const list = names.join(', ');
  return sentence('obeyConfig.restart', { list });
}

/** `reason` names the place and the remedy. */
export function refusedWords(reason: string): Words {
  return sentence('obeyConfig.refused', { reason });
}
