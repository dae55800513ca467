// `paydrop sftp check [ACCOUNT]`: tries the accounts of the config, and reports faults and remedies.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { configOf } from '../app/desk/open-desk.ts';
import { type CommandContext, complain, namedBy, print, printJson } from './command-context.ts';
import { findingLine, shown } from './doctor.ts';

export function addSftp(program: Command, context: CommandContext): void {
  const sftp = program.command('sftp').description(context.text('help.sftp'));
  const check = sftp
    .command('check')
    .description(context.text('help.sftp.check'))
    .argument('[account]', context.text('help.sftp.account'))
    .option('--json', context.text('help.json'))
    .action(async (name: string | undefined, flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      const all = (await configOf(namedBy(command))).sftpAccounts ?? [];
      const checked = await commands.checkAccounts(all, name ?? null, context.signal);
      if (checked === null) {
        const names = all.map((account) => account.name).join(', ');
        complain(
          names === '' ? context.text('sftp.noAccount') : context.text('sftp.noSuchAccount', { names }),
          context.language,
        );
        context.finish(EXIT.usage);
        return;
      }
      const isWell = checked.every(({ findings }) => findings.every(({ ok }) => ok));
      const { language } = context;
      if (flags.json === true) {
        const told = checked.map(({ account, findings }) => ({
          account,
          findings: shown(findings, language),
        }));
        printJson({ ok: isWell, accounts: told });
      } else
        for (const { account, findings } of checked)
          for (const finding of findings) print(findingLine(finding, language, account));
      context.finish(isWell ? EXIT.done : EXIT.usage);
    });
  // The program sets this for its own commands, but not for their subcommands.
  check.exitOverride();
}
