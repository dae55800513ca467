// `npm run demo`: everything at once, with play money, in a folder of its own.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { grouped } from '../base/decimal.ts';
import type { Agreement } from '../app/desk/demo.ts';
import { withPaydrop } from '../app/desk/open-desk.ts';
import type { CommandContext } from './command-context.ts';
import { printResults } from './print-results.ts';

export function addDemo(program: Command, context: CommandContext): void {
  program
    .command('demo')
    .description(
      'pay the two sample files on the embedded sandbox, in a new folder, and compare the totals with its books',
    )
    .action(async () => {
      const { progressView } = await import('./progress-view.ts');
      const { compareWithBooks, demoConfig, payDemo } = await import('../app/desk/demo.ts');
      const config = await demoConfig();
      await withPaydrop(config, async (paydrop) => {
        process.stdout.write(
          `SANDBOX demo: the samples are paid with play money at ${paydrop.sandbox?.baseUrl ?? ''}\n\n`,
        );
        const results = await payDemo(paydrop, {
          waitMs: config.tracking.wait,
          signal: context.signal,
          view: progressView(paydrop.config.language),
        });
        printResults(results, {
          json: false,
          waitMs: config.tracking.wait,
          outbox: paydrop.workspace.outbox,
          language: config.language,
        });
        const agreements = compareWithBooks(paydrop, results);
        for (const { currency, inAnswers, inBooks, agrees } of agreements.filter(moved)) {
          process.stdout.write(
            `${currency}: debited ${grouped(inAnswers).en} by the answers, ${grouped(inBooks).en} by the sandbox's books: ${agrees ? 'they agree' : 'THEY DIFFER'}\n`,
          );
        }
        process.stdout.write(`\nLook at the answers: ${paydrop.workspace.outbox}\n`);
        const isRight =
          results.every(({ summary }) => summary.state === 'closed') &&
          agreements.every(({ agrees }) => agrees);
        context.finish(isRight ? EXIT.done : EXIT.bug);
      });
    });
}

/** Currencies that were not touched are no news. */
function moved({ inAnswers, inBooks }: Agreement): boolean {
  return [inAnswers, inBooks].some((amount) => /[1-9]/.test(amount));
}
