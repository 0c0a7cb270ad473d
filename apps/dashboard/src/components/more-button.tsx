import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'

interface MoreButtonProps {
  pages: { hasMore: boolean; readMore: () => void }
}

export function MoreButton({ pages }: MoreButtonProps) {
  const { t } = useTranslation()
  if (!pages.hasMore) return null
  return (
    <div className="actions">
      <Button onPress={pages.readMore}>{t('more')}</Button>
    </div>
  )
}
