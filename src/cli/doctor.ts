// The state of paydrop: `paydrop doctor` reports faults of the set-up, `paydrop status` what a file waits for. If the ledger is lost, `paydrop
// rebuild` rebuilds it from the files.
import type { Command } from 'commander';

import type { DoctorFinding } from '../app/desk/finding.ts';
import { checkPaths } from '../app/desk/typed-words.ts';
import { EXIT } from '../base/exit-codes.ts';
import {
  type CommandContext,
  complain,
  namedBy,
  note,
  print,
  printJson,
  withPaydrop,
  withRecords,
} from './command-context.ts';
import { say, type Language } from '../base/language.ts';
import { sentence, type PlainKey } from '../messages/messages.ts';
import type { StatusFlags } from './show-status.ts';

export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description(context.text('help.doctor'))
    .option('--json', context.text('help.json'))
    .action(async (flags: { readonly json?: boolean }, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const findings = await commands.doctor(paydrop);
        const { language } = context;
        if (flags.json === true)
          printJson({ ok: findings.every(({ ok }) => ok), findings: shown(findings, language) });
        else for (const finding of findings) print(findingLine(finding, language));
        context.finish(findings.every(({ ok }) => ok) ? EXIT.done : EXIT.usage);
      });
    });
}

/** Findings for programs. */
export function shown(findings: readonly DoctorFinding[], language: Language): readonly object[] {
  return findings.map(({ name, ok, words }) => ({ name, ok, words: say(words, language) }));
}

const NAME_WIDTH = 16;

/** One line; `of` names what was checked where there are several, such as accounts. */
export function findingLine({ name, ok, words }: DoctorFinding, language: Language, of = ''): string {
  const mark = say(sentence(ok ? 'finding.ok' : 'finding.fix'), language);
  const key = NAMES[name];
  const shown = key === undefined ? name : say(sentence(key), language);
  return `${mark}${of === '' ? '' : `${of}  `}${shown.padEnd(NAME_WIDTH)} ${say(words, language)}`;
}

/** The names of the checks for people; a program reads the name itself. An account has its own name. */
const NAMES: Readonly<Record<string, PlainKey>> = {
  approver: 'finding.approver',
  inbox: 'finding.inbox',
  processing: 'finding.processing',
  outbox: 'finding.outbox',
  archive: 'finding.archive',
  refused: 'finding.refused',
  disk: 'finding.disk',
  database: 'finding.database',
  durable: 'finding.durable',
  standby: 'finding.standby',
  tls: 'finding.tls',
  databaseClock: 'finding.databaseClock',
  pooling: 'finding.pooling',
  nodes: 'finding.nodes',
  rights: 'finding.rights',
  stop: 'finding.stop',
  schedule: 'finding.schedule',
  ledger: 'finding.ledger',
  batches: 'finding.batches',
  notes: 'finding.notes',
  history: 'finding.history',
  signatures: 'finding.signatures',
  retention: 'finding.retention',
  service: 'finding.service',
  clock: 'finding.clock',
  sender: 'finding.sender',
  email: 'finding.email',
  hook: 'finding.hook',
  secret: 'finding.secret',
  connect: 'finding.connect',
  pull: 'finding.pull',
  push: 'finding.push',
};

// `paydrop status [BATCH|NAME]`: where a file is, and what it waits for.

export function addStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description(context.text('help.status'))
    .argument('[file]', context.text('help.status.file'))
    .option('--all', context.text('help.status.all'))
    .option('--json', context.text('help.json'))
    .action(async (name: string | undefined, flags: StatusFlags, command: Command) => {
      const { showAll, showNamed } = await import('./show-status.ts');
      await withRecords(command, async (records) => {
        if (name === undefined) await showAll(records, flags);
        else if (!(await showNamed(records, name, flags))) {
          complain(context.text('command.noBatchOrFile', { name }), context.language);
          context.finish(EXIT.usage);
        }
      });
    });
}

// `paydrop rebuild FILE...`: recreates a lost ledger.

export function addRebuild(program: Command, context: CommandContext): void {
  program
    .command('rebuild')
    .description(context.text('help.rebuild'))
    .argument('<files...>', context.text('help.rebuild.files'))
    .option('--json', context.text('help.json'))
    .action(async (files: string[], flags: { readonly json?: boolean }, command: Command) => {
      await checkPaths(files);
      const { progressView } = await import('./progress-view.ts');
      const commands = await import('../app/desk/commands.ts');
      await withPaydrop(command, async (paydrop) => {
        const control = { waitMs: 0, signal: context.signal, view: progressView(paydrop.config.language) };
        const { rebuilt, leftOut } = await commands.rebuild(paydrop, files, control);
        for (const words of leftOut) complain(say(words, paydrop.config.language), context.language);
        if (leftOut.length > 0) context.finish(EXIT.unfinished);
        if (flags.json === true) {
          printJson({
            batches: rebuilt.map(({ batch, found, isKnown }) => ({
              batch: batch.id,
              rows: batch.rows,
              transfersFound: found,
              wasKnown: isKnown,
            })),
          });
          return;
        }
        for (const { batch, found, isKnown, isPaused } of rebuilt) {
          const { id, rows, fileName } = batch;
          const goesOn = sentence(isPaused ? 'rebuild.paused' : 'rebuild.goesOn', { id });
          const end = isKnown
            ? sentence('rebuild.known')
            : sentence('rebuild.found', { rows, found, goesOn });
          print(context.text('rebuild.line', { fileName, id, end }));
        }
      });
    });
}

// `paydrop migrate --to URL`: moves the ledger to a database, and back.

export function addMigrate(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description(context.text('help.migrate'))
    .requiredOption('--to <url>', context.text('help.migrate.to'))
    .option('--json', context.text('help.json'))
    .action(async (flags: { readonly json?: boolean }, command: Command) => {
      const { configOf } = await import('../app/desk/open-desk.ts');
      const { migrate } = await import('../app/desk/migrate.ts');
      const config = await configOf(namedBy(command));
      const moved = await migrate(config, (words) => note(say(words, config.language)));
      const { end, ...counts } = moved;
      if (flags.json === true) printJson({ moved: end === 'moved', ...counts });
      else print(context.text(end === 'moved' ? 'migrate.moved' : 'migrate.there', counts));
    });
}
