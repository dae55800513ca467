// `paydrop sftp check [ACCOUNT]`: tries the accounts of the config, and says what is wrong and what to do.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { configOf } from '../app/desk/open-desk.ts';
import { namedBy, printJson, type CommandContext } from './command-context.ts';

export function addSftp(program: Command, context: CommandContext): void {
  const sftp = program.command('sftp').description('the SFTP accounts of the config');
  const check = sftp
    .command('check')
    .description('connect, compare the host key, list, write and remove a probe; say what to fix')
    .argument('[account]', 'one account; all by default')
    .option('--json', 'print one JSON document instead of words')
    .action(async (name: string | undefined, flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      const all = (await configOf(namedBy(command))).sftpAccounts ?? [];
      const checked = await commands.checkAccounts(all, name ?? null, context.signal);
      if (checked === null) {
        const names = all.map((account) => account.name).join(', ');
        process.stderr.write(
          `paydrop: there is no such account in the section "sftp" of the config${names === '' ? '' : `; it has ${names}`}.\n`,
        );
        context.finish(EXIT.usage);
        return;
      }
      const isWell = checked.every(({ findings }) => findings.every(({ ok }) => ok));
      if (flags.json === true) printJson({ ok: isWell, accounts: checked });
      else
        for (const { account, findings } of checked)
          for (const { name: what, ok, words } of findings)
            process.stdout.write(`${ok ? 'ok  ' : 'FIX '} ${account}  ${what.padEnd(8)} ${words}\n`);
      context.finish(isWell ? EXIT.done : EXIT.usage);
    });
  // The program does so for its own commands, and knows nothing of those below them.
  check.exitOverride();
}
