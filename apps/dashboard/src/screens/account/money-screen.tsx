import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Radios } from '../../components/choice.tsx'
import { queryOf } from '../../api/call.ts'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { DownloadLink } from '../../components/download-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import type { Quota, StatementLine } from '../../api/station-api.ts'

export const MoneyScreen = permitted('ledger:read', 'money.title', Money)

function Money() {
  const { t } = useTranslation()
  const { may } = useMe()
  const [side, setSide] = useState<Side>(may('requests:send') ? 'client' : 'volunteer')
  return (
    <>
      <section className="card">
        <h1>{t('money.title')}</h1>
        <Radios
          label={t('money.as')}
          value={side}
          onChange={setSide}
          options={[
            ['client', t('money.client')],
            ['volunteer', t('money.volunteer')],
          ]}
          isAcross
        />
        <Balance side={side} />
      </section>
      <Statement key={side} side={side} />
    </>
  )
}

function Balance({ side }: { side: Side }) {
  const { t } = useTranslation()
  const format = useFormat()
  const balance = useStation(['balance', side], 'GET /balance', { query: { as: side } })
  const quota = useStation(['quota'], 'GET /quota', { enabled: side === 'client' })
  return (
    <Loaded query={balance}>
      {({ balanceMicros }) => (
        <FiguresList
          figures={[
            {
              label: t(side === 'client' ? 'money.balance' : 'money.earned'),
              value: format.money(balanceMicros),
            },
            ...(side === 'client' && quota.data !== undefined
              ? quotaFigures(quota.data, t, format)
              : []),
          ]}
        />
      )}
    </Loaded>
  )
}

export function quotaFigures(
  quota: Quota,
  t: (key: string) => string,
  format: ReturnType<typeof useFormat>,
): { label: string; value: string }[] {
  const limit = (used: number, max: number | null): string =>
    `${format.count(used)} / ${max === null ? '∞' : format.count(max)}`
  return [
    { label: t('money.openRequests'), value: limit(quota.open, quota.openMax) },
    { label: t('money.today'), value: limit(quota.usedToday, quota.dayMax) },
  ]
}

function Statement({ side }: { side: Side }) {
  const { t } = useTranslation()
  const columns = useColumns()
  return (
    <section className="card">
      <h2>{t('money.statement')}</h2>
      <List
        caption={t('money.statement')}
        columns={columns}
        keyOf={({ postingId }) => postingId}
        searchLabel={t('money.search')}
        firstSort="-at"
        fileName={`statement-${side}`}
        empty={<EmptyState title={t('money.none')} />}
        pages={{
          key: ['statement', side],
          read: sortedPages(
            (query) => station('GET /statement/page', { query: { ...query, as: side } }),
            'at',
          ),
        }}
      />
      <div className="actions">
        <DownloadLink path={statementPath(side, 'csv')} fileName={`minga-${side}.csv`}>
          {t('money.csv')}
        </DownloadLink>
        <DownloadLink path={statementPath(side, 'jsonl')} fileName={`minga-${side}.jsonl`}>
          {t('money.jsonl')}
        </DownloadLink>
        <Button onPress={() => print()}>{t('money.print')}</Button>
      </div>
    </section>
  )
}

function useColumns(): ListColumn<StatementLine>[] {
  const { t } = useTranslation()
  return [
    { id: 'at', label: t('captures.when'), as: 'moment', canSort: true, filter: { kind: 'time' } },
    {
      id: 'kind',
      label: t('money.what'),
      canSort: true,
      cell: ({ kind }) => t(`money.kind.${kind}`),
      filter: choiceOf(POSTING_KINDS, (value) => t(`money.kind.${value}`)),
    },
    {
      id: 'reference',
      label: t('money.about'),
      isAddress: true,
      canSort: true,
      cell: ({ reference, note }) => (
        <>
          {reference}
          {note === null ? null : <span>{note}</span>}
        </>
      ),
    },
    { id: 'requests', label: t('leaders.requests'), as: 'count', canSort: true },
    { id: 'amountMicros', label: t('money.amount'), as: 'money', canSort: true },
    { id: 'balanceMicros', label: t('money.after'), as: 'money', canSort: true },
  ]
}

/** Money spent as a client, or earned as a volunteer. */
type Side = 'client' | 'volunteer'

/** As the station names what moves money. */
const POSTING_KINDS = [
  'top-up',
  'withdrawal',
  'reservation',
  'block',
  'cache',
  'refund',
  'close',
  'audit',
  'release',
  'forfeit',
  'compensation',
] as const satisfies readonly StatementLine['kind'][]

/** Below /api. */
const statementPath = (as: Side, format: 'csv' | 'jsonl'): string =>
  `/statement${queryOf({ as, format })}`
