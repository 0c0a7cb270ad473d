import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { CopyBox } from '../../components/copy-box.tsx'
import { DaysChoice } from '../../components/charts/days-choice.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { LeaderboardPlot } from './leaderboard-plot.tsx'
import { ranked, type LeaderRow, type Measure } from './leaderboard-series.ts'
import type { Leader as PaidRow } from '../../api/station-api.ts'

const SPANS_DAYS = [7, 30, 365] as const

export function LeaderboardScreen() {
  const { t } = useTranslation()
  const { me } = useMe()
  const [days, setDays] = useState<number>(30)
  const [measure, setMeasure] = useState<Measure>('bytes')
  const query = useStation(['contributions', days], 'GET /leaderboard/days', { query: { days } })
  const earned = useStation(['leaders', days], 'GET /leaderboard', { query: { days } })
  const rows = query.data === undefined ? undefined : ranked(query.data)
  const hasNamed = query.data?.volunteers.some(({ name }) => name !== null) ?? true
  return (
    <>
      <section className="card">
        <h1>{t('leaders.title')}</h1>
        <p className="quiet">{t('leaders.lead')}</p>
        <div className="choice">
          <DaysChoice days={days} onDays={setDays} choices={SPANS_DAYS} />
          <MeasureChoice measure={measure} onMeasure={setMeasure} />
        </div>
        <Loaded query={query}>
          {(view) =>
            view.volunteers.length === 0 ? null : <LeaderboardPlot view={view} measure={measure} />
          }
        </Loaded>
        {hasNamed ? null : <p>{t('leaders.none')}</p>}
        <List
          caption={t('leaders.title')}
          columns={useColumns(earned.data ?? [])}
          rows={{ ...query, data: rows }}
          keyOf={({ rank, name }) => `${rank} ${name ?? ''}`}
          fileName="leaderboard"
          searchLabel={null}
          empty={<EmptyState title={t('leaders.nobody')} text={t('leaders.nobodyText')} />}
        />
        {me === null ? null : <Link to="/account">{t('leaders.yours')}</Link>}
      </section>
      <section className="card">
        <h2>{t('leaders.invite')}</h2>
        <p className="quiet">{t('leaders.inviteNote')}</p>
        <CopyBox
          label={t('leaders.invite')}
          text={t('leaders.inviteText', { url: `${location.origin}/join` })}
        />
      </section>
    </>
  )
}

interface MeasureChoiceProps {
  measure: Measure
  onMeasure: (measure: Measure) => void
}

function MeasureChoice({ measure, onMeasure }: MeasureChoiceProps) {
  const { t } = useTranslation()
  return (
    <label>
      {t('leaders.measure')}{' '}
      <select value={measure} onChange={(event) => onMeasure(event.target.value as Measure)}>
        <option value="bytes">{t('figure.bytes')}</option>
        <option value="requests">{t('leaders.requests')}</option>
      </select>
    </label>
  )
}

function useColumns(leaders: readonly PaidRow[]): ListColumn<LeaderRow>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const earnedBy = new Map(leaders.map(({ name, earnedMicros }) => [name, earnedMicros]))
  return [
    {
      id: 'rank',
      label: t('leaders.rank'),
      value: ({ rank }) => (rank === 0 ? null : rank),
      cell: ({ rank }) => (rank === 0 ? t('figure.unknown') : format.count(rank)),
    },
    {
      id: 'name',
      label: t('leaders.name'),
      isAddress: true,
      cell: ({ name, volunteers }) => name ?? t('leaders.unnamedCount', { count: volunteers }),
    },
    { id: 'bytes', label: t('figure.bytes'), as: 'bytes' },
    { id: 'requests', label: t('leaders.requests'), as: 'count' },
    {
      id: 'streak',
      label: t('leaders.streak'),
      isNumber: true,
      value: ({ streakDays }) => streakDays,
      cell: ({ streakDays }) => t('leaders.days', { count: streakDays }),
    },
    {
      id: 'earned',
      label: t('money.earned'),
      isNumber: true,
      value: ({ name }) => earnedBy.get(name ?? '') ?? null,
      cell: ({ name }) => {
        const micros = earnedBy.get(name ?? '')
        return micros === undefined ? t('figure.unknown') : format.money(micros)
      },
    },
  ]
}
