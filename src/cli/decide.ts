// The decisions of people about a batch: `paydrop approve`, `paydrop decline`, `paydrop pause` and `paydrop release`.
import { type Command, InvalidArgumentError, Option } from 'commander';

import type { DecisionEnd, Desk, DeskRecords, ReleaseEnd } from '../app/desk/commands.ts';
import { namedRows } from '../app/desk/typed-words.ts';
import { EXIT } from '../base/exit-codes.ts';
import { joinWords, say, type Words } from '../base/language.ts';
import { withZonedTimes, zoneOf } from '../base/local-time.ts';
import { asSystemUser, oneLine, systemUser } from '../base/person-name.ts';
import {
  byOption,
  type CommandContext,
  complain,
  print,
  printJson,
  withPaydrop,
  withRecords,
} from './command-context.ts';
import { printResults } from './print-results.ts';
import { sentence } from '../messages/messages.ts';

/** The reason stands in every row of the result. */
const REASON_LENGTH_MOST = 300;

type DeclineFlags = {
  readonly by: string;
  readonly reason: string;
  readonly sendBack?: boolean;
  readonly json?: boolean;
};

export function addDecline(program: Command, context: CommandContext): void {
  program
    .command('decline')
    .description(context.text('help.decline'))
    .argument('<batch>', context.text('help.batch'))
    .addOption(byOption(context.text('help.decline.by'), context.text).makeOptionMandatory())
    .addOption(reasonOption(context, 'help.decline.reason').makeOptionMandatory())
    .option('--send-back', context.text('help.decline.sendBack'))
    .option('--json', context.text('help.json'))
    .action(async (id: string, flags: DeclineFlags, command: Command) => {
      const { by, reason, sendBack: sendsBack = false, json } = flags;
      const commands = await import('../app/desk/commands.ts');
      const isJson = json === true;
      const isLeft = await withRecords(command, async (records) => {
        const order = { by, reason, sendsBack, via: commandOf() };
        const { end, isLeft } = await commands.decline(records, id, order);
        printDecision(id, end, { json: isJson, records });
        context.finish(end.kind === 'refused' ? EXIT.usage : EXIT.done);
        // A `watch` that has the batch closes it by itself.
        return isLeft;
      });
      if (isLeft) await close(id, command, context, isJson);
    });
}

async function close(
  id: string,
  command: Command,
  { signal }: CommandContext,
  isJson: boolean,
): Promise<void> {
  const commands = await import('../app/desk/commands.ts');
  const { progressView } = await import('./progress-view.ts');
  await withPaydrop(command, async (paydrop) => {
    const control = { waitMs: 0, signal, view: progressView(paydrop.config.language) };
    const results = (await commands.resume(paydrop, id, control)) ?? [];
    if (!isJson)
      printResults(results, {
        json: false,
        waitMs: 0,
        outbox: paydrop.workspace.outbox,
        language: paydrop.config.language,
      });
  });
}

export function reasonOption(
  context: CommandContext,
  key: 'help.decline.reason' | 'help.pause.reason' | 'help.release.reason' | 'help.service.reason',
): Option {
  return lineOption('--reason <text>', context, key);
}

function lineOption(
  flags: string,
  context: CommandContext,
  key:
    | 'help.decline.reason'
    | 'help.pause.reason'
    | 'help.release.reason'
    | 'help.service.reason'
    | 'help.approve.verified',
): Option {
  return new Option(flags, context.text(key)).argParser((text: string): string => {
    const line = oneLine(text, REASON_LENGTH_MOST);
    if (line === null) throw new InvalidArgumentError(context.text('help.wrong.line'));
    return line;
  });
}

// `paydrop approve BATCH`: a second person lets a checked and priced batch be paid.

type ApproveFlags = {
  readonly by: string;
  readonly total?: string | null;
  readonly question?: string | null;
  readonly verified?: string | null;
  readonly json?: boolean;
};

export function addApprove(program: Command, context: CommandContext): void {
  program
    .command('approve')
    .description(context.text('help.approve'))
    .argument('<batch>', context.text('help.batch'))
    .addOption(byOption(context.text('help.approve.by'), context.text).makeOptionMandatory())
    .option('--total <amounts>', context.text('help.approve.total'))
    .option('--question <code>', context.text('help.approve.question'))
    .addOption(lineOption('--verified <text>', context, 'help.approve.verified'))
    .option('--json', context.text('help.json'))
    .action(async (id: string, flags: ApproveFlags, command: Command) => {
      const { by, total = null, question = null, verified = null, json } = flags;
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const roles = await commands.rolesOf(records, by);
        const said = { total, verified, said: { question } };
        const order = { by, roles, ...said, via: commandOf(), systemUser: systemUser() };
        const end = await commands.approve(records, id, order);
        printDecision(id, end, { json: json === true, records });
        context.finish(end.kind === 'refused' ? EXIT.usage : EXIT.done);
      });
    });
}

/** The system user who gave the command: the typed name alone need not be believed. */
function commandOf(): string {
  return `command of the system's user ${systemUser()}`;
}

/** The last words of `approve` and `decline`. */
function printDecision(
  batch: string,
  end: DecisionEnd,
  { json, records }: { readonly json: boolean; readonly records: DeskRecords },
): void {
  const { language } = records.config;
  const words = say(end.words, language);
  if (json) printJson({ batch, decision: end.kind, code: end.kind === 'refused' ? end.code : null, words });
  else if (end.kind === 'refused') complain(words, language);
  else print(withZonedTimes(words, zoneOf(records.config)));
}

// `paydrop pause BATCH`: stops a batch before its next call to the service.

type PauseFlags = { readonly by?: string; readonly reason?: string; readonly json?: boolean };

export function addPause(program: Command, context: CommandContext): void {
  program
    .command('pause')
    .description(context.text('help.pause'))
    .argument('<batch>', context.text('help.batch'))
    .addOption(byOption(context.text('help.pause.by'), context.text))
    .addOption(reasonOption(context, 'help.pause.reason'))
    .option('--json', context.text('help.json'))
    .action(async (id: string, flags: PauseFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      await withRecords(command, async (records) => {
        const { by = asSystemUser(systemUser()), reason = null } = flags;
        const end = await commands.pause(records, id, { by, reason });
        if (end === null) {
          complain(context.text('command.noBatch', { id }), context.language);
          context.finish(EXIT.usage);
          return;
        }
        const isOpen = end === 'paused';
        if (flags.json === true) printJson({ batch: id, paused: isOpen });
        else if (isOpen) print(context.text('pause.paused', { id }));
        else complain(context.text('pause.finished', { id }), context.language);
        if (!isOpen) context.finish(EXIT.usage);
      });
    });
}

// `paydrop release BATCH`: releases or cancels held rows.

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
    .description(context.text('help.release'))
    .argument('<batch>', context.text('help.batch'))
    .addOption(byOption(context.text('help.release.by'), context.text).makeOptionMandatory())
    .addOption(reasonOption(context, 'help.release.reason').makeOptionMandatory())
    .option('--rows <list>', context.text('help.release.rows'))
    .option('--skip', context.text('help.release.skip'))
    .option('--json', context.text('help.json'))
    .action(async (id: string, flags: ReleaseFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      const decide = async (records: DeskRecords | Desk): Promise<void> => {
        const named = flags.rows === undefined ? null : await namedRows(records, id, flags.rows);
        if (named !== null && named.unknown.length > 0) {
          complain(context.text('release.noRow', { id, rows: named.unknown.join(', ') }), context.language);
          context.finish(EXIT.usage);
          return;
        }
        const { by, reason, skip = false } = flags;
        const who = {
          by,
          roles: await commands.rolesOf(records, by),
          systemUser: systemUser(),
          via: commandOf(),
        };
        const order = { ...who, reason, rows: named?.rows ?? null, skip };
        const released = await commands.release(records, id, order);
        if (released === null) {
          complain(context.text('command.noBatch', { id }), context.language);
          context.finish(EXIT.usage);
          return;
        }
        if ('code' in released) {
          const words = say(released.words, records.config.language);
          if (flags.json === true) printJson({ batch: id, code: released.code, words });
          else complain(words, context.language);
          context.finish(EXIT.usage);
          return;
        }
        const { end, isDone, instead } = released;
        const words = describeRelease(id, end, skip);
        if (flags.json === true) printJson({ batch: id, ...end });
        else if (instead === null) print(say(words, records.config.language));
        else complain(say(joinWords([words, instead]), records.config.language), context.language);
        context.finish(instead !== null ? EXIT.usage : isDone ? EXIT.done : EXIT.unfinished);
      };
      // Rows to cancel are looked up at the service first.
      await (flags.skip === true ? withPaydrop(command, decide) : withRecords(command, decide));
    });
}

// The result of a release in words: a person has decided about money, and must read which rows went on, which were cancelled, and which were not.

const OF_FILE: Readonly<Record<NonNullable<ReleaseEnd['file']>, Words | null>> = {
  limits: sentence('describeRelease.limits'),
  refusals: sentence('describeRelease.refusals'),
  approval: null,
  'stop-file': null,
  'missed-time': sentence('describeRelease.missed-time'),
};

export function describeRelease(batch: string, end: ReleaseEnd, skip: boolean): Words {
  const { released, followed, file } = end;
  const isMoved = released.length + followed.length > 0 || file !== null;
  const goesOn = sentence('describeRelease.text', { batch });
  if (end.isRecorded === true) return sentence('describeRelease.recorded', { skip, batch });
  if (end.unasked !== null) return UNASKED[end.unasked];
  return joinWords([
    ...(file === null ? [] : [OF_FILE[file] ?? []].flat()),
    ...moved(end, isMoved, skip),
    ...(isMoved ? [goesOn] : []),
    ...notMoved(batch, end, skip),
  ]);
}

/** A ledger alone never proves that nothing was paid. */
const UNASKED: Readonly<Record<NonNullable<ReleaseEnd['unasked']>, Words>> = {
  service: sentence('describeRelease.service'),
  credentials: sentence('describeRelease.credentials'),
};

function moved({ released, followed }: ReleaseEnd, isMoved: boolean, skip: boolean): readonly Words[] {
  const none = skip
    ? sentence('describeRelease.moved.rowCancelled')
    : sentence('describeRelease.moved.rowReleased');
  return [
    ...(isMoved ? [] : [none]),
    ...of(released, (rows) => sentence('describeRelease.moved.row', { skip, rows })),
    ...of(followed, (rows) => sentence('describeRelease.moved.cancelledRowConfirmed', { rows })),
  ];
}

function notMoved(
  batch: string,
  { onlySkip, left, notHeld, closedBefore, stillHeld }: ReleaseEnd,
  skip: boolean,
): readonly Words[] {
  const unseen = left.flatMap(({ row, tryAgainAt }) => (tryAgainAt === null ? [row] : []));
  return [
    ...of(onlySkip, (rows) => sentence('describeRelease.notMoved.transferRowMay', { rows })),
    ...left.flatMap(({ row, tryAgainAt }) => (tryAgainAt === null ? [] : [tooEarly(row, tryAgainAt, skip)])),
    ...of(unseen, (rows) => sentence('describeRelease.notMoved.cancelledRowTransfer', { rows })),
    ...of(closedBefore, (rows) => sentence('describeRelease.notMoved.releasedRowPerson', { rows, batch })),
    ...(stillHeld === 0 ? [] : [stillHeldWords(batch, stillHeld)]),
    ...of(notHeld, (rows) => sentence('describeRelease.notMoved.heldRow', { rows })),
  ];
}

/** The stop of a file, and the holds of its rows, are separate decisions. */
function stillHeldWords(batch: string, held: number): Words {
  return sentence('describeRelease.stillHeld', { held, batch });
}

function tooEarly(row: string, tryAgainAt: string, skip: boolean): Words {
  const at = `${tryAgainAt.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`;
  return sentence('describeRelease.tooEarly', { skip, row, at });
}

function of(rows: readonly string[], words: (rows: string) => Words): readonly Words[] {
  return rows.length === 0 ? [] : [words(rows.join(', '))];
}
