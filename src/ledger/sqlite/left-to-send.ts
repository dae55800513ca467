// What is left to send of a batch: the rows before creation that do not count against the limits yet.
import { addDecimals, type DecimalText } from '../../base/decimal.ts';
import type { LeftToSend } from '../ledger.ts';
import { textOrNull } from './rows-table.ts';
import type { Sql } from './statements.ts';

const LEFT = `
  SELECT source_currency AS currency, json_extract(progress, '$.price.sendAmount') AS send, json_extract(progress, '$.price.feeAmount') AS fee,
         CASE json_extract(payout, '$.requested.side') WHEN 'source' THEN json_extract(payout, '$.requested.amount') END AS asked
    FROM rows WHERE batch = ? AND stage IN ('ready', 'quoted') AND held IS NULL AND counted IS NULL AND payout IS NOT NULL`;

const NOTHING: LeftToSend = { rows: 0, unpriced: 0, amount: '0' };

export function leftToSend(sql: Sql, batch: string): ReadonlyMap<string, LeftToSend> {
  const left = new Map<string, LeftToSend>();
  for (const found of sql(LEFT).iterate(batch)) {
    const currency = String(found['currency']);
    const before = left.get(currency) ?? NOTHING;
    const send = textOrNull(found['send']);
    const own: DecimalText =
      send === null
        ? (textOrNull(found['asked']) ?? '0')
        : addDecimals(send, textOrNull(found['fee']) ?? '0');
    left.set(currency, {
      rows: before.rows + 1,
      unpriced: before.unpriced + (send === null ? 1 : 0),
      amount: addDecimals(before.amount, own),
    });
  }
  return left;
}
