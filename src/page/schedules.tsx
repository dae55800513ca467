// When files of a folder are paid: the next times, in the zone of the schedule and in the reader's own, and what waits for them.
import type { Schedule } from '../contract/money.ts';
import type { List } from '../contract/schema.ts';
import { useData } from './data.ts';
import { momentIn, t } from './language.ts';
import { Empty, Heading, Tag, Waiting, When } from './parts.tsx';
import { Link } from './router.tsx';
import { Table } from './table.tsx';

export function Schedules() {
  const { data, problem } = useData<List<Schedule>>('/schedules', { kinds: ['batch'] });
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <Heading title={t('nav.schedules')} />
      <p class="soft">{t('schedules.words')}</p>
      {data === null ? <Waiting problem={problem} /> : null}
      {data?.data.length === 0 ? <Empty>{t('schedules.none')}</Empty> : null}
      {(data?.data ?? []).map(({ folder, cron, timeZone, missed, standing, isThere, next, waiting }) => (
        <section key={folder}>
          <h2>{folder}</h2>
          <p>
            <code>{cron}</code> · {timeZone} ·{' '}
            {t(missed === 'pay' ? 'schedules.missedPay' : 'schedules.missedHold')}
            {standing ? ` · ${t('schedules.standing')}` : ''}
            {isThere ? null : (
              <>
                {' '}
                <Tag of="warning">{t('schedules.noFolder')}</Tag>
              </>
            )}
          </p>
          <Table
            caption={t('schedules.next')}
            columns={[
              { name: timeZone, isHead: true, value: (at) => momentIn(at, timeZone) },
              { name: t('schedules.yours', { zone: own }), value: (at) => <When at={at} /> },
            ]}
            rows={next}
            keyOf={(at) => at}
          />
          {waiting.length === 0 ? null : (
            <Table
              caption={t('schedules.waiting')}
              columns={[
                {
                  name: t('files.file'),
                  isHead: true,
                  value: ({ batch, file }) => <Link to={`/files/${batch}`}>{file}</Link>,
                },
                { name: t('schedules.payAt'), value: ({ payAt }) => <When at={payAt} /> },
                {
                  name: t('files.state'),
                  value: ({ isMissed }) =>
                    isMissed ? <Tag of="warning">{t('schedules.missed')}</Tag> : <Tag of="scheduled" />,
                },
              ]}
              rows={waiting}
              keyOf={({ batch }) => batch}
            />
          )}
        </section>
      ))}
    </>
  );
}
