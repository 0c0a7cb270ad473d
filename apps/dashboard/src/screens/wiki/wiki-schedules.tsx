/** When each wiki is checked next, and the cost compared with the rule of the original system. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { WikiScheduleView } from '../../api/station-api.ts'
import { readSchedule } from '../../api/wikis.ts'
import { ListCard } from '../../components/list/list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeUntil } from '../../components/time-until.tsx'

const EVERY_MS = 30_000

export function WikiSchedules() {
  const { t } = useTranslation()
  const schedule = useQuery({
    queryKey: ['wiki-schedule'],
    queryFn: readSchedule,
    refetchInterval: EVERY_MS,
  })
  const columns = useColumns()
  return (
    <ListCard
      name="schedule"
      caption={t('wikiSchedule.title')}
      lead={t('wikiSchedule.lead')}
      columns={columns}
      rows={schedule}
      keyOf={({ wiki }) => wiki}
      searchLabel={null}
      fileName="wiki-schedule"
      empty={<p className="quiet">{t('wikiSchedule.none')}</p>}
    />
  )
}

const sumOf = ({ days }: WikiScheduleView, of: 'calls' | 'ruleCalls' | 'saved'): number =>
  days.reduce((sum, day) => sum + (day[of] ?? 0), 0)

function useColumns(): ListColumn<WikiScheduleView>[] {
  const { t } = useTranslation()
  const sum = (id: 'calls' | 'ruleCalls' | 'saved'): ListColumn<WikiScheduleView> => ({
    id,
    label: t(`wikiSchedule.${id}`),
    as: 'count',
    value: (row) => sumOf(row, id),
  })
  const next = (of: 'nextPollAt' | 'nextSweepAt'): ListColumn<WikiScheduleView> => ({
    id: of,
    label: t(`wikiSchedule.${of}`),
    isNumber: true,
    isTime: true,
    value: (row) => row[of],
    cell: (row) => (row.isOn ? <TimeUntil at={row[of]} /> : t('figure.unknown')),
  })
  return [
    {
      id: 'wiki',
      label: t('wiki.name'),
      isAddress: true,
      cell: ({ wiki }) => (
        <Link to="/wikis/$wiki" params={{ wiki }}>
          {wiki}
        </Link>
      ),
    },
    {
      id: 'isOn',
      label: t('wiki.fresh'),
      cell: ({ isOn }) => (
        <StatusBadge
          kind={isOn ? 'good' : 'warn'}
          text={t(isOn ? 'wiki.freshness.followed' : 'wiki.freshness.paused')}
        />
      ),
    },
    next('nextPollAt'),
    next('nextSweepAt'),
    sum('calls'),
    sum('ruleCalls'),
    sum('saved'),
  ]
}
