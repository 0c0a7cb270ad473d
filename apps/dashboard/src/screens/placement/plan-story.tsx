/** Why a plan was made, what it changed, and what else it weighed. */
import type { PlacementEpoch } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { Ago } from '../../components/ago.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { changesOf, waysOf } from './epoch-changes.ts'
import { ExchangeMatrix } from './exchange-matrix.tsx'
import { FigureChanges } from './figure-changes.tsx'

interface PlanStoryProps {
  epoch: PlacementEpoch
  nameOf: (device: string | null) => string
}

export function PlanStory({ epoch, nameOf }: PlanStoryProps) {
  const { t, i18n } = useTranslation()
  const format = useFormat()
  const { story, reason } = epoch
  const key = `place.reason.${reason}`
  return (
    <>
      <p>
        <b>{i18n.exists(key) ? t(key) : reason}</b>{' '}
        <span className="quiet">
          <Ago at={epoch.at} />
        </span>
      </p>
      <p className="quiet" lang="en">
        {epoch.why}
      </p>
      <FiguresList
        figures={[
          { label: t('place.epoch'), value: format.count(epoch.epoch) },
          { label: t('place.hosts'), value: format.count(epoch.hosts) },
          ...(story === null
            ? []
            : [
                { label: t('place.movedHosts'), value: format.count(story.movedHosts) },
                { label: t('place.newHosts'), value: format.count(story.newHosts) },
              ]),
          { label: t('place.movedPages'), value: format.count(epoch.movedPages) },
        ]}
      />
      {story === null ? null : <Weighed epoch={epoch} story={story} nameOf={nameOf} />}
    </>
  )
}

function Weighed({
  epoch,
  story,
  nameOf,
}: PlanStoryProps & { story: NonNullable<PlacementEpoch['story']> }) {
  const { t } = useTranslation()
  return (
    <>
      <h3>{t('place.beforeAfter')}</h3>
      <FigureChanges
        changes={changesOf(story)}
        before={t('place.before')}
        after={t('place.after')}
      />
      <h3>{t('place.ways')}</h3>
      <Ways epoch={epoch} />
      <div className="matrices">
        {story.exchangeBefore === null ? null : (
          <ExchangeMatrix
            exchange={story.exchangeBefore}
            nameOf={nameOf}
            title={t('place.exchangeBefore')}
          />
        )}
        <ExchangeMatrix
          exchange={story.exchange}
          nameOf={nameOf}
          title={t('place.exchangeAfter')}
        />
      </div>
    </>
  )
}

function Ways({ epoch }: { epoch: PlacementEpoch }) {
  const { t } = useTranslation()
  const format = useFormat()
  const cost = (ms: number): string => format.delay(Math.round(ms))
  return (
    <DataTable
      caption={t('place.ways')}
      rows={waysOf(epoch)}
      keyOf={({ way }) => way}
      fileName="ways"
      columns={[
        {
          label: t('place.way'),
          value: ({ way }) => way,
          cell: ({ way }) => t(`place.wayOf.${way}`),
        },
        {
          label: t('place.running'),
          isNumber: true,
          value: ({ runningMs }) => runningMs,
          cell: ({ runningMs }) => cost(runningMs),
        },
        {
          label: t('place.moving'),
          isNumber: true,
          value: ({ migrationMs }) => migrationMs,
          cell: ({ migrationMs }) => cost(migrationMs),
        },
        {
          label: t('place.total'),
          isNumber: true,
          value: ({ totalMs }) => totalMs,
          cell: ({ totalMs }) => cost(totalMs),
        },
        {
          label: t('place.chosen'),
          value: ({ isChosen }) => isChosen,
          cell: ({ isChosen }) =>
            isChosen ? <StatusBadge kind="good" text={t('place.chosen')} /> : t('figure.unknown'),
        },
      ]}
    />
  )
}
