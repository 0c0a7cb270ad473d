/** What the years of a watch brought: visits, how many of them a forecast started, changes, data. */
import { useTranslation } from 'react-i18next'
import type { WatchYear } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import type { ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { useFormat } from '../../components/use-format.ts'

export function WatchYears({ id }: { id: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useStation(['watch-years', id], 'GET /watches/{id}/years', { params: { id } })
  const number = (
    key: Exclude<keyof WatchYear, 'year'>,
    label: string,
    text = (value: number) => format.count(value),
  ): ListColumn<WatchYear> => ({
    id: key,
    label,
    isNumber: true,
    value: (year) => year[key],
    cell: (year) => text(year[key]),
  })
  const columns: ListColumn<WatchYear>[] = [
    { id: 'year', label: t('heat.year'), as: 'text' },
    number('visits', t('watchMetrics.visits')),
    number('forecast', t('watchYears.forecast')),
    number('changes', t('watch.changes')),
    number('failures', t('watchMetrics.failed')),
    number('feedChecks', t('watch.feedChecks')),
    number('storedBytes', t('watchMetrics.stored'), (bytes) => format.bytes(bytes)),
  ]
  return (
    <section className="card">
      <h2>{t('watchYears.title')}</h2>
      <p className="quiet">{t('watchYears.lead')}</p>
      <List
        name="years"
        caption={t('watchYears.title')}
        columns={columns}
        rows={query}
        keyOf={({ year }) => year}
        searchLabel={null}
        fileName={`watch-${id}-years`}
        empty={<p className="quiet">{t('watch.notVisited')}</p>}
      />
    </section>
  )
}
