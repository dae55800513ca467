// `paydrop corridors`: what can be paid, with limits and required fields.
import type { Command } from 'commander';

import type { corridors } from '../app/desk/commands.ts';
import { withPaydrop, type CommandContext } from './command-context.ts';
import { print, printJson } from './print.ts';
import type { Text } from '../messages/messages.ts';

type Corridor = Awaited<ReturnType<typeof corridors>>[number];

export function addCorridors(program: Command, context: CommandContext): void {
  program
    .command('corridors')
    .description(context.text('help.corridors'))
    .option('--json', context.text('help.json'))
    .action(async (flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const found = await commands.corridors(paydrop);
        if (flags.json === true) printJson({ corridors: found });
        else print(found.map((corridor) => describe(corridor, context.text)).join('\n\n'));
      });
    });
}

function describe(corridor: Corridor, text: Text): string {
  const { id, destinationCountryIsoCode, targetCurrency, transactionMode, deliveryMethod, bankName } =
    corridor;
  const groups = corridor.requiredDeliveryMethodFields.map((group) =>
    group.map((field) => `delivery.${field}`).join(' + '),
  );
  const columns = (prefix: string, fields: readonly string[]) =>
    fields.map((field) => `${prefix}.${field}`).join(', ') || text('corridors.nothing');
  const bank = bankName === null ? '' : `, ${bankName}`;
  return [
    `${id}${corridor.isEnabled ? '' : `  ${text('corridors.off')}`}`,
    text('corridors.way', {
      country: destinationCountryIsoCode,
      currency: targetCurrency,
      mode: transactionMode,
      method: deliveryMethod + bank,
      from: corridor.sourceCurrencies.join(', '),
    }),
    text('corridors.bounds', {
      least: corridor.minimumTransactionAmount,
      most: corridor.maximumTransactionAmount,
      currency: targetCurrency,
    }),
    text('corridors.sender', { columns: columns('sender', corridor.requiredSendingEntityFields) }),
    text('corridors.receiver', { columns: columns('receiver', corridor.requiredReceivingEntityFields) }),
    text('corridors.delivery', {
      columns: groups.join(text('corridors.or')) || text('corridors.nothing'),
      document: deliveryMethod === 'bankTransfer' ? text('corridors.document') : '',
    }),
  ].join('\n');
}
