import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { Pages } from './use-pages.ts'

export function MoreButton<Row>({ pages }: { pages: Pages<Row> }) {
  const { t } = useTranslation()
  if (!pages.hasMore) return null
  return (
    <div className="actions">
      <Button onPress={pages.readMore}>{t('more')}</Button>
    </div>
  )
}
