/** The regions of a watch that are ignored as noise: how many, which, and how to restore them. */
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { NoiseRegionView, WatchDetail } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'

const TOUCHED = ['watches']

/** Nothing is shown while nothing is ignored. */
export function WatchNoise({ watch }: { watch: WatchDetail }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const [isShown, setIsShown] = useState(false)
  const forget = useChange(
    () => station('POST /watches/{id}/noise/forget', { params: { id: watch.id } }),
    TOUCHED,
  )
  const { ignoredRegions: count, noiseWarnings } = watch
  if (count === 0) return null
  return (
    <section className="card watch-noise">
      <div className="actions">
        <StatusBadge
          kind={noiseWarnings > 0 ? 'warn' : 'quiet'}
          text={t('watch.noise.ignored', { count })}
        />
        <Button aria-expanded={isShown} onPress={() => setIsShown(!isShown)}>
          {t(isShown ? 'watch.noise.hide' : 'watch.noise.show')}
        </Button>
        {may('watches:write') ? (
          <Button isDisabled={forget.isPending} onPress={() => forget.mutate(undefined)}>
            {t('watch.noise.forgetAll')}
          </Button>
        ) : null}
      </div>
      {noiseWarnings > 0 ? <p role="alert">{t('watch.noise.warning')}</p> : null}
      {isShown ? <Regions watch={watch} /> : null}
      <Failure error={forget.error} />
    </section>
  )
}

function Regions({ watch }: { watch: WatchDetail }) {
  const { t } = useTranslation()
  const columns = useColumns(watch)
  const query = useStation(
    ['watches', 'noise', watch.id, watch.ignoredRegions],
    'GET /watches/{id}/noise',
    { params: { id: watch.id } },
  )
  return (
    <Loaded query={query}>
      {(regions) => (
        <DataTable
          caption={t('watch.noise.title')}
          columns={columns}
          rows={regions}
          keyOf={({ url, region }) => `${region} ${url}`}
        />
      )}
    </Loaded>
  )
}

function useColumns(watch: WatchDetail): Column<NoiseRegionView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const { may } = useMe()
  const columns: Column<NoiseRegionView>[] = [
    { label: t('watch.noise.preview'), cell: ({ preview }) => preview || t('watch.noise.noText') },
    { label: t('captures.page'), isAddress: true, cell: ({ url }) => url },
    { label: t('watch.noise.share'), isNumber: true, cell: ({ share }) => format.percent(share) },
    {
      label: t('watch.noise.differed'),
      isNumber: true,
      cell: ({ differed, visits }) =>
        t('watch.noise.differedOf', {
          differed: format.count(differed),
          visits: format.count(visits),
        }),
    },
    {
      label: t('watch.noise.state'),
      cell: ({ state, isWarned }) =>
        isWarned ? (
          <StatusBadge kind="warn" text={t('watch.noise.warned')} />
        ) : (
          t(`watch.noise.states.${state}`)
        ),
    },
  ]
  if (!may('watches:write')) return columns
  const cell = (region: NoiseRegionView) => <Restore watch={watch} region={region} />
  return [...columns, { label: t('watch.noise.restore'), cell }]
}

function Restore({ watch, region }: { watch: WatchDetail; region: NoiseRegionView }) {
  const { t } = useTranslation()
  const restore = useChange(
    () =>
      station('POST /watches/{id}/noise/restore', {
        params: { id: watch.id },
        body: { url: region.url, region: region.region },
      }),
    TOUCHED,
  )
  if (region.state === 'restored') return null
  return (
    <>
      <Button isDisabled={restore.isPending} onPress={() => restore.mutate(undefined)}>
        {t('watch.noise.restore')}
      </Button>
      <Failure error={restore.error} />
    </>
  )
}
