// The balances, the part promised to files, and the rest of today's limits.
import type { Balance, BalanceLine } from '../contract/money.ts';
import type { List } from '../contract/schema.ts';
import { useData } from './data.ts';
import { amount, count, moment, t } from './language.ts';
import { Bars, Empty, Heading, Note, Tag, Waiting, When, shareOf } from './parts.tsx';
import { Link } from './router.tsx';
import { Table } from './table.tsx';

export function Money() {
  const { data, problem } = useData<List<Balance>>('/balances', { kinds: ['balance', 'batch'] });
  const day = useData<List<BalanceLine>>('/balances/history', { kinds: ['balance'] });
  const lines = data?.data ?? [];
  const short = lines.filter(({ free }) => free?.startsWith('-') === true);
  const told = lines.filter(({ available, promised }) => available !== null && /[1-9]/.test(promised));
  return (
    <>
      <Heading title={t('nav.money')} />
      {data === null ? <Waiting problem={problem} /> : null}
      {data !== null && lines.length === 0 ? <Empty>{t('money.none')}</Empty> : null}
      {short.map(({ currency, free }) => (
        <Note kind="bad" key={currency}>
          {t('needs.missing', { sum: `${currency} ${amount(free?.slice(1))}` })}
        </Note>
      ))}
      {told.length === 0 ? null : (
        <Bars
          bars={told.map(({ currency, promised, available }) => ({
            label: t('money.bar', { currency }),
            value: `${amount(promised)} / ${amount(available)}`,
            share: shareOf(promised, available ?? '0'),
          }))}
        />
      )}
      {lines.length === 0 ? null : (
        <Table
          caption={t('money.caption')}
          columns={[
            { name: t('cost.currency'), isHead: true, value: ({ currency }) => currency },
            { name: t('cost.available'), isNumber: true, value: ({ available }) => amount(available) },
            { name: t('batch.reserved'), isNumber: true, value: ({ reserved }) => amount(reserved) },
            { name: t('money.promised'), isNumber: true, value: ({ promised }) => amount(promised) },
            { name: t('money.unpriced'), isNumber: true, value: ({ unpriced }) => count(unpriced) },
            { name: t('money.free'), isNumber: true, value: ({ free }) => <b>{amount(free)}</b> },
            { name: t('money.spent'), isNumber: true, value: ({ spentToday }) => amount(spentToday) },
            { name: t('money.perDay'), isNumber: true, value: ({ perDay }) => amount(perDay) },
          ]}
          rows={lines}
          keyOf={({ currency }) => currency}
        />
      )}
      <Promised lines={lines} />
      {day.data === null || (data === null && problem === null) ? null : (
        <LastDay lines={day.data.data.map((line) => upToNow(line, lines))} isOld={problem !== null} />
      )}
    </>
  );
}

/** What takes the money: each file with rows still to be sent, and whether somebody has approved that. */
function Promised({ lines }: { readonly lines: readonly Balance[] }) {
  const rows = lines.flatMap(({ currency, files }) => files.map((file) => ({ ...file, currency })));
  if (rows.length === 0) return null;
  return (
    <Table
      caption={t('money.byFile')}
      columns={[
        {
          name: t('files.file'),
          isHead: true,
          value: ({ batch, file }) => <Link to={`/files/${batch}`}>{file}</Link>,
        },
        { name: t('cost.currency'), value: ({ currency }) => currency },
        { name: t('money.promised'), isNumber: true, value: ({ promised }) => amount(promised) },
        { name: t('money.unpriced'), isNumber: true, value: ({ unpriced }) => count(unpriced) },
        {
          name: t('files.state'),
          value: ({ awaitsApproval }) => (awaitsApproval ? <Tag of="awaiting-approval" /> : null),
        },
      ]}
      rows={rows}
      keyOf={({ batch, currency }) => `${batch} ${currency}`}
    />
  );
}

/** The newest point is the balance itself: what was noted minutes ago beside it would be a second truth. */
function upToNow(line: BalanceLine, now: readonly Balance[]): BalanceLine {
  const available = now.find(({ currency }) => currency === line.currency)?.available ?? null;
  const last = line.points.at(-1);
  if (available === null || last === undefined || last.available === available) return line;
  const point = { at: new Date().toISOString(), available };
  const isLess = (one: string, other: string): boolean => Number(one) < Number(other);
  return {
    ...line,
    points: [...line.points, point],
    lowest: isLess(available, line.lowest.available) ? point : line.lowest,
    highest: isLess(line.highest.available, available) ? point : line.highest,
  };
}

/** The balances of the last 24 hours; where the service tells none now, the last that it told. */
function LastDay({ lines, isOld }: { readonly lines: readonly BalanceLine[]; readonly isOld: boolean }) {
  const last = lines
    .map(({ points }) => points.at(-1)?.at ?? '')
    .sort()
    .at(-1);
  if (last === undefined) return null;
  return (
    <section class={isOld ? 'old' : undefined}>
      {isOld ? <Note kind="warn">{t('money.since', { at: moment(last) })}</Note> : null}
      <Lines
        lines={lines.filter(isMoved).map(({ currency, points, lowest, highest }) => ({
          label: currency,
          value: amount(points.at(-1)?.available),
          points: points.map(({ at, available }) => [
            Date.parse(at),
            heightOf(available, lowest.available, highest.available),
          ]),
        }))}
      />
      <Table
        caption={t('money.day')}
        columns={[
          { name: t('cost.currency'), isHead: true, value: ({ currency }) => currency },
          { name: t('money.first'), isNumber: true, value: ({ points: [first] }) => <Told point={first} /> },
          { name: t('money.lowest'), isNumber: true, value: ({ lowest }) => <Told point={lowest} /> },
          { name: t('money.highest'), isNumber: true, value: ({ highest }) => <Told point={highest} /> },
          { name: t('money.last'), isNumber: true, value: ({ points }) => <Told point={points.at(-1)} /> },
        ]}
        rows={lines}
        keyOf={({ currency }) => currency}
      />
    </section>
  );
}

/** A line that never moved says no more than its number. */
function isMoved({ lowest, highest }: BalanceLine): boolean {
  return lowest.available !== highest.available;
}

/** Between the lowest and the highest of the day, with some room at both ends; for the height of a line alone. */
function heightOf(value: string, lowest: string, highest: string): number {
  const [at, from, to] = [Number(value), Number(lowest), Number(highest)];
  return 0.1 + (0.8 * (at - from)) / (to - from || 1);
}

function Told({ point }: { readonly point: BalanceLine['lowest'] | undefined }) {
  if (point === undefined) return <>–</>;
  return (
    <span class="told">
      {amount(point.available)}
      <small class="soft">
        <When at={point.at} />
      </small>
    </span>
  );
}

type SumLine = {
  readonly label: string;
  readonly value: string;
  /** When, in ms, and how high between 0 and 1; the oldest first. */
  readonly points: readonly (readonly [at: number, height: number])[];
};

/** A line has a gap where nothing was told for so long. */
const GAP_MS = 12 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const LINE = { width: 288, height: 48 } as const;

/** One line for each, over the 24 hours up to its last point; hidden like bars. */
function Lines({ lines }: { readonly lines: readonly SumLine[] }) {
  return (
    <div class="bars" aria-hidden="true">
      {lines.map(({ label, value, points }) => (
        <div key={label}>
          <p>
            <span>{label}</span>
            <span>{value}</span>
          </p>
          <svg viewBox={`0 0 ${LINE.width} ${LINE.height}`} preserveAspectRatio="none">
            <path d={pathOf(points)} />
          </svg>
        </div>
      ))}
    </div>
  );
}

function pathOf(points: SumLine['points']): string {
  const [end = 0] = points.at(-1) ?? [];
  const steps = points.map(([at, height], index) => {
    const isOn = at - (points[index - 1]?.[0] ?? -Infinity) <= GAP_MS;
    const x = LINE.width * (1 - (end - at) / DAY_MS);
    const y = (LINE.height - 2) * (1 - Math.min(1, height)) + 1;
    // A single point is seen as a dot.
    return `${isOn ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}${isOn ? '' : 'h0.1'}`;
  });
  return steps.join('');
}
