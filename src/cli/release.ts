// `paydrop release BATCH`: lets held rows go, or closes them unpaid.
import type { Command } from 'commander';

import { EXIT } from '../app/batch-result.ts';
import type { ReleaseEnd } from '../app/release-rows.ts';
import { printJson, withRecords, type CommandContext } from './command-context.ts';

type ReleaseFlags = {
  readonly rows?: string;
  readonly by: string;
  readonly reason: string;
  readonly skip?: boolean;
  readonly json?: boolean;
};

export function addRelease(program: Command, context: CommandContext): void {
  program
    .command('release')
    .description('let held rows go, in your name and with your reason; "resume" then pays them')
    .argument('<batch>', 'a batch, as "status" names it')
    .requiredOption('--by <name>', 'who decides')
    .requiredOption('--reason <text>', 'why')
    .option('--rows <list>', 'only these rows, such as 3,7; all held ones when left out')
    .option('--skip', 'close them unpaid instead')
    .option('--json', 'print one JSON document instead of words')
    .action(async (id: string, flags: ReleaseFlags, command: Command) => {
      const { releaseRows } = await import('../app/release-rows.ts');
      await withRecords(command, async (records) => {
        const batch = await records.ledger.batch(id);
        if (batch === null) {
          process.stderr.write(`paydrop: there is no batch ${id}. "paydrop status" lists them.\n`);
          context.finish(EXIT.usage);
          return;
        }
        const rows =
          flags.rows === undefined ? null : new Set(flags.rows.split(',').map((row) => row.trim()));
        const end = await releaseRows(records, batch, { ...flags, rows, skip: flags.skip === true });
        if (flags.json === true) printJson({ batch: id, ...end });
        else process.stdout.write(`${describe(id, end, flags.skip === true)}\n`);
        context.finish(end.onlySkip.length > 0 ? EXIT.unfinished : EXIT.done);
      });
    });
}

const OF_FILE: Readonly<Record<NonNullable<ReleaseEnd['file']>, string>> = {
  limits: 'This file may go over the limits of a file and a day.',
  refusals: 'This file may go on in spite of its refusals.',
  'stop-file': '',
  'missed-time': 'This file goes on although its time has passed.',
};

function describe(batch: string, { released, onlySkip, notHeld, file }: ReleaseEnd, skip: boolean): string {
  const rows =
    released.length === 0
      ? file === null && 'No row was released.'
      : `${skip ? 'Closed unpaid' : 'Released'}: row ${released.join(', ')}.`;
  const done = [file === null ? '' : OF_FILE[file], rows].filter(Boolean).join(' ');
  const next = released.length === 0 && file === null ? '' : ` "paydrop resume ${batch}" goes on.`;
  const only =
    onlySkip.length === 0
      ? ''
      : ` A transfer of row ${onlySkip.join(', ')} may still pay: look it up at the service, then close the row with --skip.`;
  const none = notHeld.length === 0 ? '' : ` Not held: row ${notHeld.join(', ')}.`;
  return done + next + only + none;
}
