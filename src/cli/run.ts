// From files to answers: `paydrop run` pays them, `check` and `preview` say before what a run would do, `resume` continues.
import { createInterface } from 'node:readline';

import type { Command } from 'commander';

import type { Desk, RunOrder } from '../app/desk/commands.ts';
import type { WouldPay } from '../app/desk/preview-file.ts';
import { paymentsWords, sumsWords } from '../app/desk/standing-words.ts';
import { checkPaths } from '../app/desk/typed-words.ts';
import { EXIT } from '../base/exit-codes.ts';
import { joinWords, type Language, sameWords, say, type Words } from '../base/language.ts';
import { asSystemUser, systemUser } from '../base/person-name.ts';
import {
  byOption,
  type CommandContext,
  complain,
  print,
  shown as printable,
  waitOption,
  withPaydrop,
} from './command-context.ts';
import { labelled, sentence } from '../messages/messages.ts';
import { printResults } from './print-results.ts';

type RunFlags = {
  readonly wait?: number;
  readonly json?: boolean;
  readonly again?: boolean;
  readonly by?: string;
  readonly yes?: boolean;
};

export function addRun(program: Command, context: CommandContext): void {
  program
    .command('run')
    .description(context.text('help.run'))
    .argument('<files...>', context.text('help.run.files'))
    .addOption(waitOption(context.text))
    .option('--again', context.text('help.run.again'))
    .option('--yes', context.text('help.run.yes'))
    .addOption(byOption(context.text('help.run.by'), context.text))
    .option('--json', context.text('help.json'))
    .action(async (files: string[], flags: RunFlags, command: Command) => {
      await checkPaths(files);
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const again = flags.again === true;
        let agreed: RunOrder['agreed'];
        if (flags.yes !== true && !paydrop.isSandbox && isTerminal(TERMINAL)) {
          const { filesToAgreeOn, wouldPay } = await import('../app/desk/preview-file.ts');
          agreed = await filesToAgreeOn(files);
          const found = await wouldPay(paydrop, files, { signal: context.signal, again });
          if (!(await isAgreed(found, context, TERMINAL))) {
            print(context.text('run.notAgreed'));
            context.finish(EXIT.refused);
            return;
          }
        }
        const waitMs = flags.wait ?? paydrop.config.tracking.wait;
        const control = { waitMs, signal: context.signal, view: progressView(paydrop.config.language) };
        const brings = flags.by === undefined ? [] : [flags.by];
        const by = [...brings, asSystemUser(systemUser())];
        const order: RunOrder = { again, by, ...(agreed === undefined ? {} : { agreed }) };
        await commands.assertFolders(paydrop);
        const { results, notBegun } = await commands.run(paydrop, files, control, order);
        context.finish(printResults(results, { ...shown(paydrop, flags, waitMs), notBegun }));
        await commands.tellPeople(paydrop, context.signal);
      });
    });
}

// Before real money leaves, the person at the terminal confirms the sums. A script has no terminal, and gets no question.

type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
};

const TERMINAL: Terminal = { input: process.stdin, output: process.stderr };

function isTerminal({ input, output }: Terminal): boolean {
  return input.isTTY === true && output.isTTY === true;
}

/** In the language of the question alone: what is a yes in one begins a "stop" in another. */
const YES: Readonly<Record<Language, RegExp>> = {
  en: /^(?:y|yes)$/i,
  fr: /^(?:o|oui)$/i,
  es: /^(?:s|si|sí)$/i,
};

/** Also true where nothing would be paid: then the run itself says why. */
export async function isAgreed(
  found: readonly WouldPay[],
  { language, signal, text }: Pick<CommandContext, 'language' | 'signal' | 'text'>,
  { input, output }: Terminal,
): Promise<boolean> {
  if (found.length === 0) return true;
  for (const each of found)
    for (const words of questionWords(each)) output.write(`${printable(say(words, language))}\n`);
  output.write(text('run.agree'));
  const lines = createInterface({ input, signal, terminal: false });
  try {
    for await (const answer of lines) return YES[language].test(answer.trim());
    // The end of the input, or Ctrl-C, is no yes.
    return false;
  } finally {
    // A terminal that is still read would keep the ended command alive.
    lines.close();
  }
}

/** What would be paid of a file; then what would not. */
function questionWords({ name, held, duplicate, rejected, cost, ...pays }: WouldPay): readonly Words[] {
  return [
    labelled(name, paymentsWords(pays)),
    ...sumsWords(pays).map((sum) => joinWords([sameWords(' '), sum])),
    ...(cost ?? [sentence('run.noPrice')]).map((words) => joinWords([sameWords(' '), words])),
    ...(held + duplicate + rejected === 0 ? [] : [sentence('run.left', { held, duplicate, rejected })]),
  ];
}

// `paydrop resume [BATCH]`: continues unfinished batches.

type ResumeFlags = { readonly wait?: number; readonly json?: boolean };

export function addResume(program: Command, context: CommandContext): void {
  program
    .command('resume')
    .description(context.text('help.resume'))
    .argument('[batch]', context.text('help.resume.batch'))
    .addOption(waitOption(context.text))
    .option('--json', context.text('help.json'))
    .action(async (batch: string | undefined, flags: ResumeFlags, command: Command) => {
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const waitMs = flags.wait ?? paydrop.config.tracking.wait;
        const control = { waitMs, signal: context.signal, view: progressView(paydrop.config.language) };
        await commands.assertFolders(paydrop);
        const results = await commands.resume(paydrop, batch ?? null, control);
        if (results === null) {
          complain(context.text('command.noBatch', { id: batch ?? '' }), context.language);
          context.finish(EXIT.usage);
          return;
        }
        if (results.length === 0 && flags.json !== true) print(context.text('resume.nothing'));
        context.finish(printResults(results, shown(paydrop, flags, waitMs)));
        await commands.tellPeople(paydrop, context.signal);
      });
    });
}

// `paydrop check FILE...`: says what would be refused, and sends nothing.

export function addCheck(program: Command, context: CommandContext): void {
  program
    .command('check')
    .description(context.text('help.check'))
    .argument('<files...>', context.text('help.files'))
    .option('--json', context.text('help.json'))
    .action(async (files: string[], flags: { readonly json?: boolean }, command: Command) => {
      await checkPaths(files);
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        await commands.assertFolders(paydrop);
        const results = await commands.check(paydrop, files, context);
        context.finish(printResults(results, shown(paydrop, flags, 0)));
      });
    });
}

// `paydrop preview FILE...`: prices everything, and sends nothing.

export function addPreview(program: Command, context: CommandContext): void {
  program
    .command('preview')
    .description(context.text('help.preview'))
    .argument('<files...>', context.text('help.files2'))
    .option('--json', context.text('help.json'))
    .action(async (files: string[], flags: { readonly json?: boolean }, command: Command) => {
      await checkPaths(files);
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const control = { signal: context.signal, view: progressView(paydrop.config.language) };
        await commands.assertFolders(paydrop);
        const results = await commands.preview(paydrop, files, control);
        context.finish(printResults(results, shown(paydrop, flags, 0)));
      });
    });
}

/** How the results of a command are printed. */
function shown(
  { workspace: { outbox }, config: { language } }: Pick<Desk, 'workspace' | 'config'>,
  { json = false }: { readonly json?: boolean },
  waitMs: number,
) {
  return { json, waitMs, outbox, language };
}
