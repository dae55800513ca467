// The decision about held rows of one file: one line a row, those that are meant ticked, and what the order would do in view before it is given.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { HeldGroup, HeldRow, ReleaseTrial, Released } from '../contract/decisions.ts';
import type { Row, FileStatus } from '../contract/files.ts';
import type { List } from '../contract/schema.ts';
import { ask, type Problem, query } from './api.ts';
import { type Listing, useData, useListing, useOrder } from './data.ts';
import { waitWords } from './files.tsx';
import { HeldPairs, keyOfHeld } from './held-pairs.tsx';
import { amount, moment, t } from './language.ts';
import { Button, Empty, Field, Heading, Tag, Trouble, Waiting, When } from './parts.tsx';
import { Link, usePlace } from './router.tsx';
import { orderSigned, useSession } from './session.ts';
import { sumsOf } from './sums.ts';

type What = 'release' | 'cancellation';
const SHOWN = 100;

export function HeldRows({ params: [batch = ''] }: { readonly params: readonly string[] }) {
  const code = usePlace().query.get('code') ?? '';
  const groups = useData<List<HeldGroup>>('/held', { kinds: ['rows', 'batch'] });
  const listing = useListing<HeldRow>(`/files/${batch}/held${query({ code, limit: SHOWN })}`, keyOfHeld, {
    kinds: ['rows', 'batch'],
    batch,
  });
  const [end, setEnd] = useState<End | null>(null);
  const group = groups.data?.data.find((each) => each.code === code);
  const file = group?.files.find((each) => each.batch === batch);
  return (
    <>
      <Heading
        title={file === undefined ? t('held.title') : t('held.titleOf', { n: file.rows, file: file.file })}
      >
        <Link to="/held">{t('held.all')}</Link>
      </Heading>
      {groups.data === null ? (
        <Waiting problem={groups.problem} />
      ) : group === undefined || file === undefined ? (
        <>
          <Empty>{t('held.none')}</Empty>
          {end === null ? null : (
            <section class="decision receipt">
              <Receipt batch={batch} end={end} groups={groups.data.data} />
            </section>
          )}
        </>
      ) : (
        <Decide
          key={`${batch} ${code}`}
          {...{ batch, code, listing }}
          words={group.words}
          total={file.rows}
          mayRelease={!file.isOwn}
          receipt={end === null ? null : <Receipt batch={batch} end={end} groups={groups.data.data} />}
          onEnd={(next) => {
            setEnd(next);
            listing.reload();
            groups.reload();
          }}
        />
      )}
    </>
  );
}

/** An order that was carried out, when, and what it came to. */
export type End = {
  readonly what: What;
  readonly rows: Released;
  readonly reason: string;
  readonly at: string;
};

type DecideProps = {
  readonly batch: string;
  readonly code: string;
  readonly words: string;
  readonly listing: Listing<HeldRow>;
  readonly total: number;
  readonly mayRelease: boolean;
  /** Of the order before. */
  readonly receipt: ComponentChildren;
  readonly onEnd: (end: End) => void;
};

function Decide({ batch, code, words, listing, total, mayRelease, receipt, onEnd }: DecideProps) {
  const { session } = useSession();
  const [what, setWhat] = useState<What>(mayRelease ? 'release' : 'cancellation');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [reason, setReason] = useState('');
  const order = useOrder();
  const about = { codes: [code], rows: chosen.size === 0 ? null : [...chosen] };
  const { dry, problem } = useOutlook(`/files/${batch}/${what}`, about, listing.rows);
  const decide = async (): Promise<void> => {
    const body = { ...about, dryRun: false, seen: dry?.seen, reason: reason.trim() };
    const rows = await orderSigned<Released>(session.signing, 'POST', `/files/${batch}/${what}`, body);
    onEnd({ what, rows, reason: body.reason, at: new Date().toISOString() });
    setChosen(new Set());
    setReason('');
  };
  const isReady = reason.trim() !== '' && dry !== null && dry.released > 0;
  return (
    <>
      <p>{words}</p>
      {mayRelease ? null : <p class="soft">{t('held.own')}</p>}
      <Ways what={what} mayRelease={mayRelease} onChoose={setWhat} />
      <HeldPairs {...{ batch, listing, words, chosen }} choose={setChosen} />
      <form
        class="decision"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) order.run(decide);
        }}
      >
        {receipt}
        <Outlook
          what={what}
          dry={dry}
          chosen={chosen}
          rows={(listing.rows ?? []).map(({ row }) => row)}
          total={total}
        />
        <div class="decision-line">
          <Field label={t('part.reason')} value={reason} onInput={setReason} required />
          <Button
            type="submit"
            kind={what === 'release' ? 'main' : 'danger'}
            busy={order.isBusy}
            disabled={!isReady}
          >
            {t(what === 'release' ? 'held.goRelease' : 'held.goClose', { n: dry?.released ?? 0 })}
          </Button>
        </div>
        <Trouble problem={order.problem ?? problem} />
      </form>
    </>
  );
}

function Ways({
  what,
  mayRelease,
  onChoose,
}: {
  readonly what: What;
  readonly mayRelease: boolean;
  readonly onChoose: (what: What) => void;
}) {
  return (
    <fieldset class="ways">
      <legend class="visually-hidden">{t('held.decision')}</legend>
      {(['release', 'cancellation'] as const).map((each) => (
        <label key={each} class="check">
          <input
            type="radio"
            name="what"
            checked={what === each}
            disabled={each === 'release' && !mayRelease}
            onChange={() => onChoose(each)}
          />
          <span>
            <b>{t(each === 'release' ? 'held.release' : 'held.close')}</b>{' '}
            <span class="soft">{t(each === 'release' ? 'held.releaseWords' : 'held.closeWords')}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Each change asks again: what is ordered is what was shown. */
function useOutlook(
  path: string,
  about: { readonly codes: readonly string[]; readonly rows: readonly string[] | null },
  rows: unknown,
): { readonly dry: ReleaseTrial | null; readonly problem: Problem | null } {
  const [dry, setDry] = useState<ReleaseTrial | null>(null);
  const order = useOrder();
  const meant = JSON.stringify(about);
  useEffect(() => {
    let isStill = true;
    setDry(null);
    const timer = setTimeout(() => {
      ask<ReleaseTrial>(path, { method: 'POST', body: { ...about, dryRun: true } }).then(
        (next) => {
          if (isStill) setDry(next);
        },
        (error: unknown) =>
          order.run(() => {
            throw error;
          }),
      );
    }, ASK_MS);
    return () => {
      isStill = false;
      clearTimeout(timer);
    };
  }, [path, meant, rows]);
  return { dry, problem: order.problem };
}

/** Ticks that follow each other quickly are one question. */
const ASK_MS = 150;

/** Of the rows that have to wait, so many are named. */
const LEFT_SHOWN = 5;

function Outlook({
  what,
  dry,
  chosen,
  rows,
  total,
}: {
  readonly what: What;
  readonly dry: ReleaseTrial | null;
  readonly chosen: ReadonlySet<string>;
  readonly rows: readonly Row[];
  readonly total: number;
}) {
  const meant = chosen.size === 0 ? rows : rows.filter(({ row }) => chosen.has(row));
  // Of more rows than are shown, the sum is not known here.
  const isWhole = chosen.size > 0 || rows.length >= total;
  const sums = isWhole
    ? sumsOf(meant.map((row) => [row['askedCurrency'] ?? null, row['askedAmount'] ?? null])).map(
        ([currency, sum]) => `${amount(sum)} ${currency}`,
      )
    : [];
  return (
    <p role="status" class="outlook">
      <b>
        {t(chosen.size === 0 ? 'held.allOfThem' : 'held.chosen', {
          n: chosen.size === 0 ? total : chosen.size,
        })}
        {sums.length === 0 ? '' : ` · ${sums.join(', ')}`}
      </b>{' '}
      {dry === null ? t('held.looking') : <OutlookWords what={what} dry={dry} />}
    </p>
  );
}

function OutlookWords({
  what,
  dry: { released, onlySkip, followed, left },
}: {
  readonly what: What;
  readonly dry: ReleaseTrial;
}) {
  return (
    <>
      {t(what === 'release' ? 'held.outlook' : 'held.outlookClose', { n: released })}{' '}
      {onlySkip === 0 ? null : t('held.only', { n: onlySkip })}{' '}
      {followed === 0 ? null : t('held.followed', { n: followed })}
      {left.slice(0, LEFT_SHOWN).map(({ row, tryAgainAt }) => (
        <span key={row}>
          {' '}
          {t(tryAgainAt === null ? 'held.releaseFirst' : 'held.notBefore', { row })}{' '}
          {tryAgainAt === null ? null : <When at={tryAgainAt} />}
        </span>
      ))}
    </>
  );
}

/** In the place of the buttons: what was ordered, what it came to, and what is next. */
function Receipt({
  batch,
  end,
  groups,
}: {
  readonly batch: string;
  readonly end: End;
  readonly groups: readonly HeldGroup[];
}) {
  const { session } = useSession();
  const file = useData<FileStatus>(`/files/${batch}`, { kinds: ['batch', 'rows', 'approval'], batch });
  const place = useRef<HTMLParagraphElement>(null);
  useEffect(() => place.current?.focus(), [end.at]);
  return (
    <div class="receipt-of-rows">
      <p class="receipt-words" role="status" tabIndex={-1} ref={place}>
        <EndWords end={end} who={session.person.name} />
      </p>
      <p class="decision-line">
        {file.data === null ? null : <Tag of={file.data.standing} />}
        <Link to={`/files/${batch}`}>{t('receipt.watch')}</Link>
        <NextHeld batch={batch} groups={groups} />
      </p>
    </div>
  );
}

/** What was ordered, and what it came to. */
export function EndWords({
  end: { what, rows, reason, at },
  who,
}: {
  readonly end: End;
  readonly who: string;
}) {
  const { released, onlySkip, followed, left, closedBefore, stillHeld, unasked, isRecorded } = rows;
  const rest = left + stillHeld + onlySkip + closedBefore;
  return (
    <>
      <Tag of={unasked === null && !isRecorded ? 'ok' : 'warning'}>
        {isRecorded
          ? t(what === 'release' ? 'held.recorded' : 'held.recordedClose')
          : unasked === null
            ? t(what === 'release' ? 'held.done' : 'held.doneClose', { n: released })
            : t('held.unasked', { what: waitWords(unasked) })}
      </Tag>{' '}
      {t('receipt.ordered', { at: moment(at), who, why: reason })}{' '}
      {followed === 0 ? null : t('held.followed', { n: followed })}{' '}
      {rest === 0 ? null : t('held.left', { n: rest })}
    </>
  );
}

function NextHeld({ batch, groups }: { readonly batch: string; readonly groups: readonly HeldGroup[] }) {
  const others = groups
    .filter(({ liftsItself }) => !liftsItself)
    .flatMap(({ code, files }) => files.map((file) => ({ code, ...file })))
    .filter((file) => !file.isOwn && file.batch !== batch);
  const [next] = others;
  if (next === undefined) return null;
  return (
    <Link to={`/held/${next.batch}?code=${encodeURIComponent(next.code)}`} class="button main">
      {t('receipt.nextHeld', { n: others.length })}
    </Link>
  );
}
