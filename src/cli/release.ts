// `paydrop release BATCH`: lets held rows go, or cancels them.
import type { Command } from 'commander';

import type { Desk, DeskRecords, ReleaseEnd } from '../app/desk/commands.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type Words, joinWords, say } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { type CommandContext, withPaydrop, withRecords } from './command-context.ts';
import { complain, print, printJson } from './print.ts';

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
    .requiredOption('--by <name>', context.text('help.release.by'))
    .requiredOption('--reason <text>', context.text('help.release.reason'))
    .option('--rows <list>', context.text('help.release.rows'))
    .option('--skip', context.text('help.release.skip'))
    .option('--json', context.text('help.json'))
    .action(async (id: string, flags: ReleaseFlags, command: Command) => {
      const commands = await import('../app/desk/commands.ts');
      const decide = async (records: DeskRecords | Desk): Promise<void> => {
        const rows =
          flags.rows === undefined ? null : new Set(flags.rows.split(',').map((row) => row.trim()));
        const released = await commands.release(records, id, { ...flags, rows, skip: flags.skip === true });
        if (released === null) {
          complain(context.text('command.noBatch', { id }));
          context.finish(EXIT.usage);
          return;
        }
        const { end, isDone } = released;
        if (flags.json === true) printJson({ batch: id, ...end });
        else print(say(describeRelease(id, end, flags.skip === true), records.config.language));
        context.finish(isDone ? EXIT.done : EXIT.unfinished);
      };
      // What is cancelled is looked up at the service first.
      await (flags.skip === true ? withPaydrop(command, decide) : withRecords(command, decide));
    });
}

// What a release came to, in words: a person has decided about money, and has to read which rows went on, which were closed, and which were not.

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
  if (end.unasked !== null) return UNASKED[end.unasked];
  return joinWords([
    ...(file === null ? [] : [OF_FILE[file] ?? []].flat()),
    ...moved(end, isMoved, skip),
    ...(isMoved ? [goesOn] : []),
    ...notMoved(batch, end, skip),
  ]);
}

/** Nobody's ledger proves that nothing was paid. */
const UNASKED: Readonly<Record<NonNullable<ReleaseEnd['unasked']>, Words>> = {
  service: sentence('describeRelease.service'),
  credentials: sentence('describeRelease.credentials'),
};

function moved({ released, followed }: ReleaseEnd, isMoved: boolean, skip: boolean): readonly Words[] {
  const [en, fr] = skip ? ['Cancelled', 'Annulée'] : ['Released', 'Libérée'];
  const none = skip
    ? sentence('describeRelease.moved.rowCancelled')
    : sentence('describeRelease.moved.rowReleased');
  return [
    ...(isMoved ? [] : [none]),
    ...of(released, (rows) => sentence('describeRelease.moved.row', { counted: { en, fr }, rows })),
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

/** What stopped the file, and what holds a row, are decided one by one. */
function stillHeldWords(batch: string, held: number): Words {
  const [en, fr] =
    held === 1
      ? ['1 row stays held', '1 ligne reste retenue']
      : [`${String(held)} rows stay held`, `${String(held)} lignes restent retenues`];
  return sentence('describeRelease.stillHeld', { counted: { en, fr }, batch });
}

function tooEarly(row: string, tryAgainAt: string, skip: boolean): Words {
  const at = `${tryAgainAt.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`;
  return sentence('describeRelease.tooEarly', { skip, row, at });
}

function of(rows: readonly string[], words: (rows: string) => Words): readonly Words[] {
  return rows.length === 0 ? [] : [words(rows.join(', '))];
}
