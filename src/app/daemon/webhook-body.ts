// What a notification says of its transfer. It decides nothing, so one that cannot be read is no fault: that it came is all that counts.
import { parseExactJson } from '../../base/exact-json.ts';
import { transferSchema, type Transfer } from '../../service/wire.ts';

/** Null for anything but a transfer as the interface has it. */
export function readWebhookBody(rawBody: Uint8Array): Transfer | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(rawBody);
    return transferSchema.safeParse(parseExactJson(text)).data ?? null;
  } catch {
    // Broken UTF-8, broken JSON, or JSON nested too deep for anybody: nothing that we could go by.
    return null;
  }
}
