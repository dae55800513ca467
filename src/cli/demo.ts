// `npm run demo`: the whole path with play money, in its own folder.
import type { Command } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { grouped } from '../base/decimal.ts';
import type { Agreement } from '../app/desk/demo.ts';
import { withPaydrop } from '../app/desk/open-desk.ts';
import { type CommandContext, print } from './command-context.ts';
import { printResults } from './print-results.ts';
import { sentence } from '../messages/messages.ts';

export function addDemo(program: Command, context: CommandContext): void {
  program
    .command('demo')
    .description(context.text('help.demo'))
    .option('--web', context.text('help.demo.web'))
    .action(async (flags: { readonly web?: boolean }) => {
      if (flags.web === true) return demoPage(context);
      const { progressView } = await import('./progress-view.ts');
      const { compareWithBooks, demoConfig, payDemo } = await import('../app/desk/demo.ts');
      const config = await demoConfig();
      await withPaydrop(config, async (paydrop) => {
        print(`${context.text('demo.start', { url: paydrop.sandbox?.baseUrl ?? '' })}\n`);
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
          const [answers, books] = [grouped(inAnswers), grouped(inBooks)];
          const end = sentence(agrees ? 'demo.agree' : 'demo.differ');
          print(context.text('demo.compared', { currency, answers, books, end }));
        }
        print(`\n${context.text('demo.look', { outbox: paydrop.workspace.outbox })}`);
        const isRight =
          results.every(({ summary }) => summary.state === 'closed') &&
          agreements.every(({ agrees }) => agrees);
        context.finish(isRight ? EXIT.done : EXIT.bug);
      });
    });
}

/** The page with play money: three people, between whom a click switches, until it is asked to stop. */
async function demoPage(context: CommandContext): Promise<void> {
  const { demoPageConfig, invitePeople } = await import('../app/desk/demo.ts');
  const { loadProfiles, loadProposals } = await import('../app/config/profile-file.ts');
  const { serve } = await import('./watch.ts');
  const config = await demoPageConfig();
  const token = await invitePeople(config);
  await withPaydrop(config, async (paydrop) => {
    await serve(paydrop, context, {
      loadConfig: () => ({
        ...config,
        fileProfiles: loadProfiles(config.profilesPath),
        proposedProfiles: loadProposals(config.profilesPath),
      }),
      reopenLog: null,
      demo: { token, onServed: (url) => print(context.text('demo.page', { url: `${url}/#${token}` })) },
    });
  });
}

/** Currencies without movements are not shown. */
function moved({ inAnswers, inBooks }: Agreement): boolean {
  return [inAnswers, inBooks].some((amount) => /[1-9]/.test(amount));
}
