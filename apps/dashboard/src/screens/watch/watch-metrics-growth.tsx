/** How the archive and its collections grow, and when there will be no more room. */
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ArchiveGrowthView, CollectionGrowth, Growth } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { DayPlot } from '../../components/charts/day-plot.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { growthSeries } from './watch-metrics-series.ts'

const EVERY_MS = 60_000

export function ArchiveGrowthScreen() {
  const { t } = useTranslation()
  const query = useStation(['growth'], 'GET /archive/growth', { refetchInterval: EVERY_MS })
  return (
    <>
      <h1>{t('growth.title')}</h1>
      <p className="quiet">{t('growth.lead')}</p>
      <Loaded query={query}>
        {(view) => (
          <>
            <Archive view={view} />
            <Collections view={view} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Archive({ view: { archive } }: { view: ArchiveGrowthView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { perDay, whenFull } = useGrowthWords()
  const series = useMemo(() => growthSeries(archive.samples, archive), [archive])
  const lines = useMemo(
    () =>
      [
        { label: t('growth.stored'), look: 'line', colour: '--done', values: series.stored },
        { label: t('growth.likely'), look: 'line', colour: '--bytes', values: series.likely },
      ] as const,
    [series, t],
  )
  const { capacityBytes } = archive
  return (
    <section className="card">
      <h2>{t('growth.archive')}</h2>
      <FiguresList
        figures={[
          { label: t('growth.stored'), value: format.bytes(archive.bytes) },
          { label: t('growth.perDay'), value: perDay(archive) },
          { label: t('growth.full'), value: whenFull(archive) },
          ...(capacityBytes === null
            ? []
            : [{ label: t('growth.capacity'), value: format.bytes(capacityBytes) }]),
        ]}
      />
      {archive.basis === 'days' ? <p className="quiet">{t('growth.rough')}</p> : null}
      {archive.setAsideBytes > 0 ? (
        <p className="quiet">
          {t('growth.setAside', { bytes: format.bytes(archive.setAsideBytes) })}
        </p>
      ) : null}
      {series.at.length === 0 ? (
        <p>{t('growth.none')}</p>
      ) : (
        <DayPlot label={t('growth.plot')} at={series.at} series={lines} unit="bytes" />
      )}
    </section>
  )
}

function Collections({ view }: { view: ArchiveGrowthView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { perDay, whenFull } = useGrowthWords()
  const columns: Column<CollectionGrowth>[] = [
    { label: t('growth.collection'), isAddress: true, cell: ({ name }) => name },
    { label: t('growth.stored'), isNumber: true, cell: ({ bytes }) => format.bytes(bytes) },
    { label: t('growth.perDay'), isNumber: true, cell: perDay },
    {
      label: t('growth.limit'),
      isNumber: true,
      cell: ({ capacityBytes }) =>
        capacityBytes === null ? t('figure.unknown') : format.bytes(capacityBytes),
    },
    {
      label: t('growth.full'),
      cell: (row) => (row.capacityBytes === null ? t('figure.unknown') : whenFull(row)),
    },
  ]
  if (view.collections.length === 0) return null
  return (
    <section className="card">
      <h2>{t('growth.collections')}</h2>
      <DataTable
        caption={t('growth.collections')}
        columns={columns}
        rows={view.collections}
        keyOf={({ id }) => id}
      />
      {view.collectionsLeftOut === 0 ? null : (
        <p className="quiet">{t('growth.leftOut', { count: view.collectionsLeftOut })}</p>
      )}
    </section>
  )
}

interface GrowthWords {
  perDay: (growth: Growth) => string
  whenFull: (growth: Growth) => string
}

function useGrowthWords(): GrowthWords {
  const { t } = useTranslation()
  const format = useFormat()
  const date = (at: number | null): string => (at === null ? t('growth.later') : format.day(at))
  return {
    perDay: ({ bytesPerDay: rate }) =>
      rate === null
        ? t('growth.tooLittle')
        : t('growth.between', {
            likely: format.bytes(rate.likely),
            low: format.bytes(rate.low),
            high: format.bytes(rate.high),
          }),
    whenFull: ({ outlook, fullAt }) =>
      outlook === 'dated'
        ? t('growth.dated', {
            likely: date(fullAt!.likely),
            earliest: date(fullAt!.earliest),
            latest: date(fullAt!.latest),
          })
        : t(`growth.outlook.${outlook}`),
  }
}
