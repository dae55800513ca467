// `paydrop proof BATCH` writes a proof of payment for whoever was paid, and `paydrop verify PROOF.pdf` says whether such a document is genuine and still holds.
import { type Command, Option } from 'commander';

import { EXIT } from '../base/exit-codes.ts';
import { LANGUAGES, type Language, say } from '../base/language.ts';
import { type CommandContext, complain, print, printJson, withRecords } from './command-context.ts';

type ProofFlags = {
  readonly rows?: string;
  readonly output?: string;
  readonly language?: Language;
  readonly force?: boolean;
  readonly json?: boolean;
};

export function addProof(program: Command, context: CommandContext): void {
  const { text } = context;
  program
    .command('proof')
    .description(text('help.proof'))
    .argument('<batch>', text('help.batch'))
    .option('--rows <list>', text('help.proof.rows'))
    .option('-o, --output <file>', text('help.proof.output'))
    .addOption(new Option('--language <language>', text('help.proof.language')).choices(LANGUAGES))
    .option('--force', text('help.template.force'))
    .option('--json', text('help.json'))
    .action(async (id: string, flags: ProofFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const { language } = records.config;
        const order = { rows: flags.rows ?? null, language: flags.language ?? language };
        const place = { path: flags.output, mayReplace: flags.force === true };
        const made = await commands.proof(records, id, order, place);
        if ('fault' in made) {
          complain(say(made.fault, language), language);
          context.finish(EXIT.usage);
        } else if (flags.json === true) printJson({ path: made.path, code: made.code, ...made.proof });
        else print(say(made.words, language));
      });
    });
}

export function addVerify(program: Command, context: CommandContext): void {
  const { text } = context;
  program
    .command('verify')
    .description(text('help.verify'))
    .argument('<file>', text('help.verify.file'))
    .option('--json', text('help.json'))
    .action(async (path: string, flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const { language } = records.config;
        const { verdict, words, details, code, proof } = await commands.verify(records, path);
        const said = details.map((each) => say(each, language));
        if (flags.json === true)
          printJson({ verdict, words: say(words, language), details: said, code, proof });
        else print([say(words, language), ...said.map((each) => `  ${each}`)].join('\n'));
        context.finish(verdict === 'genuine' ? EXIT.done : EXIT.differences);
      });
    });
}
