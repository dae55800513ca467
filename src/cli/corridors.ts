// `paydrop corridors`: what can be paid, with limits and required fields.
import type { Command } from 'commander';

import type { corridors } from '../app/desk/commands.ts';
import { printJson, withPaydrop } from './command-context.ts';

type Corridor = Awaited<ReturnType<typeof corridors>>[number];

export function addCorridors(program: Command): void {
  program
    .command('corridors')
    .description(
      'list what can be paid: countries, currencies, limits, and the columns that each corridor requires',
    )
    .option('--json', 'print one JSON document instead of words')
    .action(async (flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const found = await commands.corridors(paydrop);
        if (flags.json === true) printJson({ corridors: found });
        else process.stdout.write(`${found.map(describe).join('\n\n')}\n`);
      });
    });
}

function describe(corridor: Corridor): string {
  const { id, destinationCountryIsoCode, targetCurrency, transactionMode, deliveryMethod, bankName } =
    corridor;
  const groups = corridor.requiredDeliveryMethodFields.map((group) =>
    group.map((field) => `delivery.${field}`).join(' + '),
  );
  return [
    `${id}${corridor.isEnabled ? '' : '  (switched off)'}`,
    `  to ${destinationCountryIsoCode} in ${targetCurrency}, ${transactionMode}, ${deliveryMethod}${bankName === null ? '' : `, ${bankName}`}; paid from ${corridor.sourceCurrencies.join(', ')}`,
    `  ${corridor.minimumTransactionAmount} to ${corridor.maximumTransactionAmount} ${targetCurrency} a payment`,
    `  sender:   ${columns('sender', corridor.requiredSendingEntityFields)}`,
    `  receiver: ${columns('receiver', corridor.requiredReceivingEntityFields)}`,
    `  delivery: ${groups.join('  or  ') || 'nothing required'}${deliveryMethod === 'bankTransfer' ? ', and a document (column attachment)' : ''}`,
  ].join('\n');
}

function columns(prefix: string, fields: readonly string[]): string {
  return fields.map((field) => `${prefix}.${field}`).join(', ') || 'nothing required';
}
