// `paydrop doctor`: says what is wrong with the set-up, and what to do.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { printJson, withPaydrop, type CommandContext } from './command-context.ts';

export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('check config, key, clock, folders, ledger and service; say what to fix')
    .option('--json', 'print one JSON document instead of words')
    .action(async (flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const findings = await commands.doctor(paydrop);
        if (flags.json === true) printJson({ ok: findings.every(({ ok }) => ok), findings });
        else
          for (const { name, ok, words } of findings)
            process.stdout.write(`${ok ? 'ok  ' : 'FIX '} ${name.padEnd(10)} ${words}\n`);
        context.finish(findings.every(({ ok }) => ok) ? EXIT.done : EXIT.usage);
      });
    });
}
