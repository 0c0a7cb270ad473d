/** What made visits happen: an interval alone does not say why a page is visited more often than planned. */
import { useTranslation } from 'react-i18next'
import type { VisitCause } from '@minga/protocol'
import { useFormat } from '../../components/use-format.ts'

export function WatchCauses({ visits }: { visits: readonly { cause: VisitCause }[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (visits.length === 0) return null
  const counts = [...Map.groupBy(visits, ({ cause }) => cause)]
    .map(([cause, of]) => ({ cause, count: of.length }))
    .toSorted((a, b) => b.count - a.count)
  const list = counts.map(
    ({ cause, count }) => `${t(`watch.cause.${cause}`)} ${format.count(count)}`,
  )
  return (
    <p>
      {t('watch.causes')}: {list.join(', ')}
    </p>
  )
}
