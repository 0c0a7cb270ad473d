import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { readLeaders } from '../../api/money.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { DaysChoice } from '../../parts/days-choice.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { useMe } from '../../people/use-me.ts'

const SPANS_DAYS = [7, 30, 365] as const

export function LeaderboardScreen() {
  const { t } = useTranslation()
  const format = useFormat()
  const { me } = useMe()
  const [days, setDays] = useState<number>(30)
  const query = useQuery({ queryKey: ['leaders', days], queryFn: () => readLeaders(days) })
  return (
    <section className="card narrow">
      <h1>{t('leaders.title')}</h1>
      <p className="quiet">{t('leaders.lead')}</p>
      <DaysChoice days={days} onDays={setDays} choices={SPANS_DAYS} />
      <Loaded query={query}>
        {(leaders) =>
          leaders.length === 0 ? (
            <p>{t('leaders.none')}</p>
          ) : (
            <DataTable
              caption={t('leaders.title')}
              rows={leaders.map((leader, i) => ({ ...leader, rank: i + 1 }))}
              keyOf={({ rank }) => rank}
              columns={[
                { label: t('leaders.rank'), cell: ({ rank }) => format.count(rank) },
                { label: t('leaders.name'), isAddress: true, cell: ({ name }) => name },
                {
                  label: t('leaders.requests'),
                  isNumber: true,
                  cell: ({ requests }) => format.count(requests),
                },
                {
                  label: t('money.earned'),
                  isNumber: true,
                  cell: ({ earnedMicros }) => format.money(earnedMicros),
                },
              ]}
            />
          )
        }
      </Loaded>
      {me === null ? null : <Link to="/account">{t('leaders.yours')}</Link>}
    </section>
  )
}
