import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Label, Radio, RadioGroup } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { QuotaView, StatementRow } from '../../api/api-types.ts'
import { readBalance, readQuota, readStatement, statementPath, type Side } from '../../api/money.ts'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { DownloadLink } from '../../parts/download-link.tsx'
import { FiguresList } from '../../parts/figures-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { usePages } from '../../parts/use-pages.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { useMe } from '../../people/use-me.ts'

const ROWS = 50

export function MoneyScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="ledger:read" title={t('money.title')}>
      <Money />
    </ForThoseWho>
  )
}

function Money() {
  const { t } = useTranslation()
  const { may } = useMe()
  const [side, setSide] = useState<Side>(may('requests:send') ? 'client' : 'volunteer')
  return (
    <>
      <section className="card">
        <h1>{t('money.title')}</h1>
        <RadioGroup
          className="radios across"
          value={side}
          onChange={(chosen) => setSide(chosen as Side)}
        >
          <Label>{t('money.as')}</Label>
          <Radio value="client">{t('money.client')}</Radio>
          <Radio value="volunteer">{t('money.volunteer')}</Radio>
        </RadioGroup>
        <Balance side={side} />
      </section>
      <Statement key={side} side={side} />
    </>
  )
}

function Balance({ side }: { side: Side }) {
  const { t } = useTranslation()
  const format = useFormat()
  const balance = useQuery({ queryKey: ['balance', side], queryFn: () => readBalance(side) })
  const quota = useQuery({
    queryKey: ['quota'],
    queryFn: () => readQuota(),
    enabled: side === 'client',
  })
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
  quota: QuotaView,
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
  const pages = usePages<StatementRow, string>({
    key: ['statement', side],
    rows: ROWS,
    read: (after, limit) => readStatement(side, after, limit),
    cursorOf: ({ postingId }) => postingId,
  })
  const columns = useColumns()
  return (
    <section className="card">
      <h2>{t('money.statement')}</h2>
      <Loaded query={pages.query}>
        {(lines) =>
          lines.length === 0 ? (
            <p className="quiet">{t('money.none')}</p>
          ) : (
            <DataTable
              caption={t('money.statement')}
              columns={columns}
              rows={lines}
              keyOf={({ postingId }) => postingId}
            />
          )
        }
      </Loaded>
      <MoreButton pages={pages} />
      <div className="actions">
        <DownloadLink path={statementPath(side, 'csv')} fileName={`minga-${side}.csv`}>
          {t('money.csv')}
        </DownloadLink>
        <DownloadLink path={statementPath(side, 'jsonl')} fileName={`minga-${side}.jsonl`}>
          {t('money.jsonl')}
        </DownloadLink>
      </div>
    </section>
  )
}

function useColumns(): Column<StatementRow>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    { label: t('captures.when'), cell: ({ at }) => format.moment(at) },
    { label: t('money.what'), cell: ({ kind }) => t(`money.kind.${kind}`) },
    {
      label: t('money.about'),
      isAddress: true,
      cell: ({ reference, note }) => (
        <>
          {reference}
          {note === null ? null : <span>{note}</span>}
        </>
      ),
    },
    {
      label: t('leaders.requests'),
      isNumber: true,
      cell: ({ requests }) => format.count(requests),
    },
    {
      label: t('money.amount'),
      isNumber: true,
      cell: ({ amountMicros }) => format.money(amountMicros),
    },
    {
      label: t('money.after'),
      isNumber: true,
      cell: ({ balanceMicros }) => format.money(balanceMicros),
    },
  ]
}
